"""Turns of jobs that any process may do: each turn is taken by one process.

A row says when the job is due next. Whoever takes the turn moves that time forward, by compare-and-set. A turn that was
missed is due at once, and there is only one of it, however long nobody took it. No message is needed, and none can be
lost.

Only the clock of the database counts. If it is set forward, every job is due once. If it is set back by an hour, every
job would be an hour late. Therefore a job that is due later than after its whole period is due now.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import F
from django.db.models.functions import Now

from webui.core.dbtime import after_now
from webui.core.models import Turn


@dataclass(frozen=True)
class NextTurn:
    """The next turn of a job, as one look at the table saw it."""

    name: str
    number: int
    late_s: float
    """Seconds since it has been due; negative if it is not due yet."""
    now: datetime
    """The database's time."""

    @property
    def is_due(self) -> bool:
        """Return whether the turn may be taken."""
        return self.late_s >= 0


def next_turns(periods: Mapping[str, float]) -> dict[str, NextTurn]:
    """Return the next turns of these jobs by name. Leave out jobs that have no row (`add_turns`).

    `periods`: the longest time between two turns, in seconds, by name.
    """
    rows = Turn.objects.filter(name__in=periods).annotate(now=Now()).values_list("name", "number", "due_at", "now")
    turns = {}
    for name, number, due_at, now in rows:
        late_s = (now - due_at).total_seconds()
        # The clock was set back since the turn was noted.
        late_s = 0.0 if late_s < -periods[name] else late_s
        turns[name] = NextTurn(name, number, late_s, now)
    return turns


def add_turns(first_after_s: Mapping[str, float]) -> None:
    """Add jobs that have no row yet. Their first turns are due after so many seconds."""
    rows = [Turn(name=name, due_at=after_now(seconds)) for name, seconds in first_after_s.items()]
    Turn.objects.bulk_create(rows, ignore_conflicts=True)


def take_turn(turn: NextTurn, next_after_s: float) -> bool:
    """Take a turn; the next one is due after so many seconds. Return False if another process has taken it."""
    same = Turn.objects.filter(name=turn.name, number=turn.number)
    return bool(same.update(number=F("number") + 1, due_at=after_now(next_after_s)))


def put_off(turn: NextTurn, seconds: float) -> None:
    """Let the turn after one that was taken be due after so many seconds, unless that one has been taken, too."""
    Turn.objects.filter(name=turn.name, number=turn.number + 1).update(due_at=after_now(seconds))


def most_late_s(names: frozenset[str]) -> float:
    """Return for how many seconds the most overdue of these jobs has been due. Return 0 if none is."""
    due = Turn.objects.filter(name__in=names, due_at__lt=Now()).annotate(now=Now()).order_by("due_at")
    row = due.values_list("due_at", "now").first()
    return 0.0 if row is None else max(0.0, (row[1] - row[0]).total_seconds())
