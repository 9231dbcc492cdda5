"""Matches as a referee writes them, log and record: with bots of a test, and with every mark that a record can have."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Sequence
from hashlib import sha256
from typing import Any

from arena.players import ask_house
from arena.referee import (
    Append,
    AskMove,
    AskWritten,
    Clock,
    Command,
    Entry,
    Event,
    MatchOpened,
    MoveArrived,
    NonceRevealed,
    OfferAccepted,
    Policy,
    Reason,
    Referee,
    SeatBack,
    SeatFaulted,
    SeatLost,
    Terms,
    TimePassed,
)
from arena.rules import Ruleset

MILLISECOND = 1_000_000


class RefereedMatch:
    """A match of a real referee, opened and accepted. The test answers for all bots.

    The seats in `withheld` do not reveal their nonces.
    """

    def __init__(self, terms: Terms, nonces: Sequence[bytes], withheld: Collection[int] = ()) -> None:
        self.referee = Referee.resume(terms, [], ask_house)
        self.log: list[Entry] = []
        self._asks: list[AskMove] = []
        self._now = 0
        self.give(MatchOpened())
        for seat, nonce in enumerate(nonces, 1):
            self.give(OfferAccepted(seat, sha256(nonce).digest()))
        for seat, nonce in enumerate(nonces, 1):
            self.give(NonceRevealed(seat, b"" if seat in withheld else nonce))

    @property
    def ask(self) -> AskMove:
        """Return the pending request for a decision."""
        return self._asks[-1]

    def give(self, event: Event, after_ms: int = 0) -> list[Command]:
        """Pass an event to the referee."""
        self._now += after_ms * MILLISECOND
        commands = self.referee.handle(event, self._now)
        for command in commands:
            if isinstance(command, Append):
                self.log += command.entries
            elif isinstance(command, AskMove):
                self._asks.append(command)
        return commands

    def answer(self, *actions: str, ms: int = 0) -> None:
        """Answer the ask."""
        self.give(AskWritten(self.ask.seat, self.ask.index))
        self.give(MoveArrived(self.ask.seat, self.ask.index, actions, think_ns=ms * MILLISECOND))

    def be_late(self) -> None:
        """Let the time of the ask pass."""
        self.give(AskWritten(self.ask.seat, self.ask.index))
        self.give(TimePassed(), after_ms=self.ask.limit_ms)

    def document(self, seats: Sequence[tuple[str, str]]) -> dict[str, Any]:
        """Return the record; `seats` are names and versions."""
        return self.referee.replay([{"name": name, "version": version} for name, version in seats])


def refereed(terms: Terms, nonces: Sequence[bytes], choose: Callable[[AskMove], str]) -> RefereedMatch:
    """Play a match to its end without a fault."""
    match = RefereedMatch(terms, nonces)
    while not match.referee.is_over:
        match.answer(choose(match.ask))
    return match


def troubled_match(seed: int = 1) -> dict[str, Any]:
    """Return the record of a match of three random bots with faults.

    Seat 1 forfeits by its faults. Seat 2 is late once, and disconnected for a while. Seat 3 floods while it is not
    asked.
    """
    draw = random.Random(seed)
    policy = Policy(house="random")
    terms = Terms("match-1", Ruleset(3), draw.randbytes(32), Clock(), policy, deal=draw.randbytes(32))
    match = RefereedMatch(terms, [draw.randbytes(16) for _ in terms.seats])
    troubles = {1: ["rubbish", "nothing", "flood"], 2: ["half a batch", "late", "away", "half a batch", "flood of 3"]}
    while not match.referee.is_over:
        seat, legal = match.ask.seat, [action.text for action in match.ask.legal]
        trouble = troubles.get(seat) if match.ask.index > 3 else None
        ms = draw.randint(1, 900)
        match trouble.pop(0) if trouble else "":
            case "rubbish":
                match.answer("dance", ms=ms)
            case "nothing":
                match.answer(ms=ms)
            case "half a batch":
                match.answer(draw.choice(legal), "dance", ms=ms)
            case "flood":
                match.give(SeatFaulted(seat, Reason.FLOODING, "too much"))
            case "late":
                match.be_late()
            case "away":
                match.give(SeatLost(seat))
                match.give(SeatBack(seat), after_ms=2000)
                match.answer(draw.choice(legal), ms=ms)
            case "flood of 3":
                match.give(SeatFaulted(3, Reason.FLOODING, "too much"))
                match.answer(draw.choice(legal), ms=ms)
            case _:
                match.answer(draw.choice(legal), ms=ms)
    return match.document([(f"Bot {seat}", "1") for seat in terms.seats])
