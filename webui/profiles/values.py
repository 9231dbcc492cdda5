"""Values of the pages of bots and authors."""

from dataclasses import dataclass
from datetime import datetime

from webui.bots.values import BotRef, BotVersionLine
from webui.matches.values import MatchLine
from webui.ratings.values import BotStanding


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
