"""Which bots are present, as one worker process knows it. No I/O; time is an argument."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from arena.bus import Presence
from arena.bus.keys import ANNOUNCE_EVERY_S
from arena.referee import SECOND

REFRESH_EVERY: Final = 1 * SECOND
"""How often presence is read from the bus."""
STALE_AFTER: Final = 5 * SECOND
RECOVERY: Final = ANNOUNCE_EVERY_S * SECOND + REFRESH_EVERY + 1 * SECOND
"""After an outage the bus may be empty: how long until every gateway has announced its bots and that was read."""
NEVER: Final = -(1 << 62)


@dataclass(frozen=True, slots=True)
class PresenceSnapshot:
    """The presence of all bots at one moment. Times are of the monotonic clock, in nanoseconds."""

    bots: Mapping[str, Presence] = field(default_factory=dict)
    """By `Presence.id`."""
    read_at: int = NEVER
    """When the read began, so that the snapshot never claims to be newer than it is."""
    regained_at: int | None = None
    """When presence was read for the first time after the latest outage of the bus; None: there was no outage."""

    def is_stale(self, now: int) -> bool:
        """Whether the bus has been unavailable for some seconds: nobody knows which bots are present."""
        return now - self.read_at > STALE_AFTER

    def is_recovering(self, now: int) -> bool:
        """Whether the bus has only just come back: a bot that is missing here may be present all the same."""
        return self.regained_at is not None and now - self.regained_at < RECOVERY
