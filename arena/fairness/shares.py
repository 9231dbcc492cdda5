"""Shares with Wilson's interval (1927, *Journal of the American Statistical Association* 22)."""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

Z = 1.96
"""Standard errors on each side of a 95 % interval."""


class ShareInterval(NamedTuple):
    """A share with its 95 % interval."""

    share: float
    low: float
    high: float


def wilson(won: float, number: float) -> ShareInterval:
    """Return the share `won / number` with its interval. `won` may be fractional, for wins that are shared."""
    share = won / number
    middle = (share + Z * Z / (2 * number)) / (1 + Z * Z / number)
    half = Z / (1 + Z * Z / number) * sqrt(share * (1 - share) / number + Z * Z / (4 * number * number))
    return ShareInterval(share, max(0.0, middle - half), min(1.0, middle + half))
