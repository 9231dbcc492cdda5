"""The tasks: `play_match`, and the periodic tasks that the subjects declare (`webui.core.upkeep`)."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock, Thread
from typing import Final

import structlog
from django.conf import settings
from django.db import connections
from django.utils.module_loading import import_string

from webui.core.errors import RecordAway
from webui.core.upkeep import PeriodicTask, UpkeepWorker, periodic_tasks
from workers import shared
from workers.app import app
from workers.driver import Driver
from workers.heartbeat import heartbeat

log = structlog.get_logger(__name__)


@app.task
def play_match(match_id: str) -> None:
    """Referee this match to its end, unless another worker does."""
    link, lease_s = shared.link(), settings.LEASE_SECONDS
    Driver(match_id, link, shared.database, lease_s=lease_s, site_url=settings.SITE_URL).run()


running: Final = {task.name: Lock() for task in periodic_tasks() if task.is_slow}
"""A lock for each slow task, held while its thread runs."""


def _register(task: PeriodicTask) -> None:
    @app.task(name=task.name)
    def run() -> None:
        if not task.is_slow:
            shared.database(import_string(task.function), _worker(_is_stopping))
        elif running[task.name].acquire(blocking=False):
            Thread(target=_run_slow, args=(task,), name=task.name, daemon=True).start()


def _run_slow(task: PeriodicTask) -> None:
    """Run a task in a thread of its own. After an error, the next run does what is left."""
    try:
        import_string(task.function)(_worker(shared.link().stopping.is_set))
    except RecordAway as error:
        log.warning("task_failed", task=task.name, error=str(error))
    except Exception:
        log.exception("task_failed", task=task.name)
    finally:
        connections.close_all()
        running[task.name].release()


def _worker(is_stopping: Callable[[], bool]) -> UpkeepWorker:
    bus = shared.link().bus
    return UpkeepWorker(bus.presences, is_stopping, bus.wake)


def _is_stopping() -> bool:
    heartbeat.beat()  # shows that a task which takes long still works
    return shared.link().stopping.is_set()


for _task in periodic_tasks():
    _register(_task)
