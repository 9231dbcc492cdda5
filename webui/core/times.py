"""Times on pages.

Pages that strangers share show times in UTC, and a script converts them to the visitor's zone. A signed-in visitor
whose browser has sent its zone gets times in that zone at once, so that nothing changes while the page loads.
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
"""Name of the cookie that `static/site/times.js` writes. It contains the name of a zone (IANA)."""


def zone_of(request: HttpRequest | None) -> str:
    """Return the zone in which the page is written. Return an empty text for UTC, which is right for everybody."""
    if request is None or not has_read_user(request):
        return ""
    name = request.COOKIES.get(COOKIE, "")
    return name if name in _zones() else ""


@cache  # it reads a directory of some hundred files
def _zones() -> Set[str]:
    return available_timezones()


def time_element(when: datetime, text: str | None, zone: str, form: str = "DATETIME_FORMAT") -> SafeString:
    """Return a time as an element whose title has the full time.

    `text` is shown instead of the time, for example how long ago it was.
    """
    where: tzinfo = ZoneInfo(zone) if zone else UTC
    local = when.astimezone(where)
    full = f"{date_format(local, 'DATETIME_FORMAT')} {_abbreviation(local)}"
    shown = text if text is not None else date_format(local, form) if form == "DATE_FORMAT" else full
    # The script converts times in UTC. It keeps a text such as "an hour ago", and changes only the title.
    kind = "ago" if text is not None else "date" if form == "DATE_FORMAT" else "full"
    mark = SafeString("") if zone else format_html(' data-utc="{}"', kind)
    return format_html('<time datetime="{}" title="{}"{}>{}</time>', when.isoformat(), full, mark, shown)


def _abbreviation(local: datetime) -> str:
    name = local.tzname() or ""
    return name if name[:1] not in ("+", "-") else f"UTC{name}"
