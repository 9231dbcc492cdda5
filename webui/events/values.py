"""Values of events for pages and commands."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from arena.events import Event, Fact, GameKey, StandingLine
from arena.rules import Ruleset
from webui.bots.values import BotRef
from webui.core.errors import BadRequest, Refusal
from webui.matches.values import LiveBoard


class EventRefusal(Refusal):
    """The event does not allow the action."""

    code = "EVENT_REFUSAL"


@dataclass(frozen=True)
class EventLine:
    """An event in a list."""

    slug: str
    name: str
    state: str
    format: str
    players: int
    owner: str
    entrants: int
    rounds: int
    """Number of rounds drawn so far, without those whose draw discloses hidden results."""
    is_hidden: bool
    created_at: datetime


@dataclass(frozen=True)
class EventGame:
    """The match of a game."""

    match: str
    state: str
    started_at: datetime | None
    finished_at: datetime | None


@dataclass(frozen=True)
class EventMark:
    """A summary of what an event's page shows."""

    mark: str
    """Hash that changes whenever the page changes."""
    is_settled: bool
    """Whether the page never changes again."""
    open_for: Ruleset | None
    """Game of the event while bots can enter, else None. The online bots then decide which versions would play."""


@dataclass(frozen=True)
class OwnEntry:
    """A bot of a visitor of the event."""

    bot: BotRef
    number: int | None
    """Number as an entrant. None if it is not in the event."""
    refusal: BadRequest | None
    """Reason why it cannot enter. None if it can, or has."""
    can_ask: bool = False
    """Whether its owner can ask the organiser to let it in late."""
    has_asked: bool = False
    """Whether its owner has asked that, and can withdraw the request."""


@dataclass(frozen=True)
class EventPage:
    """An event as far as somebody may see it."""

    line: EventLine
    event: Event
    """Event computed from the visible facts. It is shared: never apply facts to it."""
    shown: int
    """Number of rounds whose results may be shown."""
    standings: list[StandingLine]
    """Standings after the rounds that are shown."""
    movement: Mapping[int, int]
    """Places gained (positive) or lost since the previous round, by entrant. Empty after the first round."""
    bots: Mapping[int, BotRef]
    """Bots by entrant."""
    games: Mapping[GameKey, EventGame]
    """Scheduled matches, without those of hidden rounds."""
    boards: Mapping[str, LiveBoard]
    """Boards of running matches, by match."""
    facts: list[Fact]
    """Audit log, without hidden results."""
    away: Mapping[int, datetime]
    """Entrants for whom a table waits, each with the time since when. Empty while a round is hidden."""
    is_organiser: bool
    asked: str
    """Pending request to the arena."""
    helpers: list[str]
