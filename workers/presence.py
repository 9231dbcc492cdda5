"""Present bots, as one worker process knows them. No I/O; time is an argument."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from arena.bus import Presence
from arena.bus.keys import ANNOUNCE_EVERY_S
from arena.referee import SECOND

REFRESH_EVERY: Final = 1 * SECOND
"""Interval at which presence is read from the bus."""
STALE_AFTER: Final = 5 * SECOND
RECOVERY: Final = ANNOUNCE_EVERY_S * SECOND + REFRESH_EVERY + 1 * SECOND
"""Time after an outage, when the bus may be empty, until every gateway has announced its bots and presence was read."""
NEVER: Final = -(1 << 62)


@dataclass(frozen=True, slots=True)
class PresenceSnapshot:
    """Presence of all bots at one moment. Times are in nanoseconds, on the monotonic clock."""

    bots: Mapping[str, Presence] = field(default_factory=dict)
    """Bots by `Presence.id`."""
    read_at: int = NEVER
    """When the read began, so the snapshot never claims to be newer than it is."""
    regained_at: int | None = None
    """When presence was first read after the latest outage of the bus; None if there was no outage."""

    def is_stale(self, now: int) -> bool:
        """Return whether the bus has been unavailable for some seconds: nobody knows which bots are present."""
        return now - self.read_at > STALE_AFTER

    def is_recovering(self, now: int) -> bool:
        """Return whether the bus has only just recovered: a bot that is missing here may be present nevertheless."""
        return self.regained_at is not None and now - self.regained_at < RECOVERY
