"""The durable half of a referee: the log, folded entry by entry.

Only `apply` changes a `Record`. The live referee writes an entry, applies it, and hands it out for storage; a rebuilt
referee applies the stored entries. Both therefore get the same record, and durable state cannot be anywhere else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from arena.referee.incidents import MatchIncident
from arena.referee.log import Entry, Kind, LogError, Reason
from arena.referee.terms import NONCE_HASH, Terms
from arena.referee.verdict import Forfeit, Verdict, judge
from arena.rules import Action, Game, RulesError, State, match_seed


@dataclass(slots=True)
class SeatRecord:
    """The log's information about one seat."""

    bank_ms: int
    grace_ms: int
    """Grace that is left."""
    nonce_hash: bytes | None = None
    """None until the bot has accepted."""
    nonce: bytes | None = None
    """None until the bot has revealed it; empty if the bot has forfeited by not doing so."""
    by: str = ""
    """The bot's process that plays."""
    strikes: int = 0
    is_away: bool = False
    has_forfeited: bool = False
    since: int = 0
    """Index of the last ask that was resolved: the bot knows everything before it."""
    credited_ms: int = 0
    """Time of the network that was not charged so far."""
    untold: list[Entry] = field(default_factory=list)
    """Faults that the bot had no stream to be told about, until its next answer proves that it is back."""


@dataclass(slots=True, eq=False)
class Record:
    """A match so far. Two records are equal if no later event can distinguish them."""

    terms: Terms
    length: int = 0
    """Number of entries."""
    seats: dict[int, SeatRecord] = field(default_factory=dict)
    forfeits: list[Forfeit] = field(default_factory=list)
    incidents: list[MatchIncident] = field(default_factory=list)
    """Events beside the game that affected a seat, in order."""
    abort: Entry | None = None
    game: Game | None = None
    """None until all seats are ready."""
    recorded: int = 0
    """Number of the game's events that are in the log."""
    spent_ms: int = 0
    """Time that the seat to act has had on paths that it has left …"""
    spent_gone_ms: int = 0
    """… and the part of it for which the seat was away."""
    absent_ms: int = 0
    """Sum of the absences of the seat to act that have ended during this decision."""

    def __post_init__(self) -> None:
        clock, policy = self.terms.clock, self.terms.policy
        self.seats = {seat: SeatRecord(bank_ms=clock.bank_ms, grace_ms=policy.grace_ms) for seat in self.terms.seats}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and self._key() == other._key()

    def _key(self) -> tuple[Any, ...]:
        # Terms, nonces and events determine the game completely.
        events = self.game.events if self.game else None
        return (
            self.terms,
            self.length,
            self.seats,
            self.forfeits,
            self.incidents,
            self.abort,
            events,
            self.recorded,
            self.spent_ms,
            self.spent_gone_ms,
            self.absent_ms,
        )

    @classmethod
    def of_game(cls, terms: Terms, game: Game) -> Record:
        """Return the record of a running game without a match, and therefore without nonces."""
        record = cls(terms)
        for seat in record.seats.values():
            seat.nonce_hash, seat.nonce = sha256(b"").digest(), b""
        record.game = game
        record._begin_turn()
        return record

    @classmethod
    def fold(cls, terms: Terms, log: Iterable[Entry]) -> Record:
        """Return the record of a log."""
        record = cls(terms)
        for entry in log:
            record.apply(entry)
        if record.recorded != record.index:
            raise LogError(f"the log ends at entry {record.length}, before the chance event of its last decision")
        return record

    # Queries

    @property
    def index(self) -> int:
        """Index of the next decision."""
        return len(self.game.events) if self.game else 0

    @property
    def events(self) -> list[tuple[int, str]]:
        """Events of the game, without their facts."""
        return [(event.seat, event.text) for event in self.game.events] if self.game else []

    @property
    def state(self) -> State:
        """Position of the game."""
        return self.running.state

    @property
    def running(self) -> Game:
        """The game. Raise `LogError` if it has not begun."""
        if self.game is None:
            raise LogError("the game has not begun")
        return self.game

    @property
    def to_act(self) -> int:
        """Seat that decides; 0 if none does."""
        return self.state.to_act if self.game else 0

    @property
    def sole_action(self) -> Action | None:
        """The forced decision; None if there is a choice."""
        return self.state.legal.sole

    @property
    def limit_ms(self) -> int:
        """Time that the seat to act may take."""
        return min(self.seats[self.to_act].bank_ms, self.terms.clock.cap_ms)

    @property
    def has_all_hashes(self) -> bool:
        """Whether every seat has accepted the match and sent the hash of its nonce."""
        return all(seat.nonce_hash is not None for seat in self.seats.values())

    @property
    def unready(self) -> list[int]:
        """Seats whose answer is missing: to the offer, then to the request for their nonces."""
        if self.game is not None:
            return []
        missing = "nonce" if self.has_all_hashes else "nonce_hash"
        return [number for number, seat in self.seats.items() if getattr(seat, missing) is None]

    @property
    def verdict(self) -> Verdict | None:
        """The end of the match; None while it is not over."""
        if self.game is None:
            return None
        outcome = self.game.state.outcome
        return judge(self.terms.ruleset.players, self.forfeits, outcome.ranks if outcome else None)

    # Changes

    def apply(self, entry: Entry, action: Action | None = None) -> None:
        """Apply the next entry. Raise `LogError` if no referee can have written it.

        `action` is the decision of the entry, if the caller has checked that it is legal. Without it, as in the fold
        of a stored log, the entry's text is parsed and checked.
        """
        try:
            self._apply(entry, action)
        except (RulesError, AttributeError, KeyError, TypeError, ValueError) as error:
            raise LogError(f"entry {entry.number} has a wrong form: {error!r}") from error

    def _apply(self, entry: Entry, action: Action | None) -> None:
        if entry.number != self.length:
            raise LogError(f"entry {entry.number} is out of order: {self.length} was expected")
        if entry.seat not in self.seats and entry.seat != 0:
            raise LogError(f"entry {entry.number} is of seat {entry.seat}, which does not exist")
        data = entry.data or {}
        match entry.kind:
            case Kind.COMMIT:
                self._commit(entry, data)
            case Kind.READY:
                self._ready(entry)
            case Kind.ABORT:
                self.abort = entry
            case Kind.DECISION:
                self._decide(entry, data, action)
            case Kind.CHANCE:
                self._expect(entry)
            case Kind.FAULT:
                seat = self.seats[entry.seat]
                seat.strikes = data["strikes"]
                if seat.is_away or entry.text == Reason.FLOODING:  # flooding ends the stream
                    seat.untold.append(entry)
                self.incidents.append(MatchIncident(self.index, entry.seat, "fault", reason=entry.text))
            case Kind.FORFEIT:
                self.seats[entry.seat].has_forfeited = True
                self.forfeits.append(Forfeit(entry.seat, data["index"], entry.text))
                self.incidents.append(MatchIncident(self.index, entry.seat, "forfeit", reason=entry.text))
                if self.game is None:
                    self._withhold(entry)
            case Kind.LOST:
                self.seats[entry.seat].is_away = True
            case Kind.BACK:
                seat = self.seats[entry.seat]
                seat.is_away = False
                seat.grace_ms = max(0, seat.grace_ms - data["away_ms"])
                if entry.seat == self.to_act:
                    self.absent_ms += data["away_ms"]
                if data["away_ms"]:
                    self.incidents.append(MatchIncident(self.index, entry.seat, "absence", ms=data["away_ms"]))
            case Kind.NOTE:
                if entry.seat:
                    self.seats[entry.seat].credited_ms += data.get("network_ms", 0)
                    self.seats[entry.seat].by = data.get("by", self.seats[entry.seat].by)
                self.spent_ms += data.get("spent_ms", 0)
                self.spent_gone_ms += data.get("gone_ms", 0)
            case _:
                raise LogError(f"entry {entry.number} has the unknown kind {entry.kind!r}")
        self.length += 1

    def _commit(self, entry: Entry, data: Mapping[str, Any]) -> None:
        seat, digest = self.seats[entry.seat], bytes.fromhex(entry.text)
        if seat.nonce_hash is not None or len(digest) != NONCE_HASH:
            raise LogError(f"entry {entry.number}: this is not the hash of a nonce, or not the first one of its seat")
        seat.nonce_hash, seat.by = digest, data.get("by", "")

    def _ready(self, entry: Entry) -> None:
        seat, nonce = self.seats[entry.seat], bytes.fromhex(entry.text)
        if not self.has_all_hashes or sha256(nonce).digest() != seat.nonce_hash:
            raise LogError(f"entry {entry.number}: not all hashes were given, or this nonce does not match its own")
        if seat.nonce is not None:
            raise LogError(f"entry {entry.number}: seat {entry.seat} already has a nonce")
        self._begin_with(seat, nonce)

    def _withhold(self, entry: Entry) -> None:
        seat = self.seats[entry.seat]
        if entry.text != Reason.NO_REVEAL or not self.has_all_hashes or seat.nonce is not None:
            raise LogError(f"entry {entry.number}: only a withheld nonce is a forfeit before the game")
        self._begin_with(seat, b"")

    def _begin_with(self, seat: SeatRecord, nonce: bytes) -> None:
        """Store a nonce. The game begins with the last one."""
        seat.nonce = nonce
        nonces = [other.nonce for other in self.seats.values() if other.nonce is not None]
        if len(nonces) == len(self.seats):
            self.game = Game(self.terms.ruleset, match_seed(self.terms.server_seed, nonces), self.terms.deal)
            self._begin_turn()

    def _decide(self, entry: Entry, data: Mapping[str, Any], action: Action | None) -> None:
        if self.recorded != self.index or entry.seat != self.to_act:
            raise LogError(f"entry {entry.number}: it is not the turn of seat {entry.seat}")
        if action is None:
            try:
                action = self.state.parse(entry.text)
            except RulesError as error:
                raise LogError(f"entry {entry.number}: {error}") from error
        if "ms" in data:
            seat = self.seats[entry.seat]
            seat.bank_ms = max(0, seat.bank_ms - data["ms"])
            seat.since = self.index
            if "default" not in data:
                seat.untold.clear()
        self.spent_ms = self.spent_gone_ms = self.absent_ms = 0
        self.running.play(action, dict(data) or None)
        self.recorded += 1
        if entry.text == "end" or entry.text.startswith("bid "):
            self._begin_turn()

    def _begin_turn(self) -> None:
        """Begin a bid or a player turn, which is the only time when a clock gains time."""
        if self.to_act:
            self.seats[self.to_act].bank_ms += self.terms.clock.increment_ms

    def _expect(self, entry: Entry) -> None:
        """Check a chance entry against the event that follows from the seed."""
        events = self.running.events
        if self.recorded >= len(events) or (entry.seat, entry.text) != events[self.recorded][:2]:
            raise LogError(f"entry {entry.number}: this chance event does not follow from the seed: {entry.text}")
        self.recorded += 1
