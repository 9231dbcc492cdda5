"""Strikes, default decisions, forfeits, and the house player that takes over."""

from __future__ import annotations

from arena.referee import (
    AskMove,
    Reason,
    RefereeState,
    SeatFaulted,
    TellFault,
    prove,
)
from tests.referee.conftest import Table, answer, house, play_on


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
    prove(document, house)


def test_with_one_seat_left_the_match_ends_there(duel: Table) -> None:
    loser = duel.begin().seat
    while not duel.finishes:
        answer(duel, *(["rubbish"] if duel.ask.seat == loser else []))
    assert duel.finishes[0].verdict.placements == ((2, 1) if loser == 1 else (1, 2))
    document = duel.referee.replay([{"name": name, "version": "1"} for name in "ab"])
    assert document["result"] is None
    prove(document, house)


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
