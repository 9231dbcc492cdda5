"""Metrics for Prometheus, of gateways and workers: on a port of their own, where the environment says."""

import os

from prometheus_client import start_http_server

DEFAULT_HOST = "127.0.0.1"
"""Only the operator may read what a process counts; the image of deploy/ says 0.0.0.0."""


def serve_metrics() -> int | None:
    """Serve this process's metrics at ARENA_METRICS_HOST and ARENA_METRICS_PORT (0: a free one); the port, if any."""
    port = os.environ.get("ARENA_METRICS_PORT")
    if not port:
        return None
    server, _ = start_http_server(int(port), addr=os.environ.get("ARENA_METRICS_HOST") or DEFAULT_HOST)
    return int(server.server_port)
