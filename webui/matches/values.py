"""Matches: for the worker that plays one, for lists and pages, and while they run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from arena.referee import Entry
from arena.rules import Ruleset, View
from webui.bots.values import VersionRef
from webui.core.errors import LadderError, NotFound
from webui.ladders.values import LadderRef


@dataclass(frozen=True)
class MatchSeat:
    """Who sits where."""

    seat: int
    version_id: int
    version: str
    bot_id: int
    bot: str
    owner_id: int
    is_house: bool


@dataclass(frozen=True)
class SignedOffer:
    """The offer of a match as it stands in the public log."""

    document: str
    """Canonical JSON."""
    key: str
    signature: str
    """In hex."""


@dataclass(frozen=True)
class Claim:
    """A match that its new owner may play: all that a referee needs."""

    match_id: str
    epoch: int
    ruleset: Ruleset
    seats: tuple[MatchSeat, ...]
    clock: dict[str, Any]
    policy: dict[str, Any]
    commitment: str
    server_seed: bytes
    deal: bytes | None
    log: list[Entry]
    offer: SignedOffer | None = None
    """None for a match from before there were signed offers."""
    seen: int = 0
    """How many steps of it are stored for spectators: the set-up, and one for each decision."""


@dataclass(frozen=True)
class MatchEnding:
    """How a match was written as ended; the same answer whenever it is asked for."""

    match_id: str
    state: str
    placements: tuple[int, ...]
    ladder: str | None
    ladder_number: int | None


class SeatRating(NamedTuple):
    """What a seat's version was rated on the match's ladder when the match was made: points, and their interval."""

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
    """None: not rated there then, or the match counts for no ladder."""


@dataclass(frozen=True)
class MatchLine:
    """A match in a list."""

    id: str
    state: str
    players: int
    expansions: tuple[str, ...]
    rated: bool
    is_challenge: bool
    """Its owner asked for it."""
    ladder: LadderRef | None
    ladder_number: int | None
    length: int
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    reason: str
    seats: list[SeatLine]


@dataclass(frozen=True)
class MatchPage:
    """Everything public about a match, but its moves: those are in `match_record` or `LiveGame`."""

    line: MatchLine
    rules: str
    clock: Mapping[str, Any]
    policy: Mapping[str, Any]
    commitment: str
    server_seed: str
    """Hex; empty until the match has ended."""
    verdict: Mapping[str, Any] | None
    replaces: str | None
    replaced_by: str | None
    offer: int | None
    """The number of its signed offer in the public log; None for a match from before there was one."""


@dataclass(frozen=True)
class SeenDecision:
    """One decision of a running match as a spectator may see it; at ply 0 the set-up, which nobody has made."""

    ply: int
    """Decisions so far, this one included."""
    index: int
    """Among the events of the game."""
    seat: int
    text: str
    chance: tuple[str, ...]
    """What was drawn after it."""
    view: View
    """That of seat 0, after all that."""

    @property
    def events(self) -> list[tuple[int, str]]:
        """Seat (0: chance) and text of the decision and of each draw."""
        return [(self.seat, self.text), *((0, text) for text in self.chance)]


class LogAppend(NamedTuple):
    """What is to be added to the log of a running match, and its lease renewed. Without entries only that."""

    match_id: str
    epoch: int
    length: int
    """Of the log before."""
    lease_s: float
    entries: Sequence[Entry] = ()
    seen: Sequence[SeenDecision] = ()
    """What spectators see of the decisions among them."""


class LostOwnership(LadderError):
    """Somebody else owns the match, or it has ended: stop, and write nothing more."""

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
    """How many decisions there were."""
    round: int
    phase: str
    to_act: int | None
    camels: tuple[int, ...]
    """Those that each seat has left: the game ends when one has none."""
