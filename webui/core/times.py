"""Times as pages show them: in UTC, which a script turns to the visitor's own zone; who is signed in, and whose browser
has told its zone, gets them in that at once, so that nothing changes under the eyes.

Pages that strangers share are in UTC for all of them.
"""

from __future__ import annotations

from collections.abc import Set
from datetime import UTC, datetime, tzinfo
from functools import cache
from typing import Final
from zoneinfo import ZoneInfo, available_timezones

from django.http import HttpRequest
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString

from webui.core.visitors import has_read_user

COOKIE: Final = "zone"
"""Written by `static/site/times.js`: the name of a zone (IANA)."""


def zone_of(request: HttpRequest | None) -> str:
    """The zone in which the page is written; empty: in UTC, for anybody."""
    if request is None or not has_read_user(request):
        return ""
    name = request.COOKIES.get(COOKIE, "")
    return name if name in _zones() else ""


@cache  # it reads a directory of some hundred files
def _zones() -> Set[str]:
    return available_timezones()


def time_element(when: datetime, text: str | None, zone: str, form: str = "DATETIME_FORMAT") -> SafeString:
    """A time as an element that says it in full in its title; `text`: what it shows instead, such as how long ago it
    was."""
    where: tzinfo = ZoneInfo(zone) if zone else UTC
    local = when.astimezone(where)
    full = f"{date_format(local, 'DATETIME_FORMAT')} {_abbreviation(local)}"
    shown = text if text is not None else date_format(local, form) if form == "DATE_FORMAT" else full
    # The script turns what is in UTC; what says how long ago it was keeps that, and gets another title.
    kind = "ago" if text is not None else "date" if form == "DATE_FORMAT" else "full"
    mark = SafeString("") if zone else format_html(' data-utc="{}"', kind)
    return format_html('<time datetime="{}" title="{}"{}>{}</time>', when.isoformat(), full, mark, shown)


def _abbreviation(local: datetime) -> str:
    name = local.tzname() or ""
    return name if name[:1] not in ("+", "-") else f"UTC{name}"
