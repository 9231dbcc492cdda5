"""The charge for an answer, the start of a clock, and late decisions."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from arena.referee import (
    AskMove,
    AskWritten,
    Clock,
    ClockRead,
    MatchOpened,
    MoveArrived,
    PathLost,
    Referee,
    RefereeState,
    SeatBack,
    TellFault,
    TimePassed,
    TimeSpent,
)
from arena.referee.terms import MAX_CREDIT_MS
from arena.rules import default_action
from tests.referee.conftest import MS, SECOND, Table, answer, first_legal, house, to_phase


def test_a_bid_and_a_turn_gain_the_increment_and_asks_do_not(table: Table) -> None:
    ask = table.begin()
    assert ask.bank_ms == 61_000 and ask.limit_ms == 10_000
    answer(table, think_ms=400)
    assert table.record.seats[ask.seat].bank_ms == 60_600
    ask = to_phase(table, "move")
    bank = ask.bank_ms
    answer(table, think_ms=100)
    assert table.ask.seat == ask.seat and table.ask.phase == "sow"
    assert table.ask.bank_ms == bank - 100


def test_each_bid_and_each_turn_of_a_seat_gains_the_increment_once(table: Table) -> None:
    def banks() -> dict[int, int]:
        return {number: seat.bank_ms for number, seat in table.record.seats.items()}

    table.begin()
    assert banks() == dict.fromkeys((1, 2, 3), 60_000) | {table.ask.seat: 61_000}
    to_phase(table, "move")  # each of the three has bid once
    assert banks() == dict.fromkeys((1, 2, 3), 61_000) | {table.ask.seat: 62_000}
    to_phase(table, "bid")  # each has had one turn
    assert banks() == dict.fromkeys((1, 2, 3), 62_000) | {table.ask.seat: 63_000}


def test_a_move_in_several_answers_costs_what_it_costs_in_one(table: Table) -> None:
    whole = Table(table.terms)
    for one in (table, whole):
        one.begin()
        to_phase(one, "move")
    assert whole.ask.bank_ms == table.ask.bank_ms
    seat, actions = table.ask.seat, list[str]()
    while (ask := table.ask).phase in ("move", "sow"):
        actions += first_legal(ask)
        answer(table, actions[-1], think_ms=7)
    assert len(actions) >= 3
    answer(whole, *actions, think_ms=7 * len(actions))
    assert (whole.ask.index, whole.ask.phase) == (table.ask.index, table.ask.phase)
    assert whole.record.seats[seat].bank_ms == table.record.seats[seat].bank_ms


def test_an_answer_may_take_all_that_is_in_the_bank(table: Table) -> None:
    table = Table(replace(table.terms, clock=Clock(bank_ms=0, increment_ms=10)))
    ask = table.begin()
    assert (ask.bank_ms, ask.limit_ms) == (10, 10)
    answer(table, think_ms=10)
    assert not table.entries("fault")
    assert table.record.seats[ask.seat].bank_ms == 0


def test_the_clock_starts_when_the_ask_is_on_its_way(table: Table) -> None:
    ask = table.begin()
    assert table.referee.wake_at is None
    table.give(AskWritten(ask.seat, ask.index + 1))
    assert table.referee.state == RefereeState.PENDING
    table.give(AskWritten(ask.seat, ask.index), after=3)
    assert table.referee.state == RefereeState.THINKING
    assert table.referee.wake_at == 13 * SECOND


def test_the_charge_is_what_was_measured_in_whole_milliseconds(table: Table) -> None:
    ask = table.begin()
    table.write()
    table.give(MoveArrived(ask.seat, ask.index, first_legal(ask), "", 1_999_999), after=8)
    assert table.entries("decision")[0].data == {"ms": 1}
    assert table.record.seats[ask.seat].bank_ms == 60_999


def test_a_late_answer_is_a_fault_and_costs_the_limit(table: Table) -> None:
    ask = table.begin()
    table.write()
    assert table.give(TimePassed(), after=9.9) == []
    told, _ = table.give(TimePassed(), after=0.1)
    assert isinstance(told, TellFault)
    assert (told.seat, told.index, told.reason, told.strikes, told.has_forfeited) == (ask.seat, 0, "LATE", 1, False)
    decision = table.entries("decision")[0]
    assert decision.data == {"ms": 10_000, "default": "LATE"}
    game = table.record.running
    assert told.played == decision.text == default_action(game.setup, game.seed, 0).text
    assert table.record.seats[ask.seat].bank_ms == 51_000


def test_what_may_still_be_under_way_is_waited_for(table: Table) -> None:
    table.referee = Referee.resume(table.terms, [], house, slack_ms=500)
    table.give(MatchOpened())
    assert table.referee.wake_at == 10 * SECOND + 500 * MS
    table.referee = Referee.resume(table.terms, [], house, slack_ms=500)
    assert table.begin() and table.referee.wake_at is None
    table.write()
    assert table.referee.wake_at == 10 * SECOND + 500 * MS


def test_an_answer_that_takes_the_whole_limit_is_in_time(table: Table) -> None:
    table.begin()
    answer(table, think_ms=10_000)
    assert not table.entries("fault")


def test_an_answer_whose_measured_time_is_over_the_limit_is_late(table: Table) -> None:
    table.begin()
    answer(table, think_ms=10_001)
    assert table.entries("fault")[0].text == "LATE"


def test_an_answer_to_an_old_index_is_ignored(table: Table) -> None:
    ask = table.begin()
    answer(table)
    before = list(table.log)
    assert table.give(MoveArrived(ask.seat, 0, ("bid 1",))) == []
    assert table.give(MoveArrived(table.ask.seat, 0, ("nonsense",))) == []
    assert table.log == before


def test_with_an_empty_bank_a_decision_is_late_without_being_asked_for(duel: Table) -> None:
    ask = duel.begin()
    duel.record.seats[ask.seat].bank_ms = 5
    answer(duel, think_ms=5)
    while not duel.finishes:
        assert duel.ask.seat != ask.seat or duel.ask.bank_ms > 0
        answer(duel, think_ms=duel.ask.limit_ms if duel.ask.seat == ask.seat else 0)
    faults = {(entry.text, (entry.data or {})["message"]) for entry in duel.entries("fault")}
    assert faults == {("LATE", "no time is left in the bank")}
    late = [entry.data for entry in duel.entries("decision") if "default" in (entry.data or {})]
    assert late and all(data == {"ms": 0, "default": "LATE"} for data in late)


def test_a_bot_that_dials_in_elsewhere_has_what_is_left_of_its_time(table: Table) -> None:
    ask = table.begin()
    table.write()
    table.give(TimeSpent(ask.seat, ask.index, 4 * SECOND), after=4)
    table.give(PathLost(ask.seat, left_by_bot=True))
    (_, again) = table.give(SeatBack(ask.seat))
    assert isinstance(again, AskMove)
    assert (again.limit_ms, again.bank_ms) == (6_000, 57_000)
    table.write()
    assert table.referee.wake_at == 10 * SECOND
    table.give(MoveArrived(ask.seat, ask.index, first_legal(ask), think_ns=SECOND), after=1)
    assert table.entries("decision")[0].data == {"ms": 5_000}


def test_a_bot_that_had_more_than_its_time_elsewhere_has_none_left(table: Table) -> None:
    ask = table.begin()
    table.write()
    table.give(TimeSpent(ask.seat, ask.index, 62 * SECOND))
    (_, again) = table.give(SeatBack(ask.seat))
    assert isinstance(again, AskMove)
    assert (again.limit_ms, again.bank_ms) == (0, 0)


def test_many_paths_are_no_more_time_than_one(table: Table) -> None:
    ask = table.begin()
    table.write()
    for _ in range(3):
        table.give(TimeSpent(ask.seat, ask.index, 4 * SECOND), after=4)
        table.give(PathLost(ask.seat, left_by_bot=True))
        table.give(SeatBack(ask.seat))
        table.write()
    table.give(ClockRead(ask.seat, ask.index, 0))
    assert [one.reason for one in table.give(TimePassed()) if isinstance(one, TellFault)] == ["LATE"]


def test_time_spent_elsewhere_is_taken_from_an_ask_that_is_on_its_way_again(table: Table) -> None:
    ask = table.begin()
    table.write()
    table.give(PathLost(ask.seat, left_by_bot=True), after=4)
    table.give(SeatBack(ask.seat))
    table.write()
    assert table.referee.wake_at == 14 * SECOND
    table.give(TimeSpent(ask.seat, ask.index, 4 * SECOND + 999_999))  # only whole milliseconds
    assert table.referee.wake_at == 10 * SECOND


def test_an_answer_before_this_process_has_asked_is_charged_what_was_measured(table: Table) -> None:
    ask = table.begin()
    table.write()
    table.give(TimeSpent(ask.seat, ask.index, 4 * SECOND), after=4)
    table.resume()
    table.give(MoveArrived(ask.seat, ask.index, first_legal(ask), think_ns=SECOND))
    assert table.entries("decision")[0].data == {"ms": 1_000}


def test_all_paths_together_are_charged_no_more_than_has_passed(table: Table) -> None:
    ask = table.begin()
    table.now = 100 * SECOND
    table.write()
    table.give(TimeSpent(ask.seat, ask.index, 4 * SECOND), after=2)
    table.give(MoveArrived(ask.seat, ask.index, first_legal(ask), think_ns=SECOND), after=1)
    assert table.entries("decision")[0].data == {"ms": 3_000}


def test_time_is_up_by_what_was_measured(table: Table) -> None:
    ask = table.begin()
    table.write()
    table.give(ClockRead(ask.seat, ask.index + 1, 0), after=11)
    table.give(ClockRead(ask.seat % 3 + 1, ask.index, 0))
    assert table.referee.wake_at == 10 * SECOND  # those belonged to other asks
    table.give(ClockRead(ask.seat, ask.index, 3 * SECOND))
    assert table.give(TimePassed()) == []
    assert table.referee.wake_at == 18 * SECOND
    assert [one.reason for one in table.give(TimePassed(), after=7) if isinstance(one, TellFault)] == ["LATE"]


def test_time_on_a_path_that_was_left_is_spent_under_the_next_owner_too(table: Table) -> None:
    ask = table.begin()
    table.write()
    table.give(TimeSpent(ask.seat, ask.index, 4 * SECOND), after=4)
    table.give(TimeSpent(ask.seat, ask.index, 999_999))  # too little for an entry
    assert [entry.data for entry in table.entries("note")] == [{"index": 0, "spent_ms": 4_000}]
    table.referee = Referee.resume(table.terms, table.log, house)
    (again,) = table.give(MatchOpened())
    assert isinstance(again, AskMove) and (again.limit_ms, again.bank_ms) == (6_000, 57_000)
    table.write()
    table.give(MoveArrived(ask.seat, ask.index, first_legal(ask), think_ns=SECOND), after=1)
    assert table.entries("decision")[0].data == {"ms": 5_000}
    assert table.ask.limit_ms == 10_000, "the next ask begins anew"


def test_a_seat_is_credited_with_two_seconds_of_the_network_a_match(table: Table) -> None:
    """The rest of a long round trip is thinking time, under the next owner, too."""
    table.begin()
    credited, charged = Counter[int](), Counter[int]()
    for _ in range(60):
        ask = table.write()
        move = MoveArrived(ask.seat, ask.index, first_legal(ask), think_ns=10 * MS, network_ns=240 * MS)
        left = MAX_CREDIT_MS - credited[ask.seat]
        allowed = table.referee.within_credit(move)
        assert allowed.network_ns == min(240, left) * MS and allowed.think_ns + allowed.network_ns == 250 * MS
        table.give(move, after=1)
        credited[ask.seat] += allowed.network_ns // MS
        charged[ask.seat] += allowed.think_ns // MS
        table.referee = Referee.resume(table.terms, table.log, house)
        table.give(MatchOpened())
    assert set(credited.values()) == {MAX_CREDIT_MS} and len(credited) == 3
    for seat in credited:
        noted = sum((entry.data or {}).get("network_ms", 0) for entry in table.entries("note") if entry.seat == seat)
        spent = [(entry.data or {}).get("ms", 0) for entry in table.entries("decision") if entry.seat == seat]
        assert (noted, sum(spent)) == (MAX_CREDIT_MS, charged[seat])


def test_what_is_not_charged_is_noted_for_the_owner_alone(table: Table) -> None:
    ask = table.begin()
    table.write()
    table.give(MoveArrived(ask.seat, ask.index, first_legal(ask), "", 3 * MS, 12_900_000, 999_999), after=1)
    ask = table.ask
    table.write()
    table.give(MoveArrived(ask.seat, ask.index, first_legal(ask), "hm", 3 * MS, 0, 7 * MS), after=1)
    table.write()
    table.give(MoveArrived(table.ask.seat, table.ask.index, first_legal(table.ask), "", 3 * MS), after=1)
    notes = [(entry.text, entry.data) for entry in table.entries("note")]
    assert notes == [("", {"index": 0, "network_ms": 12}), ("hm", {"index": ask.index, "queue_ms": 7})]
    assert [entry.data for entry in table.entries("decision") if "ms" in (entry.data or {})] == [{"ms": 3}] * 3
