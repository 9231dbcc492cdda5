"""Whom a user follows, and what happened to those."""

from dataclasses import dataclass
from datetime import datetime

from webui.bots.values import BotRef, VersionRef
from webui.matches.values import MatchLine


@dataclass(frozen=True)
class FollowLine:
    """Somebody who is followed."""

    bot: BotRef | None
    """None: an author, with all bots."""
    author: str
    """Empty: a bot."""
    since: datetime


@dataclass(frozen=True)
class VersionNews:
    """A new version of a bot."""

    at: datetime
    version: VersionRef
    note: str


@dataclass(frozen=True)
class EventNews:
    """An event is over."""

    at: datetime
    slug: str
    name: str
    places: tuple[tuple[BotRef, int], ...]
    """Those of the bots that are followed, the best first; ties share a place."""
    entrants: int


@dataclass(frozen=True)
class News:
    """What happened to those whom a user follows, of each kind the newest first."""

    matches: list[MatchLine]
    """Those with a result."""
    versions: list[VersionNews]
    events: list[EventNews]

    @property
    def is_empty(self) -> bool:
        """Whether nothing happened."""
        return not (self.matches or self.versions or self.events)


@dataclass(frozen=True)
class DigestChoice:
    """Whether a user wants an email a day about those whom he follows."""

    is_wanted: bool
    has_address: bool
    """A confirmed one: others get none."""
