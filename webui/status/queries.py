"""Queries about the state of the arena, for its metrics and its status page. Each one uses an index."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Final

from django.db import connection
from django.db.models import DateTimeField, DurationField, ExpressionWrapper, F, Min
from django.db.models.functions import Now

from webui.core.dbtime import after_now, before_now
from webui.core.turns import most_late_s
from webui.core.upkeep import urgent_tasks
from webui.matches.conditions import is_hidden
from webui.matches.models import Match, MatchState
from webui.matches.queries import oldest_wait
from webui.status.models import OverheadSample, ProcessKind, RunningProcess, StatusHour
from webui.status.values import (
    BOUNDS_S,
    PARTS,
    ArenaStatus,
    Day,
    Incident,
    Overhead,
    PartState,
    ProcessLine,
    overhead_of,
)
from webui.webhooks.models import Delivery, DeliveryState

__all__ = [
    "arena_status",
    "database_bytes",
    "is_overloaded",
    "oldest_due",
    "oldest_wait",
    "process_states",
    "running",
    "scheduled",
]

ALIVE_S: Final = 45.0
"""Seconds without an announcement after which a process counts as dead. It sends one every 15 seconds."""
SHORT_S: Final = 150.0
"""Seconds for which a dead process makes its part degraded.

This is less than the shortest incident, so that a process which is killed and restarts at once causes none.
"""
DAYS: Final = 90
MOST_INCIDENTS: Final = 10
MISSED_BY_CHANCE: Final = 2
"""Number of minutes of an hour that may lack an observation. A busy machine can miss one."""
SHORTEST_INCIDENT: Final = 3
"""Minimum length of an incident in minutes. Shorter troubles are restarts."""
HOUR: Final = timedelta(hours=1)


def scheduled() -> int:
    """Return the number of matches that wait for a referee."""
    return Match.objects.filter(state=MatchState.SCHEDULED).count()


def running() -> int:
    """Return the number of matches that have a referee."""
    return Match.objects.filter(state=MatchState.RUNNING).count()


def database_bytes() -> int:
    """Return the size of the database in bytes: as PostgreSQL reports it, or the size of SQLite's file."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_database_size(current_database())")
            return int(cursor.fetchone()[0])
    return Path(str(connection.settings_dict["NAME"])).stat().st_size


def oldest_due() -> float:
    """Return how late the most overdue webhook message is, in seconds. Return 0 if none is due."""
    due = Delivery.objects.filter(state=DeliveryState.DUE, webhook__off="", next_at__lt=Now())
    late = ExpressionWrapper(Now() - F("next_at"), output_field=DurationField())
    first = due.order_by("next_at").annotate(late=late).values_list("late", flat=True).first()
    return max(0.0, first.total_seconds()) if first else 0.0


def process_states() -> dict[str, PartState]:
    """Return the state of each part that consists of the arena's own processes."""
    # An announcement from the future was made before the clock was set back. Whoever lives will announce itself again.
    recent = RunningProcess.objects.filter(seen_at__gt=before_now(SHORT_S), seen_at__lt=after_now(ALIVE_S))
    alive = Counter(recent.filter(seen_at__gt=before_now(ALIVE_S)).values_list("kind", flat=True))
    known = Counter(recent.values_list("kind", flat=True))
    states = {}
    for kind in ProcessKind.values:
        is_whole = alive[kind] == known[kind]
        states[kind] = (PartState.UP if is_whole else PartState.DEGRADED) if alive[kind] else PartState.DOWN
    return states


def is_overloaded() -> bool:
    """Return whether a process of the arena gets too little of its machine's processor."""
    return RunningProcess.objects.filter(seen_at__gt=before_now(ALIVE_S), is_starved=True).exists()


def database_now() -> datetime:
    """Return the time of the database's clock. Those of the site and of the workers may differ from it."""
    now: datetime | None = RunningProcess.objects.annotate(now=Now()).values_list("now", flat=True).first()
    return now or datetime.now(UTC)


def arena_status(*, is_redis_up: bool, now: datetime | None = None) -> ArenaStatus:
    """Return the current state and the history of the arena, as the site sees them.

    `is_redis_up`: whether the site can reach Redis. The site itself counts as up, since it is asking.
    """
    now = now or database_now()
    states = process_states()
    states["database"] = PartState.UP
    states["redis"] = PartState.UP if is_redis_up else PartState.DOWN
    if states["site"] == PartState.DOWN:
        states["site"] = PartState.UP
    hours = _hours(now)
    return ArenaStatus(
        at=now,
        parts={part: states[part] for part in PARTS},
        running=Match.objects.filter(~is_hidden(), state=MatchState.RUNNING).count(),
        oldest_wait_s=oldest_wait(),
        is_overloaded=is_overloaded(),
        upkeep_late_s=most_late_s(urgent_tasks()),
        overhead=_overhead(),
        days=_days(hours),
        incidents=_incidents(hours),
    )


def _overhead() -> Overhead | None:
    counts = [0] * (len(BOUNDS_S) + 1)
    for sample in OverheadSample.objects.filter(at__gt=before_now(3600)).values_list("counts", flat=True):
        counts = [a + b for a, b in zip(counts, sample, strict=True)]
    return overhead_of(counts)


@dataclass(frozen=True)
class _Hour:
    """One hour of the history, in minutes."""

    at: datetime
    minutes: int
    degraded: int
    down: int
    missed: int
    """Minutes without an observation."""
    parts: Mapping[str, int]

    @property
    def bad(self) -> int:
        return self.degraded + self.down + self.missed


def _hours(now: datetime) -> list[_Hour]:
    """Return every hour of the history, including hours without any observation."""
    begin = now.replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=DAYS - 1)
    rows = {row.hour: row for row in StatusHour.objects.filter(hour__gte=begin)}
    first = StatusHour.objects.aggregate(first=Min("hour"))["first"]
    hours: list[_Hour] = []
    hour = max(begin, first) if first else now + HOUR
    while hour <= now:
        row = rows.get(hour)
        passed = min(60, int((now - hour).total_seconds()) // 60)
        looks = row.looks if row else 0
        # It is not known at which minute the observations of the very first hour started.
        minutes = looks if hour == first else max(looks, passed)
        missed = minutes - looks if minutes - looks > MISSED_BY_CHANCE else 0
        hours.append(
            _Hour(hour, minutes, row.degraded, row.down, missed, row.parts)
            if row
            else _Hour(hour, minutes, 0, 0, missed, {})
        )
        hour += HOUR
    return hours


def _days(hours: Sequence[_Hour]) -> list[Day]:
    of_day: dict[date, list[_Hour]] = {}
    for hour in hours:
        of_day.setdefault(hour.at.date(), []).append(hour)
    days = []
    for day, its in of_day.items():
        minutes, degraded = sum(hour.minutes for hour in its), sum(hour.degraded for hour in its)
        down = sum(hour.down + hour.missed for hour in its)
        days.append(Day(day, minutes, minutes - degraded - down, degraded, down))
    return days


def _incidents(hours: Sequence[_Hour]) -> list[Incident]:
    together: list[list[_Hour]] = []
    for hour in hours:
        if not hour.bad:
            continue
        if together and hour.at - together[-1][-1].at == HOUR:
            together[-1].append(hour)
        else:
            together.append([hour])
    incidents = []
    for its in together:
        minutes = sum(hour.bad for hour in its)
        if minutes < SHORTEST_INCIDENT:
            continue
        parts: Counter[str] = Counter()
        for hour in its:
            parts.update(hour.parts)
        is_outage = any(hour.down or hour.missed for hour in its)
        ranked = [part for part, _ in parts.most_common() if part in PARTS]
        incidents.append(Incident(its[0].at, its[-1].at + HOUR, minutes, ranked, is_outage))
    return incidents[: -MOST_INCIDENTS - 1 : -1]


GONE_S: Final = 3600.0
"""Seconds for which a dead process is still listed."""
KINDS: Final = ("site", "gateway", "referee", "upkeep")


def processes() -> list[ProcessLine]:
    """Return the running processes and those that died within an hour, by kind, oldest first."""
    rows = RunningProcess.objects.filter(seen_at__gt=before_now(GONE_S)).annotate(
        limit=ExpressionWrapper(before_now(ALIVE_S), output_field=DateTimeField())
    )
    lines = [
        ProcessLine(
            name=row.name,
            kind=row.kind,
            version=row.version,
            started_at=row.started_at,
            seen_at=row.seen_at,
            is_alive=row.seen_at > vars(row)["limit"],
        )
        for row in rows
    ]
    return sorted(lines, key=lambda line: (KINDS.index(line.kind), line.started_at, line.name))
