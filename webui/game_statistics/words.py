"""Name records and best games, and write their values."""

from __future__ import annotations

from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, npgettext

from webui.game_statistics import queries
from webui.game_statistics.models import RecordKind
from webui.stories.hooks import HeldRecord

RECORDS: dict[str, Promise] = {
    RecordKind.HIGHEST: gettext_lazy("Highest score"),
    RecordKind.LOWEST_WIN: gettext_lazy("Lowest winning score"),
    RecordKind.CLOSEST: gettext_lazy("Closest match"),
    RecordKind.LARGEST: gettext_lazy("Largest win"),
    RecordKind.COMEBACK: gettext_lazy("Greatest comeback"),
    RecordKind.LEADS: gettext_lazy("Most changes of the lead"),
    RecordKind.LONGEST: gettext_lazy("Longest match"),
    RecordKind.DJINNS: gettext_lazy("Most Djinns"),
    RecordKind.STREAK: gettext_lazy("Longest winning streak"),
}
"""Titles of the kinds of records."""

BEST: dict[str, Promise] = {
    "closest": gettext_lazy("Closest game"),
    "highest": gettext_lazy("Highest score"),
    "comeback": gettext_lazy("Greatest comeback"),
}
"""Titles of the best games of a pair."""


def record_unit(kind: str, value: int) -> str:
    """Return what stands after the value of a record: `points ahead of the second`."""
    match kind:
        case RecordKind.CLOSEST:
            return ngettext("point from first to last", "points from first to last", value)
        case RecordKind.LARGEST:
            return ngettext("point ahead of the second", "points ahead of the second", value)
        case RecordKind.COMEBACK | "comeback":
            return _("lowest chance of the winner")
        case RecordKind.LEADS:
            return npgettext("unit of a record", "change", "changes", value)
        case RecordKind.LONGEST:
            return npgettext("unit of a record", "decision", "decisions", value)
        case RecordKind.DJINNS:
            return ngettext("Djinn of one bot at the end", "Djinns of one bot at the end", value)
        case RecordKind.STREAK:
            return ngettext("win in a row", "wins in a row", value)
        case "closest":
            return ngettext("point apart", "points apart", value)
    return npgettext("unit of a record", "point", "points", value)


def record_value(kind: str, value: int) -> str:
    """Return the value of a record: a number, or for a comeback a chance."""
    if kind not in (RecordKind.COMEBACK, "comeback"):
        return str(value)
    return f"{number_format(value / 10, 1)} %" if value else f"< {number_format(0.1, 1)} %"


def held_records(match_id: str) -> list[HeldRecord]:
    """Return the records that a match holds, in the active language."""
    return [
        HeldRecord(f"{RECORDS[kind]}: {record_value(kind, value)} {record_unit(kind, value)}", players)
        for kind, players, value in queries.records_of_match(match_id)
    ]
