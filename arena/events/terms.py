"""What an organiser agrees with the entrants: the terms of an event, as one TOML or JSON document.

Clock and policy are those of matches and are checked by who schedules them; here they are carried as they are.
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
from arena.events.values import Format, TieBreak, Unit, games_a_table
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
"""The least and the most of each number."""
DEFAULT_TIE_BREAKS: Final[tuple[TieBreak, ...]] = ("head_to_head", "buchholz", "sonneborn_berger", "score_share", "lot")


@dataclass(frozen=True, slots=True)
class Eligibility:
    """Who may enter."""

    entrants: int = MAX_ENTRANTS
    """At most so many; the event is full then."""
    least_rating: int | None = None
    """On the ladder of the event's game, as shown."""
    most_rating: int | None = None
    least_games: int = 0
    """Rated games of the bot, over its versions."""
    bots_an_owner: int = 1
    house_bots: bool = True
    """Whether bots of the arena itself may enter."""
    by_invitation: bool = False
    """Only bots that are listed in `invited`."""
    invited: tuple[str, ...] = ()
    """Their names in addresses."""

    def __post_init__(self) -> None:
        if self.least_rating is not None and self.most_rating is not None and self.least_rating > self.most_rating:
            raise TermsError("BAD_NUMBER", "entry.most_rating", "must not be below entry.least_rating")

    def document(self) -> dict[str, Any]:
        """As JSON; a limit that is not set is left out."""
        values = {name: getattr(self, name) for name in self.__slots__} | {"invited": list(self.invited)}
        return {name: value for name, value in values.items() if value is not None}

    @classmethod
    def parse(cls, value: Any) -> Eligibility:
        """From JSON or TOML; a missing key has its default."""
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
    """When things happen. Times of day are the service's; here are lengths, in seconds."""

    starts_at: str = ""
    """When the event is frozen and starts, as ISO 8601 with its offset; empty: when it is full, or by hand."""
    starts_when_full: bool = False
    check_in_s: int = 0
    """From when check-in opens to `starts_at`: who is neither checked in nor online then is withdrawn; 0: none."""
    round_every_s: int = 0
    """From the start of a round to the start of the next one, at least; 0: rounds follow at once."""
    next_round_at: str = ""
    """No round is drawn before, as ISO 8601 with its offset: a round that was moved."""
    no_show_s: int = 300
    """How long a table waits for an entrant that is not there before it plays without it."""
    matches_at_once: int = 20
    """Of the event, running or waiting for a worker."""
    ends_after_s: int = 0
    """Of a marathon: so long after its start no more tables are drawn; 0: never."""

    def __post_init__(self) -> None:
        if self.check_in_s and not self.starts_at:
            raise TermsError("NO_START", "course.check_in_s", "needs course.starts_at: check-in ends at that time")

    def document(self) -> dict[str, Any]:
        """As JSON."""
        return {name: getattr(self, name) for name in self.__slots__}

    @classmethod
    def parse(cls, value: Any) -> Course:
        """From JSON or TOML; a missing key has its default."""
        table = object_of(value, "course", cls.__slots__)
        read: dict[str, Any] = {}
        for name, item in table.items():
            where = f"course.{name}"
            if name in ("starts_at", "next_round_at"):
                read[name] = text_of(item, where, most=40)
                if item and not TIME.fullmatch(item):
                    raise TermsError("BAD_TIME", where, "must be as 2026-11-22T18:00:00+01:00, from 2000 to 2099")
            elif name == "starts_when_full":
                read[name] = flag_of(item, where)
            else:
                read[name] = number_of(item, where, *LIMITS[where])
        return cls(**read)


@dataclass(frozen=True, slots=True)
class Terms:
    """All that is agreed before an event begins."""

    name: str
    format: Format
    ruleset: Ruleset
    unit: Unit = "match"
    summary: str = ""
    clock: Mapping[str, Any] = dataclass_field(default_factory=dict)
    """A match's clock as JSON; empty: the arena's default."""
    policy: Mapping[str, Any] = dataclass_field(default_factory=dict)
    """A match's fault policy as JSON; empty: the arena's default."""
    rated: bool = False
    """Whether its matches count on the ladder of their game and clock."""
    versions: str = "frozen"
    """`frozen`: the version of the start plays throughout; `free`: in each round that of its draw. Which one that is,
    the service says."""
    hidden: bool = False
    """Whether results and standings stay hidden until a round is revealed."""
    tie_breaks: tuple[TieBreak, ...] = DEFAULT_TIE_BREAKS
    """In their order, after points."""
    entry: Eligibility = Eligibility()
    course: Course = Course()

    @property
    def games_a_table(self) -> int:
        """How many games a table plays."""
        return games_a_table(self.ruleset.players, self.unit)

    def document(self) -> dict[str, Any]:
        """As JSON, with every default written out."""
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
    """Terms from their document; `TermsError` says which key is wrong and what is allowed there."""
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
