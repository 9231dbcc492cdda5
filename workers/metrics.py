"""What a worker counts, for Prometheus. The gateway counts its own side under names of its own."""

from __future__ import annotations

from typing import Final

from prometheus_client import Counter, Gauge, Histogram

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
