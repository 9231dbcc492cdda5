"""How the arena itself is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Final


@dataclass(frozen=True)
class ProcessLine:
    """A process of the arena."""

    name: str
    kind: str
    version: str
    """Empty: it does not tell."""
    started_at: datetime | None
    seen_at: datetime
    is_alive: bool
    """False: it has said nothing for longer than it may."""


BOUNDS_S: Final = (0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0)
"""Upper bounds of the classes in which overheads are counted, in seconds."""


class PartState(StrEnum):
    """How a part of the arena is."""

    UP = "up"
    DEGRADED = "degraded"
    """One of its processes has just died, or too few are there; others do its work."""
    DOWN = "down"
    UNKNOWN = "unknown"
    """It cannot be seen from here."""


PARTS: Final = ("site", "gateway", "referee", "upkeep", "database", "redis")
"""The parts, in the order in which they are shown."""


@dataclass(frozen=True)
class Overhead:
    """What the arena added to the decisions of the last hour."""

    decisions: int
    median_s: float
    p99_s: float


@dataclass(frozen=True)
class StatusDay:
    """A day (UTC), in minutes."""

    date: date
    minutes: int
    """That have passed since the arena was first looked at."""
    well: int
    degraded: int
    down: int
    """With those at which nobody looked: no worker was there."""


@dataclass(frozen=True)
class Incident:
    """Hours on end in which not all was well."""

    began: datetime
    ended: datetime
    """The end of the last of these hours."""
    minutes: int
    """At which a part was degraded or down, or nobody looked."""
    parts: Sequence[str]
    """Which, the one that was so for longest first; empty: nobody looked."""
    is_outage: bool
    """Something was down, or nobody looked."""


@dataclass(frozen=True)
class ArenaStatus:
    """All that anybody may know of how the arena is. It names no host and no process."""

    at: datetime
    parts: Mapping[str, PartState]
    running: int
    """Matches that are played now, those of hidden rounds left out."""
    oldest_wait_s: float
    """For how long the match has waited that has waited longest for a referee."""
    overhead: Overhead | None
    """None: no decision in the last hour."""
    days: Sequence[StatusDay]
    """The oldest first; the last one is today."""
    incidents: Sequence[Incident]
    """The latest first."""

    @property
    def state(self) -> PartState:
        """How it is on the whole: as its worst part."""
        states = set(self.parts.values())
        worst = (PartState.DOWN, PartState.UNKNOWN, PartState.DEGRADED)
        return next((state for state in worst if state in states), PartState.UP)


def overhead_of(counts: Sequence[int]) -> Overhead | None:
    """Median and 99th percentile of counts by `BOUNDS_S`: within a class they are taken to lie evenly, as Prometheus
    does; what is beyond the last bound counts as that."""
    total = sum(counts)
    if not total:
        return None
    return Overhead(total, _quantile(counts, 0.5), _quantile(counts, 0.99))


def _quantile(counts: Sequence[int], q: float) -> float:
    rank, below, low = q * sum(counts), 0, 0.0
    for count, high in zip(counts, BOUNDS_S, strict=False):
        if count and below + count >= rank:
            return low + (high - low) * (rank - below) / count
        below, low = below + count, high
    return BOUNDS_S[-1]
