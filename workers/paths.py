"""The paths to the bots of a match: the process that plays a seat, and its gateway. No I/O; time is an argument.

Two sources say where a bot is. Its gateway sends messages about it (`Inbound`), without delay. Presence on the bus is
announced every few seconds and read every second (`SeatPaths.follow`). If they differ, the gateway wins over older
presence.

The process that accepted a match plays it to its end. If it is gone for some seconds, a process that came after it with
the same token takes over, and any runner for one that a runner plays (`SeatPath.successor`). The log names it
(`SeatBack.by`), so the match's next owner finds it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

import structlog

from arena.bus import Presence, WireReason, hosted_version
from arena.bus.keys import ANNOUNCE_EVERY_S
from arena.referee import SECOND, PathLost, SeatBack, SeatLost, SeatRecord
from arena.wire.matches import RoundTrip

REFRESH_EVERY: Final = 1 * SECOND
"""Interval at which presence is read from the bus."""
STALE_AFTER: Final = 5 * SECOND
RECOVERY: Final = ANNOUNCE_EVERY_S * SECOND + REFRESH_EVERY + 1 * SECOND
"""Time after an outage, when the bus may be empty, until every gateway has announced its bots and presence was read."""
NEVER: Final = -(1 << 62)

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class PresenceSnapshot:
    """Presence of all bots at one moment. Times are in nanoseconds, on the monotonic clock."""

    bots: Mapping[str, Presence] = field(default_factory=dict)
    """Bots by `Presence.id`."""
    read_at: int = NEVER
    """When the read began, so the snapshot never claims to be newer than it is."""
    regained_at: int | None = None
    """When presence was first read after the latest outage of the bus; None if there was no outage."""
    by_token: Mapping[int, list[Presence]] = field(init=False)
    """The same bots, by the token with which they said hello."""
    by_hosted_version: Mapping[int, list[Presence]] = field(init=False)
    """The sessions of runners, by the version that they play."""

    def __post_init__(self) -> None:
        """Sort the bots by their tokens and by their hosted versions."""
        by_token: dict[int, list[Presence]] = {}
        by_hosted_version: dict[int, list[Presence]] = {}
        for bot in self.bots.values():
            by_token.setdefault(bot.token, []).append(bot)
            if (version := hosted_version(bot.id)) is not None:
                by_hosted_version.setdefault(version, []).append(bot)
        object.__setattr__(self, "by_token", by_token)
        object.__setattr__(self, "by_hosted_version", by_hosted_version)

    def is_stale(self, now: int) -> bool:
        """Return whether the bus has been unavailable for some seconds: nobody knows which bots are present."""
        return now - self.read_at > STALE_AFTER

    def is_recovering(self, now: int) -> bool:
        """Return whether the bus has only just recovered: a bot that is missing here may be present nevertheless."""
        return self.regained_at is not None and now - self.regained_at < RECOVERY


SETTLE: Final = 1 * SECOND
"""Time after a gateway's report for which presence that was read is ignored."""
OVERDUE: Final = 2 * ANNOUNCE_EVERY_S * SECOND
"""Time without an announcement after which a bot is no longer at its last gateway."""
ABSENT: Final = 120 * SECOND
"""Time without an announcement from any gateway after which a bot has left.

A gateway reports at once when a bot drops its stream. A stalled gateway reports nothing, and its bots notice that
late.
"""
ALL_ABSENT: Final = 600 * SECOND
"""The same limit while no bot at all is present: then the gateways are missing, and no bot can reconnect."""
HAND_OVER: Final = 5 * SECOND
"""Time after which the matches of a process that is gone are handed over to a new process with its token.

A container has a new host name each time it starts, so its process often has a new name, too. The limit leaves time to
a process that only reconnects.
"""
HAND_OVER_UNSEEN: Final = 60 * SECOND
"""The same limit for a referee that has never seen the process, because it began when that was gone.

It does not know which token the process had, so any process of the version may replace it. The limit is longer than an
outage of all gateways should last, and less than `ABSENT`.
"""


@dataclass(frozen=True, slots=True)
class Route:
    """A path to a bot."""

    session: str
    gateway: str
    wants_legal: bool

    def leads_to(self, presence: Presence) -> bool:
        """Return whether the bot is still where the route leads."""
        return (self.session, self.gateway) == (presence.id, presence.gateway)


class SeatPath:
    """The path to one seat."""

    def __init__(self, version: int, pinned: str = "", *, is_house: bool = False, is_person: bool = False) -> None:
        self.version = version
        self._is_house = is_house
        self._is_person = is_person
        self.pinned = pinned
        """Process of the bot that accepted the match, or its successor. Until then any process of the version can play.
        """
        self._token = 0
        """Token of the pinned process; 0 until presence has shown that process to this referee."""
        self._older: frozenset[str] = frozenset()
        """Other processes of the token that were present while the pinned one was, and that do not replace it."""
        self._gone_since: int | None = None
        """When presence first showed the pinned process without a stream, or no longer showed it."""
        self.route: Route | None = None
        self.reported_at = -SETTLE
        """When a gateway last reported about the path to this seat."""
        self.absent_since: int | None = None
        self.round_trip: RoundTrip | None = None
        """Measured times of the seat's last answer."""

    @property
    def is_hosted(self) -> bool:
        """Return whether a runner plays the seat. Any other runner may replace it."""
        session = self.pinned or (self.route.session if self.route is not None else "")
        return hosted_version(session) is not None

    @property
    def is_house(self) -> bool:
        """Return whether this is a house bot that has dialled in. It shares the arena's processor, so neither its clock
        nor its grace runs. One that a runner plays has a fair core, and is a bot like others.
        """
        return self._is_house and not self.is_hosted

    @property
    def is_run_by_arena(self) -> bool:
        """Return whether the arena runs the bot, itself or by a runner, or speaks for a person who answers on its site.
        A lost path is then never the seat's fault.
        """
        return self.is_house or self.is_hosted or self._is_person

    def choose(self, bots: Mapping[str, Presence]) -> Presence | None:
        """Return the process that is to play the seat, among those present."""
        if self.pinned:
            return bots.get(self.pinned)
        if self.route is not None and (present := bots.get(self.route.session)) is not None and present.connected:
            return present  # it has already been offered the match
        able = (bot for bot in bots.values() if bot.bot_version == self.version)
        free = (bot for bot in able if bot.connected and not bot.leaving)
        return max(free, key=lambda bot: (bot.is_available, bot.capacity - bot.running, bot.id), default=None)

    def successor(self, presence: PresenceSnapshot, now: int) -> Presence | None:
        """Return the process that replaces the pinned one; None while that lives or nobody replaces it.

        A successor has the same token and plays the same version. It said hello while the pinned process was leaving or
        after that was gone; a process that was there before has its own matches. Any runner replaces another one, even
        if it offers the version for no new match: its bot may have been paused meanwhile.

        If this referee has never seen the pinned process, any process of the version replaces it, but later
        (`HAND_OVER_UNSEEN`).
        """
        if not self.pinned:
            return None
        holder = presence.bots.get(self.pinned)
        if holder is not None:
            self._token = holder.token
        if self.is_hosted:
            able = presence.by_hosted_version.get(self.version, [])
        else:
            of_token = presence.by_token.get(self._token, ()) if self._token else presence.bots.values()
            able = [bot for bot in of_token if bot.bot_version == self.version]
        able = [bot for bot in able if self.is_hosted or not bot.leaving]
        free = [bot for bot in able if bot.connected and bot.id != self.pinned]
        if holder is not None and holder.connected:
            may_replace = holder.leaving or self.is_hosted
            self._older = frozenset() if may_replace else frozenset(bot.id for bot in free)
            self._gone_since = None
            return None
        if self._gone_since is None:
            self._gone_since = now
        if now - self._gone_since < (HAND_OVER if self._token or self.is_hosted else HAND_OVER_UNSEEN):
            return None
        new = (bot for bot in free if bot.id not in self._older)
        return max(new, key=lambda bot: (bot.is_available, bot.capacity - bot.running, bot.id), default=None)

    def pin(self, session: str) -> None:
        """Let only this process play the seat."""
        self.pinned = session
        self._older, self._gone_since = frozenset(), None

    def set_route(self, presence: Presence) -> None:
        """Reach the seat through the gateway that holds this process of the bot."""
        self.route = Route(presence.id, presence.gateway, presence.wants_legal)
        self.absent_since = None

    def leads_to(self, presence: Presence) -> bool:
        """Return whether there is a route, and it leads to where the bot is."""
        return self.route is not None and self.route.leads_to(presence)

    def is_of(self, session: str) -> bool:
        """Return whether this is the process that the route leads to."""
        return self.route is not None and self.route.session == session

    def is_through(self, session: str, gateway: str) -> bool:
        """Return whether the route leads to this process through this gateway."""
        return self.route is not None and (self.route.session, self.route.gateway) == (session, gateway)

    def was_dropped(self, bots: Mapping[str, Presence]) -> bool:
        """Return whether the process that the route leads to has dropped its stream, according to its gateway."""
        return self.route is not None and (bot := bots.get(self.route.session)) is not None and not bot.connected

    def mark_reported(self, now: int) -> None:
        """Record that a gateway has reported about this seat."""
        self.reported_at = now

    def is_outdated_by(self, read_at: int) -> bool:
        """Return whether presence read at this time overrides the gateways' reports."""
        return read_at >= self.reported_at + SETTLE

    def mark_absent(self, now: int) -> None:
        """Record that presence does not show the bot."""
        if self.absent_since is None:
            self.absent_since = now

    def has_left(self, now: int, *, are_others_present: bool) -> bool:
        """Return whether the bot has been absent for too long to reconnect."""
        limit = ABSENT if are_others_present else ALL_ABSENT
        return self.absent_since is not None and now - self.absent_since > limit

    def is_overdue(self, now: int) -> bool:
        """Return whether the bot has not been announced for longer than a gateway takes to do so."""
        return self.absent_since is not None and now - self.absent_since > OVERDUE


class SeatPaths(Mapping[int, SeatPath]):
    """The paths to all seats of a match, by seat."""

    def __init__(self, paths: Mapping[int, SeatPath]) -> None:
        self._paths = dict(paths)

    def __getitem__(self, seat: int) -> SeatPath:
        return self._paths[seat]

    def __iter__(self) -> Iterator[int]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)

    def route(self, seat: int) -> Route | None:
        """Return the route to a seat; None while there is none."""
        return self._paths[seat].route

    def drop(self, seat: int) -> None:
        """Drop the route to this seat, which does not work; presence will show another one."""
        self._paths[seat].route = None

    def without_route(self, seats: Iterable[int]) -> set[int]:
        """Return those of these seats that have no route."""
        return {seat for seat in seats if self._paths[seat].route is None}

    def set_routes(self, presence: PresenceSnapshot) -> None:
        """Set the initial routes."""
        for path in self._paths.values():
            if (bot := path.choose(presence.bots)) is not None:
                path.set_route(bot)

    def follow(
        self, presence: PresenceSnapshot, seats: Mapping[int, SeatRecord], now: int
    ) -> Iterator[PathLost | SeatLost | SeatBack]:
        """Follow the bots to where presence shows them. Yield the resulting events for the referee.

        Handle each event before asking for the next one.
        """
        if presence.is_stale(now):
            return
        for number, path in self._paths.items():
            if not path.is_outdated_by(presence.read_at):
                continue
            # A lost runner has taken its nonce with it. The match then ends before it begins, without blame.
            is_replaceable = not path.is_hosted or seats[number].nonce is not None
            if (heir := path.successor(presence, now) if is_replaceable else None) is not None:
                log.warning("seat_handed_over", seat=number, process=heir.process)
                path.pin(heir.id)
            bot = path.choose(presence.bots)
            if seats[number].has_forfeited:
                if bot is not None and bot.connected and not path.leads_to(bot):
                    path.set_route(bot)
                    yield SeatBack(number)  # so that it learns of its forfeit, and of the end
                continue
            was_left = seats[number].is_away or path.was_dropped(presence.bots)
            if bot is None:
                yield from self._absent(number, now, was_left=was_left, are_others_present=bool(presence.bots))
                continue
            is_new = not path.leads_to(bot)
            has_moved = is_new and path.route is not None
            if has_moved:
                is_handed_over = heir is not None and not path.is_run_by_arena
                yield PathLost(number, left_by_bot=was_left, is_handed_over=is_handed_over)
            path.set_route(bot)
            if not bot.connected and path.is_run_by_arena:
                yield PathLost(number)
            elif not bot.connected:
                yield SeatLost(number, WireReason.STREAM_LOST)
            elif is_new or seats[number].is_away:
                yield SeatBack(number, by=heir.id if heir is not None else "")

    def strays(self, match: str, presence: PresenceSnapshot) -> Iterator[tuple[int, Presence]]:
        """Yield the runners that still play a seat of this match which another runner has taken over, with the seat.

        Such a runner was stopped or cut off, and is back.
        """
        for seat, path in self._paths.items():
            if path.pinned and path.is_hosted:
                for bot in presence.by_hosted_version.get(path.version, ()):
                    if match in bot.matches and bot.id != path.pinned:
                        yield seat, bot

    def _absent(
        self, seat: int, now: int, *, was_left: bool, are_others_present: bool
    ) -> Iterator[PathLost | SeatLost]:
        path = self._paths[seat]
        path.mark_absent(now)
        if path.has_left(now, are_others_present=are_others_present) and not path.is_run_by_arena:
            yield SeatLost(seat, WireReason.ABSENT)
        # A live gateway is announced again soon, whatever Redis has lost. Until then its mailbox is as good.
        if path.route is not None and path.is_overdue(now):
            yield PathLost(seat, left_by_bot=was_left)
