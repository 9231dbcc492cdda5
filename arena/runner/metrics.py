"""The runner's metrics for Prometheus."""

from __future__ import annotations

from typing import Final

from prometheus_client import Counter, Gauge, Histogram

_SECONDS: Final = (0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0)

PLACES: Final = Gauge("arena_runner_places", "Sandboxes that this runner may have at the same time")
SEATS: Final = Gauge("arena_runner_seats", "Seats of matches that this runner plays, or that wait for a place")
ENDS: Final = Counter("arena_runner_sandbox_ends_total", "Sandboxes that have ended, by fault of the bot", ["fault"])
START: Final = Histogram(
    "arena_runner_start_seconds", "Time from the start of a sandbox to its hello", buckets=_SECONDS
)
WAITED: Final = Histogram("arena_runner_core_wait_seconds", "Time that a bot waited for a core", buckets=_SECONDS)
CHARGED: Final = Counter("arena_runner_charged_seconds_total", "Time that bots were charged for their requests")
