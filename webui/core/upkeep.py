"""Periodic tasks: the subjects declare them, and the upkeep process runs them (`workers.upkeep`).

A subject declares its tasks as `PERIODIC` in its package:

    PERIODIC = (PeriodicTask("featured", "webui.tv.actions.feature_now", every_s=2),)

The functions are written as text, so that only the upkeep process loads them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from enum import StrEnum
from importlib import import_module
from typing import TYPE_CHECKING, Final

from django.conf import settings

if TYPE_CHECKING:
    from arena.bus import Presence

DAY: Final = timedelta(days=1)


class Lane(StrEnum):
    """Kinds of tasks. The tasks of a lane wait for each other, and never for those of another lane."""

    SHORT = "short"
    """Work on the database that keeps matches and events going. It takes well under a second."""
    NETWORK = "network"
    """Work that waits for other servers."""
    LONG = "long"
    """Work that takes seconds or minutes of the processor, in steps that a later run continues."""


@dataclass(frozen=True)
class UpkeepWorker:
    """Services that the upkeep process offers to a task."""

    presences: Callable[[], list[Presence]]
    """Return the processes of bots that gateways hold."""
    is_stopping: Callable[[], bool]
    """Return whether the process stops. A task that takes long asks often, and then ends early."""
    wake: Callable[[str], None]
    """Wake the live pages of this name."""


@dataclass(frozen=True)
class PeriodicTask:
    """A task that runs at intervals, or every night. In one process it never runs twice at once."""

    name: str
    """Name of its turn, in the log and in metrics."""
    function: str
    """Module and name of a function that takes an `UpkeepWorker`."""
    every_s: float = 0
    """Seconds between the beginnings of two runs."""
    at: time | None = None
    """Time of day (UTC) for a task of the night."""
    lane: Lane = Lane.SHORT

    @property
    def period_s(self) -> float:
        """Return the longest time between two turns."""
        return DAY.total_seconds() if self.at else self.every_s

    def next_after_s(self, now: datetime) -> float:
        """Return the seconds from `now` until the next turn."""
        if self.at is None:
            return self.every_s
        today = now.replace(hour=self.at.hour, minute=self.at.minute, second=0, microsecond=0)
        return ((today if today > now else today + DAY) - now).total_seconds()


def periodic_tasks() -> list[PeriodicTask]:
    """Return the tasks of all subjects."""
    packages = (import_module(name) for name in settings.INSTALLED_APPS if name.startswith("webui."))
    return [task for package in packages for task in getattr(package, "PERIODIC", ())]


def urgent_tasks() -> frozenset[str]:
    """Return the names of the tasks for which somebody waits. Long work may be late."""
    return frozenset(task.name for task in periodic_tasks() if task.lane is not Lane.LONG)
