"""What the site counts, for Prometheus."""

from __future__ import annotations

from typing import Final

from prometheus_client import Counter, Gauge, Histogram

_TIMES: Final = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 15.0)

REQUESTS: Final = Histogram(
    "arena_site_request_seconds", "From a request to its answer, before that is sent", ["kind"], buckets=_TIMES
)
"""`page`, `api`, or `file` (of the package: style sheets, scripts). Streams are in ANSWERS alone."""
ANSWERS: Final = Counter(
    "arena_site_answers_total", "Requests that were answered, by kind and status", ["kind", "status"]
)
"""The kinds of REQUESTS and `stream`; the status is one of `2xx` to `5xx`."""
STREAMS: Final = Gauge("arena_site_streams", "Readers of live pages")
