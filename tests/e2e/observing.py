"""The data that an arena gives its operator: logs, metrics and traces of its real processes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import urllib.request
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from prometheus_client.parser import text_string_to_metric_families

from tests.kit.metrics_table import EVERY, metrics
from tests.kit.receiver import Receiver, reply

MOST_VALUES = 60
"""Maximum number of label sets of one metric in one process, whatever is played."""


@dataclass(frozen=True)
class Span:
    """A span, and the service that it came from."""

    service: str
    name: str
    id: str
    parent: str
    began_ns: int
    ended_ns: int
    facts: dict[str, Any]


class Collector:
    """A collector of traces on this machine with the interface of OpenTelemetry's: OTLP over HTTP."""

    def __init__(self) -> None:
        self._receiver = Receiver()
        self._receiver.answer = lambda handler: reply(handler, 200)
        self._spans: dict[str, list[Span]] = {}

    @property
    def endpoint(self) -> str:
        """The address for ARENA_OTLP_ENDPOINT."""
        return self._receiver.url("", "127.0.0.1")

    def spans(self, trace: str) -> list[Span]:
        """Return the received spans of a trace."""
        while not self._receiver.received.empty():
            request = self._receiver.received.get()
            assert request.path == "/v1/traces"
            for of_process in ExportTraceServiceRequest.FromString(request.body).resource_spans:
                about = {one.key: one.value.string_value for one in of_process.resource.attributes}
                for scope in of_process.scope_spans:
                    for span in scope.spans:
                        facts = {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in span.attributes}
                        self._spans.setdefault(span.trace_id.hex(), []).append(
                            Span(
                                about["service.name"], span.name, span.span_id.hex(), span.parent_span_id.hex(),
                                span.start_time_unix_nano, span.end_time_unix_nano, facts,
                            )
                        )  # fmt: skip
        return self._spans.get(trace, [])

    def __enter__(self) -> Self:
        self._receiver.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._receiver.__exit__(*error)


def log_lines(var: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the JSON log lines of an arena's processes, by process."""
    found = {}
    for path in (var / "log").glob("*.log"):
        lines = path.read_text(errors="replace").splitlines()
        found[path.stem] = [json.loads(line) for line in lines if line.startswith("{") and line.endswith("}")]
    return found


def scrape(port: int) -> str:
    """Return the metrics at a port of this machine."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=60) as answer:
        return str(answer.read().decode())


def check_metrics(process: str, text: str) -> None:
    """Check that a process exposes the metrics of the table, with names and labels that follow Prometheus'
    conventions."""
    families = {family.name: family for family in text_string_to_metric_families(text)}
    exposed = {sample.name for family in families.values() for sample in family.samples}
    known = {metric.name.removesuffix("_total"): metric for metric in metrics()}
    ours = {name for name in families if name.startswith("arena_")}
    assert ours <= known.keys()
    its_own = {name for name, metric in known.items() if process in metric.processes}
    assert its_own <= ours, process
    for name in ours:
        metric = known[name]
        label_sets = {
            tuple(sorted((k, v) for k, v in sample.labels.items() if k != "le")) for sample in families[name].samples
        }
        assert len(label_sets) <= MOST_VALUES, (process, name, Counter(label_sets).most_common(5))
        labels = {label for sample in families[name].samples for label in sample.labels} - {"le"}
        assert labels <= set(metric.labels), (process, name)
    assert {"process_cpu_seconds_total", "process_resident_memory_bytes"} <= exposed
    build = next(sample for sample in families["arena_build_info"].samples)
    assert build.labels["process"] == process and process in EVERY


def lint_metrics(process: str, text: str) -> None:
    """Check names, units and help with Prometheus' own tool."""
    if shutil.which("promtool") is None:
        assert os.environ.get("ARENA_REQUIRE_ALL") != "1", "promtool is missing: apt-get install prometheus"
        return
    command = ["promtool", "check", "metrics"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{process}:\n{done.stdout}{done.stderr}"
