"""Quantiles of very many durations in little memory: a histogram whose bounds grow by a constant factor."""

from __future__ import annotations

from collections import Counter
from math import ceil, floor, log
from typing import Final

GROWTH: Final = 1.02
"""Ratio of a bucket's upper to its lower bound. The middle is reported, with a relative error of 1 %."""
LEAST_S: Final = 1e-6
"""Shorter times count as this."""


class Quantiles:
    """Times in seconds."""

    def __init__(self) -> None:
        self._buckets: Counter[int] = Counter()
        self.count = 0
        self.total_s = 0.0
        self.greatest_s = 0.0

    def add(self, seconds: float) -> None:
        """Add one time."""
        self._buckets[floor(log(max(seconds, LEAST_S) / LEAST_S) / log(GROWTH))] += 1
        self.count += 1
        self.total_s += seconds
        self.greatest_s = max(self.greatest_s, seconds)

    def merge(self, other: Quantiles) -> None:
        """Add all times of another one."""
        self._buckets += other._buckets
        self.count += other.count
        self.total_s += other.total_s
        self.greatest_s = max(self.greatest_s, other.greatest_s)

    def at(self, share: float) -> float | None:
        """Return the least time that is not exceeded by this share (0 to 1) of all; `None` if there are none."""
        wanted = max(1, ceil(share * self.count - 1e-9))
        seen = 0
        for bucket in sorted(self._buckets):
            seen += self._buckets[bucket]
            if seen >= wanted:
                middle: float = LEAST_S * GROWTH ** (bucket + 0.5)
                return min(self.greatest_s, middle)
        return None

    def document(self) -> dict[str, float | int | None]:
        """Return the quantiles in milliseconds, for people and programs."""

        def ms(seconds: float | None) -> float | None:
            return None if seconds is None else round(1e3 * seconds, 2)

        mean = self.total_s / self.count if self.count else None
        return {
            "p50": ms(self.at(0.5)),
            "p90": ms(self.at(0.9)),
            "p99": ms(self.at(0.99)),
            "max": ms(self.greatest_s) if self.count else None,
            "mean": ms(mean),
            "samples": self.count,
        }
