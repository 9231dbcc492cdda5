"""The arena's status in words, and its history as bars, for pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from threading import Lock
from typing import Final

from django.core.cache import caches
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from webui.bots import presence
from webui.status.queries import DAYS, arena_status
from webui.status.values import ArenaStatus, Day, PartState

KEPT_S: Final = 10
"""Seconds for which the status is cached, however many visitors ask."""
_looking: Final = Lock()

WHAT: Final[dict[str, tuple[Callable[[], str], Callable[[], str], Callable[[], str]]]] = {
    "site": (lambda: _("Site"), lambda: _("Pages, sign-in and the HTTP API."), lambda: ""),
    "gateway": (
        lambda: _("Gateways"),
        lambda: _("Hold the connections of the bots, and measure their time."),
        lambda: _("No bot can connect. Matches wait for their bots, and nobody is charged for it."),
    ),
    "referee": (
        lambda: _("Referees"),
        lambda: _("Play the matches."),
        lambda: _("Matches pause, and no clock runs. Each continues later at the very decision where it stopped."),
    ),
    "upkeep": (
        lambda: _("Upkeep"),
        lambda: _("Makes new matches, carries events on, sends emails and webhooks."),
        lambda: _("Running matches go on. New ones are made later."),
    ),
    "database": (lambda: _("Database"), lambda: _("Keeps every decision of every match."), lambda: ""),
    "redis": (
        lambda: _("Redis"),
        lambda: _("Carries messages between gateways and referees."),
        lambda: _("Matches pause, and no clock runs. This page does not need it."),
    ),
}
"""Texts for each part: its name, its task, and the consequence when it is down."""

STATES: Final[dict[PartState, Callable[[], str]]] = {
    PartState.UP: lambda: _("works"),
    PartState.DEGRADED: lambda: _("short of a process"),
    PartState.DOWN: lambda: _("away"),
    PartState.UNKNOWN: lambda: _("not known"),
}

BAR_HEIGHT: Final = 40
BAR_STEP: Final = 10
"""Distance from one bar to the next, in units of the drawing."""
LEAST: Final = 4
"""Minimum height of a segment of a bar that is not empty."""


@dataclass(frozen=True)
class Part:
    """A part as the page shows it."""

    name: str
    state: str
    state_name: str
    sentence: str


@dataclass(frozen=True)
class Bar:
    """A day of the history as a bar. Its segments are stacked from the top: `down`, `degraded`, `well`."""

    x: int
    down: int
    degraded: int
    well: int
    title: str


def current_status() -> ArenaStatus:
    """Return the status of the arena. It is at most `KEPT_S` seconds old."""
    cache = caches["pages"]
    status: ArenaStatus | None = cache.get("arena-status")
    if status is not None:
        return status
    with _looking:
        status = cache.get("arena-status")  # the previous holder of the lock may have stored it
        if status is None:
            status = arena_status(is_redis_up=presence.online() is not None)
            cache.set("arena-status", status, KEPT_S)
        return status


def headline(status: ArenaStatus) -> str:
    """Return the sentence at the top of the page."""
    if status.state == PartState.UP:
        if status.running:
            return _("All is well, and matches are played.")
        return _("All is well. No match is played right now.")
    if status.state == PartState.DEGRADED:
        return _("A part is short of a process, and others do its work.")
    return _("A part is away. No bot loses by it.")


def parts(status: ArenaStatus) -> list[Part]:
    """Return the parts, each with its state in words."""
    result = []
    for name, state in status.parts.items():
        title, does, without = WHAT[name]
        sentence = (state == PartState.DOWN and without()) or does()
        result.append(Part(title(), str(state), STATES[state](), sentence))
    return result


def part_names(names: Sequence[str]) -> list[str]:
    """Return the displayed names of these parts."""
    return [WHAT[name][0]() for name in names]


def bars(status: ArenaStatus) -> list[Bar]:
    """Return a bar for each of the last `DAYS` days, oldest first. The bar of an unknown day is empty."""
    known = {day.date: day for day in status.days}
    today = status.at.date()
    dates = [today - timedelta(days=back) for back in reversed(range(DAYS))]
    result = []
    for number, date in enumerate(dates):
        day = known.get(date)
        title = f"{date_format(date, 'DATE_FORMAT')}: "
        if day is None or not day.minutes:
            result.append(Bar(number * BAR_STEP, 0, 0, 0, title + _("nothing is known")))
            continue
        down, degraded = _height(day.down, day.minutes), _height(day.degraded, day.minutes)
        well = max(0, BAR_HEIGHT - down - degraded)
        result.append(Bar(number * BAR_STEP, down, degraded, well, title + _day_words(day)))
    return result


def _height(minutes: int, of: int) -> int:
    return max(LEAST, round(BAR_HEIGHT * minutes / of)) if minutes else 0


def _day_words(day: Day) -> str:
    if not (day.down or day.degraded):
        return _("all was well")
    phrases = []
    if day.down:
        phrases.append(ngettext("%(n)s minute with a part away", "%(n)s minutes with a part away", day.down))
    if day.degraded:
        phrases.append(ngettext("%(n)s minute with a part short", "%(n)s minutes with a part short", day.degraded))
    counts = [count for count in (day.down, day.degraded) if count]
    return ", ".join(text % {"n": count} for text, count in zip(phrases, counts, strict=True))


def well_share(status: ArenaStatus) -> float | None:
    """Return the share of known minutes in which no part was down. Return None if no minute is known."""
    minutes = sum(day.minutes for day in status.days)
    return 1 - sum(day.down for day in status.days) / minutes if minutes else None
