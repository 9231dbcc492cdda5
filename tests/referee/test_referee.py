"""What a referee does about each event, in words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from arena.referee import (
    AbortMatch,
    AskMove,
    AskWritten,
    Entry,
    FinishMatch,
    Forfeit,
    LogError,
    MatchOpened,
    MoveArrived,
    OfferAccepted,
    OfferDeclined,
    OfferMatch,
    PathLost,
    Reason,
    Referee,
    RefereeState,
    ResumeSeat,
    SeatBack,
    SeatFaulted,
    SeatLost,
    TellFault,
    TimePassed,
    judge,
)
from arena.rules import Action, State, default_action, match_seed, verify_replay
from tests.referee.conftest import SECOND, Table, house

MS = 1_000_000


def first_legal(ask: AskMove) -> tuple[str, ...]:
    return (next(iter(ask.legal)).text,)


def answer(table: Table, *actions: str, think_ms: int = 0, note: str = "") -> list[object]:
    ask = table.write()
    return list(table.give(MoveArrived(ask.seat, ask.index, actions or first_legal(ask), note, think_ms * MS)))


def play_on(table: Table) -> None:
    """Answer every ask until the match is over."""
    while not table.finishes:
        answer(table)


def to_phase(table: Table, phase: str) -> AskMove:
    while table.ask.phase != phase:
        answer(table)
    return table.ask


# --- the offer ---


def test_every_seat_gets_an_offer_and_the_seed_is_made_of_all_nonces(table: Table) -> None:
    assert table.give(MatchOpened()) == [OfferMatch(1), OfferMatch(2), OfferMatch(3)]
    assert table.give(OfferAccepted(2, b"")) == []
    assert table.give(OfferAccepted(2, b"again: the first one counts")) == []
    assert table.give(OfferAccepted(1, b"one")) == []
    (ask,) = table.give(OfferAccepted(3, b"x" * 32))
    assert isinstance(ask, AskMove)
    assert ask.index == 0 and ask.phase == "bid" and ask.view.seat == ask.seat
    assert table.record.running.seed == match_seed(bytes(32), [b"one", b"", b"x" * 32])
    assert table.referee.state == RefereeState.PENDING


def test_a_bot_that_could_not_be_asked_is_not_blamed(table: Table) -> None:
    table.give(MatchOpened())
    leaving = OfferDeclined(3, "the bot was leaving", is_blamed=False)
    assert table.give(leaving) == [AbortMatch("NO_PLACE", "the bot was leaving", ())]
    assert table.resume() == [AbortMatch("NO_PLACE", "the bot was leaving", ())]


def test_an_offer_that_is_declined_aborts_the_match(table: Table) -> None:
    table.give(MatchOpened())
    assert table.give(OfferDeclined(3, "busy")) == [AbortMatch("DECLINED", "busy", (3,))]
    assert table.referee.state == RefereeState.ABORTED
    assert table.give(OfferAccepted(1, b"")) == []
    assert table.resume() == [AbortMatch("DECLINED", "busy", (3,))]  # the row may not have heard of it


def test_an_offer_without_an_answer_in_time_aborts_the_match(table: Table) -> None:
    table.give(MatchOpened())
    table.give(OfferAccepted(2, b""))
    assert table.referee.wake_at == 10 * SECOND
    assert table.give(TimePassed(), after=9.9) == []
    (abort,) = table.give(TimePassed(), after=0.1)
    assert isinstance(abort, AbortMatch)
    assert (abort.reason, abort.seats) == ("NO_ANSWER", (1, 3))


def test_a_nonce_of_more_than_32_bytes_aborts_the_match(table: Table) -> None:
    table.give(MatchOpened())
    (abort,) = table.give(OfferAccepted(2, bytes(33)))
    assert isinstance(abort, AbortMatch)
    assert (abort.reason, abort.seats) == ("BAD_NONCE", (2,))


def test_a_new_owner_offers_the_match_again_to_those_who_have_not_answered(table: Table) -> None:
    table.give(MatchOpened())
    table.give(OfferAccepted(2, b""))
    table.now += 9 * SECOND
    assert table.resume() == [OfferMatch(1), OfferMatch(3)]
    assert table.referee.wake_at == 19 * SECOND


def test_a_bot_that_comes_back_during_the_offer_is_offered_the_match_again(table: Table) -> None:
    table.give(MatchOpened())
    table.give(SeatLost(1))
    assert table.give(SeatBack(1), after=5) == [OfferMatch(1)]
    assert table.record.seats[1].grace_ms == 60_000  # grace is for the game
    table.give(OfferAccepted(1, b""))
    (resumed,) = table.give(SeatBack(1))
    assert resumed == ResumeSeat(1, 0, None, 60_000)


# --- clocks ---


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
    assert {entry.text for entry in duel.entries("fault")} <= {"LATE"}


# --- answers ---


def test_a_batch_is_played_until_another_seat_is_to_decide(table: Table) -> None:
    ask = table.begin()
    answer(table, *first_legal(ask), "end", "end")
    assert [entry.text for entry in table.entries("decision")] == list(first_legal(ask))
    assert not table.entries("fault")


def test_a_batch_is_one_append_and_is_charged_once(table: Table) -> None:
    table.begin()
    ask = to_phase(table, "move")
    state = table.record.state
    actions = []
    for _ in range(2):
        actions.append(next(iter(state.legal)).text)
        state = state.play(state.parse(actions[-1]))
    length = len(table.log)
    answer(table, *actions, think_ms=70, note="a plan")
    note, first, second = table.log[length : length + 3]
    assert (note.kind, note.text, note.data) == ("note", "a plan", {"index": ask.index})
    assert (first.text, second.text) == tuple(actions)
    assert first.data is not None and first.data["ms"] == 70
    assert "ms" not in (second.data or {})
    assert table.ask.since == ask.index  # the bot is told about its own decisions too
    assert [event.text for event in table.ask.events][:2] == actions


def test_an_illegal_action_in_a_batch_is_a_fault_at_its_own_index(table: Table) -> None:
    table.begin()
    ask = to_phase(table, "move")
    answer(table, first_legal(ask)[0], "take A1", "end")
    (fault,) = table.entries("fault")
    assert (fault.text, fault.seat, fault.data and fault.data["index"]) == ("ILLEGAL", ask.seat, ask.index + 1)
    first, second = table.entries("decision")[-2:] if table.log[-1].kind != "chance" else table.entries("decision")[:2]
    assert first.text == first_legal(ask)[0]
    assert second.data is not None and second.data["default"] == "ILLEGAL" and "ms" not in second.data


@pytest.mark.parametrize(
    ("actions", "reason"),
    [
        ((), "MALFORMED"),
        (("hello",), "MALFORMED"),
        (("bid 99",), "MALFORMED"),
        (("end",), "ILLEGAL"),
        (("!bag w",), "ILLEGAL"),
    ],
)
def test_answers_that_are_no_legal_action(table: Table, actions: tuple[str, ...], reason: str) -> None:
    ask = table.begin()
    table.write()
    told = table.give(MoveArrived(ask.seat, ask.index, actions, "", 30 * MS))[0]
    assert isinstance(told, TellFault)
    assert told.reason == reason
    assert table.entries("decision")[0].data == {"ms": 30, "default": reason}


def test_forced_decisions_are_played_without_asking(table: Table) -> None:
    table.begin()
    play_on(table)
    forced = [entry for entry in table.entries("decision") if entry.data and "forced" in entry.data]
    assert len(forced) > 10
    asked = {(command.seat, command.index) for command in table.told if isinstance(command, AskMove)}
    game = Referee.resume(table.terms, table.log, house).record.running
    assert len(asked) + len(forced) == sum(event.seat != 0 for event in game.events)


def test_a_note_is_cut_to_a_kilobyte_at_a_letter(table: Table) -> None:
    table.begin()
    answer(table, note="ä" * 600 + "end")
    assert table.entries("note")[0].text == "ä" * 512
    answer(table, note="x" + "ä" * 600)
    assert table.entries("note")[1].text == "x" + "ä" * 511


def test_nothing_that_a_bot_writes_is_refused_by_a_database(table: Table) -> None:
    ask = table.begin()
    answer(table, "take \0" + "x" * 1000, note="a\0b")
    assert table.entries("note")[0].text == "a\N{REPLACEMENT CHARACTER}b"
    fault = table.entries("fault")[0]
    assert fault.seat == ask.seat and fault.data is not None
    assert "\0" not in fault.data["message"] and len(fault.data["message"]) <= 200


# --- faults ---


def test_the_third_strike_forfeits_and_the_house_plays_on(table: Table) -> None:
    loser = table.begin().seat
    while not table.entries("forfeit"):
        answer(table, *(["rubbish"] if table.ask.seat == loser else []))
    (forfeit,) = table.entries("forfeit")
    assert (forfeit.seat, forfeit.text) == (loser, "MALFORMED")
    assert [entry.data and entry.data["strikes"] for entry in table.entries("fault")] == [1, 2, 3]
    told = [command for command in table.told if isinstance(command, TellFault)]
    assert [fault.has_forfeited for fault in told] == [False, False, True]
    assert told[-1].played == ""
    index = told[-1].index
    play_on(table)
    events = table.record.running.events
    assert all(
        event.facts in ({"house": "greedy"}, {"forced": True}) for event in events[index:] if event.seat == loser
    )
    verdict = table.finishes[0].verdict
    assert verdict.kind == "forfeit" and verdict.placements[loser - 1] == 3
    document = table.referee.replay([{"name": name, "version": "1"} for name in "abc"])
    assert document["verdict"]["forfeits"] == [{"seat": loser, "at": index, "reason": "MALFORMED"}]
    verify_replay(document)


def test_with_one_seat_left_the_match_ends_there(duel: Table) -> None:
    loser = duel.begin().seat
    while not duel.finishes:
        answer(duel, *(["rubbish"] if duel.ask.seat == loser else []))
    assert duel.finishes[0].verdict.placements == ((2, 1) if loser == 1 else (1, 2))
    document = duel.referee.replay([{"name": name, "version": "1"} for name in "ab"])
    assert document["result"] is None
    verify_replay(document)


def test_flooding_costs_a_strike_and_no_decision_of_another_seat(table: Table) -> None:
    ask = table.begin()
    table.write()
    other = ask.seat % 3 + 1
    told = table.give(SeatFaulted(other, Reason.FLOODING, "too many messages"))
    assert told == [TellFault(other, 0, "FLOODING", "", "too many messages", 1, "", False)]
    assert table.referee.state == RefereeState.THINKING and not table.entries("decision")
    told = table.give(SeatFaulted(ask.seat, Reason.FLOODING, "too many messages"))
    assert table.entries("decision")[0].data == {"ms": 0, "default": "FLOODING"}
    assert isinstance(told[-1], AskMove) and told[-1].index == 1


def test_the_end_of_another_seat_does_not_touch_the_pending_ask(table: Table) -> None:
    ask = table.begin()
    table.write()
    wake_at = table.referee.wake_at
    other = ask.seat % 3 + 1
    for _ in range(3):
        table.give(SeatFaulted(other, Reason.FLOODING, ""), after=1)
    assert table.record.seats[other].has_forfeited
    assert (table.referee.state, table.referee.wake_at) == (RefereeState.THINKING, wake_at)
    assert sum(isinstance(command, AskMove) for command in table.told) == 1


# --- losses ---


def test_a_bot_that_drops_its_stream_is_charged_and_gets_its_ask_again(table: Table) -> None:
    ask = table.begin()
    table.write()
    table.give(SeatLost(ask.seat), after=1)
    resumed, again = table.give(SeatBack(ask.seat), after=4)
    assert isinstance(resumed, ResumeSeat) and resumed.view == ask.view
    assert isinstance(again, AskMove) and (again.index, again.view) == (ask.index, ask.view)
    assert table.referee.wake_at == 10 * SECOND  # its clock ran on
    assert table.record.seats[ask.seat].grace_ms == 56_000
    table.give(TimePassed(), after=5)
    assert table.entries("fault")[0].text == "LATE"


def test_an_ask_that_expires_while_the_bot_is_gone_is_a_fault_named_gone(table: Table) -> None:
    ask = table.begin()
    table.write()
    table.give(SeatLost(ask.seat))
    table.give(TimePassed(), after=10)
    assert table.entries("fault")[0].text == "GONE"


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
    assert isinstance(told, TellFault) and told.reason == "GONE" and told.has_forfeited
    assert table.entries("forfeit")[0].seat == other


def test_a_path_that_we_broke_is_charged_to_nobody(table: Table) -> None:
    ask = table.begin()
    table.write()
    table.give(PathLost(ask.seat), after=9)
    assert (table.referee.state, table.referee.wake_at) == (RefereeState.PENDING, None)
    _, again = table.give(SeatBack(ask.seat), after=1000)
    assert isinstance(again, AskMove) and again.bank_ms == ask.bank_ms
    table.write()
    assert table.referee.wake_at == table.now + 10 * SECOND


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
    verify_replay(duel.referee.replay([{"name": name, "version": "1"} for name in "ab"]))


# --- the log ---


def test_a_new_owner_asks_for_the_pending_decision_and_charges_no_gap(table: Table) -> None:
    table.begin()
    answer(table, think_ms=30)
    ask = table.write()
    assert table.referee.wake_at == table.now + 10 * SECOND
    table.now += 1000 * SECOND
    (again,) = table.resume()
    assert isinstance(again, AskMove)
    assert (again.seat, again.index, again.view, again.bank_ms) == (ask.seat, ask.index, ask.view, ask.bank_ms)
    assert again.events == ask.events


def test_a_match_that_ended_before_its_finish_was_written_is_finished_by_the_next_owner(table: Table) -> None:
    table.begin()
    play_on(table)
    (first,) = table.finishes
    assert table.resume() == [first]


def test_a_log_that_no_referee_wrote_is_refused(table: Table) -> None:
    table.begin()
    play_on(table)
    number = next(entry.number for entry in table.log if entry.kind == "decision")
    with pytest.raises(LogError, match="was due"):
        Referee.resume(table.terms, table.log[1:], house)
    with pytest.raises(LogError, match="not for seat"):
        Referee.resume(table.terms, _with_wrong_seat(table, number), house)
    chance = next((entry.number for entry in table.log if entry.kind == "chance"), None)
    if chance is not None:
        with pytest.raises(LogError, match="before the chance"):
            Referee.resume(table.terms, table.log[:chance], house)


def _with_wrong_seat(table: Table, number: int) -> list[Entry]:
    entry = table.log[number]
    return [*table.log[:number], replace(entry, seat=entry.seat % 3 + 1)]


# --- the verdict ---


def test_seats_that_forfeited_stand_below_all_others_the_later_forfeit_higher() -> None:
    two = [Forfeit(2, 10, "LATE"), Forfeit(4, 20, "GONE")]
    verdict = judge(4, two, [4, 1, 2, 3])
    assert verdict is not None and (verdict.kind, verdict.placements) == ("forfeit", (2, 4, 1, 3))
    assert judge(4, two, None) is None
    verdict = judge(4, [], [1, 1, 3, 4])
    assert verdict is not None and (verdict.kind, verdict.placements) == ("completed", (1, 1, 3, 4))
    verdict = judge(2, [Forfeit(1, 3, "LATE")], None)
    assert verdict is not None and verdict.placements == (2, 1)
    verdict = judge(2, [Forfeit(1, 3, "GONE"), Forfeit(2, 3, "GONE")], None)
    assert verdict is not None and (verdict.kind, verdict.placements) == ("void", ())


# --- each decision is parsed and checked once ---


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The actions that the rules were asked to check, in order."""
    checked: list[str] = []
    check = State.check

    def counted(state: State, action: Action) -> None:
        checked.append(action.text)
        check(state, action)

    monkeypatch.setattr(State, "check", counted)
    return checked


def test_an_answer_is_checked_once_and_what_the_referee_chose_itself_not_at_all(
    table: Table, checked: list[str]
) -> None:
    table.begin()
    answered: list[str] = []
    while len(answered) < 20:
        answered += first_legal(table.ask)
        answer(table)
    ask = table.write()
    table.give(MoveArrived(ask.seat, ask.index, ("take A1 and run",)))  # no action at all: the default is played
    assert checked == answered
    assert [entry for entry in table.entries("decision") if (entry.data or {}).get("default")]


def test_the_fold_of_a_stored_log_checks_every_decision(table: Table, checked: list[str]) -> None:
    table.begin()
    for _ in range(20):
        answer(table)
    checked.clear()
    table.rebuilt()
    assert checked == [entry.text for entry in table.entries("decision")]


@pytest.mark.parametrize("text", ["bid 99", "take A1", "take A1 and run", "!bag w"])
def test_a_log_with_a_decision_that_is_not_legal_is_refused(table: Table, text: str) -> None:
    table.begin()
    answer(table)
    entry = table.entries("decision")[0]
    log = [*table.log[: entry.number], replace(entry, text=text)]
    with pytest.raises(LogError, match=f"entry {entry.number}"):
        Referee.resume(table.terms, log, house)
