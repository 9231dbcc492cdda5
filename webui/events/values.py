"""Events as pages and commands show them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from arena.events import Event, Fact, GameKey, StandingLine
from arena.rules import Ruleset
from webui.bots.values import BotRef
from webui.core.errors import BadRequest, Refusal
from webui.matches.values import LiveBoard


class EventRefusal(Refusal):
    """An event does not allow it."""

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
    """Rounds drawn so far, without those whose draw tells hidden results."""
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
    """What an event's page shows, in short."""

    mark: str
    """Another one when the page shows something else."""
    is_settled: bool
    """Whether it never changes any more."""
    open_for: Ruleset | None
    """The game, while bots enter: which of their versions would play changes with who is online."""


@dataclass(frozen=True)
class OwnEntry:
    """A bot of somebody who looks at an event."""

    bot: BotRef
    number: int | None
    """As an entrant; None if it is not in the event."""
    refusal: BadRequest | None
    """Why it cannot enter; None if it can, or has."""
    can_ask: bool = False
    """Whether its owner can ask the organiser to let it in late."""
    has_asked: bool = False
    """Whether its owner has asked that, and can take it back."""


@dataclass(frozen=True)
class EventPage:
    """An event as somebody may see it."""

    line: EventLine
    event: Event
    """Its fold, without what is hidden. Shared: nothing may be applied to it."""
    shown: int
    """Results of so many rounds may be shown."""
    standings: list[StandingLine]
    """After the rounds that are shown."""
    movement: Mapping[int, int]
    """Places won (positive) or lost since the round before, by entrant; empty after the first."""
    bots: Mapping[int, BotRef]
    """By entrant."""
    games: Mapping[GameKey, EventGame]
    """The matches that were scheduled, those of hidden rounds left out."""
    boards: Mapping[str, LiveBoard]
    """Those that run, by match."""
    facts: list[Fact]
    """The audit log, without hidden results."""
    away: Mapping[int, datetime]
    """Entrants for whom a table waits, and since when; none while a round is hidden."""
    is_organiser: bool
    asked: str
    """What the arena has been asked to do and has not yet done."""
    helpers: list[str]
