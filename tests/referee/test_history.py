"""The messages to a seat, rebuilt from the log, are exactly the commands that the referee gave."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest

from arena.referee import (
    AbortMatch,
    AskMove,
    Clock,
    Command,
    FinishMatch,
    Kind,
    MatchOpened,
    MoveArrived,
    OfferDeclined,
    Policy,
    Reason,
    Record,
    SeatBack,
    SeatFaulted,
    SeatLost,
    Terms,
    TimePassed,
    sent_commands,
)
from arena.rules import Ruleset
from tests.referee.conftest import Table, accepted, first_legal

MS = 1_000_000
SEED = bytes(range(32))


def of_seat(commands: list[Command], seat: int) -> list[Command]:
    """Return the commands for a seat, without legal actions, which are compared as texts."""
    return [plain(one) for one in commands if getattr(one, "seat", seat) == seat]


def plain(command: Command) -> Command:
    if isinstance(command, AskMove):
        return replace(command, legal=[action.text for action in command.legal])  # type: ignore[arg-type]
    return command


def told_again(table: Table, seat: int) -> list[Command]:
    return [plain(one.command) for one in sent_commands(Record(table.terms), table.log, seat)]


def a_match(players: int = 3, **terms: Any) -> Table:
    table = Table(Terms("m", Ruleset(players), SEED, **terms))
    table.begin()
    return table


def play(table: Table, choice: random.Random, batch: int = 6) -> None:
    """Answer until the end, in batches that ignore what happens in between."""
    while not table.finishes:
        ask = table.write()
        state, actions = table.record.state, []
        while len(actions) < choice.randint(1, batch) and not state.is_over and state.due is None:
            actions.append(choice.choice(list(state.legal)))
            state = state.play(actions[-1])
        table.give(MoveArrived(ask.seat, ask.index, tuple(one.text for one in actions), think_ns=7 * MS), after=0.01)


@pytest.mark.parametrize("players", [2, 4])
def test_a_match_without_trouble(players: int) -> None:
    table = a_match(players)
    play(table, random.Random(1))
    for seat in table.terms.seats:
        assert told_again(table, seat) == of_seat(table.told, seat)


def test_faults_of_every_kind() -> None:
    """Illegal at once and within an answer, no action, late, a flood in and out of turn.

    Two seats are not involved, and the third forfeits.
    """
    choice = random.Random(2)
    table = a_match(3, policy=Policy(strikes=7))
    bad = iter([("end",), (), "late", "flood", "out of turn", "then", ("dance",), "on", "on"])
    while not table.finishes and table.record.index < 150:
        ask = table.write()
        how: Any = next(bad, "on") if ask.seat == 2 else "on"
        if isinstance(how, tuple):
            table.give(MoveArrived(2, ask.index, how))
        elif how == "late":
            table.give(TimePassed(), after=10)
        elif how == "flood":
            table.give(SeatFaulted(2, Reason.FLOODING, "too much"))
        elif how == "then":
            table.give(MoveArrived(2, ask.index, (choice.choice(list(ask.legal)).text, "dance")))
        else:
            table.give(MoveArrived(ask.seat, ask.index, (choice.choice(list(ask.legal)).text,), think_ns=MS))
            if how == "out of turn" and table.ask.seat != 2:
                table.give(SeatFaulted(2, Reason.MALFORMED, "what is this"))
    assert {entry.text for entry in table.entries(Kind.FAULT)} == {"ILLEGAL", "MALFORMED", "LATE", "FLOODING"}
    assert len(table.entries(Kind.FAULT)) >= 6
    for seat in table.terms.seats:
        assert told_again(table, seat) == of_seat(table.told, seat)


def test_a_seat_that_forfeits_is_told_so_last() -> None:
    table = a_match(3, policy=Policy(strikes=2))
    while not table.finishes:
        ask = table.write()
        actions = ("dance",) if ask.seat == 1 else first_legal(ask)
        table.give(MoveArrived(ask.seat, ask.index, actions))
    again = told_again(table, 1)
    assert again == of_seat(table.told, 1)
    assert [type(one).__name__ for one in again[-3:]] == ["AskMove", "TellFault", "FinishMatch"]


def test_streams_that_are_lost() -> None:
    """The bot is away when it is asked, away while it is asked, and away for longer than its grace."""
    table = a_match(2, policy=Policy(grace_ms=5_000), clock=Clock(increment_ms=0))
    ask = table.write()
    table.give(SeatLost(ask.seat))
    table.give(SeatBack(ask.seat), after=1)
    other = 3 - ask.seat
    table.give(SeatLost(other))
    while table.ask.seat == ask.seat:
        table.write()
        table.give(MoveArrived(ask.seat, table.ask.index, first_legal(table.ask)))
    before = len(of_seat(table.told, other))
    table.give(SeatBack(other), after=1)
    sent = of_seat(table.told, other)
    del sent[before - 1]  # it was asked while there was no stream: nobody sent it
    assert told_again(table, other) == sent and len(sent) == 4
    table.give(SeatLost(other))
    table.give(TimePassed(), after=4)
    assert told_again(table, other)[-2].reason == "GONE"  # type: ignore[union-attr]
    assert told_again(table, other)[-2:] == of_seat(table.told, other)[-2:]
    assert isinstance(table.told[-1], FinishMatch)


def test_a_bank_that_is_empty_is_late_without_being_asked() -> None:
    table = a_match(2, clock=Clock(bank_ms=100, increment_ms=0, cap_ms=100), policy=Policy(strikes=4))
    while not table.finishes:
        ask = table.write()
        if ask.seat == 1:
            table.give(TimePassed(), after=0.1)
        else:
            table.give(MoveArrived(2, ask.index, first_legal(ask)))
    assert told_again(table, 1) == of_seat(table.told, 1)


def test_a_match_that_does_not_begin() -> None:
    table = Table(Terms("m", Ruleset(2), SEED))
    table.give(MatchOpened())
    table.give(accepted(1))
    table.give(OfferDeclined(2, "no"))
    assert isinstance(table.told[-1], AbortMatch)
    assert told_again(table, 1) == of_seat(table.told, 1)


def test_a_match_that_goes_on() -> None:
    """Wherever the log ends, the last message is also the last rebuilt one."""
    table = a_match(2)
    for _ in range(12):
        seat = table.ask.seat
        assert told_again(table, seat) == of_seat(table.told, seat)
        table.write()
        table.give(MoveArrived(seat, table.ask.index, first_legal(table.ask)))
