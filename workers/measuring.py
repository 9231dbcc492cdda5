"""Gauges of a worker that are measured when they are read."""

from __future__ import annotations

from arena.host.metrics import HEARTBEAT, or_nan
from webui.matches import queries as match_queries
from webui.status import queries as status_queries
from workers import metrics
from workers.heartbeat import heartbeat
from workers.shared import database


def measure(kind: str) -> None:
    """Register the gauges for a worker of this kind (`shared.kind`).

    Values that are the same in all workers come from upkeep.
    """
    HEARTBEAT.set_function(lambda: heartbeat.shown_at)
    metrics.OLDEST_SCHEDULED.set_function(or_nan(lambda: database(match_queries.oldest_wait)))
    if kind == "upkeep":
        metrics.WAITING.labels("scheduled").set_function(or_nan(lambda: database(status_queries.scheduled)))
        metrics.WAITING.labels("running").set_function(or_nan(lambda: database(status_queries.running)))
        metrics.DATABASE_SIZE.set_function(or_nan(lambda: database(status_queries.database_bytes)))
        metrics.DELIVERIES_DUE.set_function(or_nan(lambda: database(status_queries.oldest_due)))
