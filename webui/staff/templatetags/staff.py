"""Template filters and tags for the pages of staff."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from webui.accounts.values import Act, AuditLine
from webui.ladders.games import GAMES
from webui.matches.ownership import ID_LETTERS
from webui.staff.values import Queue
from webui.words.titles import clock

register = template.Library()

MINUTE, HOUR, DAY = 60, 3600, 86400
ID_LENGTH = 12


@register.filter
def duration(seconds: float) -> str:
    """Format a duration as `12 s`, `3 min`, `5 h` or `2 d`."""
    seconds = max(0.0, seconds)
    if seconds < MINUTE:
        return _("%(n)s s") % {"n": round(seconds)}
    if seconds < HOUR:
        return _("%(n)s min") % {"n": int(seconds // MINUTE)}
    if seconds < DAY:
        return _("%(n)s h") % {"n": int(seconds // HOUR)}
    return _("%(n)s d") % {"n": int(seconds // DAY)}


@register.simple_tag
def waiting(queue: Queue, late_s: float) -> SafeString:
    """Return two cells: how many items wait, and how long the oldest has waited. From `late_s` on, it is marked."""
    if not queue.waiting:
        return SafeString("<td>0</td><td>–</td>")
    shown = duration(queue.oldest_s)
    if queue.oldest_s < late_s:
        return format_html("<td>{}</td><td>{}</td>", queue.waiting, shown)
    return format_html('<td>{}</td><td><span class="chip bad">{}</span></td>', queue.waiting, shown)


@register.simple_tag
def lease(left_s: float) -> SafeString:
    """Return the remaining time of a lease, or the time since it expired."""
    if left_s >= 0:
        return format_html("{}", _("%(time)s left") % {"time": duration(left_s)})
    return format_html('<span class="chip bad">{}</span>', _("over for %(time)s") % {"time": duration(-left_s)})


STATES: dict[str, tuple[str, Callable[[], str]]] = {
    "SCHEDULED": ("", lambda: _("waits for a referee")),
    "RUNNING": ("live", lambda: _("running")),
    "FINISHED": ("good", lambda: _("finished")),
    "ABORTED": ("warning", lambda: _("aborted")),
    "VOID": ("bad", lambda: _("void")),
}


@register.filter
def state_words(state: str) -> str:
    """Return the state of a match in words."""
    return STATES[state][1]()


@register.simple_tag
def state_chip(state: str) -> SafeString:
    """Return the state of a match as a chip."""
    css, words = STATES[state]
    return format_html('<span class="chip {}">{}</span>', css, words())


@register.simple_tag
def bot_chip(state: str) -> SafeString:
    """Return the state of a bot as a chip."""
    chips = {
        "ACTIVE": ("good", pgettext("a bot", "active")),
        "PAUSED": ("warning", _("paused")),
        "LOCKED": ("bad", _("locked")),
    }
    return format_html('<span class="chip {}">{}</span>', *chips[state])


@register.filter
def scientific(value: float) -> str:
    """Format a number as `2.1e-05` or `0.34`."""
    return f"{value:.2g}"


@register.filter
def changes(line: AuditLine) -> list[tuple[str, str, str]]:
    """Return the changes of an entry: name, previous value (empty: there was none) and new value."""
    names = {
        "state": _("State"),
        "played_again": _("Played again as"),
        "is_active": _("Can sign in"),
        "is_open": _("Open"),
        "share": _("Share"),
        "clock": _("Clock"),
        "delay": _("Spectators behind"),
        "name": _("Name"),
        "description": _("Description"),
    }
    changed = (line.changes or {}).items()
    return [(names.get(name, name), _shown(pair[0]), _shown(pair[1])) for name, pair in changed if pair[0] != pair[1]]


def _shown(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, Mapping) and "cap_ms" in value:
        return _("%(clock)s, at most %(cap)s s a request") % {
            "clock": clock(value),
            "cap": f"{value['cap_ms'] / 1000:g}",
        }
    return str(value) if value != "" else "–"


@register.simple_tag
def subject_link(line: AuditLine) -> SafeString:
    """Return the subject of an entry, linked to its page for staff if it has one."""
    if line.act in (Act.MATCH_VOIDED, Act.MATCH_AGAIN):
        return _match_link(line.subject)
    if line.act == Act.LADDER_CHANGED and line.subject in GAMES:
        return format_html('<a href="{}">{}</a>', reverse("staff-ladder", args=[line.subject]), line.subject)
    return format_html("{}", line.subject)


def _match_link(match_id: str) -> SafeString:
    return format_html('<a class="monospace" href="{}">{}</a>', reverse("staff-match", args=[match_id]), match_id)


@register.filter
def finding_link(subject: str) -> SafeString:
    """Return the subject of a finding: a match with a link to its page, or a name."""
    is_match = len(subject) == ID_LENGTH and set(subject) <= set(ID_LETTERS)
    return _match_link(subject) if is_match else format_html("<code>{}</code>", subject)
