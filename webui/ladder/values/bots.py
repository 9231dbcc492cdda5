"""Bots and their owners: for the gateway, for their pages, and for those who manage them."""

from dataclasses import dataclass, field
from datetime import datetime

from webui.ladder.values.ladders import BotStanding
from webui.ladder.values.matches import MatchLine
from webui.ladder.values.refs import BotRef, VersionRef
from webui.ladder.values.tokens import TokenLine


@dataclass(frozen=True)
class ExclusionLine:
    """A version that plays no rated matches."""

    id: int
    version_id: int
    version: str
    at: datetime
    matches: tuple[str, ...]
    """That it forfeited, the latest first; none: it is new."""
    is_asked: bool
    """An examination was asked for, which has not ended."""
    examination: str | None
    """The match of that, or else of the last one, which it did not pass."""

    @property
    def is_new(self) -> bool:
        """Whether it has never played rated matches."""
        return not self.matches


@dataclass(frozen=True)
class OwnBot:
    """A bot as its owner manages it."""

    bot: BotRef
    description: str
    state: str
    versions: int
    """How many."""
    tokens: list[TokenLine] = field(default_factory=list)
    exclusions: tuple[ExclusionLine, ...] = ()
    """Those that have not ended."""
    retired_at: datetime | None = None
    retired_versions: tuple[int, ...] = ()
    """Their ids."""


@dataclass(frozen=True)
class Release:
    """A version that its author has released."""

    version: str
    is_ready: bool
    """It has not said hello yet."""


@dataclass(frozen=True)
class Rest:
    """A bot is left out of the pairing for a while."""

    failures: int
    """Offers that it, or a bot of its owner, declined or did not answer within a day."""
    seconds: float
    """From now."""


@dataclass(frozen=True)
class BotVersionLine:
    """A version in the list of a bot's versions."""

    version: VersionRef
    created_at: datetime
    note: str
    """What its author says of it; empty: nothing."""
    is_ready: bool
    """It was released, and has not said hello yet."""
    examination: str | None
    """The latest match in which it has passed an examination."""
    retired_at: datetime | None


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
class ThinkTimes:
    """How long a bot thought over its decisions in its latest matches, in milliseconds."""

    decisions: int
    median: int
    slowest: int


@dataclass(frozen=True)
class BotPage:
    """A bot's public page."""

    bot: BotRef
    description: str
    state: str
    retired_at: datetime | None
    created_at: datetime
    version_ids: list[int]
    """Newest first, at most `queries.matches.VERSIONS` of them; the fields below are about these."""
    versions: list[BotVersionLine]
    """Those asked for, newest first."""
    standings: list[BotStanding]
    matches: list[MatchLine]
    past: list[PastSeat]
    """Newest first, at most `queries.bots.PAST` of them."""


@dataclass(frozen=True)
class BotLine:
    """A bot in a list of bots."""

    bot: BotRef
    created_at: datetime
    state: str
    standing: BotStanding | None
    """Where its most experienced version stands."""
    is_retired: bool


@dataclass(frozen=True)
class UserPage:
    """What everybody may know of a user."""

    name: str
    since: datetime
    bot_count: int
    bots: list[BotLine]
    """Those asked for, by name."""
