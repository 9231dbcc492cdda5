"""The gateway's span of a decision (`arena.host.tracing`). It is made only if tracing is on."""

from __future__ import annotations

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
