"""What actions and queries take and give: plain values, never rows of a table."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from arena.referee import Entry
from arena.rules import Ruleset, View


class LadderError(Exception):
    """A request that cannot be done; `code` is stable, the message says what to do."""

    code = "LADDER_ERROR"


class LostOwnership(LadderError):
    """Somebody else owns the match, or it has ended: stop, and write nothing more."""

    code = "LOST_OWNERSHIP"


class NotFound(LadderError):
    """There is no such match, bot or ladder."""

    code = "NOT_FOUND"


class NameTaken(LadderError):
    """A user or bot has this name already."""

    code = "NAME_TAKEN"


class BadRequest(LadderError):
    """An argument has no meaning here."""

    code = "BAD_REQUEST"


class TooMany(LadderError):
    """More of them within an hour than one owner may have: wait."""

    code = "TOO_MANY"


class RecordRefused(LadderError):
    """The record does not follow from the rules, the log or the seed."""

    code = "RECORD_REFUSED"


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


@dataclass(frozen=True)
class Finish:
    """How a match was written as ended; the same answer whenever it is asked for."""

    match_id: str
    state: str
    placements: tuple[int, ...]
    ladder: str | None
    ladder_number: int | None


@dataclass(frozen=True)
class NewToken:
    """A token in clear, to be shown once and forgotten."""

    token_id: int
    token: str


@dataclass(frozen=True)
class BotIdentity:
    """Who a token belongs to."""

    bot_id: int
    bot_name: str
    owner_id: int
    owner_name: str
    token_id: int
    is_house: bool


@dataclass(frozen=True)
class Rest:
    """A bot is left out of the pairing for a while."""

    failures: int
    """Offers that it, or a bot of its owner, declined or did not answer within a day."""
    seconds: float
    """From now."""


@dataclass(frozen=True)
class BotRef:
    """A bot, as far as a link needs it."""

    id: int
    name: str
    slug: str
    owner_id: int
    owner: str
    is_house: bool


@dataclass(frozen=True)
class VersionRef:
    """A bot version, as far as a link needs it."""

    id: int
    name: str
    bot: BotRef


@dataclass(frozen=True)
class LadderRef:
    """A ladder: ruleset and clock, with its title for people."""

    id: int
    slug: str
    title: str
    players: int
    expansions: tuple[str, ...]
    clock: Mapping[str, Any]
    delay: int
    """Decisions that spectators of a running match see late."""


@dataclass(frozen=True)
class LadderSummary:
    """A ladder in a list of ladders."""

    ladder: LadderRef
    matches: int
    versions: int


@dataclass(frozen=True)
class Rated:
    """A rating as shown: a number, its interval, and whether it is still a guess."""

    mu: float
    sigma: float
    points: int
    low: int
    high: int
    is_provisional: bool
    games: int


@dataclass(frozen=True)
class LadderRow:
    """One line of a ladder."""

    place: int
    version: VersionRef
    rated: Rated
    wins: int
    """Games in which it came first, alone or with others."""


@dataclass(frozen=True)
class LadderDetail:
    """What a line of a ladder shows beside rating and games."""

    trend: list[int]
    """Points after the latest games, oldest first."""
    games: Mapping[int, int]
    """Rated games by number of players, over all ladders of the same expansions and clock."""


@dataclass(frozen=True)
class LadderPage:
    """A ladder, best first. Provisional versions stand in the order of their points like all others."""

    ladder: LadderRef
    rows: list[LadderRow]
    matches: int


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
    change: int | None
    """Points won or lost; none before the end and in an unrated match."""


@dataclass(frozen=True)
class MatchLine:
    """A match in a list."""

    id: str
    state: str
    players: int
    expansions: tuple[str, ...]
    rated: bool
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
    """Everything public about a match, but its moves: those are in `match_record` or `live_match`."""

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


@dataclass(frozen=True)
class SeenDecision:
    """One decision of a running match as a spectator may see it."""

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


@dataclass(frozen=True)
class LiveMatch:
    """A running match as a spectator may see it."""

    match_id: str
    position: View | None
    """That of seat 0; none before every seat is ready."""
    events: list[tuple[int, str]]
    """From index `since` on."""
    since: int
    views: tuple[View, ...] = ()
    """What the spectator saw before these events, and after each decision among them."""


@dataclass(frozen=True)
class RatingPoint:
    """One step of a version's history on a ladder."""

    number: int
    match_id: str
    placement: int
    version: str
    points: int
    low: int
    high: int


@dataclass(frozen=True)
class BotStanding:
    """Where one version of a bot stands on one ladder."""

    version: VersionRef
    ladder: LadderRef
    rated: Rated
    wins: int


@dataclass(frozen=True)
class Rank:
    """A place among the versions of a ladder that are no longer provisional, with the places the intervals allow."""

    rank: int
    best: int
    worst: int


@dataclass(frozen=True)
class BotVersionLine:
    """A version in the list of a bot's versions."""

    version: VersionRef
    created_at: datetime


@dataclass(frozen=True)
class Opponent:
    """Another seat of a match that a bot has played."""

    bot_id: int
    name: str
    slug: str
    placement: int


@dataclass(frozen=True)
class PastSeat:
    """A bot's seat in one of its latest matches."""

    match_id: str
    seat: int
    placement: int | None
    """None while the match runs, and where it had no result."""
    forfeit_reason: str
    has_declined: bool
    version: str
    opponents: list[Opponent]
    """Of a match with a result; empty otherwise."""


@dataclass(frozen=True)
class BotPage:
    """A bot's public page."""

    bot: BotRef
    description: str
    state: str
    created_at: datetime
    versions: list[BotVersionLine]
    """Newest first."""
    standings: list[BotStanding]
    matches: list[MatchLine]
    past: list[PastSeat]
    """Newest first; so many of them at most as `queries.bots.PAST`."""


@dataclass(frozen=True)
class BotLine:
    """A bot in a list of bots."""

    bot: BotRef
    created_at: datetime
    state: str
    standing: BotStanding | None
    """Where its most experienced version stands."""


@dataclass(frozen=True)
class UserPage:
    """What everybody may know of a user."""

    name: str
    since: datetime
    bots: list[BotLine]


@dataclass(frozen=True)
class ThinkTimes:
    """How long a bot thought over its decisions in its latest matches, in milliseconds."""

    decisions: int
    median: int
    slowest: int


@dataclass(frozen=True)
class TokenLine:
    """A token as its owner sees it later."""

    id: int
    prefix: str
    scopes: tuple[str, ...]
    created_at: datetime
    last_used_at: datetime | None
    revoked_at: datetime | None


@dataclass(frozen=True)
class OwnBot:
    """A bot as its owner manages it."""

    bot: BotRef
    description: str
    state: str
    versions: list[VersionRef]
    tokens: list[TokenLine] = field(default_factory=list)


@dataclass(frozen=True)
class ScheduledMatch:
    """A match that waits for a worker."""

    id: str
    waits_s: float
    version_ids: tuple[int, ...]
