"""Metrics for Prometheus, on a port of its own in every process, where the environment says so.

What every process counts is here; what else is counted, in `webui.site.metrics`, `webui.ladder.metrics`,
`arena.gateway.metrics` and `workers.metrics`. docs/metrics.md lists all of it, written from the code.
"""

from __future__ import annotations

import logging
import math
import os
import shutil
from collections.abc import Callable
from importlib.metadata import version
from typing import Final

import prometheus_client
import structlog
from prometheus_client import Counter, Gauge, start_http_server

from arena.host.places import state_directory

log = structlog.get_logger(__name__)

DEFAULT_HOST = "127.0.0.1"
"""Only the operator may read what a process counts; the image of deploy/ says 0.0.0.0."""

# Else every counter comes with a second series that says when it began.
prometheus_client.disable_created_metrics()  # type: ignore[no-untyped-call]

BUILD: Final = Gauge("arena_build_info", "Always 1, with what runs here", ["process", "version"])
LOG_LINES: Final = Counter("arena_log_messages_total", "Log lines of warnings and errors", ["level"])
HEARTBEAT: Final = Gauge(
    "arena_heartbeat_timestamp_seconds", "When a worker or beat last showed that it works; 0: it answers otherwise"
)
DISK_FREE: Final = Gauge("arena_disk_free_bytes", "Room that is left on the disk of ARENA_VAR")
DISK_SIZE: Final = Gauge("arena_disk_size_bytes", "Size of the disk of ARENA_VAR")

_LEVELS: Final = {logging.WARNING: "warning", logging.ERROR: "error", logging.CRITICAL: "critical"}


def or_nan(measure: Callable[[], float]) -> Callable[[], float]:
    """For a gauge that is measured when it is asked for: what cannot be measured is not a number, and all the rest of
    the process is still told."""

    def measured() -> float:
        try:
            return measure()
        except Exception:  # noqa: BLE001 - the database is away, say; others log that
            return math.nan

    return measured


DISK_FREE.set_function(or_nan(lambda: float(shutil.disk_usage(state_directory()).free)))
DISK_SIZE.set_function(or_nan(lambda: float(shutil.disk_usage(state_directory()).total)))


class _Counting(logging.Handler):
    """Counts lines, whatever becomes of them."""

    def emit(self, record: logging.LogRecord) -> None:
        if level := _LEVELS.get(record.levelno):
            LOG_LINES.labels(level).inc()


def serve_metrics(process: str) -> int | None:
    """Serve this process's metrics at ARENA_METRICS_HOST and ARENA_METRICS_PORT (0: a free one); the port, if any.

    `process`: what it is, as in `gateway`.
    """
    port = os.environ.get("ARENA_METRICS_PORT")
    if not port:
        return None
    BUILD.labels(process, version("naqala-arena")).set(1)
    for level in _LEVELS.values():
        LOG_LINES.labels(level)
    logging.getLogger().addHandler(_Counting(logging.WARNING))
    server, _ = start_http_server(int(port), addr=os.environ.get("ARENA_METRICS_HOST") or DEFAULT_HOST)
    served_at = int(server.server_port)
    log.info("metrics_served", process=process, port=served_at)
    return served_at
