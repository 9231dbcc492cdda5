"""Values for the pages of bots and authors."""

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
    """Place in the result. None while the match runs, and if it ended without a result."""
    forfeit_reason: str
    has_declined: bool
    version: str
    opponents: list[Opponent]
    """Other seats of the match; empty if it has no result."""


@dataclass(frozen=True)
class ThinkTimes:
    """Think times of a bot over the decisions of its latest matches, in milliseconds."""

    decisions: int
    median: int | None
    slowest: int | None


@dataclass(frozen=True)
class BotPage:
    """A bot's public page."""

    bot: BotRef
    description: str
    state: str
    retired_at: datetime | None
    created_at: datetime
    version_ids: list[int]
    """Ids of versions, newest first, at most `webui.bots.queries.VERSIONS`. The fields below are about them."""
    versions: list[BotVersionLine]
    """Versions that were requested, newest first."""
    standings: list[BotStanding]
    matches: list[MatchLine]
    past: list[PastSeat]
    """Latest seats, newest first, at most `webui.profiles.queries.PAST`."""


@dataclass(frozen=True)
class BotLine:
    """A bot in a list of bots."""

    bot: BotRef
    created_at: datetime
    state: str
    standing: BotStanding | None
    """Standing of the bot's most experienced version."""
    retired_at: datetime | None


@dataclass(frozen=True)
class UserPage:
    """Everything public about a user."""

    name: str
    since: datetime
    bot_count: int
    bots: list[BotLine]
    """Bots that were requested, ordered by name."""
