"""Schemas for the terms of an event, derived from their declarations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING
from functools import reduce
from operator import or_
from typing import Annotated, Any, Final, Literal, TypeVar

from pydantic import Field, create_model

from arena.events import Course, Eligibility, Terms
from arena.events.fields import (
    ChoiceRule,
    DeclaredTerm,
    FlagRule,
    NumberRule,
    ObjectRule,
    TableRule,
    TermsTable,
    TextRule,
    TextsRule,
    terms_of,
)
from arena.events.formats import FormatRule
from arena.events.formats.base import EventFormat
from arena.events.formats.knockout import Knockout
from arena.events.formats.league import League
from arena.events.formats.marathon import Marathon
from arena.events.formats.round_robin import Gauntlet, RoundRobin
from arena.events.formats.swiss import Swiss
from arena.events.terms import TIME, RulesetRule, TimeRule
from webui.api.schemas import GameDocument, Input
from webui.events.values import EventPolicy
from webui.ladders.values import LimitedClock

Time = Annotated[
    str,
    Field(
        pattern=f"^({TIME.pattern})?$",
        max_length=40,
        description="A time such as 2026-11-22T18:00:00+01:00. Empty: none.",
        examples=["2026-11-22T18:00:00+01:00"],
    ),
]
Schema = TypeVar("Schema", bound=Input)
Slug = Annotated[str, Field(max_length=100)]
TABLES: Final[Mapping[type[TermsTable], tuple[str, str]]] = {
    Swiss: ("SwissFormat", "Rounds of tables with opponents who have about the same number of points."),
    RoundRobin: ("RoundRobinFormat", "Every entrant meets every other one equally often."),
    League: ("LeagueFormat", "Seasons of divisions, in which every entrant meets every other one."),
    Knockout: ("KnockoutFormat", "Heats, from each of which the best advance."),
    Marathon: ("MarathonFormat", "For a given time, free bots are paired again and again."),
    Gauntlet: ("GauntletFormat", "The first entrant meets every other one."),
    LimitedClock: ("TermsClock", "Thinking time of a seat."),
    EventPolicy: ("TermsPolicy", "Consequences for a seat that breaks the rules."),
    Eligibility: ("TermsEntry", "Conditions for entering."),
    Course: ("TermsCourse", "Times and limits of an event."),
}
"""Names and descriptions of the schemas of the tables."""


def schema_field(term: DeclaredTerm) -> tuple[Any, Any]:
    """Return the type of a term in a schema, and its field with limits, default and description."""
    kind, limits = _type_of(term)
    default = term.default
    if default is MISSING:
        default = ...
    elif default is None:
        kind = kind | None
    elif kind in SCHEMAS.values():
        # Not a value: generators of clients refuse a schema with a default that is an object.
        return kind, Field(default_factory=kind.model_construct, description=term.about or None, **limits)
    else:
        default = term.rule.write(default)
    return kind, Field(default, description=term.about or None, **limits)


def _type_of(term: DeclaredTerm) -> tuple[Any, dict[str, Any]]:
    match term.rule:
        case NumberRule() as number:
            return int, {"ge": number.least, "le": number.most}
        case FlagRule():
            return bool, {}
        case ChoiceRule() as choice:
            return Literal[choice.choices], {}
        case TimeRule():
            return Time, {}
        case TextRule() as text:
            return str, {"max_length": text.most} | ({"min_length": text.least} if text.least else {})
        case TextsRule() as texts:
            return list[Literal[texts.choices] if texts.choices else Slug], {"max_length": texts.most}  # type: ignore[misc]
        case TableRule() as part:
            return SCHEMAS[part.table], {}
        case ObjectRule():
            return SCHEMAS[LimitedClock if term.key == "clock" else EventPolicy], {}
        case RulesetRule():
            return GameDocument, {}
        case FormatRule():
            kinds = [schema for table, schema in SCHEMAS.items() if issubclass(table, EventFormat)]
            return reduce(or_, kinds), {"discriminator": "kind"}
    raise AssertionError(f"no schema for {term.rule}")


def _fields(table: type[TermsTable]) -> dict[str, Any]:
    return {term.key: schema_field(term) for term in terms_of(table).values()}


SCHEMAS: Final[dict[type[TermsTable], Any]] = {}
for _table, (_name, _about) in TABLES.items():
    _kind: Any = {"kind": (Literal[_table.kind], ...)} if issubclass(_table, EventFormat) else {}
    SCHEMAS[_table] = create_model(
        _name, __base__=Input, __module__=__name__, __doc__=_about, **_kind, **_fields(_table)
    )


def _derived(schema: type[Schema]) -> type[Schema]:
    """Return the schema with the fields of `Terms`."""
    about = schema.__doc__
    return create_model(schema.__name__, __base__=schema, __module__=__name__, __doc__=about, **_fields(Terms))


@_derived
class EventTerms(Input):
    """Terms on which an organiser and the entrants agree. A field that is not given has its default."""

    @property
    def document(self) -> dict[str, Any]:
        """Return the document that `arena.events` reads."""
        return self.model_dump(exclude_unset=True, exclude_none=True)
