"""The terms of an event, which the organiser agrees with the entrants, as one TOML or JSON document.

Clock and policy are those of matches. The code that schedules matches checks them; here they are only stored.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from typing import Any, Final, cast

from arena.events.errors import TermsError
from arena.events.fields import choice_of, flag_of, number_of, object_of, text_of, texts_of
from arena.events.formats import format_document, parse_format
from arena.events.tiebreaks import TIE_BREAKS
from arena.events.values import EventFormat, TieBreak, Unit, games_a_table
from arena.rules import RulesError, Ruleset, parse_ruleset

MAX_ENTRANTS: Final = 1024
MAX_NAME: Final = 80
TIME: Final = re.compile(r"20\d\d-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d(:[0-5]\d)?(Z|[+-][01]\d:[0-5]\d)", re.ASCII)
LIMITS: Final[Mapping[str, tuple[int, int]]] = {
    "entry.entrants": (2, MAX_ENTRANTS),
    "entry.least_rating": (-5000, 10000),
    "entry.most_rating": (-5000, 10000),
    "entry.least_games": (0, 1_000_000),
    "entry.bots_an_owner": (1, MAX_ENTRANTS),
    "course.check_in_s": (0, 366 * 86400),
    "course.round_every_s": (0, 366 * 86400),
    "course.no_show_s": (5, 7 * 86400),
    "course.matches_at_once": (1, 1000),
    "course.ends_after_s": (0, 366 * 86400),
}
"""Minimum and maximum of each number."""
DEFAULT_TIE_BREAKS: Final[tuple[TieBreak, ...]] = ("head_to_head", "buchholz", "sonneborn_berger", "score_share", "lot")


@dataclass(frozen=True, slots=True)
class Eligibility:
    """Conditions for entering an event.

    >>> Eligibility.parse({"entrants": 16, "most_rating": 1800}).document()["most_rating"]
    1800
    """

    entrants: int = MAX_ENTRANTS
    """Maximum number of entrants."""
    least_rating: int | None = None
    """Minimum rating on the ladder of the event's game, as displayed."""
    most_rating: int | None = None
    least_games: int = 0
    """Minimum number of rated games of the bot, over all its versions."""
    bots_an_owner: int = 1
    house_bots: bool = True
    """Whether the arena's own bots may enter."""
    by_invitation: bool = False
    """Whether only the bots in `invited` may enter."""
    invited: tuple[str, ...] = ()
    """Names of the invited bots, as in addresses."""

    def __post_init__(self) -> None:
        if self.least_rating is not None and self.most_rating is not None and self.least_rating > self.most_rating:
            raise TermsError("BAD_NUMBER", "entry.most_rating", "must not be below entry.least_rating")

    def document(self) -> dict[str, Any]:
        """Return the conditions as JSON; a limit that is not set is omitted."""
        values = {name: getattr(self, name) for name in self.__slots__} | {"invited": list(self.invited)}
        return {name: value for name, value in values.items() if value is not None}

    @classmethod
    def parse(cls, value: Any) -> Eligibility:
        """Parse the conditions from JSON or TOML; a missing key has its default. Raise `TermsError` for a bad value."""
        table = object_of(value, "entry", cls.__slots__)
        read: dict[str, Any] = {}
        for name, item in table.items():
            where = f"entry.{name}"
            if name in ("house_bots", "by_invitation"):
                read[name] = flag_of(item, where)
            elif name == "invited":
                read[name] = texts_of(item, where, MAX_ENTRANTS)
            else:
                read[name] = number_of(item, where, *LIMITS[where])
        return cls(**read)


@dataclass(frozen=True, slots=True)
class Course:
    """Timing of an event. The service knows the time of day; most values here are lengths in seconds.

    >>> Course.parse({"starts_at": "2026-11-22T18:00:00+01:00", "check_in_s": 1800}).no_show_s
    300
    """

    starts_at: str = ""
    """When the field is frozen and the event starts, as ISO 8601 with offset. Empty: when it is full, or by hand."""
    starts_when_full: bool = False
    check_in_s: int = 0
    """Length of check-in, which ends at `starts_at`; 0: none. Entrants neither checked in nor online then are
    withdrawn."""
    round_every_s: int = 0
    """Minimum time from the start of a round to the start of the next one; 0: rounds follow at once."""
    next_round_at: str = ""
    """Earliest time of the next draw, as ISO 8601 with offset, for a round that was postponed."""
    no_show_s: int = 300
    """Time that a table waits for an absent entrant before it plays without it."""
    matches_at_once: int = 20
    """Maximum number of the event's matches that run or wait for a worker."""
    ends_after_s: int = 0
    """Time after the start at which a marathon draws no more tables; 0: never."""

    def __post_init__(self) -> None:
        if self.check_in_s and not self.starts_at:
            raise TermsError("NO_START", "course.check_in_s", "needs course.starts_at: check-in ends at that time")

    def document(self) -> dict[str, Any]:
        """Return the course as JSON."""
        return {name: getattr(self, name) for name in self.__slots__}

    @classmethod
    def parse(cls, value: Any) -> Course:
        """Parse a course from JSON or TOML; a missing key has its default. Raise `TermsError` for a bad value."""
        table = object_of(value, "course", cls.__slots__)
        read: dict[str, Any] = {}
        for name, item in table.items():
            where = f"course.{name}"
            if name in ("starts_at", "next_round_at"):
                read[name] = text_of(item, where, most=40)
                if item and not TIME.fullmatch(item):
                    raise TermsError("BAD_TIME", where, "must be like 2026-11-22T18:00:00+01:00, from 2000 to 2099")
            elif name == "starts_when_full":
                read[name] = flag_of(item, where)
            else:
                read[name] = number_of(item, where, *LIMITS[where])
        return cls(**read)


@dataclass(frozen=True, slots=True)
class Terms:
    """Everything that is agreed before an event begins; `parse_terms` makes it from a document.

    >>> from arena.events import parse_terms
    >>> terms = parse_terms({"name": "Duel", "format": {"kind": "knockout"}, "game": {"players": 2}, "unit": "block"})
    >>> terms.games_a_table, terms.format.number_of_rounds(players=2, entrants=16)
    (2, 4)
    """

    name: str
    format: EventFormat
    ruleset: Ruleset
    unit: Unit = "match"
    summary: str = ""
    clock: Mapping[str, Any] = dataclass_field(default_factory=dict)
    """Clock of a match as JSON; empty: the arena's default."""
    policy: Mapping[str, Any] = dataclass_field(default_factory=dict)
    """Fault policy of a match as JSON; empty: the arena's default."""
    rated: bool = False
    """Whether matches count on the ladder of their game and clock."""
    versions: str = "frozen"
    """`frozen`: the version at the start plays throughout. `free`: the version at each round's draw plays that round.

    The service says which version that is.
    """
    hidden: bool = False
    """Whether results and standings stay hidden until a round is revealed."""
    tie_breaks: tuple[TieBreak, ...] = DEFAULT_TIE_BREAKS
    """Tie-breaks in order, after points."""
    entry: Eligibility = Eligibility()
    course: Course = Course()

    @property
    def games_a_table(self) -> int:
        """Number of games of a table."""
        return games_a_table(self.ruleset.players, self.unit)

    def document(self) -> dict[str, Any]:
        """Return the terms as JSON, with every default written out."""
        return {
            "name": self.name,
            "summary": self.summary,
            "format": format_document(self.format),
            "game": self.ruleset.document(),
            "unit": self.unit,
            "clock": dict(self.clock),
            "policy": dict(self.policy),
            "rated": self.rated,
            "versions": self.versions,
            "hidden": self.hidden,
            "tie_breaks": list(self.tie_breaks),
            "entry": self.entry.document(),
            "course": self.course.document(),
        }


_KEYS: Final = (
    "name",
    "summary",
    "format",
    "game",
    "unit",
    "clock",
    "policy",
    "rated",
    "versions",
    "hidden",
    "tie_breaks",
    "entry",
    "course",
)


def parse_terms(document: Any) -> Terms:
    """Parse the terms of an event from JSON or TOML.

    Only `name`, `format` and `game` are required. Raise `TermsError`, which names the key that is wrong and what is
    allowed there.

    >>> terms = parse_terms({"name": "Cup", "format": {"kind": "swiss", "rounds": 3}, "game": {"players": 4}})
    >>> terms.format.number_of_rounds(players=4, entrants=16)
    3
    """
    table = object_of(document, "event", _KEYS)
    for name in ("name", "format", "game"):
        if name not in table:
            raise TermsError("MISSING_KEY", name, "is missing")
    game = object_of(table["game"], "game", ("players", "expansions"))
    try:
        ruleset = parse_ruleset({"players": game.get("players"), "expansions": game.get("expansions", [])})
    except RulesError as error:
        raise TermsError("BAD_GAME", "game", error.message) from error
    clock, policy = table.get("clock", {}), table.get("policy", {})
    for where, value in (("clock", clock), ("policy", policy)):
        if not isinstance(value, Mapping):
            raise TermsError("BAD_TYPE", where, "must be a table of keys and values")
    name = text_of(table["name"], "name", least=1, most=MAX_NAME)
    if "\n" in name or name != name.strip():
        raise TermsError("BAD_TEXT", "name", "must be one line without spaces at its ends")
    tie_breaks = texts_of(table.get("tie_breaks", list(DEFAULT_TIE_BREAKS)), "tie_breaks", len(TIE_BREAKS))
    for item in tie_breaks:
        choice_of(item, "tie_breaks", TIE_BREAKS)
    terms = Terms(
        name=name,
        format=parse_format(table["format"]),
        ruleset=ruleset,
        unit=cast(Unit, choice_of(table.get("unit", "match"), "unit", ("match", "block", "williams"))),
        summary=text_of(table.get("summary", ""), "summary"),
        clock=dict(clock),
        policy=dict(policy),
        rated=flag_of(table.get("rated", False), "rated"),
        versions=choice_of(table.get("versions", "frozen"), "versions", ("frozen", "free")),
        hidden=flag_of(table.get("hidden", False), "hidden"),
        tie_breaks=cast(tuple[TieBreak, ...], tie_breaks),
        entry=Eligibility.parse(table.get("entry", {})),
        course=Course.parse(table.get("course", {})),
    )
    terms.format.check(ruleset.players, terms.entry.entrants)
    return terms
