"""The gateway's metrics for Prometheus, and its spans of decisions."""

from __future__ import annotations

from typing import Final

from prometheus_client import Counter, Gauge, Histogram

from arena.bus import FromBot
from arena.host import tracing


def record_answer(answer: FromBot) -> None:
    """Record the time from the request's arrival here to the bot's answer."""
    if answer.index < 0:
        return  # an answer to an offer or to a request for a nonce
    took_ns = answer.queue_ns + answer.network_ns + answer.think_ns
    tracing.record(
        "gateway",
        answer.received_at_ns - took_ns,
        answer.received_at_ns,
        match=answer.match,
        parent=tracing.decision_id(answer.match, answer.epoch, answer.index),
        attributes={
            "arena.index": answer.index,
            "arena.seat": answer.seat,
            "arena.gateway": answer.gateway,
            "arena.queue_ms": answer.queue_ns / 1e6,
            "arena.network_ms": answer.network_ns / 1e6,
            "arena.think_ms": answer.think_ns / 1e6,
        },
    )


_FAST: Final = (0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0)
_SLOW: Final = (0.001, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0)

SESSIONS: Final = Gauge("arena_gateway_sessions", "Bot processes that this gateway holds", ["state"])
MATCHES: Final = Gauge("arena_gateway_matches", "Seats of matches that are played through this gateway")
HELLOS: Final = Counter("arena_gateway_hellos_total", "Hellos by answer", ["result"])
DECISIONS: Final = Counter("arena_decisions_total", "Answers to open requests")
FAULTS: Final = Counter("arena_faults_total", "Faults of bots in the wire protocol, by reason", ["reason"])
OVERHEAD: Final = Histogram(
    "arena_overhead_seconds", "Time from a match's last answer to its next request on the wire", buckets=_FAST
)
THINK: Final = Histogram("arena_gateway_think_seconds", "Time charged for an answer", buckets=_SLOW)
NETWORK: Final = Histogram(
    "arena_gateway_network_seconds", "Least ping round trip when an answer arrived", buckets=_FAST
)
QUEUE: Final = Histogram("arena_gateway_queue_seconds", "Time that a request waited in the gateway", buckets=_FAST)
UNDELIVERABLE: Final = Counter("arena_gateway_undeliverable_total", "Messages of workers that were refused", ["reason"])
CONNECTIONS: Final = Gauge("arena_gateway_connections", "Open connections of bots and other clients")
CONNECTIONS_CLOSED: Final = Counter("arena_gateway_connections_closed_total", "Unused connections that were closed")
STANDSTILL: Final = Counter(
    "arena_gateway_standstill_seconds_total", "Time for which the gateway was stalled and the bots' clocks were stopped"
)
CERTIFICATE_EXPIRES: Final = Gauge(
    "arena_gateway_certificate_expires_timestamp_seconds", "When the certificate in use expires; 0: no TLS here"
)
BUS_DROPPED: Final = Counter("arena_gateway_bus_dropped_total", "Messages to workers that were dropped", ["why"])

# A series that exists from the start shows its first event as an increase.
for _why in ("backlog", "mailbox"):
    BUS_DROPPED.labels(_why)
