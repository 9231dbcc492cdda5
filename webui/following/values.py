"""Values of follows and their news."""

from dataclasses import dataclass
from datetime import datetime

from webui.bots.values import BotRef, VersionRef
from webui.matches.values import MatchLine


@dataclass(frozen=True)
class FollowLine:
    """A bot or an author that is followed."""

    bot: BotRef | None
    """Bot that is followed. None: an author is followed, with all bots."""
    author: str
    """Name of the author that is followed. Empty: a bot is followed."""
    since: datetime


@dataclass(frozen=True)
class VersionNews:
    """A new version of a bot."""

    at: datetime
    version: VersionRef
    note: str


@dataclass(frozen=True)
class EventNews:
    """The end of an event."""

    at: datetime
    slug: str
    name: str
    places: tuple[tuple[BotRef, int], ...]
    """Final places of the followed bots, best first. Tied bots have equal places."""
    entrants: int


@dataclass(frozen=True)
class News:
    """News about the bots that a user follows, newest first in each kind."""

    matches: list[MatchLine]
    """Matches with a result."""
    versions: list[VersionNews]
    events: list[EventNews]

    @property
    def is_empty(self) -> bool:
        """Whether there is no news."""
        return not (self.matches or self.versions or self.events)


@dataclass(frozen=True)
class DigestChoice:
    """The choice of a user about the daily digest."""

    is_wanted: bool
    has_address: bool
    """Whether the user has a confirmed address. Other addresses get no digest."""
