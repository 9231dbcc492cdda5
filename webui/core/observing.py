"""Metrics of the site, for Prometheus."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from asgiref.sync import iscoroutinefunction
from django.conf import settings
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponseBase
from django.utils.decorators import sync_and_async_middleware
from prometheus_client import Counter, Gauge, Histogram
from structlog.contextvars import bound_contextvars

from arena.host import tracing
from arena.host.logs import HEADER, SCOPE_KEY, new_request_id
from webui.core.feeds import live_slots
from webui.core.middleware import Handler

_TIMES: Final = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 15.0)

REQUESTS: Final = Histogram(
    "arena_site_request_seconds", "From a request to its answer, before that is sent", ["kind"], buckets=_TIMES
)
"""Kinds are `page`, `api`, and `file` (style sheets and scripts of the package). Streams are only in ANSWERS."""
ANSWERS: Final = Counter(
    "arena_site_answers_total", "Requests that were answered, by kind and status", ["kind", "status"]
)
"""Kinds are those of REQUESTS, and `stream`. The status is one of `2xx` to `5xx`."""
STREAMS: Final = Gauge("arena_site_streams", "Readers of live pages")


STREAMS.set_function(lambda: float(live_slots.taken))


class _ObservedRequest:
    """The measurement of one request."""

    def __init__(self, request: HttpRequest) -> None:
        known = request.scope.get(SCOPE_KEY) if isinstance(request, ASGIRequest) else None
        self.id: str = known or new_request_id()
        self._request = request
        self._began = time.perf_counter()
        self._began_ns = tracing.now() if tracing.is_on else 0

    def answered(self, response: HttpResponseBase) -> None:
        """Count the response, and send the request's id in its headers."""
        response.headers.setdefault(HEADER, self.id)
        kind, status = self._kind(response), f"{response.status_code // 100}xx"
        ANSWERS.labels(kind, status).inc()
        if kind != "stream":
            REQUESTS.labels(kind).observe(time.perf_counter() - self._began)
        if tracing.is_on and kind != "file":
            self._trace(response)

    def _kind(self, response: HttpResponseBase) -> str:
        if response.headers.get("Content-Type", "").startswith("text/event-stream"):
            return "stream"
        resolved = self._request.resolver_match
        if resolved is not None and "api" in resolved.namespaces:
            return "api"
        return "file" if self._request.path.startswith(settings.STATIC_URL) else "page"

    def _trace(self, response: HttpResponseBase) -> None:
        """Record the request in the trace of the match that it names, if any."""
        resolved = self._request.resolver_match
        facts: dict[str, str | int] = {"request.id": self.id, "http.response.status_code": response.status_code}
        facts["http.request.method"] = str(self._request.method)
        route = ""
        match = ""
        if resolved is not None:
            route = facts["http.route"] = resolved.route
            match = str(resolved.kwargs.get("match_id") or resolved.kwargs.get("challenge_id") or "")
        failed = "the request failed" if response.status_code >= 500 else ""
        name = f"{self._request.method} {route}".strip()
        tracing.record(name, self._began_ns, tracing.now(), match=match, attributes=facts, failed=failed)


@sync_and_async_middleware
def observe(get_response: Any) -> Handler:
    """Measure every request. This is the outermost middleware, so that every answer passes it."""
    if iscoroutinefunction(get_response):

        async def answer_async(request: HttpRequest) -> HttpResponseBase:
            with _bound(request) as seen:
                response: HttpResponseBase = await get_response(request)
                seen.answered(response)
                return response

        return answer_async

    def answer(request: HttpRequest) -> HttpResponseBase:
        with _bound(request) as seen:
            response: HttpResponseBase = get_response(request)
            seen.answered(response)
            return response

    return answer


@contextmanager
def _bound(request: HttpRequest) -> Iterator[_ObservedRequest]:
    seen = _ObservedRequest(request)
    request.META[SCOPE_KEY] = seen.id  # for log lines that Django writes after the answer has passed this middleware
    with bound_contextvars(request=seen.id):
        yield seen
