"""Values of events for pages and commands, and their terms with the clock and policy of the arena's matches."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, ClassVar

from arena.events import Course, Event, Fact, GameKey, StandingLine, Terms, TermsError, parse_terms
from arena.events.fields import NumberRule, TermsTable, TextRule, term
from arena.referee import Policy
from webui.bots.values import BotRef
from webui.core.errors import BadRequest, Refusal
from webui.ladders.values import LimitedClock
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
    open_for: Terms | None
    """Terms of the event while bots can enter, else None. The online bots then decide which versions would play."""


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


@dataclass(frozen=True, slots=True)
class EventPolicy(TermsTable):
    """Consequences for a seat that breaks the rules, within the limits of an event."""

    where: ClassVar[str] = "policy"
    strikes: int = term(NumberRule(1, 100), "Number of faults with which a seat forfeits.", default=Policy().strikes)
    grace_ms: int = term(
        NumberRule(0, 3_600_000, "ms"),
        "Maximum total absence of a seat during a match, in milliseconds.",
        default=Policy().grace_ms,
    )
    offer_ms: int = term(
        NumberRule(1, 300_000, "ms"), "Milliseconds to accept the match, and to reveal.", default=Policy().offer_ms
    )
    house: str = term(
        TextRule(most=40), "House player that plays on for a seat that has forfeited.", default=Policy().house
    )


def read_terms(document: Any) -> Terms:
    """Return the terms of a document, with all values of clock and policy. Raise `BadRequest` with what to change."""
    try:
        terms = parse_terms(document)
        check_times(terms.course)
        clock, policy = LimitedClock.parse(terms.clock), EventPolicy.parse(terms.policy)
    except TermsError as error:
        raise BadRequest(str(error)) from error
    return replace(terms, clock=clock.document(), policy=policy.document())


def check_times(course: Course) -> None:
    """Raise `TermsError` for a time that is well-formed but does not exist. The core knows no calendar."""
    for name, text in (("starts_at", course.starts_at), ("next_round_at", course.next_round_at)):
        try:
            if text:
                datetime.fromisoformat(text)
        except ValueError as error:
            raise TermsError("BAD_TIME", f"course.{name}", "this time does not exist") from error
