"""The cost of a lost stream and of a broken path, and who pays it."""

from __future__ import annotations

import json
from dataclasses import replace

from arena.referee import (
    AskMove,
    Clock,
    ClockRead,
    FinishMatch,
    MoveArrived,
    PathLost,
    Reason,
    Record,
    RefereeState,
    ResumeSeat,
    SeatBack,
    SeatFaulted,
    SeatLost,
    TellFault,
    TimePassed,
    TimeSpent,
    prove,
)
from tests.referee.conftest import MS, SECOND, Table, answer, first_legal, house, play_on, revealed


def test_a_bot_that_drops_its_stream_is_charged_and_gets_its_ask_again(table: Table) -> None:
    ask = table.begin()
    table.write()
    table.give(SeatLost(ask.seat), after=1)
    resumed, again = table.give(SeatBack(ask.seat), after=4)
    assert isinstance(resumed, ResumeSeat) and resumed.view == ask.view
    assert (resumed.bank_ms, resumed.grace_ms) == (56_000, 56_000)
    assert isinstance(again, AskMove) and (again.index, again.view) == (ask.index, ask.view)
    # Its gateway subtracts the time on its own path, so that nothing is subtracted twice.
    assert (again.bank_ms, again.cap_ms, again.grace_ms) == (61_000, 10_000, 56_000)
    assert table.record.seats[ask.seat].grace_ms == 56_000
    assert table.referee.wake_at == 14 * SECOND  # 9 of its 10 seconds are left
    took, gone = 12 * SECOND, 4 * SECOND
    table.give(MoveArrived(ask.seat, ask.index, first_legal(ask), think_ns=took, gone_ns=gone), after=7)
    assert table.entries("decision")[0].data == {"ms": 12_000}, "the bank is charged for the absence"
    assert not table.entries("fault")


def test_a_bot_that_is_gone_is_not_late_while_it_has_grace(duel: Table) -> None:
    ask = duel.begin()
    duel.write()
    duel.give(SeatLost(ask.seat), after=1)
    assert duel.referee.wake_at == 61 * SECOND
    assert duel.give(TimePassed(), after=30) == []
    (resumed, _) = duel.give(SeatBack(ask.seat))
    assert isinstance(resumed, ResumeSeat) and resumed.bank_ms == 30_000
    assert duel.referee.wake_at == 40 * SECOND
    (told, _) = duel.give(TimePassed(), after=9)
    assert isinstance(told, TellFault) and (told.reason, told.strikes) == ("LATE", 1)
    assert duel.entries("decision")[0].data == {"ms": 40_000, "default": "LATE"}, "all that it had"
    play_on(duel)
    prove(duel.referee.replay([{"name": name, "version": "1"} for name in "ab"]), house)


def test_a_bot_may_not_think_for_longer_than_the_cap_by_going_away(duel: Table) -> None:
    ask = duel.begin()
    duel.write()
    duel.give(SeatLost(ask.seat), after=6)
    duel.give(SeatBack(ask.seat), after=3)
    # The gateway has measured 10,001 ms with a stream.
    took, gone = 13_001 * MS, 3_000 * MS
    (told, _) = duel.give(MoveArrived(ask.seat, ask.index, first_legal(ask), think_ns=took, gone_ns=gone), after=4)
    assert isinstance(told, TellFault) and told.reason == "LATE"
    assert duel.entries("decision")[0].data == {"ms": 13_000, "default": "LATE"}


def test_an_absence_that_began_before_the_ask_gives_no_time_for_it(table: Table) -> None:
    first = table.begin()
    others = [seat for seat in (1, 2, 3) if seat != first.seat]
    for seat in others:
        table.give(SeatLost(seat))
    table.write()
    table.give(MoveArrived(first.seat, first.index, first_legal(first)), after=5)
    ask = table.write()  # its gateway keeps it
    table.give(SeatBack(ask.seat), after=2)
    assert table.referee.wake_at == (5 + 2 + 10) * SECOND
    table.give(TimePassed(), after=10)
    assert table.entries("decision")[1].data == {"ms": 12_000, "default": "LATE"}


def test_an_absence_that_only_the_gateway_knows_of_is_not_charged(table: Table) -> None:
    ask = table.begin()
    table.write()
    table.give(SeatLost(ask.seat))
    table.resume()  # the bot has been away for 20 seconds: the gap between two owners is charged to nobody
    table.write()
    table.give(SeatBack(ask.seat), after=5)
    took, gone = 28 * SECOND, 25 * SECOND
    table.give(ClockRead(ask.seat, ask.index, took, gone), after=3)
    assert table.referee.wake_at == 15 * SECOND
    table.give(MoveArrived(ask.seat, ask.index, first_legal(ask), think_ns=took, gone_ns=gone))
    assert table.entries("decision")[0].data == {"ms": 8_000}


def test_an_absence_that_only_the_gateway_knows_of_does_not_use_up_a_small_bank(duel: Table) -> None:
    table = Table(replace(duel.terms, clock=Clock(bank_ms=9_000, increment_ms=0)))
    ask = table.begin()
    table.write()
    took, gone = 10 * SECOND, 8 * SECOND
    table.give(ClockRead(ask.seat, ask.index, took, gone), after=2)
    assert table.referee.wake_at == 9 * SECOND
    table.give(TimeSpent(ask.seat, ask.index, took, gone))
    table.resume()
    assert table.ask.bank_ms == 7_000
    table.write()
    assert table.referee.wake_at == 9 * SECOND
    table.give(MoveArrived(ask.seat, ask.index, first_legal(ask), think_ns=6 * SECOND), after=6)
    assert table.entries("decision")[0].data == {"ms": 8_000}


def test_an_absence_at_a_gateway_that_the_bot_has_left_counts_as_one(table: Table) -> None:
    ask = table.begin()
    table.write()
    table.give(SeatLost(ask.seat), after=2)
    table.give(TimeSpent(ask.seat, ask.index, 22 * SECOND, 20 * SECOND), after=20)
    table.give(PathLost(ask.seat, left_by_bot=True))
    _, again = table.give(SeatBack(ask.seat))
    assert isinstance(again, AskMove)
    assert (again.cap_ms, again.bank_ms, again.grace_ms) == (8_000, 39_000, 40_000)
    table.write()
    assert table.referee.wake_at == 30 * SECOND
    table.resume()
    table.write()
    assert table.referee.wake_at == 30 * SECOND
    table.give(MoveArrived(ask.seat, ask.index, first_legal(ask), think_ns=8 * SECOND), after=8)
    assert table.entries("decision")[0].data == {"ms": 30_000} and not table.entries("fault")


def hand_over(table: Table, seat: int, *, thought: float, gone: float = 5) -> AskMove:
    """Let a bot think, drop its stream and go on in another process. Return the ask to that process."""
    table.write()
    table.give(SeatLost(seat), after=thought)
    table.give(PathLost(seat, left_by_bot=True, is_handed_over=True), after=gone)
    resumed, again = table.give(SeatBack(seat))
    assert isinstance(resumed, ResumeSeat) and isinstance(again, AskMove)
    assert resumed.bank_ms == again.bank_ms
    return again


def test_a_hand_over_to_another_process_gives_no_new_time(duel: Table) -> None:
    ask = duel.begin()
    again = hand_over(duel, ask.seat, thought=6)
    assert (again.index, again.cap_ms, again.bank_ms, again.grace_ms) == (ask.index, 4_000, 50_000, 55_000)
    again = hand_over(duel, ask.seat, thought=3.5)
    assert (again.cap_ms, again.bank_ms, again.grace_ms) == (500, 41_500, 50_000)
    assert [entry.data for entry in duel.entries("note")] == [
        {"index": 0, "spent_ms": 11_000, "gone_ms": 5_000},
        {"index": 0, "spent_ms": 8_500, "gone_ms": 5_000},
    ]
    duel.resume()  # the next owner knows it
    assert (duel.ask.cap_ms, duel.ask.bank_ms) == (500, 41_500)
    duel.write()
    (told, _) = duel.give(TimePassed(), after=0.5)
    assert isinstance(told, TellFault) and (told.reason, told.strikes) == ("LATE", 1)
    assert duel.entries("decision")[0].data == {"ms": 20_000, "default": "LATE"}
    play_on(duel)
    prove(duel.referee.replay([{"name": name, "version": "1"} for name in "ab"]), house)


def test_an_answer_after_a_hand_over_costs_the_time_of_both_processes(duel: Table) -> None:
    ask = duel.begin()
    hand_over(duel, ask.seat, thought=6)
    duel.write()
    duel.give(MoveArrived(ask.seat, ask.index, first_legal(ask), think_ns=4 * SECOND), after=4)
    assert duel.entries("decision")[0].data == {"ms": 15_000} and not duel.entries("fault")


def test_the_next_owner_knows_the_process_that_a_match_was_handed_over_to(duel: Table) -> None:
    """Before the game and in it. Nobody else learns of it."""
    duel.accept_all()
    for by in ("second", "third"):
        duel.give(PathLost(1, left_by_bot=True, is_handed_over=True))
        duel.give(SeatBack(1, by=by))
        duel.give(PathLost(1))
        duel.give(SeatBack(1))  # the same process has another path
        assert duel.rebuilt().record == duel.record
        assert (duel.rebuilt().record.seats[1].by, duel.record.seats[2].by) == (by, "")
        for seat in duel.record.unready:
            duel.give(revealed(seat))
    assert [(entry.seat, entry.data) for entry in duel.entries("note")] == [
        (1, {"index": 0, "by": "second"}),
        (1, {"index": 0, "by": "third"}),
    ]
    play_on(duel)
    assert "third" not in json.dumps(duel.referee.replay([{"name": name, "version": "1"} for name in "ab"]))


def test_earlier_absences_are_part_of_what_a_hand_over_costs(duel: Table) -> None:
    ask = duel.begin()
    duel.write()
    duel.give(SeatLost(ask.seat), after=1)
    duel.give(SeatBack(ask.seat), after=2)
    again = hand_over(duel, ask.seat, thought=3)
    assert (again.cap_ms, again.bank_ms, again.grace_ms) == (6_000, 50_000, 53_000)


def test_a_hand_over_after_a_fault_of_ours_costs_nothing(table: Table) -> None:
    ask = table.begin()
    paths = (
        PathLost(ask.seat, is_handed_over=True),  # its gateway is gone
        PathLost(ask.seat % 3 + 1, left_by_bot=True, is_handed_over=True),  # it is not its turn
    )
    for path in paths:
        table.write()
        table.give(path, after=9)
        table.give(SeatBack(path.seat), after=1)
    table.give(PathLost(ask.seat), after=9)
    table.give(PathLost(ask.seat, left_by_bot=True, is_handed_over=True), after=9)  # its clock did not run
    _, again = table.give(SeatBack(ask.seat))
    assert isinstance(again, AskMove) and (again.cap_ms, again.bank_ms) == (10_000, 61_000)
    assert not table.entries("note")


def test_a_loss_is_written_once_with_its_reason_and_not_for_a_seat_that_has_forfeited(table: Table) -> None:
    ask = table.begin()
    other = ask.seat % 3 + 1
    table.give(SeatLost(other, "the stream ended"))
    table.give(SeatLost(other, "again"), after=1)
    (lost,) = table.entries("lost")
    assert (lost.seat, lost.text) == (other, "the stream ended")
    table.give(TimePassed(), after=59)
    assert [entry.seat for entry in table.entries("forfeit")] == [other]
    table.give(SeatLost(other, "again"))
    assert len(table.entries("lost")) == 1


def test_the_way_to_another_seat_touches_neither_the_clock_nor_the_ask(table: Table) -> None:
    ask = table.begin()
    table.write()
    other = ask.seat % 3 + 1
    table.give(SeatLost(other))
    table.give(PathLost(other), after=1)
    assert (table.referee.state, table.referee.wake_at) == (RefereeState.THINKING, 10 * SECOND)
    (resumed,) = table.give(SeatBack(other), after=1)
    assert isinstance(resumed, ResumeSeat) and (resumed.seat, resumed.bank_ms) == (other, 60_000)


def test_a_seat_whose_grace_ends_with_its_clock_forfeits_and_is_not_late_too(duel: Table, table: Table) -> None:
    for one in (duel, table):  # the match of two is over, that of three continues
        ask = one.begin()
        one.record.seats[ask.seat].grace_ms = 10_000
        one.write()
        one.give(SeatLost(ask.seat))
        one.give(TimePassed(), after=10)
        assert len(one.entries("forfeit")) == 1 and not one.entries("fault")


def test_a_seat_that_forfeits_while_it_is_away_does_so_once(table: Table) -> None:
    ask = table.begin()
    other = ask.seat % 3 + 1
    table.give(SeatLost(other))
    for _ in range(3):
        table.give(SeatFaulted(other, Reason.FLOODING, "too many messages"))
    assert table.referee.wake_at is None and table.referee.waits_for == {ask.seat}
    table.give(TimePassed(), after=100)
    assert len(table.entries("forfeit")) == 1


def test_grace_is_one_sum_and_when_it_is_used_up_the_seat_forfeits(table: Table) -> None:
    ask = table.begin()
    table.write()
    other = ask.seat % 3 + 1
    table.give(SeatLost(other))
    table.give(SeatBack(other), after=4)
    table.give(SeatLost(other))
    assert table.referee.wake_at == 10 * SECOND
    answer(table)
    table.give(TimePassed(), after=55.9)
    assert not table.entries("forfeit")
    told = table.give(TimePassed(), after=0.1)[0]
    index = table.ask.index
    assert told == TellFault(other, index, "GONE", "", "the bot was gone for longer than its grace", 0, "", True)
    (forfeit,) = table.entries("forfeit")
    assert (forfeit.seat, forfeit.text, forfeit.data) == (other, "GONE", {"index": index})


def test_a_bot_that_is_back_after_its_forfeit_is_told_of_it_and_gets_nothing_else(table: Table) -> None:
    ask = table.begin()
    other = ask.seat % 3 + 1
    table.give(SeatFaulted(other, Reason.FLOODING, "too many messages"))
    table.give(SeatLost(other))
    table.give(TimePassed(), after=60)
    length = len(table.log)
    for _ in range(2):
        (told,) = table.give(SeatBack(other), after=600)
        message = "the seat has forfeited, and a house player plays on"
        assert told == TellFault(other, 0, "GONE", "", message, 1, "", True)
    assert len(table.log) == length


def test_a_bot_that_is_back_is_told_of_the_strike_that_ended_its_stream(table: Table) -> None:
    """Again at each return until it has answered, since a stream may be lost at once; the next owner knows it, too."""
    ask = table.begin()
    table.write()
    table.give(SeatFaulted(ask.seat % 3 + 1, Reason.ILLEGAL, "its stream lasts"))
    table.give(SeatFaulted(ask.seat, Reason.FLOODING, "too many messages"))
    other = ask.seat
    for _ in range(2):
        table.give(SeatLost(other))
        resumed, told, *_ = table.give(SeatBack(other))
        assert isinstance(resumed, ResumeSeat)
        assert told == TellFault(other, ask.index, "FLOODING", "", "too many messages", 1, "", False)
    assert Record.fold(table.terms, table.log) == table.record
    while table.ask.seat != other:
        table.write()
        answer(table)
    table.write()
    answer(table)
    table.give(SeatLost(other))
    assert not [command for command in table.give(SeatBack(other)) if isinstance(command, TellFault)]


def test_the_grace_of_a_bot_that_was_lost_before_the_game_begins_with_it(table: Table) -> None:
    table.accept_all()
    table.give(revealed(1))
    table.give(SeatLost(1))
    table.give(revealed(2), after=5)
    table.give(TimePassed(), after=5)  # seat 3 has not revealed its nonce
    assert table.referee.wake_at == 70 * SECOND
    assert table.referee.waits_for == {1, table.ask.seat}
    table.give(TimePassed(), after=60)
    assert [(entry.seat, entry.text) for entry in table.entries("forfeit")] == [(3, "NO_REVEAL"), (1, "GONE")]


def test_a_path_that_we_broke_is_charged_to_nobody(table: Table) -> None:
    ask = table.begin()
    table.write()
    table.give(PathLost(ask.seat), after=9)
    assert (table.referee.state, table.referee.wake_at) == (RefereeState.PENDING, None)
    _, again = table.give(SeatBack(ask.seat), after=1000)
    assert isinstance(again, AskMove) and again.bank_ms == ask.bank_ms
    table.write()
    assert table.referee.wake_at == table.now + 10 * SECOND


def test_a_seat_that_is_back_differs_by_its_grace_alone(table: Table) -> None:
    table.begin()
    before = replace(table.record.seats[1])
    table.give(SeatLost(1))
    assert table.record.seats[1] == replace(before, is_away=True)
    table.give(SeatBack(1), after=0.0015)
    assert table.record.seats[1] == replace(before, grace_ms=59_999)
    assert (table.log[-1].kind, table.log[-1].text, table.log[-1].data) == ("back", "", {"away_ms": 1})


def test_the_referee_wakes_for_what_ends_first_grace_or_clock(table: Table) -> None:
    ask = table.begin()
    first, second = (seat for seat in (1, 2, 3) if seat != ask.seat)
    table.record.seats[first].grace_ms = 30_000
    table.give(SeatLost(first))
    table.give(SeatLost(second))
    assert table.referee.wake_at == 30 * SECOND  # no clock runs yet
    table.write()
    assert table.referee.wake_at == 10 * SECOND
    table.give(SeatBack(first))
    table.record.seats[first].grace_ms = 3_000
    table.give(SeatLost(first))
    assert table.referee.wake_at == 3 * SECOND
    assert table.referee.waits_for == {1, 2, 3}


def test_a_path_that_breaks_under_an_absent_bot_stops_its_grace(table: Table) -> None:
    ask = table.begin()
    table.give(SeatLost(ask.seat))
    table.give(PathLost(ask.seat), after=10)
    assert table.record.seats[ask.seat].grace_ms == 50_000
    table.give(TimePassed(), after=1000)
    assert not table.entries("forfeit")


def test_all_seats_gone_at_one_moment_make_the_match_void(duel: Table) -> None:
    duel.begin()
    duel.give(SeatLost(1))
    duel.give(SeatLost(2))
    told = duel.give(TimePassed(), after=60)
    assert isinstance(told[-1], FinishMatch) and told[-1].verdict.kind == "void"
    prove(duel.referee.replay([{"name": name, "version": "1"} for name in "ab"]), house)


def test_who_is_left_alone_is_not_late_at_the_same_moment(duel: Table) -> None:
    ask = duel.begin()
    duel.write()
    duel.give(SeatLost(3 - ask.seat))
    told = duel.give(TimePassed(), after=100)  # the shell was slow: both grace and clock are over
    assert isinstance(told[-1], FinishMatch) and told[-1].verdict.placements[ask.seat - 1] == 1
    assert not duel.entries("fault") and not duel.record.events
    prove(duel.referee.replay([{"name": name, "version": "1"} for name in "ab"]), house)


def test_a_seat_that_forfeits_while_its_bot_is_away_forfeits_once(table: Table) -> None:
    """This holds for every later owner of the match."""
    table = Table(replace(table.terms, policy=replace(table.terms.policy, strikes=1)))
    ask = table.begin()
    away = next(seat for seat in table.terms.seats if seat != ask.seat)
    table.give(SeatLost(away))
    table.give(SeatFaulted(away, Reason.FLOODING, "too much"))
    table.resume()
    table.give(TimePassed(), after=2 * table.terms.policy.grace_ms / 1000)
    play_on(table)
    assert [entry.text for entry in table.entries("forfeit") if entry.seat == away] == ["FLOODING"]
    prove(table.referee.replay([{"name": "bot", "version": "1"} for _ in table.terms.seats]), house)


def test_a_bot_that_is_back_after_its_grace_before_anybody_has_looked_keeps_a_millisecond_of_it(table: Table) -> None:
    """An absence that leaves no grace would be a forfeit."""
    ask = table.begin()
    seat = next(one for one in table.terms.seats if one != ask.seat)
    table.give(SeatLost(seat))
    table.give(SeatBack(seat), after=2 * table.terms.policy.grace_ms / 1000)
    assert table.record.seats[seat].grace_ms == 1 and not table.entries("forfeit")
    table.give(SeatLost(seat))
    table.give(TimePassed(), after=0.002)
    assert [entry.text for entry in table.entries("forfeit")] == ["GONE"]
    play_on(table)
    prove(table.referee.replay([{"name": "bot", "version": "1"} for _ in table.terms.seats]), house)
