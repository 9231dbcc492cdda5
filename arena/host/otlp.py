"""The only module that imports OpenTelemetry's SDK. `arena.host.tracing` imports it if tracing is on."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.id_generator import IdGenerator, RandomIdGenerator

EVERY_MS = 1_000
"""Milliseconds between two exports of recorded spans."""


class _Ids(IdGenerator):
    """Generates the wanted ids, and random ones otherwise."""

    def __init__(self, wanted: Callable[[str], int]) -> None:
        self._wanted = wanted
        self._random = RandomIdGenerator()

    def generate_span_id(self) -> int:
        """Return the id of the span that begins."""
        return self._wanted("span") or self._random.generate_span_id()

    def generate_trace_id(self) -> int:
        """Return the id of the trace that begins."""
        return self._wanted("trace") or self._random.generate_trace_id()


def provider_for(process: str, endpoint: str, timeout_s: float, wanted: Callable[[str], int]) -> TracerProvider:
    """Return the recorder of this process's spans.

    `wanted` returns the id that a new `trace` or `span` must have; 0 for any.
    """
    about = {
        "service.name": f"arena-{process}",
        "service.namespace": "naqala-arena",
        "service.version": version("naqala-arena"),
    }
    # At its end the process exports the remaining spans itself, with a time limit (`tracing.stop`).
    provider = TracerProvider(resource=Resource.create(about), id_generator=_Ids(wanted), shutdown_on_exit=False)
    exporter = OTLPSpanExporter(f"{endpoint}/v1/traces", timeout=timeout_s)
    provider.add_span_processor(BatchSpanProcessor(exporter, schedule_delay_millis=EVERY_MS))
    return provider
