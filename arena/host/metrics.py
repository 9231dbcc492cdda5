"""Metrics for Prometheus. Every process serves them on its own port if the environment sets one.

This module has the metrics of all processes. Others are in `webui.core.observing`, `webui.notices.actions`,
`arena.gateway.metrics` and `workers.metrics`. docs/metrics.md lists all of them and is generated from the code.
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
"""Only the operator may read the metrics; the image of deploy/ uses 0.0.0.0."""

# Otherwise every counter gets a second series with its creation time.
prometheus_client.disable_created_metrics()  # type: ignore[no-untyped-call]

BUILD: Final = Gauge("arena_build_info", "Always 1; the labels say what runs here", ["process", "version"])
LOG_LINES: Final = Counter("arena_log_messages_total", "Log lines of warnings and errors", ["level"])
HEARTBEAT: Final = Gauge(
    "arena_heartbeat_timestamp_seconds",
    "Time of the last heartbeat of a worker; 0: the process is checked otherwise",
)
DISK_FREE: Final = Gauge("arena_disk_free_bytes", "Free space on the disk of ARENA_VAR")
DISK_SIZE: Final = Gauge("arena_disk_size_bytes", "Size of the disk of ARENA_VAR")

_LEVELS: Final = {logging.WARNING: "warning", logging.ERROR: "error", logging.CRITICAL: "critical"}


def or_nan(measure: Callable[[], float]) -> Callable[[], float]:
    """Return a function for a gauge that returns NaN if the measurement fails.

    The process's other metrics are then still served.
    """

    def measured() -> float:
        try:
            return measure()
        except Exception:  # noqa: BLE001 - for example an unreachable database, which others log
            return math.nan

    return measured


DISK_FREE.set_function(or_nan(lambda: float(shutil.disk_usage(state_directory()).free)))
DISK_SIZE.set_function(or_nan(lambda: float(shutil.disk_usage(state_directory()).total)))


class _Counting(logging.Handler):
    """Counts lines, even those that are not written."""

    def emit(self, record: logging.LogRecord) -> None:
        if level := _LEVELS.get(record.levelno):
            LOG_LINES.labels(level).inc()


def serve_metrics(process: str) -> int | None:
    """Serve this process's metrics at ARENA_METRICS_HOST and ARENA_METRICS_PORT (0: a free port).

    `process` is its kind, such as `gateway`. Returns the port, or `None` if no port is set.
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
