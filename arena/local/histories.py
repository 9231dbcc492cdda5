"""The messages that a seat of a recorded match was sent, from the match's record or from an owner's transcript."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from arena.players import ask_house
from arena.referee import Clock, Entry, Kind, Policy, Record, SentCommand, Terms, prove, sent_commands
from arena.referee.retrial import log_of
from arena.rules import read_game
from arena.rules.replay import read_events
from arena.wire import codec
from arena.wire.history import Sent, codec_of, messages
from arena.wire.matches import MatchCodec

NO_TIME: Final = Clock(bank_ms=3_600_000, increment_ms=0, cap_ms=3_600_000)
"""Clock for a game without a match."""


class NoHistory(Exception):
    """Raised when there is no such decision; the message says which ones there are."""


@dataclass(frozen=True)
class SeatHistory:
    """The messages that a seat was sent, in order."""

    match: str
    seat: int
    sent: tuple[Sent, ...]
    played: Mapping[int, tuple[int, str]]
    """Seat and action of each known decision, by index."""

    @cached_property
    def asks(self) -> dict[int, int]:
        """Position of the first request for each decision, by index."""
        positions: dict[int, int] = {}
        for position, message in enumerate(self.sent):
            if message.ask is not None:
                positions.setdefault(message.ask, position)
        return positions

    def ask_of(self, index: int | None) -> int:
        """Return the index of the request whose answer made the decision at `index`; by default the last request.

        Raises `NoHistory` if the seat was not asked for that decision.
        """
        if not self.asks:
            raise NoHistory(f"seat {self.seat} got no request in this match")
        if index is None:
            return max(self.asks)
        before = [ask for ask in self.asks if ask <= index]
        if before and (before[-1] == index or self._is_batch(before[-1], index)):
            return before[-1]
        near = before[-1:] + [ask for ask in self.asks if ask > index][:1]
        problem = f"is seat {self.played[index][0]}'s" if index in self.played else "does not exist"
        if index in self.played and self.played[index][0] == self.seat:
            problem = "was made without asking the bot: it was forced, or the seat had forfeited"
        asked_at = " and ".join(map(str, near))
        raise NoHistory(f"the decision at {index} {problem}; seat {self.seat} was asked at {asked_at}")

    def _is_batch(self, ask: int, index: int) -> bool:
        """Return whether these decisions follow each other without chance, and are all the seat's own."""
        return all(self.played.get(later, (0, ""))[0] == self.seat for later in range(ask, index + 1))

    def until(self, ask: int) -> tuple[Sent, ...]:
        """Return the messages up to the request for a decision, which is the last of them."""
        return self.sent[: self.asks[ask] + 1]


class RecordedMatch:
    """A match, or a game without a match, from its replay.

    Raises `ReplayError` or `Divergence` if the replay cannot be proved.
    """

    def __init__(self, document: dict[str, Any]) -> None:
        prove(document, ask_house)
        self.document = document
        self._log: list[Entry]
        if "server_seed" in document:
            self.terms, self._log = log_of(document, ask_house)
        else:
            self.terms, self._log = _log_of_game(document)
        self.codec: MatchCodec = codec_of(document, self.terms)

    @property
    def names(self) -> list[str]:
        """Names of the players, seat 1 first."""
        return [seat["name"] for seat in self.document["seats"]]

    def sent_commands(self, seat: int) -> Iterator[SentCommand]:
        """Yield the referee's commands for a seat."""
        return sent_commands(self._record(), self._log, seat)

    def history(self, seat: int) -> SeatHistory:
        """Return the messages that a seat was sent. Raises `NoHistory` if there is no such seat."""
        if seat not in self.terms.seats:
            raise NoHistory(f"there is no seat {seat}: the match has {len(self.names)} seats")
        end = self.codec.end(self.document, "") if "verdict" in self.document else b""
        sent = [message for message in messages(self.codec, self._record(), self._log, seat, end) if message.payload]
        events = enumerate(read_events(self.document))
        played = {index: (event.seat, event.text) for index, event in events if event.seat}
        return SeatHistory(self.terms.match, seat, tuple(sent), played)

    def seat_at(self, index: int) -> int | None:
        """Return the seat that decided at an index; `None` if there is no decision."""
        events = self.document["events"]
        return events[index][0] or None if 0 <= index < len(events) else None

    def _record(self) -> Record:
        if "server_seed" in self.document:
            return Record(self.terms)
        return Record.of_game(self.terms, read_game(self.document, 0))


def _log_of_game(document: dict[str, Any]) -> tuple[Terms, list[Entry]]:
    """Return terms and log of a game without a match: every decision that is not forced counts as asked for."""
    game = read_game(document, 0)
    log: list[Entry] = []
    for event in read_events(document):
        if not event.seat:
            log.append(Entry(len(log), Kind.CHANCE, 0, event.text))
            continue
        data = {"forced": True} if game.state.legal.sole is not None else {"ms": 0}
        log.append(Entry(len(log), Kind.DECISION, event.seat, event.text, data))
        game.play(event.text)
    return Terms(document["match"], game.ruleset, game.seed, NO_TIME, Policy()), log


def history_of_transcript(payloads: Sequence[bytes]) -> SeatHistory:
    """Return the messages in a transcript. Raises `CodecError` or `NoHistory`."""
    sent: list[Sent] = []
    played: dict[int, tuple[int, str]] = {}
    match, seat = "", 0
    for payload in payloads:
        message = codec.decode_server(payload)
        ask = None
        match message.WhichOneof("kind"):
            case "offer":
                match, seat = message.offer.match_id, message.offer.terms.seat
            case "request":
                ask = message.request.index
                for event in codec.decode_events(message.request.events):
                    if event.seat:
                        played[event.index] = (event.seat, event.text)
        sent.append(Sent(payload, ask))
    if not seat:
        raise NoHistory("the transcript does not begin with the offer of a match")
    return SeatHistory(match, seat, tuple(sent), played)
