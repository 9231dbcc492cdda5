"""Metrics of a process, as Prometheus reads them."""

import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

SERVE = """
import sys
import django
django.setup()  # what is logged goes to stderr
import arena.gateway.metrics
import workers.metrics
from arena.host.metrics import serve_metrics
print(serve_metrics("gateway"), flush=True)
sys.stdin.read()
"""


@contextmanager
def process(**environment: str) -> Iterator[str]:
    """Run a process that serves its metrics; yield what it prints about its port."""
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "webui.settings", **environment}
    with subprocess.Popen(
        [sys.executable, "-c", SERVE], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout is not None
        try:
            yield running.stdout.readline().strip()
        finally:
            running.kill()


def test_a_process_serves_its_metrics_where_the_environment_says() -> None:
    with (
        process(ARENA_METRICS_PORT="0", ARENA_METRICS_HOST="127.0.0.2") as port,
        urllib.request.urlopen(f"http://127.0.0.2:{port}/metrics", timeout=30) as answer,
    ):
        text = answer.read().decode()
    for name in ("arena_gateway_sessions", "arena_overhead_seconds", "arena_oldest_scheduled_match_seconds"):
        assert f"# TYPE {name} " in text


def test_without_a_port_none_are_served() -> None:
    with process(ARENA_METRICS_PORT="") as port:
        assert port == "None"
