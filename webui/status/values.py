"""Values of the arena's status."""

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
    """Versions of the arena and its rules."""
    started_at: datetime
    seen_at: datetime
    is_alive: bool
    """Whether its last announcement is recent enough."""


BOUNDS_S: Final = (0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0)
"""Upper bounds of the histogram classes for overheads, in seconds."""


class PartState(StrEnum):
    """The state of a part of the arena."""

    UP = "up"
    DEGRADED = "degraded"
    """One of its processes has just died, and others do its work."""
    DOWN = "down"
    UNKNOWN = "unknown"
    """The state cannot be determined from here."""


PARTS: Final = ("site", "gateway", "referee", "upkeep", "database", "redis")
"""Names of the parts, in the order in which they are shown."""


@dataclass(frozen=True)
class Overhead:
    """The overhead that the arena added to the decisions of the last hour."""

    decisions: int
    median_s: float
    p99_s: float


@dataclass(frozen=True)
class Day:
    """A day (UTC) of the history, in minutes."""

    date: date
    minutes: int
    """Known minutes: those that have passed since the arena was first observed."""
    well: int
    degraded: int
    down: int
    """Minutes with a part down, and minutes without an observation."""


@dataclass(frozen=True)
class Incident:
    """A run of consecutive hours with trouble."""

    began: datetime
    ended: datetime
    """End of the last of these hours."""
    minutes: int
    """Minutes in which a part was degraded or down, or without an observation."""
    parts: Sequence[str]
    """Parts that were degraded or down, longest first. Empty if there were only missing observations."""
    is_outage: bool
    """Whether a part was down, or observations are missing."""


@dataclass(frozen=True)
class ArenaStatus:
    """The public status of the arena. It names no host and no process."""

    at: datetime
    parts: Mapping[str, PartState]
    running: int
    """Number of matches in progress, without those of hidden rounds."""
    oldest_wait_s: float
    """Longest time that a match has now waited for a referee, in seconds."""
    is_overloaded: bool
    """Whether a process gets too little of its machine's processor. The arena then makes fewer matches."""
    upkeep_late_s: float
    """Lateness of the most overdue periodic task for which somebody waits, in seconds."""
    overhead: Overhead | None
    """Overhead of the last hour. None if it had no decision."""
    days: Sequence[Day]
    """Days of the history, oldest first. The last one is today."""
    incidents: Sequence[Incident]
    """Incidents, latest first."""

    @property
    def state(self) -> PartState:
        """The state of the whole arena, which is that of its worst part."""
        states = set(self.parts.values())
        worst = (PartState.DOWN, PartState.UNKNOWN, PartState.DEGRADED)
        return next((state for state in worst if state in states), PartState.UP)


def overhead_of(counts: Sequence[int]) -> Overhead | None:
    """Return median and 99th percentile of counts by the classes of `BOUNDS_S`. Return None if all counts are 0.

    Values are assumed to be spread evenly within a class, as in Prometheus. Values beyond the last bound count as it.
    """
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
