"""Formats of events, one module each. `FORMATS` maps the `kind` of a document's `format` to its class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any, Final

from arena.events.errors import TermsError
from arena.events.fields import choice_of, flag_of, number_of, object_of
from arena.events.formats.gauntlet import Gauntlet
from arena.events.formats.knockout import Knockout
from arena.events.formats.league import League
from arena.events.formats.marathon import Marathon
from arena.events.formats.round_robin import RoundRobin
from arena.events.formats.swiss import Swiss
from arena.events.values import EventFormat

FORMATS: Final[Mapping[str, type[EventFormat]]] = {
    "gauntlet": Gauntlet,
    "knockout": Knockout,
    "league": League,
    "marathon": Marathon,
    "round_robin": RoundRobin,
    "swiss": Swiss,
}


def parse_format(document: Any) -> EventFormat:
    """Return the format that a document describes. Fields are numbers and flags; a missing field has its default.

    Raise `TermsError` for an unknown kind or a bad field.
    """
    if not isinstance(document, Mapping):
        raise TermsError("BAD_TYPE", "format", "must be a table with a `kind`")
    kind = FORMATS[choice_of(document.get("kind"), "format.kind", FORMATS)]
    known = [field.name for field in fields(kind)]
    table = object_of(document, "format", ("kind", *known))
    read: dict[str, Any] = {}
    for name, value in table.items():
        if name == "kind":
            continue
        where = f"format.{name}"
        least, most = kind.LIMITS.get(name, (0, 0))
        read[name] = number_of(value, where, least, most) if name in kind.LIMITS else flag_of(value, where)
    return kind(**read)


def format_document(format: EventFormat) -> dict[str, Any]:
    """Return a format as JSON."""
    kind = next(name for name, cls in FORMATS.items() if isinstance(format, cls))
    return {"kind": kind, **asdict(format)}
