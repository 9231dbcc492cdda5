"""Formats of events, one module each. `FORMATS` maps the `kind` of a document's `format` to its class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from arena.events.errors import TermsError
from arena.events.fields import ChoiceRule, TermRule, object_of, terms_of
from arena.events.formats.base import EventFormat
from arena.events.formats.knockout import Knockout
from arena.events.formats.league import League
from arena.events.formats.marathon import Marathon
from arena.events.formats.round_robin import Gauntlet, RoundRobin
from arena.events.formats.swiss import Swiss

FORMATS: Final[Mapping[str, type[EventFormat]]] = {
    format.kind: format for format in (Gauntlet, Knockout, League, Marathon, RoundRobin, Swiss)
}


class FormatRule(TermRule[EventFormat]):
    """A format: a table with its `kind` and the terms of that format."""

    def read(self, value: Any, where: str) -> EventFormat:
        """Return the format that a document describes. Raise `TermsError` for an unknown kind or a bad term."""
        if not isinstance(value, Mapping):
            raise TermsError("BAD_TYPE", where, "must be a table with a `kind`")
        format = FORMATS[ChoiceRule(tuple(FORMATS)).read(value.get("kind"), f"{where}.kind")]
        table = object_of(value, where, ("kind", *terms_of(format)))
        return format.parse({key: item for key, item in table.items() if key != "kind"})

    def write(self, value: EventFormat) -> dict[str, Any]:
        """Return the format as JSON."""
        return value.document()
