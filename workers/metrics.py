"""Metrics of a worker, for Prometheus. Tasks are timed, and each log line of a task has its name and id.

The gateway has its own metrics.
"""

from __future__ import annotations

import time
from typing import Any, Final

from celery.signals import task_postrun, task_prerun
from prometheus_client import Counter, Gauge, Histogram
from structlog.contextvars import bind_contextvars, unbind_contextvars

from arena.referee import SECOND
from webui.status.values import BOUNDS_S

_TASK: Final = (0.005, 0.02, 0.1, 0.5, 2.0, 10.0, 60.0, 600.0)

DECISIONS: Final = Counter("arena_referee_decisions_total", "Decisions, by who made them", ["by"])
"""`bot`, `forced` (the only legal action), `default` (after a fault), `house` (after a forfeit)."""
FAULTS: Final = Counter("arena_referee_faults_total", "Faults of bots, by reason", ["reason"])
OVERHEAD: Final = Histogram(
    "arena_referee_overhead_seconds", "From an answer at the gateway to the next ask on the bus", buckets=BOUNDS_S
)
OLDEST_SCHEDULED: Final = Gauge(
    "arena_oldest_scheduled_match_seconds", "Longest time that a match has waited for a worker"
)
MATCHES: Final = Gauge("arena_referee_matches", "Matches that this process referees")
WAITING: Final = Gauge("arena_matches", "Matches in the database that have not ended", ["state"])
"""`scheduled` or `running`."""
RUNNERS: Final = Gauge("arena_runners", "Runners that have called within the last minute")
HOSTED_BOTS: Final = Gauge("arena_hosted_bots", "Bots with a version that runners play")
OLDEST_SUBMISSION: Final = Gauge(
    "arena_oldest_submission_seconds", "Longest time that a submission has waited for a runner"
)
DATABASE_SIZE: Final = Gauge("arena_database_bytes", "Size of the database")
STANDSTILL: Final = Counter(
    "arena_referee_standstill_seconds_total",
    "Total time for which loops of matches were stalled, and their bots' clocks with them",
)
LEASES_EXPIRED: Final = Counter(
    "arena_leases_expired_total", "Matches taken from owners that did not renew their leases"
)
TASKS: Final = Histogram("arena_task_seconds", "Duration of a task", ["task"], buckets=_TASK)
TASKS_ENDED: Final = Counter("arena_tasks_total", "Tasks that have ended, by state", ["task", "state"])
TASKS_LATE: Final = Gauge(
    "arena_task_late_seconds", "Longest time for which a periodic task has been due, by lane", ["lane"]
)
"""`short`, `network` or `long` (`webui.core.upkeep.Lane`)."""
ENDED: Final = Counter("arena_referee_matches_ended_total", "Matches that ended here, by kind", ["kind"])
"""`finished`, `aborted`, `handed back` (this process stops), `lost` (to another owner), `failed` (our fault), `void`
(a bot of the arena did not answer)."""


DELIVERIES_DUE: Final = Gauge("arena_webhook_oldest_due_seconds", "Longest time that a webhook message has been due")

# A series that exists from the beginning shows its first event as an increase.
for _kind in ("finished", "aborted", "handed back", "lost", "failed"):
    ENDED.labels(_kind)


class OverheadTimer:
    """Measures `OVERHEAD` for one match, by the wall clock that a worker and its gateways share."""

    def __init__(self) -> None:
        self._answered_at_ns = 0
        """When the current answer came to its gateway; 0 if there is none."""

    def start(self, answered_at_ns: int) -> None:
        """Start the measurement: an answer is being processed."""
        self._answered_at_ns = answered_at_ns

    def stop(self) -> None:
        """Stop the measurement: the next ask is on the bus."""
        if self._answered_at_ns:
            OVERHEAD.observe(max(0, time.time_ns() - self._answered_at_ns) / SECOND)

    def reset(self) -> None:
        """Discard the measurement: the next ask does not follow from that answer."""
        self._answered_at_ns = 0


NAMES: Final = ("task", "task_id")
_began: Final[dict[str, float]] = {}
"""Start times of the running tasks, by id."""


def short_name(name: str) -> str:
    """Return a task's name without its module, which is unique."""
    return name.rpartition(".")[2]


@task_prerun.connect
def _task_begins(task_id: str, task: Any, **_: Any) -> None:
    _began[task_id] = time.perf_counter()
    bind_contextvars(task=short_name(task.name), task_id=task_id)


@task_postrun.connect
def _task_ended(task_id: str, task: Any, state: str | None = None, **_: Any) -> None:
    name = short_name(task.name)
    TASKS_ENDED.labels(name, (state or "unknown").lower()).inc()
    if (began := _began.pop(task_id, None)) is not None:
        TASKS.labels(name).observe(time.perf_counter() - began)
    unbind_contextvars(*NAMES)  # the thread runs other tasks later
