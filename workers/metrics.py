"""Metrics of a worker, for Prometheus. The gateway has its own metrics."""

from __future__ import annotations

import time
from typing import Final

from prometheus_client import Counter, Gauge, Histogram

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
DATABASE_SIZE: Final = Gauge("arena_database_bytes", "Size of the database")
STANDSTILL: Final = Counter(
    "arena_referee_standstill_seconds_total",
    "Total time for which loops of matches were stalled, and their bots' clocks with them",
)
LEASES_EXPIRED: Final = Counter(
    "arena_leases_expired_total", "Matches taken from owners that did not renew their leases"
)
TASKS: Final = Histogram("arena_task_seconds", "Duration of a Celery task", ["task"], buckets=_TASK)
TASKS_ENDED: Final = Counter("arena_tasks_total", "Celery tasks that have ended, by state", ["task", "state"])
TASKS_SENT: Final = Counter("arena_beat_tasks_total", "Tasks sent by beat", ["task"])
ENDED: Final = Counter("arena_referee_matches_ended_total", "Matches that ended here, by kind", ["kind"])
"""`finished`, `aborted`, `handed back` (this process stops), `lost` (to another owner), `failed` (our fault)."""


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
