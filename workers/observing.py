"""Observation of tasks: name and id in each log line, duration, and outcome."""

from __future__ import annotations

import math
import time
from typing import Any, Final

from celery.signals import after_task_publish, beat_init, task_postrun, task_prerun
from structlog.contextvars import bind_contextvars, unbind_contextvars

from workers import metrics

NAMES: Final = ("task", "task_id")
_began: Final[dict[str, float]] = {}
"""Start times of the running tasks, by id."""


_last_at = -math.inf


def last_task_at() -> float:
    """Return when the last task began or ended here, by the monotonic clock; long ago before the first one."""
    return _last_at


def short_name(name: str) -> str:
    """Return a task's name without its module, which is unique."""
    return name.rpartition(".")[2]


@task_prerun.connect
def _task_begins(task_id: str, task: Any, **_: Any) -> None:
    global _last_at
    _last_at = time.monotonic()
    _began[task_id] = time.perf_counter()
    bind_contextvars(task=short_name(task.name), task_id=task_id)


@task_postrun.connect
def _task_ended(task_id: str, task: Any, state: str | None = None, **_: Any) -> None:
    global _last_at
    _last_at = time.monotonic()
    name = short_name(task.name)
    metrics.TASKS_ENDED.labels(name, (state or "unknown").lower()).inc()
    if (began := _began.pop(task_id, None)) is not None:
        metrics.TASKS.labels(name).observe(time.perf_counter() - began)
    unbind_contextvars(*NAMES)  # the thread runs other tasks later


@beat_init.connect
def _beat_begins(**_: Any) -> None:
    after_task_publish.connect(_sent, weak=False)


def _sent(sender: str, **_: Any) -> None:
    metrics.TASKS_SENT.labels(short_name(sender)).inc()
