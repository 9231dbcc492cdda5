"""Traces by OpenTelemetry: they show where the time of a match, or of a request to the site, went.

Tracing is off and costs nothing unless ARENA_OTLP_ENDPOINT names a collector, such as http://127.0.0.1:4318 (OTLP over
HTTP). All spans of a match are one trace, whichever processes they come from. The trace's id is derived from the
match's id, and so are the ids of spans that are parents of others. Therefore no message carries ids, and nothing is
stored.

    match                     the root, from the beginning of the match to its end, by the referee that ended it
    ├ schedule                the row is made, by upkeep (or the site)
    ├ referee                 one owner's part; one for each epoch of a match that changed owners
    ├ decision                from the moment when the request could be made to the durable answer, by the referee
    │ ├ ask                   the request is made, and put on the bus
    │ ├ gateway               from the bus to the bot's answer, including the bot's own time, by the gateway
    │ └ append                the answer and its consequences are written to the database
    └ GET match …             requests to the site that name the match, by the site

A thread sends the spans in batches. They are dropped if the collector does not accept them.
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
"""Seconds for which a batch is tried, as OpenTelemetry does it, for a collector on a busy machine."""
STOP_S: Final = 1.0
"""Seconds for which a process waits at its end for the remaining spans."""

is_on: bool = bool(ENDPOINT)
"""Whether this process traces. Check this before recording."""

log = structlog.get_logger(__name__)

Value = str | bool | int | float

_tracer: Tracer | None = None
_provider: TracerProvider | None = None
_wanted = threading.local()


def trace_id(match: str) -> str:
    """Return the id of a match's trace, 32 hexadecimal digits."""
    return sha256(f"match {match}".encode()).hexdigest()[:32]


def span_id(match: str, *parts: str | int) -> str:
    """Return the id of a match's span that others refer to, 16 hexadecimal digits; without parts that of the root."""
    return sha256(" ".join(map(str, ("span", match, *parts))).encode()).hexdigest()[:16]


def decision_id(match: str, epoch: int, index: int) -> str:
    """Return the id of the span of a decision."""
    return span_id(match, "decision", epoch, index)


def start(process: str) -> None:
    """Start tracing if ARENA_OTLP_ENDPOINT is set. `process` is the kind of process, such as `gateway`."""
    global _tracer, _provider
    if not is_on or _tracer is not None:
        return
    try:
        from arena.host.otlp import provider_for
    except ImportError as error:
        raise SystemExit(
            f"ARENA_OTLP_ENDPOINT is set, but the extra `tracing` is not installed: pip install 'naqala-arena[tracing]'"
            f" ({error})"
        ) from None
    _provider = provider_for(process, ENDPOINT, EXPORT_S, _next_id)
    _tracer = _provider.get_tracer("naqala-arena")
    log.info("tracing", endpoint=ENDPOINT, process=process)


def stop() -> None:
    """Send the remaining spans, for at most a second. Call it at the end of a process."""
    global _tracer, _provider
    provider, _provider, _tracer = _provider, None, None
    if provider is not None:
        # Neither an unreachable collector nor a slow one may delay the end of a process.
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
    """Record a finished span; does nothing if tracing is off. Times are Unix times in nanoseconds.

    - `match`: the match whose trace it belongs to; without one it is its own trace.
    - `own_id`: its id, if others refer to it.
    - `parent`: the id of its parent; `None` for the root of the match, empty if it is the root itself.
    - `failed`: the error, if it failed.
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
    """Return the current time for `record`."""
    return time.time_ns()


def _next_id(kind: str) -> int:
    """Return the wanted id of the span or trace that this thread begins; 0 for any."""
    return int(getattr(_wanted, kind, "") or "0", 16)
