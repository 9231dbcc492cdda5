"""Traces by OpenTelemetry: where the time of a match, or of a request to the site, went. Off, and of no cost, unless
ARENA_OTLP_ENDPOINT names a collector, as in http://127.0.0.1:4318 (OTLP over HTTP).

All spans of a match are one trace, whichever processes they come from. Its id follows from the match's id, and so do
the ids of the spans that others have for parents: so nothing has to travel with a message, and nothing is stored.

    match                       the root, from the beginning of the match to its end, by the referee that ended it
    ├ schedule                  the row is made, by upkeep (or the site)
    ├ referee                   one owner's part; of a match that changed hands one for each epoch
    ├ decision                  from what had to be known for the request to the durable answer, by the referee
    │ ├ ask                     the request is made, and put on the bus
    │ ├ gateway                 from the bus to the bot's answer, by the gateway; the bot's own time is in it
    │ └ append                  the answer and what follows from it is written into the database
    └ GET match …               requests to the site that name the match, by the site

Spans are sent by a thread, in batches; where nobody takes them they are dropped.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

import structlog

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Tracer

ENDPOINT: Final = os.environ.get("ARENA_OTLP_ENDPOINT", "").rstrip("/")
EXPORT_S: Final = 10.0
"""How long a batch is tried: as OpenTelemetry does it, for a collector on a busy machine."""
STOP_S: Final = 1.0
"""How long a process waits at its end for what is left."""

is_on: bool = bool(ENDPOINT)
"""Whether this process is to trace. Whoever records asks this first."""

log = structlog.get_logger(__name__)

Value = str | bool | int | float

_tracer: Tracer | None = None
_provider: TracerProvider | None = None
_wanted = threading.local()


def trace_id(match: str) -> str:
    """The id of a match's trace, 32 hexadecimal digits."""
    return sha256(f"match {match}".encode()).hexdigest()[:32]


def span_id(match: str, *parts: str | int) -> str:
    """The id of a span of a match that others refer to, 16 hexadecimal digits; without parts, that of the root."""
    return sha256(" ".join(map(str, ("span", match, *parts))).encode()).hexdigest()[:16]


def decision_id(match: str, epoch: int, index: int) -> str:
    """The id of the span of a decision."""
    return span_id(match, "decision", epoch, index)


def start(process: str) -> None:
    """Begin, where ARENA_OTLP_ENDPOINT is set. `process`: what this is, as in `gateway`."""
    global _tracer, _provider
    if not is_on or _tracer is not None:
        return
    try:
        from arena.host.otlp import provider_for
    except ImportError as error:
        raise SystemExit(
            f"ARENA_OTLP_ENDPOINT is set, and the extra `tracing` is not installed: pip install 'naqala-arena[tracing]'"
            f" ({error})"
        ) from None
    _provider = provider_for(process, ENDPOINT, EXPORT_S, _next_id)
    _tracer = _provider.get_tracer("naqala-arena")
    log.info("tracing", endpoint=ENDPOINT, process=process)


def stop() -> None:
    """Send what is left, for a second at most: a process has few to leave. At its end."""
    global _tracer, _provider
    provider, _provider, _tracer = _provider, None, None
    if provider is not None:
        # Neither a collector that is away nor one that takes its time holds a process up.
        sending = threading.Thread(target=provider.shutdown, name="traces", daemon=True)
        sending.start()
        sending.join(STOP_S)


def record(
    name: str,
    began_ns: int,
    ended_ns: int,
    *,
    match: str = "",
    own_id: str = "",
    parent: str | None = None,
    attributes: Mapping[str, Value] | None = None,
    failed: str = "",
) -> None:
    """Record a span that is over; nothing where tracing is off. Times: Unix, in nanoseconds.

    `match`: whose trace it is of, else it is a trace of its own. `own_id`: its id, where others refer to it. `parent`:
    the id of its parent; None: the root of the match, empty: it is the root. `failed`: what went wrong.
    """
    if _tracer is None:
        return
    from opentelemetry.context import Context
    from opentelemetry.trace import NonRecordingSpan, SpanContext, Status, StatusCode, TraceFlags, set_span_in_context

    context = Context()
    if match and parent != "":
        above = SpanContext(
            int(trace_id(match), 16), int(parent or span_id(match), 16), is_remote=True, trace_flags=TraceFlags(1)
        )
        context = set_span_in_context(NonRecordingSpan(above), context)
    facts: dict[str, Any] = {**({"arena.match": match} if match else {}), **(attributes or {})}
    _wanted.trace, _wanted.span = trace_id(match) if match else "", own_id
    try:
        span = _tracer.start_span(name, context, attributes=facts, start_time=began_ns)
    finally:
        _wanted.trace = _wanted.span = ""
    if failed:
        span.set_status(Status(StatusCode.ERROR, failed))
    span.end(ended_ns)


def now() -> int:
    """The time for `record`."""
    return time.time_ns()


def _next_id(kind: str) -> int:
    """The id that the span or trace is to have that is being begun in this thread; 0: any."""
    return int(getattr(_wanted, kind, "") or "0", 16)
