"""The ways to the bots of a match: which process plays a seat, through which gateway. No I/O; time is an argument."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from arena.bus import Presence
from arena.bus.keys import ANNOUNCE_EVERY_S

SECOND: Final = 1_000_000_000
SETTLE: Final = 1 * SECOND
"""What a gateway said about a seat wins over presence that was looked up until so much later."""
OVERDUE: Final = 2 * ANNOUNCE_EVERY_S * SECOND
"""A bot that nobody has announced for so long is no longer at the gateway where it was."""
ABSENT: Final = 30 * SECOND
"""A bot that no gateway has known for so long has left: a gateway has started, and a bot dialled, in less."""
ALL_ABSENT: Final = 600 * SECOND
"""The same while no bot at all is present: then it is the gateways that are away, and no bot can come back."""


@dataclass(frozen=True, slots=True)
class Route:
    """A way to a bot."""

    session: str
    gateway: str
    wants_legal: bool

    def leads_to(self, session: Presence) -> bool:
        """Whether the session is where it was."""
        return (self.session, self.gateway) == (session.id, session.gateway)


class SeatWay:
    """The way to one seat."""

    def __init__(self, version: int) -> None:
        self.version = version
        self.pinned = ""
        """The session that accepted the match; before that any session of the version will do."""
        self.route: Route | None = None
        self.heard_at = -SETTLE
        """When a gateway last said something about the way to this seat."""
        self.absent_since: int | None = None

    def choose(self, sessions: Mapping[str, Presence]) -> Presence | None:
        """The session that is to play the seat, of those present."""
        if self.pinned:
            return sessions.get(self.pinned)
        if self.route is not None and (present := sessions.get(self.route.session)) is not None and present.connected:
            return present  # it has been offered the match already
        able = (one for one in sessions.values() if one.bot_version == self.version)
        free = (one for one in able if one.connected and not one.leaving)
        return max(free, key=lambda one: (one.is_available, one.capacity - one.running, one.id), default=None)

    def hear(self, now: int) -> None:
        """A gateway has spoken about this seat."""
        self.heard_at = now

    def is_news(self, looked_at: int) -> bool:
        """Whether presence of that moment says more than the gateways did."""
        return looked_at >= self.heard_at + SETTLE

    def follow(self, session: Presence) -> None:
        """From now on through the gateway that holds this session."""
        self.route = Route(session.id, session.gateway, session.wants_legal)
        self.absent_since = None

    def is_gone(self, now: int, *, are_others_present: bool) -> bool:
        """The bot is not present; whether it has been so for too long."""
        if self.absent_since is None:
            self.absent_since = now
        return now - self.absent_since > (ABSENT if are_others_present else ALL_ABSENT)

    def is_overdue(self, now: int) -> bool:
        """The bot has not been announced for longer than a gateway takes for it."""
        return self.absent_since is not None and now - self.absent_since > OVERDUE
