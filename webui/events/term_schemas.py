"""Schemas for the terms of an event, as `arena.events.terms` reads them."""

from __future__ import annotations

from dataclasses import fields
from typing import Annotated, Any, Literal

from pydantic import Field

from arena.events.fields import MAX_TEXT
from arena.events.formats.gauntlet import Gauntlet
from arena.events.formats.knockout import Knockout
from arena.events.formats.league import League
from arena.events.formats.round_robin import RoundRobin
from arena.events.formats.swiss import Swiss
from arena.events.terms import DEFAULT_TIE_BREAKS, LIMITS, MAX_ENTRANTS, MAX_NAME, TIME, Course, Eligibility
from arena.events.tiebreaks import TIE_BREAKS
from arena.events.values import TieBreak, Unit
from arena.referee import Clock, Policy
from webui.api.schemas import GameDocument, Input
from webui.events.actions import LONGEST_CLOCK, LONGEST_POLICY

Time = Annotated[
    str,
    Field(
        pattern=f"^({TIME.pattern})?$",
        max_length=40,
        description="A time such as 2026-11-22T18:00:00+01:00. Empty: none.",
        examples=["2026-11-22T18:00:00+01:00"],
    ),
]
Slug = Annotated[str, Field(max_length=100)]


def _number(kind: Any, name: str, least: int, most: int, described: str) -> Any:
    """Return a number field with the default of the core's field."""
    default = next(field.default for field in fields(kind) if field.name == name)
    return Field(default, ge=least, le=most, description=described)


def _of_format(kind: Any, name: str, described: str) -> Any:
    least, most = kind.LIMITS[name]
    return _number(kind, name, least, most, described)


def _of_course(name: str, described: str) -> Any:
    return _number(Course, name, *LIMITS[f"course.{name}"], described)


class RoundRobinFormat(Input):
    """Every entrant meets every other one equally often."""

    kind: Literal["round_robin"]
    cycles: int = _of_format(RoundRobin, "cycles", "Number of times that every entrant meets every other one.")


class LeagueFormat(Input):
    """Seasons of divisions, in which every entrant meets every other one."""

    kind: Literal["league"]
    size: int = _of_format(League, "size", "Number of entrants in a division.")
    moves: int = _of_format(League, "moves", "Number of entrants that move up after a season. As many move down.")
    seasons: int = _of_format(League, "seasons", "Number of seasons.")
    cycles: int = _of_format(League, "cycles", "Number of times in a season that every entrant meets every other one.")


class SwissFormat(Input):
    """Rounds of tables with opponents who have about the same number of points."""

    kind: Literal["swiss"]
    rounds: int = _of_format(Swiss, "rounds", "Number of rounds.")


class KnockoutFormat(Input):
    """Heats, from each of which the best advance."""

    kind: Literal["knockout"]
    advance: int = _of_format(Knockout, "advance", "Number of entrants that advance from a heat.")
    double: bool = Field(
        False, description="An entrant who has lost once continues in a lower bracket. Only for two seats."
    )
    consolation: bool = Field(False, description="Eliminated entrants play on for their places.")


class MarathonFormat(Input):
    """For a given time, free bots are paired again and again."""

    kind: Literal["marathon"]


class GauntletFormat(Input):
    """The first entrant meets every other one."""

    kind: Literal["gauntlet"]
    cycles: int = _of_format(Gauntlet, "cycles", "Number of times that the first entrant meets every other one.")


class TermsClock(Input):
    """Thinking time of a seat."""

    bank_ms: int = _number(Clock, "bank_ms", 0, LONGEST_CLOCK.bank_ms, "Milliseconds at the start of the match.")
    increment_ms: int = _number(
        Clock, "increment_ms", 0, LONGEST_CLOCK.increment_ms, "Milliseconds added with each bid and turn."
    )
    cap_ms: int = _number(Clock, "cap_ms", 1, LONGEST_CLOCK.cap_ms, "Maximum time for one decision, in milliseconds.")


class TermsPolicy(Input):
    """Consequences for a seat that breaks the rules."""

    strikes: int = _number(Policy, "strikes", 1, LONGEST_POLICY.strikes, "Number of faults with which a seat forfeits.")
    grace_ms: int = _number(
        Policy,
        "grace_ms",
        0,
        LONGEST_POLICY.grace_ms,
        "Maximum total absence of a seat during a match, in milliseconds.",
    )
    offer_ms: int = _number(
        Policy, "offer_ms", 1, LONGEST_POLICY.offer_ms, "Milliseconds to accept the match, and to reveal."
    )
    house: str = Field(
        Policy().house, max_length=40, description="House player that plays on for a seat that has forfeited."
    )


class TermsEntry(Input):
    """Conditions for entering."""

    entrants: int = _number(Eligibility, "entrants", *LIMITS["entry.entrants"], "Maximum number of entrants.")
    least_rating: int | None = _number(
        Eligibility, "least_rating", *LIMITS["entry.least_rating"], "Minimum rating on the event's ladder."
    )
    most_rating: int | None = _number(
        Eligibility, "most_rating", *LIMITS["entry.most_rating"], "Maximum rating on the event's ladder."
    )
    least_games: int = _number(
        Eligibility, "least_games", *LIMITS["entry.least_games"], "Minimum number of rated games of the bot."
    )
    bots_an_owner: int = _number(
        Eligibility, "bots_an_owner", *LIMITS["entry.bots_an_owner"], "Maximum number of bots of one owner."
    )
    house_bots: bool = Field(True, description="Whether bots of the arena itself may enter.")
    by_invitation: bool = Field(False, description="Only bots in `invited` may enter.")
    invited: list[Slug] = Field([], max_length=MAX_ENTRANTS, description="Invited bots, by their names in addresses.")


class TermsCourse(Input):
    """Times and limits of an event."""

    starts_at: Time = Field(
        "", description="Time of the start, with its UTC offset. Empty: when the event is full, or by hand."
    )
    starts_when_full: bool = False
    check_in_s: int = _of_course("check_in_s", "Seconds from the opening of check-in to the start. 0: no check-in.")
    round_every_s: int = _of_course("round_every_s", "Minimum number of seconds from the start of a round to the next.")
    next_round_at: Time = Field(
        "", description="Time before which no round is drawn, with its UTC offset. Empty: none."
    )
    no_show_s: int = _of_course("no_show_s", "Seconds for which a table waits for a bot that is offline.")
    matches_at_once: int = _of_course("matches_at_once", "Maximum number of matches at the same time.")
    ends_after_s: int = _of_course(
        "ends_after_s", "Seconds from the start of a marathon until it draws no more tables. 0: no end."
    )


class EventTerms(Input):
    """Terms on which an organiser and the entrants agree. A field that is not given has its default."""

    name: str = Field(min_length=1, max_length=MAX_NAME, description="One line, without spaces at its ends.")
    summary: str = Field("", max_length=MAX_TEXT)
    format: SwissFormat | RoundRobinFormat | LeagueFormat | KnockoutFormat | MarathonFormat | GauntletFormat = Field(
        discriminator="kind"
    )
    game: GameDocument
    unit: Unit = Field("match", description="What a table plays: a match, a deal block, or a Williams design.")
    clock: TermsClock = Field(TermsClock.model_construct(), description="Clock of each match.")
    policy: TermsPolicy = Field(TermsPolicy.model_construct(), description="Consequences of faults in each match.")
    rated: bool = Field(False, description="Matches count on the ladder. Only for staff.")
    versions: Literal["frozen", "free"] = Field(
        "frozen",
        description="`frozen`: the version at the start plays throughout. `free`: that at each round's draw plays.",
    )
    hidden: bool = Field(False, description="Results stay hidden until their round is revealed.")
    tie_breaks: list[TieBreak] = Field(
        list(DEFAULT_TIE_BREAKS),
        max_length=len(TIE_BREAKS),
        description="Tie-breaks after points, in their order. Each counts once.",
    )
    entry: TermsEntry = TermsEntry.model_construct()
    course: TermsCourse = TermsCourse.model_construct()

    @property
    def document(self) -> dict[str, Any]:
        """Return the document that `arena.events` reads."""
        return self.model_dump(exclude_unset=True, exclude_none=True)
