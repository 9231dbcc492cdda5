"""How many requests a token may make, and a stranger's address; counted by this process.

Told in the headers of draft-ietf-httpapi-ratelimit-headers: `RateLimit-Policy: "read";q=120;w=60` is what is granted,
`RateLimit: "read";r=119;t=1` what is left now, and in how many seconds all of it is there again.
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
"""Callers that are remembered; beyond that those who have called longest ago are forgotten."""


@dataclass(frozen=True)
class Policy:
    """So many requests within a minute, which come back evenly."""

    name: str
    quota: int


STRANGERS: Final = Policy("stranger", 120)
READS: Final = Policy("read", 600)
WRITES: Final = Policy("write", 60)
ACCOUNT_READS: Final = Policy("account-read", 3 * READS.quota)
ACCOUNT_WRITES: Final = Policy("account-write", 3 * WRITES.quota)
"""Of all tokens of an account together, those of its bots among them."""


@dataclass(frozen=True)
class Allowance:
    """What is left after a request."""

    policy: Policy
    is_granted: bool
    left: int
    whole_in_s: int
    """All is there again after so many seconds."""

    def tell(self, response: HttpResponseBase) -> None:
        """Write it into the headers."""
        name = self.policy.name
        response["RateLimit-Policy"] = f'"{name}";q={self.policy.quota};w={WINDOW_S}'
        response["RateLimit"] = f'"{name}";r={self.left};t={self.whole_in_s}'
        if not self.is_granted:
            response["Retry-After"] = str(math.ceil(WINDOW_S / self.policy.quota))


class Counts:
    """Of each caller and policy the time at which all of its quota is there again (the algorithm is known as GCRA)."""

    def __init__(self) -> None:
        self._whole_at: dict[tuple[Policy, str], float] = {}
        self._lock = Lock()

    def spend(self, policy: Policy, key: str) -> Allowance:
        """Count one request, if one is left."""
        with self._lock:
            now, each = time.monotonic(), WINDOW_S / policy.quota
            whole_at = max(self._whole_at.pop((policy, key), now), now)
            if is_granted := whole_at + each <= now + WINDOW_S:
                whole_at += each
            self._whole_at[policy, key] = whole_at  # last: the first ones have called longest ago
            if len(self._whole_at) > MOST_KEPT:
                del self._whole_at[next(iter(self._whole_at))]
        left = int((now + WINDOW_S - whole_at) / each + 1e-6)
        return Allowance(policy, is_granted, left, math.ceil(whole_at - now))

    def clear(self) -> None:
        """Forget everybody."""
        self._whole_at.clear()


counts = Counts()
