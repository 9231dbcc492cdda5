"""Periodic tasks: the subjects declare them, beat sends them, and the upkeep workers run them.

A subject declares its tasks as `PERIODIC` in its package:

    PERIODIC = (PeriodicTask("featured", "webui.tv.actions.feature_now", every_s=2),)

Beat reads these declarations alone, and loads no models. The functions are therefore written as text. Upkeep workers
load them when they start; referees do not load them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import time
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from django.conf import settings

if TYPE_CHECKING:
    from arena.bus import Presence

UPKEEP: Final = "upkeep"
"""Queue of all periodic tasks."""


@dataclass(frozen=True)
class UpkeepWorker:
    """Services that the worker offers to a task."""

    presences: Callable[[], list[Presence]]
    """Return the processes of bots that gateways hold."""
    is_stopping: Callable[[], bool]
    """Return whether the worker stops. A task that takes long asks often, and then ends early."""
    wake: Callable[[str], None]
    """Wake the live pages of this name."""


@dataclass(frozen=True)
class PeriodicTask:
    """A task that runs at intervals, or every night."""

    name: str
    """Name in the schedule, in the log and in metrics."""
    function: str
    """Module and name of a function that takes an `UpkeepWorker`."""
    every_s: float = 0
    """Seconds between two runs."""
    at: time | None = None
    """Time of day (UTC) for a task of the night."""
    is_slow: bool = False
    """Whether it runs in a thread of its own, so that other tasks do not wait for it. It never runs twice at once."""


def periodic_tasks() -> list[PeriodicTask]:
    """Return the tasks of all subjects."""
    packages = (import_module(name) for name in settings.INSTALLED_APPS if name.startswith("webui."))
    return [task for package in packages for task in getattr(package, "PERIODIC", ())]


def beat_schedule() -> dict[str, dict[str, Any]]:
    """Return the schedule of all tasks for beat.

    A message that waited for longer than its period is useless, because the next one has been sent.
    """
    from celery.schedules import crontab  # only workers and beat need Celery

    schedule: dict[str, dict[str, Any]] = {}
    for task in periodic_tasks():
        when = crontab(hour=task.at.hour, minute=task.at.minute) if task.at else task.every_s
        expires = 3600.0 if task.at else task.every_s
        schedule[task.name] = {"task": task.name, "schedule": when, "options": {"expires": expires}}
    return schedule
