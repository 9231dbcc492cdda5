"""What a worker counts, for Prometheus. The gateway counts its own side under names of its own."""

from __future__ import annotations

import time
from typing import Final

from prometheus_client import Counter, Gauge, Histogram

from arena.referee import SECOND

_FAST: Final = (0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0)

DECISIONS: Final = Counter("arena_referee_decisions_total", "Decisions, by who took them", ["by"])
"""`bot`, `forced` (the sole legal action), `default` (after a fault), `house` (after a forfeit)."""
FAULTS: Final = Counter("arena_referee_faults_total", "Faults of bots, by reason", ["reason"])
OVERHEAD: Final = Histogram(
    "arena_referee_overhead_seconds", "From an answer at the gateway to the next ask on the bus", buckets=_FAST
)
OLDEST_SCHEDULED: Final = Gauge(
    "arena_oldest_scheduled_match_seconds", "How long the longest waiting match has waited for a worker"
)
MATCHES: Final = Gauge("arena_referee_matches", "Matches that this process referees")
ENDED: Final = Counter("arena_referee_matches_ended_total", "Ends of matches here, by kind", ["kind"])
"""`finished`, `aborted`, `handed back` (this process goes down), `lost` (to another owner), `failed` (our fault)."""
DELIVERIES: Final = Counter(
    "arena_webhook_requests_total", "Messages sent to webhooks, by what came of it", ["outcome"]
)
"""`received`, `refused` (the receiver answered with another status), or one of `arena.host.posting.Failure`."""


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
