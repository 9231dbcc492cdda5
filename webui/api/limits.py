"""Rate limits of the HTTP API, for each token and for each address of strangers. Each process counts for itself.

The limits are sent in the headers of draft-ietf-httpapi-ratelimit-headers. `RateLimit-Policy: "read";q=120;w=60` is the
quota. `RateLimit: "read";r=119;t=1` is what is left now, and the seconds until the whole quota is available again.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from threading import Lock
from typing import Final

from django.http import HttpResponseBase

from arena.host.limiters import Buckets

WINDOW_S: Final = 60
MOST_KEPT: Final = 50_000
"""Maximum number of callers in memory. Beyond it, the caller with the oldest call is evicted."""


@dataclass(frozen=True)
class QuotaPolicy:
    """A quota of requests for each minute, which refills evenly."""

    name: str
    quota: int


STRANGERS: Final = QuotaPolicy("stranger", 120)
READS: Final = QuotaPolicy("read", 600)
WRITES: Final = QuotaPolicy("write", 60)
ACCOUNT_READS: Final = QuotaPolicy("account-read", 3 * READS.quota)
ACCOUNT_WRITES: Final = QuotaPolicy("account-write", 3 * WRITES.quota)
"""Quotas for all tokens of an account together, including those of its bots."""


@dataclass(frozen=True)
class Allowance:
    """The rest of a quota after a request."""

    policy: QuotaPolicy
    is_granted: bool
    left: int
    whole_in_s: int
    """Seconds until the whole quota is available again."""

    def write_headers(self, response: HttpResponseBase) -> None:
        """Write the allowance into the headers."""
        name = self.policy.name
        response["RateLimit-Policy"] = f'"{name}";q={self.policy.quota};w={WINDOW_S}'
        response["RateLimit"] = f'"{name}";r={self.left};t={self.whole_in_s}'
        if not self.is_granted:
            response["Retry-After"] = str(math.ceil(WINDOW_S / self.policy.quota))


class RequestCounts:
    """The rate limiter: a token bucket for each caller and policy."""

    def __init__(self) -> None:
        self._buckets = Buckets(MOST_KEPT)
        self._lock = Lock()

    def spend(self, policy: QuotaPolicy, key: str) -> Allowance:
        """Count one request, if the quota allows one."""
        per_second = policy.quota / WINDOW_S
        with self._lock:
            now = time.monotonic_ns()
            bucket = self._buckets.find((policy, key), policy.quota, per_second, now)
            is_granted = bucket.take(1, now)
            left = bucket.left
        return Allowance(policy, is_granted, int(left + 1e-6), math.ceil((policy.quota - left) / per_second))

    def clear(self) -> None:
        """Remove all callers."""
        self._buckets.clear()


counts = RequestCounts()
