"""The terms of an event, which the organiser agrees with the entrants, as one TOML or JSON document.

This is their only declaration. Documents, the schemas of the HTTP API and the form of the site are derived from it.
Clock and policy are those of matches. The code that schedules matches checks them; here they are only stored.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal, get_args

from arena.events.errors import TermsError
from arena.events.fields import (
    ChoiceRule,
    FlagRule,
    NumberRule,
    ObjectRule,
    TableRule,
    TermRule,
    TermsTable,
    TextRule,
    TextsRule,
    object_of,
    term,
    text_of,
)
from arena.events.formats import FormatRule
from arena.events.formats.base import EventFormat
from arena.events.tiebreaks import TIE_BREAKS
from arena.events.values import TieBreak, Unit, games_a_table
from arena.rules import RulesError, Ruleset, parse_ruleset

MAX_ENTRANTS: Final = 1024
YEAR_S: Final = 366 * 86400
TIME: Final = re.compile(r"20\d\d-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d(:[0-5]\d)?(Z|[+-][01]\d:[0-5]\d)", re.ASCII)
DEFAULT_TIE_BREAKS: Final[tuple[TieBreak, ...]] = ("head_to_head", "buchholz", "sonneborn_berger", "score_share", "lot")
Versions = Literal["frozen", "free"]


class TimeRule(TermRule[str]):
    """A time as ISO 8601 with offset, or an empty text for no time."""

    def read(self, value: Any, where: str) -> str:
        """Return the text."""
        text = text_of(value, where, most=40)
        if text and not TIME.fullmatch(text):
            raise TermsError("BAD_TIME", where, "must be like 2026-11-22T18:00:00+01:00, from 2000 to 2099")
        return text


class RulesetRule(TermRule[Ruleset]):
    """A game: number of players, and expansions."""

    def read(self, value: Any, where: str) -> Ruleset:
        """Return the ruleset."""
        game = object_of(value, where, ("players", "expansions"))
        try:
            return parse_ruleset({"players": game.get("players"), "expansions": game.get("expansions", [])})
        except RulesError as error:
            raise TermsError("BAD_GAME", where, error.message) from error

    def write(self, value: Ruleset) -> dict[str, Any]:
        """Return the ruleset as JSON."""
        return value.document()


@dataclass(frozen=True, slots=True)
class Eligibility(TermsTable):
    """Conditions for entering an event.

    >>> Eligibility.parse({"entrants": 16, "most_rating": 1800}).document()["most_rating"]
    1800
    """

    where: ClassVar[str] = "entry"
    entrants: int = term(NumberRule(2, MAX_ENTRANTS), "Maximum number of entrants.", default=MAX_ENTRANTS)
    least_rating: int | None = term(NumberRule(-5000, 10_000), "Minimum rating on the event's ladder.", default=None)
    most_rating: int | None = term(NumberRule(-5000, 10_000), "Maximum rating on the event's ladder.", default=None)
    least_games: int = term(NumberRule(0, 1_000_000), "Minimum number of rated games of the bot.", default=0)
    bots_an_owner: int = term(NumberRule(1, MAX_ENTRANTS), "Maximum number of bots of one owner.", default=1)
    house_bots: bool = term(FlagRule(), "Whether bots of the arena itself may enter.", default=True)
    hosted_bots_only: bool = term(
        FlagRule(), "Only bots that the arena itself runs may enter, so all have equal hardware.", default=False
    )
    by_invitation: bool = term(FlagRule(), "Only bots in `invited` may enter.", default=False)
    invited: tuple[str, ...] = term(TextsRule(MAX_ENTRANTS), "Invited bots, by their names in addresses.", default=())

    def __post_init__(self) -> None:
        if self.least_rating is not None and self.most_rating is not None and self.least_rating > self.most_rating:
            raise TermsError("BAD_NUMBER", "entry.most_rating", "must not be below entry.least_rating")


@dataclass(frozen=True, slots=True)
class Course(TermsTable):
    """Timing of an event. The service knows the time of day; most values here are lengths in seconds.

    >>> Course.parse({"starts_at": "2026-11-22T18:00:00+01:00", "check_in_s": 1800}).no_show_s
    300
    """

    where: ClassVar[str] = "course"
    starts_at: str = term(
        TimeRule(),
        "Time of the start, with its UTC offset. Empty: when the event is full, or by hand.",
        default="",
    )
    starts_when_full: bool = term(FlagRule(), default=False)
    check_in_s: int = term(
        NumberRule(0, YEAR_S, "s"), "Seconds from the opening of check-in to the start. 0: no check-in.", default=0
    )
    """Entrants that are neither checked in nor online at the start are withdrawn."""
    round_every_s: int = term(
        NumberRule(0, YEAR_S, "s"),
        "Minimum number of seconds from the start of a round to the next.",
        default=0,
    )
    next_round_at: str = term(
        TimeRule(), "Time before which no round is drawn, with its UTC offset. Empty: none.", default=""
    )
    no_show_s: int = term(
        NumberRule(5, 7 * 86400, "s"), "Seconds for which a table waits for a bot that is offline.", default=300
    )
    matches_at_once: int = term(NumberRule(1, 1000), "Maximum number of matches at the same time.", default=20)
    """Matches that wait for a worker count as well."""
    ends_after_s: int = term(
        NumberRule(0, YEAR_S, "s"),
        "Seconds from the start of a marathon until it draws no more tables. 0: no end.",
        default=0,
    )

    def __post_init__(self) -> None:
        if self.check_in_s and not self.starts_at:
            raise TermsError("NO_START", "course.check_in_s", "needs course.starts_at: check-in ends at that time")


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms(TermsTable):
    """Everything that is agreed before an event begins; `parse_terms` makes it from a document.

    >>> from arena.events import parse_terms
    >>> terms = parse_terms({"name": "Duel", "format": {"kind": "knockout"}, "game": {"players": 2}, "unit": "block"})
    >>> terms.games_a_table, terms.format.number_of_rounds(players=2, entrants=16)
    (2, 4)
    """

    name: str = term(TextRule(1, 80, is_line=True), "One line, without spaces at its ends.", may_change=True)
    summary: str = term(TextRule(), default="", may_change=True)
    format: EventFormat = term(FormatRule())
    ruleset: Ruleset = term(RulesetRule(), key="game")
    unit: Unit = term(
        ChoiceRule(get_args(Unit)), "What a table plays: a match, a deal block, or a Williams design.", default="match"
    )
    clock: Mapping[str, Any] = term(ObjectRule(), "Clock of each match.", default={})
    """Empty: the arena's default. The same holds for `policy`."""
    policy: Mapping[str, Any] = term(ObjectRule(), "Consequences of faults in each match.", default={})
    rated: bool = term(FlagRule(), "Matches count on the ladder. Only for staff.", default=False)
    versions: Versions = term(
        ChoiceRule(get_args(Versions)),
        "`frozen`: the version at the start plays throughout. `free`: that at each round's draw plays.",
        default="frozen",
    )
    """The service says which version that is."""
    hidden: bool = term(FlagRule(), "Results stay hidden until their round is revealed.", default=False)
    tie_breaks: tuple[TieBreak, ...] = term(
        TextsRule(len(TIE_BREAKS), TIE_BREAKS),
        "Tie-breaks after points, in their order. Each counts once.",
        default=DEFAULT_TIE_BREAKS,
    )
    entry: Eligibility = term(TableRule(Eligibility), default=Eligibility(), may_change=True)
    course: Course = term(TableRule(Course), default=Course(), may_change=True)

    @property
    def games_a_table(self) -> int:
        """Number of games of a table."""
        return games_a_table(self.ruleset.players, self.unit)


def parse_terms(document: Any) -> Terms:
    """Parse the terms of an event from JSON or TOML.

    Only `name`, `format` and `game` are required. Raise `TermsError`, which names the key that is wrong and what is
    allowed there.

    >>> terms = parse_terms({"name": "Cup", "format": {"kind": "swiss", "rounds": 3}, "game": {"players": 4}})
    >>> terms.format.number_of_rounds(players=4, entrants=16)
    3
    """
    terms = Terms.parse(document)
    terms.format.check(terms.ruleset.players, terms.entry.entrants)
    return terms
