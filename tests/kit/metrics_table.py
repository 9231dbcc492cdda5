"""Generates docs/metrics.md: every metric, from the code that counts it. `--check` fails if the file is not up to
date."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import django
from prometheus_client import Counter, Gauge, Histogram
from prometheus_client.metrics import MetricWrapperBase

ROOT: Final = Path(__file__).resolve().parents[2]
FILE: Final = ROOT / "docs" / "metrics.md"

EVERY: Final = ("site", "gateway", "referee", "upkeep", "runner")
WORKERS: Final = ("referee", "upkeep")
MODULES: Final = {
    "arena.host.metrics": EVERY,
    "webui.core.observing": ("site",),
    "arena.gateway.metrics": ("gateway", "runner"),
    "arena.runner.metrics": ("runner",),
    "workers.metrics": ("referee",),
    "webui.notices.actions": ("upkeep",),
    "webui.staff.doctor": ("upkeep",),
    "webui.webhooks.sending": ("upkeep",),
}
"""The modules with metrics, and the processes that have them."""
OF_OTHERS: Final = {
    "arena_heartbeat_timestamp_seconds": WORKERS,
    "arena_oldest_scheduled_match_seconds": WORKERS,
    "arena_matches": ("upkeep",),
    "arena_runners": ("upkeep",),
    "arena_hosted_bots": ("upkeep",),
    "arena_oldest_submission_seconds": ("upkeep",),
    "arena_database_bytes": ("upkeep",),
    "arena_leases_expired_total": WORKERS,
    "arena_task_seconds": WORKERS,
    "arena_tasks_total": WORKERS,
    "arena_task_late_seconds": ("upkeep",),
    "arena_webhook_oldest_due_seconds": ("upkeep",),
}
"""Metrics that belong to other processes than those of their module."""
KINDS: Final = {Counter: "counter", Gauge: "gauge", Histogram: "histogram"}
UNITS: Final = {"timestamp_seconds": "Unix time, s", "seconds": "s", "bytes": "bytes"}
"""Units by the end of a name, without `_total`; all others are counts."""

HEAD: Final = """# Metrics

<!-- Written by `python -m tests.kit.metrics_table`; `make check` compares it with the code. -->

Each process of an arena serves these metrics to Prometheus on its own port (`ARENA_METRICS_PORT`, path `/metrics`). The
client library adds its metrics of every Python process (`process_…`, `python_…`).

- Scrape configuration and alert rules: [deploy/prometheus](../deploy/prometheus).
- Dashboards: [deploy/grafana](../deploy/grafana).
- What to do when an alert fires: the [runbook](../deploy/RUNBOOK.md#alerts).

Names follow [Prometheus' conventions](https://prometheus.io/docs/practices/naming/): base units, and `_total` for
counters. No label has a value for each match, bot or visitor. A gauge that cannot be measured at the moment, for
example because the database is unavailable, is `NaN`.

| metric | kind | unit | labels | processes | meaning |
|---|---|---|---|---|---|
"""


@dataclass(frozen=True)
class Metric:
    """A metric as it is exposed."""

    name: str
    kind: str
    unit: str
    labels: tuple[str, ...]
    processes: tuple[str, ...]
    help: str

    @property
    def line(self) -> str:
        """Return its line of the table."""
        labels = ", ".join(f"`{label}`" for label in self.labels)
        return f"| `{self.name}` | {self.kind} | {self.unit} | {labels} | {', '.join(self.processes)} | {self.help} |\n"

    @property
    def series(self) -> set[str]:
        """Return the names of its time series."""
        return (
            {f"{self.name}{end}" for end in ("_bucket", "_count", "_sum")} if self.kind == "histogram" else {self.name}
        )


def metrics() -> list[Metric]:
    """Return all metrics, in the order of their processes."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webui.settings")
    django.setup()
    found = [metric for module, processes in MODULES.items() for metric in _in(module, processes)]
    return sorted(found, key=lambda one: ([EVERY.index(process) for process in one.processes], one.name))


def _in(module: str, processes: tuple[str, ...]) -> Iterator[Metric]:
    for value in vars(importlib.import_module(module)).values():
        if isinstance(value, MetricWrapperBase):
            described: Any = next(iter(value.describe()))
            kind = KINDS[type(value)]
            name = described.name + ("_total" if kind == "counter" else "")
            base = name.removesuffix("_total")
            unit = next((unit for end, unit in UNITS.items() if base.endswith(f"_{end}")), "")
            yield Metric(name, kind, unit, value._labelnames, OF_OTHERS.get(name, processes), described.documentation)


def document() -> str:
    """Return the content of the file."""
    return HEAD + "".join(metric.line for metric in metrics())


def main() -> None:
    """Write the file, or compare it."""
    text = document()
    if "--check" not in sys.argv[1:]:
        FILE.write_text(text)
    elif not FILE.exists() or FILE.read_text() != text:
        raise SystemExit("docs/metrics.md is not what the code counts: python -m tests.kit.metrics_table")


if __name__ == "__main__":
    main()
