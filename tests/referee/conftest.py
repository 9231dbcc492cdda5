"""A table of simulated bots: a shell around one referee that tests drive by hand."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import pytest

from arena.players import ask_house
from arena.referee import (
    Append,
    AskMove,
    AskReveal,
    AskWritten,
    Clock,
    Command,
    Entry,
    Event,
    FinishMatch,
    MatchOpened,
    MoveArrived,
    NonceRevealed,
    OfferAccepted,
    OfferMatch,
    Policy,
    Record,
    Referee,
    Terms,
    prove,
)
from arena.rules import Action, Divergence, LegalActions, ReplayError, Ruleset, View
from tests.kit.records import troubled_match

SECOND = 1_000_000_000
MS = 1_000_000


def nonce_of(seat: int) -> bytes:
    """Return the nonce of a seat in these tests."""
    return bytes([seat] * 16)


def accepted(seat: int) -> OfferAccepted:
    """Return the seat's acceptance, with the hash of its nonce."""
    return OfferAccepted(seat, sha256(nonce_of(seat)).digest())


def revealed(seat: int) -> NonceRevealed:
    """Return the event in which the seat reveals its nonce."""
    return NonceRevealed(seat, nonce_of(seat))


def house(name: str, seed: bytes, view: View, legal: list[str]) -> str:
    """Play for the house, using only the seed."""
    return legal[int.from_bytes(seed[:4], "big") % len(legal)]


@dataclass
class Table:
    """A referee, the log that its shell stored, and the commands it gave."""

    terms: Terms
    now: int = 0
    log: list[Entry] = field(default_factory=list)
    told: list[Command] = field(default_factory=list)
    """All commands except `Append`, in order."""

    def __post_init__(self) -> None:
        self.referee = Referee.resume(self.terms, [], house)

    @property
    def record(self) -> Record:
        return self.referee.record

    def give(self, event: Event, after: float = 0) -> list[Command]:
        """Hand in one event, `after` seconds after the last one, and store what must be stored."""
        self.now += round(after * SECOND)
        commands = self.referee.handle(event, self.now)
        for place, command in enumerate(commands):
            if isinstance(command, Append):
                assert place == 0, "something was asked or told before it was durable"
                self.log += command.entries
        rest = [command for command in commands if not isinstance(command, Append)]
        self.told += rest
        return rest

    def rebuilt(self) -> Referee:
        """Return the referee that another process rebuilds from the stored log."""
        return Referee.resume(self.terms, self.log, house)

    def resume(self) -> list[Command]:
        """Let another process take over after the first one died."""
        self.referee = self.rebuilt()
        return self.give(MatchOpened())

    def begin(self) -> AskMove:
        """Open the match; let every bot accept and reveal its nonce."""
        for ask in self.accept_all():
            self.give(revealed(ask.seat))
        return self.ask

    def accept_all(self) -> list[AskReveal]:
        """Open the match and let every bot accept. Return what they are asked then."""
        asks: list[Command] = []
        for offer in self.give(MatchOpened()):
            assert isinstance(offer, OfferMatch)
            asks = self.give(accepted(offer.seat))
        return [ask for ask in asks if isinstance(ask, AskReveal)]

    @property
    def ask(self) -> AskMove:
        """Return the last ask."""
        return next(command for command in reversed(self.told) if isinstance(command, AskMove))

    def write(self) -> AskMove:
        """Send the pending ask."""
        self.give(AskWritten(self.ask.seat, self.ask.index))
        return self.ask

    @property
    def finishes(self) -> list[FinishMatch]:
        return [command for command in self.told if isinstance(command, FinishMatch)]

    def entries(self, kind: str) -> list[Entry]:
        """Return the stored entries of a kind."""
        return [entry for entry in self.log if entry.kind == kind]


def first_legal(ask: AskMove) -> tuple[str, ...]:
    """Return the first legal action, as an answer."""
    return (next(iter(ask.legal)).text,)


def answer(table: Table, *actions: str, think_ms: int = 0, note: str = "") -> list[object]:
    """Send the pending ask and answer it, with the first legal action by default."""
    ask = table.write()
    return list(table.give(MoveArrived(ask.seat, ask.index, actions or first_legal(ask), note, think_ms * MS)))


def play_on(table: Table) -> None:
    """Answer every ask until the match is over."""
    while not table.finishes:
        answer(table)


def to_phase(table: Table, phase: str) -> AskMove:
    """Answer until a decision of this phase is asked for."""
    while table.ask.phase != phase:
        answer(table)
    return table.ask


@pytest.fixture
def table() -> Table:
    """A table with three seats, the default clock and policy."""
    return Table(Terms("m", Ruleset(3), bytes(32), Clock(), Policy()))


@pytest.fixture
def duel() -> Table:
    """A table with two seats."""
    return Table(Terms("m", Ruleset(2), bytes(32), Clock(), Policy()))


@pytest.fixture
def drawn() -> Table:
    """A table of three on which a Djinn has just drawn meeples from the bag (`!bag`), in an answer that continued."""
    table = Table(Terms("m", Ruleset(3), bytes([56]) * 32))
    table.begin()
    while not table.entries("chance"):
        legal = [action.text for action in table.ask.legal]
        text = next((text for text in legal if "anun-nak" in text), legal[0])
        answer(table, text, *(["rubbish"] if text.startswith("use") else []))
    return table


def refusal(record: dict[str, Any]) -> str:
    """Return the code, place and message with which a record is refused; empty if it is proved."""
    try:
        prove(record, ask_house)
    except Divergence as error:
        return f"{error.code} {error.index}: {error.message}"
    except ReplayError as error:
        return f"{error.code}: {error.message}"
    return ""


@pytest.fixture(scope="session")
def record() -> dict[str, Any]:
    """The record of a match with every kind of trouble, as read from a file. Do not change it."""
    document: dict[str, Any] = json.loads(json.dumps(troubled_match()))
    return document


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The actions that the rules were asked to check, in order."""
    checked: list[str] = []
    check = LegalActions.check

    def counted(legal: LegalActions, action: Action) -> None:
        checked.append(action.text)
        check(legal, action)

    monkeypatch.setattr(LegalActions, "check", counted)
    return checked
