"""Values of matches: for the worker that plays one, for lists and pages, and for matches that are running."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple

from arena.referee import Clock, Entry, Policy
from arena.rules import Ruleset, View
from webui.bots.values import VersionRef
from webui.core.errors import LadderError, NotFound
from webui.ladders.values import LadderRef

EVENT_CANCELLED: Final = "the event was cancelled"
HOUSE_SILENT: Final = "a bot of the arena did not answer"
"""Reasons for which the arena itself voids a match, as they are stored."""


@dataclass(frozen=True)
class MatchSeat:
    """A seat and the bot version that sits there."""

    seat: int
    version_id: int
    version: str
    bot_id: int
    bot: str
    owner_id: int
    is_house: bool
    is_person: bool = False


@dataclass(frozen=True)
class SignedOffer:
    """The offer of a match as it is in the public log."""

    document: str
    """Offer in canonical JSON."""
    key: str
    signature: str
    """Signature in hex."""


@dataclass(frozen=True)
class MatchClaim:
    """A match that its new owner may play, with everything that a referee needs."""

    match_id: str
    epoch: int
    ruleset: Ruleset
    seats: tuple[MatchSeat, ...]
    clock: Clock
    policy: Policy
    commitment: str
    server_seed: bytes
    deal: bytes | None
    log: list[Entry]
    offer: SignedOffer


@dataclass(frozen=True)
class MatchEnding:
    """The stored ending of a match. It is the same each time it is read."""

    match_id: str
    state: str
    placements: tuple[int, ...]
    ladder: str | None
    ladder_number: int | None


class SeatRating(NamedTuple):
    """The rating of a seat's version on the match's ladder when the match was made: points, and their interval."""

    points: int
    low: int
    high: int


@dataclass(frozen=True)
class SeatLine:
    """A seat of a match, for a line of text."""

    seat: int
    version: VersionRef
    placement: int | None
    rank: int | None
    score: int | None
    forfeited_at: int | None
    forfeit_reason: str
    rating: SeatRating | None = None
    """Rating when the match was made. None if it had none, or if the match counts for no ladder."""


@dataclass(frozen=True)
class MatchLine:
    """A match in a list."""

    id: str
    state: str
    players: int
    expansions: tuple[str, ...]
    rated: bool
    is_challenge: bool
    """Whether the owner of a bot asked for the match."""
    ladder: LadderRef | None
    ladder_number: int | None
    length: int
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    reason: str
    seats: list[SeatLine]

    @property
    def has_person(self) -> bool:
        """Whether a person plays, who may let the others wait."""
        return any(seat.version.bot.is_person for seat in self.seats)


@dataclass(frozen=True)
class MatchPage:
    """Everything public about a match except its moves. These are in `match_record` or `LiveGame`."""

    line: MatchLine
    rules: str
    clock: Clock
    policy: Policy
    commitment: str
    server_seed: str
    """Seed in hex. Empty until the match has ended."""
    verdict: Mapping[str, Any] | None
    replaces: str | None
    replaced_by: str | None
    offer: int
    """Number of its signed offer in the public log."""


class PageVersion(NamedTuple):
    """A version of a match's page, as `page_version` of the queries defines it."""

    text: str
    ended_at: datetime | None
    """Time of the match's end. None before it."""


@dataclass(frozen=True)
class SeenDecision:
    """One decision of a running match as a spectator may see it. Ply 0 is the set-up, which is nobody's decision."""

    ply: int
    """Number of decisions so far, including this one."""
    index: int
    """Index among the events of the game."""
    seat: int
    text: str
    chance: tuple[str, ...]
    """Texts of the chance events that followed the decision."""
    view: View
    """View of seat 0 after the decision and its chance events."""
    of_seats: tuple[tuple[int, str, View], ...] = ()
    """For each seat that a person plays: the seat, the decision as it sees it, and its view. Only when written."""

    @property
    def events(self) -> list[tuple[int, str]]:
        """Return the seat and text of the decision and of each chance event (seat 0)."""
        return [(self.seat, self.text), *((0, text) for text in self.chance)]


class LogAppend(NamedTuple):
    """Entries to add to the log of a running match, whose lease is renewed. Without entries only the lease is
    renewed.
    """

    match_id: str
    epoch: int
    length: int
    """Length of the log before the append."""
    lease_s: float
    entries: Sequence[Entry] = ()
    seen: Sequence[SeenDecision] = ()
    """Steps that spectators see of the decisions among the entries."""


class LostOwnership(LadderError):
    """Another process owns the match, or it has ended. The caller must stop, and write nothing more."""

    code = "LOST_OWNERSHIP"


class HiddenResult(NotFound):
    """The match belongs to an event whose results nobody may see yet."""

    code = "HIDDEN_RESULT"


class RecordRefused(LadderError):
    """The record does not follow from the rules, the log or the seed."""

    code = "RECORD_REFUSED"


@dataclass(frozen=True)
class LiveBoard:
    """A running match as spectators may see it."""

    ply: int
    """Number of decisions so far."""
    round: int
    phase: str
    to_act: int | None
    camels: tuple[int, ...]
    """Number of camels that each seat has left. The game ends when a seat has none."""
