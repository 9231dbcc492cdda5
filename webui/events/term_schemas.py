"""The terms of an event, as `arena.events.terms` reads them."""

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
        description="As 2026-11-22T18:00:00+01:00; empty: none.",
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
    """Everybody meets everybody equally often."""

    kind: Literal["round_robin"]
    cycles: int = _of_format(RoundRobin, "cycles", "So often.")


class LeagueFormat(Input):
    """Seasons of divisions, in each of which everybody meets everybody."""

    kind: Literal["league"]
    size: int = _of_format(League, "size", "Of a division.")
    moves: int = _of_format(League, "moves", "So many go up after a season, and as many down.")
    seasons: int = _of_format(League, "seasons", "How many.")
    cycles: int = _of_format(League, "cycles", "So often everybody meets everybody in a season.")


class SwissFormat(Input):
    """Rounds against opponents with as many points."""

    kind: Literal["swiss"]
    rounds: int = _of_format(Swiss, "rounds", "How many.")


class KnockoutFormat(Input):
    """Heats, of each of which the best go on."""

    kind: Literal["knockout"]
    advance: int = _of_format(Knockout, "advance", "So many of a heat go on.")
    double: bool = Field(False, description="Who has lost once goes on in a lower bracket; two seats alone.")
    consolation: bool = Field(False, description="Those who are out play on for their places.")


class MarathonFormat(Input):
    """For a time, whoever is free is paired again."""

    kind: Literal["marathon"]


class GauntletFormat(Input):
    """The first entrant against everybody else."""

    kind: Literal["gauntlet"]
    cycles: int = _of_format(Gauntlet, "cycles", "So often.")


class TermsClock(Input):
    """Thinking time of a seat."""

    bank_ms: int = _number(Clock, "bank_ms", 0, LONGEST_CLOCK.bank_ms, "When the match begins.")
    increment_ms: int = _number(Clock, "increment_ms", 0, LONGEST_CLOCK.increment_ms, "Added with each bid and turn.")
    cap_ms: int = _number(Clock, "cap_ms", 1, LONGEST_CLOCK.cap_ms, "The most for one decision.")


class TermsPolicy(Input):
    """What happens to a seat that does not play as it should."""

    strikes: int = _number(Policy, "strikes", 1, LONGEST_POLICY.strikes, "With so many faults it forfeits.")
    grace_ms: int = _number(Policy, "grace_ms", 0, LONGEST_POLICY.grace_ms, "How long it may be gone in a match.")
    offer_ms: int = _number(Policy, "offer_ms", 1, LONGEST_POLICY.offer_ms, "To accept the match, and to reveal.")
    house: str = Field(Policy().house, max_length=40, description="The house player that plays on for it.")


class TermsEntry(Input):
    """Who may enter."""

    entrants: int = _number(Eligibility, "entrants", *LIMITS["entry.entrants"], "At most so many.")
    least_rating: int | None = _number(Eligibility, "least_rating", *LIMITS["entry.least_rating"], "On its ladder.")
    most_rating: int | None = _number(Eligibility, "most_rating", *LIMITS["entry.most_rating"], "On its ladder.")
    least_games: int = _number(Eligibility, "least_games", *LIMITS["entry.least_games"], "Rated games of the bot.")
    bots_an_owner: int = _number(Eligibility, "bots_an_owner", *LIMITS["entry.bots_an_owner"], "At most.")
    house_bots: bool = Field(True, description="Whether bots of the arena itself may enter.")
    by_invitation: bool = Field(False, description="Only bots in `invited`.")
    invited: list[Slug] = Field([], max_length=MAX_ENTRANTS, description="Bots by their names in addresses.")


class TermsCourse(Input):
    """When things happen."""

    starts_at: Time = Field("", description="The start, with its offset; empty: when it is full, or by hand.")
    starts_when_full: bool = False
    check_in_s: int = _of_course("check_in_s", "Seconds from when check-in opens to the start; 0: none.")
    round_every_s: int = _of_course("round_every_s", "Seconds from the start of a round to the next, at least.")
    next_round_at: Time = Field("", description="No round is drawn before, with its offset; empty: no such time.")
    no_show_s: int = _of_course("no_show_s", "Seconds for which a table waits for a bot that is not there.")
    matches_at_once: int = _of_course("matches_at_once", "At most.")
    ends_after_s: int = _of_course(
        "ends_after_s", "Of a marathon: no more tables so many seconds after the start; 0: never."
    )


class EventTerms(Input):
    """What an organiser agrees with the entrants; what is left out has its default."""

    name: str = Field(min_length=1, max_length=MAX_NAME, description="One line, without spaces at its ends.")
    summary: str = Field("", max_length=MAX_TEXT)
    format: SwissFormat | RoundRobinFormat | LeagueFormat | KnockoutFormat | MarathonFormat | GauntletFormat = Field(
        discriminator="kind"
    )
    game: GameDocument
    unit: Unit = Field("match", description="What a table plays: a match, a deal block, or a Williams design.")
    clock: TermsClock = Field(TermsClock.model_construct(), description="Of a match.")
    policy: TermsPolicy = Field(TermsPolicy.model_construct(), description="Of a match.")
    rated: bool = Field(False, description="Its matches count on the ladder; for staff alone.")
    versions: Literal["frozen", "free"] = Field(
        "frozen",
        description="`frozen`: the version of the start plays throughout; `free`: in each round that of its draw.",
    )
    hidden: bool = Field(False, description="Results stay hidden until a round is revealed.")
    tie_breaks: list[TieBreak] = Field(
        list(DEFAULT_TIE_BREAKS), max_length=len(TIE_BREAKS), description="In their order, after points; each once."
    )
    entry: TermsEntry = TermsEntry.model_construct()
    course: TermsCourse = TermsCourse.model_construct()

    @property
    def document(self) -> dict[str, Any]:
        """Return the document that `arena.events` reads."""
        return self.model_dump(exclude_unset=True, exclude_none=True)
