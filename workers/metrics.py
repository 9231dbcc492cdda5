"""What a worker counts, for Prometheus. The gateway counts its own side under names of its own."""

from __future__ import annotations

import time
from typing import Final

from prometheus_client import Counter, Gauge, Histogram

from arena.referee import SECOND
from webui.status.values import BOUNDS_S

_TASK: Final = (0.005, 0.02, 0.1, 0.5, 2.0, 10.0, 60.0, 600.0)

DECISIONS: Final = Counter("arena_referee_decisions_total", "Decisions, by who took them", ["by"])
"""`bot`, `forced` (the sole legal action), `default` (after a fault), `house` (after a forfeit)."""
FAULTS: Final = Counter("arena_referee_faults_total", "Faults of bots, by reason", ["reason"])
OVERHEAD: Final = Histogram(
    "arena_referee_overhead_seconds", "From an answer at the gateway to the next ask on the bus", buckets=BOUNDS_S
)
OLDEST_SCHEDULED: Final = Gauge(
    "arena_oldest_scheduled_match_seconds", "How long the longest waiting match has waited for a worker"
)
MATCHES: Final = Gauge("arena_referee_matches", "Matches that this process referees")
WAITING: Final = Gauge("arena_matches", "Matches that have not ended, as the database has them", ["state"])
"""`scheduled` or `running`."""
DATABASE_SIZE: Final = Gauge("arena_database_bytes", "Size of the database")
STANDSTILL: Final = Counter(
    "arena_referee_standstill_seconds_total",
    "Time for which loops of matches stood still, each for itself, and their bots' clocks with them",
)
LEASES_EXPIRED: Final = Counter(
    "arena_leases_expired_total", "Matches that were taken from owners who did not renew their leases"
)
TASKS: Final = Histogram("arena_task_seconds", "Duration of a task of Celery", ["task"], buckets=_TASK)
TASKS_ENDED: Final = Counter("arena_tasks_total", "Tasks of Celery that have ended, by how", ["task", "state"])
TASKS_SENT: Final = Counter("arena_beat_tasks_total", "Tasks that beat has sent", ["task"])
DOCTOR: Final = Gauge("arena_doctor_findings", "What the doctor found last night, by check", ["check"])
DOCTOR_RUN: Final = Gauge(
    "arena_doctor_run_timestamp_seconds", "When the doctor last came to an end here; 0: not since the process began"
)
ENDED: Final = Counter("arena_referee_matches_ended_total", "Ends of matches here, by kind", ["kind"])
"""`finished`, `aborted`, `handed back` (this process goes down), `lost` (to another owner), `failed` (our fault)."""
DELIVERIES: Final = Counter(
    "arena_webhook_requests_total", "Messages sent to webhooks, by what came of it", ["outcome"]
)
"""`received`, `refused` (the receiver answered with another status), or one of `arena.host.posting.Failure`."""


DELIVERIES_DUE: Final = Gauge(
    "arena_webhook_oldest_due_seconds", "How long the longest waiting message of a webhook has been due"
)

# A series that is there from the beginning shows its first event as an increase.
for _kind in ("finished", "aborted", "handed back", "lost", "failed"):
    ENDED.labels(_kind)


class OverheadTimer:
    """Measures `OVERHEAD` for one match: by the wall clock, which a worker and its gateways share."""

    def __init__(self) -> None:
        self._answered_at_ns = 0
        """When the answer that is being worked on came to its gateway; 0: there is none."""

    def start(self, answered_at_ns: int) -> None:
        """An answer is being worked on."""
        self._answered_at_ns = answered_at_ns

    def stop(self) -> None:
        """The next ask is on the bus."""
        if self._answered_at_ns:
            OVERHEAD.observe(max(0, time.time_ns() - self._answered_at_ns) / SECOND)

    def reset(self) -> None:
        """What comes next does not follow from that answer."""
        self._answered_at_ns = 0
