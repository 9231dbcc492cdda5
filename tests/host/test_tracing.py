"""Traces: ids that are derived from names, and no work at all if tracing is off."""

from __future__ import annotations

import os
import re
import subprocess
import sys

from arena.host import tracing

OFF = """
import django; django.setup()
import arena.gateway.server, webui.asgi, workers.tasks, webui.commands.site, webui.commands.gateway
from arena.host import tracing
tracing.start("site")
tracing.record("x", 1, 2, match="m")
import sys
# redis-py loads OpenTelemetry's API and SDK by itself where they are installed; what sends is loaded by us alone.
print([name for name in sys.modules if name == "arena.host.otlp" or name.startswith("opentelemetry.exporter")])
"""
WITHOUT_THE_EXTRA = """
import sys
sys.modules["opentelemetry"] = None
from arena.host import tracing
tracing.start("site")
"""


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "webui.settings", **environment}
    return subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)


def test_ids_follow_from_names() -> None:
    """The ids have the form of W3C Trace Context, and are not all zeros."""
    traces = {tracing.trace_id(match) for match in ("m1", "m2")}
    spans = {tracing.span_id("m1"), tracing.decision_id("m1", 1, 0), tracing.decision_id("m1", 1, 1),
             tracing.decision_id("m1", 2, 1), tracing.decision_id("m2", 1, 1), tracing.span_id("m2")}  # fmt: skip
    assert len(traces) == 2 and len(spans) == 6
    assert all(re.fullmatch(r"(?!0+$)[0-9a-f]{32}", one) for one in traces)
    assert all(re.fullmatch(r"(?!0+$)[0-9a-f]{16}", one) for one in spans)
    # printf 'match m1' | sha256sum
    assert tracing.trace_id("m1") == "9db4bf066160d15c862fccf6fe71dac1"


def test_where_tracing_is_off_nothing_of_it_is_loaded() -> None:
    done = run(OFF, ARENA_OTLP_ENDPOINT="")
    assert done.stdout.splitlines()[-1:] == ["[]"], done.stderr


def test_what_is_not_installed_is_named() -> None:
    done = run(WITHOUT_THE_EXTRA, ARENA_OTLP_ENDPOINT="http://127.0.0.1:4318")
    assert done.returncode == 1 and "the extra `tracing` is not installed" in done.stderr


SILENT = """
import socket
from arena.host import tracing
listening = socket.socket()
listening.bind(("127.0.0.1", 0))
listening.listen()
tracing.EXPORT_S = 3600.0
tracing.ENDPOINT, tracing.is_on = f"http://127.0.0.1:{listening.getsockname()[1]}", True
tracing.start("site")
tracing.record("x", 1, 2, match="m")
tracing.stop()
print("left")
"""


def test_a_collector_that_says_nothing_holds_no_process_up() -> None:
    """Otherwise this would take an hour."""
    done = run(SILENT)
    assert done.returncode == 0 and done.stdout.endswith("left\n"), done.stderr
