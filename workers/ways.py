"""The ways to the bots of a match: which process plays a seat, through which gateway. No I/O; time is an argument.

Two sources say where a bot is. Its gateway speaks about it by messages (`Inbound`), at once; presence on the bus is
announced every few seconds and read every second (`Ways.follow`). The gateway is believed over presence that is older.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from arena.bus import Presence, WireReason
from arena.bus.keys import ANNOUNCE_EVERY_S
from arena.referee import SECOND, PathLost, SeatBack, SeatLost, SeatRecord
from arena.wire.matches import RoundTrip
from workers.presence import PresenceSnapshot

SETTLE: Final = 1 * SECOND
"""What a gateway said about a seat is believed over presence that was read within this time after it."""
OVERDUE: Final = 2 * ANNOUNCE_EVERY_S * SECOND
"""A bot that nobody has announced for this long is no longer at the gateway where it was."""
ABSENT: Final = 120 * SECOND
"""A bot that no gateway has announced for this long has left. A gateway that lives says so at once when a bot drops its
stream; one that stands still says nothing, and its bots notice that late."""
ALL_ABSENT: Final = 600 * SECOND
"""The same while no bot at all is present: then the gateways are missing, and no bot can come back."""


@dataclass(frozen=True, slots=True)
class Route:
    """A way to a bot."""

    session: str
    gateway: str
    wants_legal: bool

    def leads_to(self, presence: Presence) -> bool:
        """Whether the bot is where it was."""
        return (self.session, self.gateway) == (presence.id, presence.gateway)


class SeatWay:
    """The way to one seat."""

    def __init__(self, version: int, pinned: str = "") -> None:
        self.version = version
        self.pinned = pinned
        """The process of the bot that accepted the match; before that any process of the version will do."""
        self.route: Route | None = None
        self.reported_at = -SETTLE
        """When a gateway last said something about the way to this seat."""
        self.absent_since: int | None = None
        self.round_trip: RoundTrip | None = None
        """Where the time of the seat's last answer went."""

    def choose(self, bots: Mapping[str, Presence]) -> Presence | None:
        """The process that is to play the seat, of those present."""
        if self.pinned:
            return bots.get(self.pinned)
        if self.route is not None and (present := bots.get(self.route.session)) is not None and present.connected:
            return present  # it has been offered the match already
        able = (one for one in bots.values() if one.bot_version == self.version)
        free = (one for one in able if one.connected and not one.leaving)
        return max(free, key=lambda one: (one.is_available, one.capacity - one.running, one.id), default=None)

    def set_route(self, presence: Presence) -> None:
        """Reach the seat through the gateway that holds this process of the bot."""
        self.route = Route(presence.id, presence.gateway, presence.wants_legal)
        self.absent_since = None

    def leads_to(self, presence: Presence) -> bool:
        """Whether there is a route, and it leads to where the bot is."""
        return self.route is not None and self.route.leads_to(presence)

    def is_of(self, session: str) -> bool:
        """Whether this is the process that the route leads to."""
        return self.route is not None and self.route.session == session

    def is_through(self, session: str, gateway: str) -> bool:
        """Whether the route leads to this process through this gateway."""
        return self.route is not None and (self.route.session, self.route.gateway) == (session, gateway)

    def was_dropped(self, bots: Mapping[str, Presence]) -> bool:
        """Whether the process that the route leads to has dropped its stream, and its gateway says so."""
        return self.route is not None and (one := bots.get(self.route.session)) is not None and not one.connected

    def mark_reported(self, now: int) -> None:
        """A gateway has spoken about this seat."""
        self.reported_at = now

    def is_outdated_by(self, read_at: int) -> bool:
        """Whether presence that was read then says more than the gateways did."""
        return read_at >= self.reported_at + SETTLE

    def mark_absent(self, now: int) -> None:
        """Presence does not have the bot."""
        if self.absent_since is None:
            self.absent_since = now

    def has_left(self, now: int, *, are_others_present: bool) -> bool:
        """Whether the bot has been absent for too long to come back."""
        limit = ABSENT if are_others_present else ALL_ABSENT
        return self.absent_since is not None and now - self.absent_since > limit

    def is_overdue(self, now: int) -> bool:
        """Whether the bot has not been announced for longer than a gateway takes for it."""
        return self.absent_since is not None and now - self.absent_since > OVERDUE


class Ways(Mapping[int, SeatWay]):
    """The ways to all seats of a match, by seat."""

    def __init__(self, ways: Mapping[int, SeatWay]) -> None:
        self._ways = dict(ways)

    def __getitem__(self, seat: int) -> SeatWay:
        return self._ways[seat]

    def __iter__(self) -> Iterator[int]:
        return iter(self._ways)

    def __len__(self) -> int:
        return len(self._ways)

    def route(self, seat: int) -> Route | None:
        """The route to a seat; None while there is none."""
        return self._ways[seat].route

    def drop(self, seat: int) -> None:
        """The route to this seat does not work; presence will show another one."""
        self._ways[seat].route = None

    def without_route(self, seats: Iterable[int]) -> set[int]:
        """Those of these seats to which there is no route."""
        return {seat for seat in seats if self._ways[seat].route is None}

    def set_routes(self, presence: PresenceSnapshot) -> None:
        """The routes to begin with."""
        for way in self._ways.values():
            if (found := way.choose(presence.bots)) is not None:
                way.set_route(found)

    def follow(
        self, presence: PresenceSnapshot, seats: Mapping[int, SeatRecord], now: int
    ) -> Iterator[PathLost | SeatLost | SeatBack]:
        """Follow the bots to where presence shows them: what that means for the referee, one event at a time, each to
        be handled before the next is asked for."""
        if presence.is_stale(now):
            return
        for number, way in self._ways.items():
            if not way.is_outdated_by(presence.read_at):
                continue
            found = way.choose(presence.bots)
            if seats[number].has_forfeited:
                if found is not None and found.connected and not way.leads_to(found):
                    way.set_route(found)
                    yield SeatBack(number)  # to be told of its forfeit, and of the end
                continue
            was_left = seats[number].is_away or way.was_dropped(presence.bots)
            if found is None:
                yield from self._miss(number, now, was_left=was_left, are_others_present=bool(presence.bots))
                continue
            is_new = not way.leads_to(found)
            has_moved = is_new and way.route is not None
            if has_moved:
                yield PathLost(number, left_by_bot=was_left)
            way.set_route(found)
            if not found.connected:
                yield SeatLost(number, WireReason.STREAM_LOST)
            elif is_new or seats[number].is_away:
                yield SeatBack(number)

    def _miss(self, seat: int, now: int, *, was_left: bool, are_others_present: bool) -> Iterator[PathLost | SeatLost]:
        way = self._ways[seat]
        way.mark_absent(now)
        if way.has_left(now, are_others_present=are_others_present):
            yield SeatLost(seat, WireReason.ABSENT)
        # A gateway that lives is announced again soon, whatever Redis has lost; until then its mailbox is as good.
        if way.route is not None and way.is_overdue(now):
            yield PathLost(seat, left_by_bot=was_left)
