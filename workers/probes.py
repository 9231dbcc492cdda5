"""The check whether time is really up: only if the paths to the seats concerned are known to be sound. No I/O.

An answer may have arrived at a gateway and still be on the bus when a deadline passes. Therefore a probe goes to the
gateway of each seat concerned before `TimePassed` is handed to the referee. It follows the pending ask, which is sent
again. A probe is a message to a session that cannot exist. The gateway answers it by `undeliverable`, after everything
that it has sent before. Once all answers are back, no answer of a bot was in transit. A probe that does not come back
means that the path is broken, which is never charged to the bot.

The answer also says how long the bot has had the ask, as measured by its gateway. It excludes the time for which the
gateway was stalled, or the ask in transit. A worker's own measurement is useless, because the worker or the bus may
have been stalled as well.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Final

from arena.bus import PROBE, FromBot, probe_id
from arena.referee import SECOND
from workers.paths import PresenceSnapshot, SeatPaths

PROBE_TIMEOUT: Final = 1 * SECOND
"""Maximum time for the round trip to a gateway; after it the path counts as broken."""


@dataclass(frozen=True, slots=True)
class Probe:
    """A message to a gateway, for a session that cannot exist."""

    session: str
    """`probe_id` of the session that it asks about."""
    gateway: str
    seat: int
    """Seat for which it is sent."""


@dataclass(frozen=True, slots=True)
class NotYet:
    """The deadline has not passed, or probes are pending."""


@dataclass(frozen=True, slots=True)
class SendProbes:
    """The deadline has passed: send these probes, and check again when they are answered."""

    probes: tuple[Probe, ...]


@dataclass(frozen=True, slots=True)
class PathsBroken:
    """The deadline has passed, but the paths to these seats are broken."""

    seats: tuple[int, ...]
    is_silence: bool = False
    """Whether probes that did not come back showed it."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Time for which a seat has had its ask, as measured by its gateway."""

    seat: int
    index: int
    """Index of the ask; `NO_ASK` if the gateway knows none."""
    open_ns: int
    gone_ns: int = 0


@dataclass(frozen=True, slots=True)
class TimeUp:
    """The deadline has passed, and everything that arrived before has been handed in.

    The gateways' readings are to be handed in as well.
    """

    readings: tuple[Reading, ...] = ()


Finding = NotYet | SendProbes | PathsBroken | TimeUp


def _new_name() -> str:
    return secrets.token_hex(8)


class DeadlineCheck:
    """The check of one match's deadlines."""

    def __init__(self, new_name: Callable[[], str] = _new_name) -> None:
        self._new_name = new_name
        self._open: dict[str, int] = {}
        """Seats for which probes are pending, by the name of the probe."""
        self._readings: list[Reading] = []
        self._sent_at: int | None = None
        """When the probes were sent; None if there are none for this deadline."""

    def wake_at(self, deadline: int | None) -> int | None:
        """Return when to check again if nothing arrives before."""
        return deadline if self._sent_at is None else self._sent_at + PROBE_TIMEOUT

    def answer(self, message: FromBot) -> bool:
        """Take in a message. Return whether it was the answer to a probe."""
        seat = self._open.pop(message.session, None)
        if seat is not None and message.open_ns >= 0:
            self._readings.append(Reading(seat, message.index, message.open_ns, message.gone_ns))
        return message.session.startswith(PROBE)

    def check(
        self, deadline: int | None, now: int, seats: Collection[int], paths: SeatPaths, presence: PresenceSnapshot
    ) -> Finding:
        """Return what to do about a deadline of these seats (on the monotonic clock, None for none)."""
        if deadline is None or now < deadline:
            self._reset()
            return NotYet()
        if presence.is_stale(now):
            return PathsBroken(tuple(sorted(seats)))
        if presence.is_recovering(now) and (lost := paths.without_route(seats)):
            return PathsBroken(tuple(sorted(lost)))
        if self._sent_at is None:
            return self._send(now, seats, paths)
        if not self._open:
            readings = tuple(self._readings)
            self._reset()
            return TimeUp(readings)
        if now < self._sent_at + PROBE_TIMEOUT:
            return NotYet()
        silent = tuple(sorted(set(self._open.values())))
        self._reset()
        return PathsBroken(silent, is_silence=True)

    def _send(self, now: int, seats: Collection[int], paths: SeatPaths) -> Finding:
        probes = [
            Probe(probe_id(self._new_name(), route.session), route.gateway, seat)
            for seat in seats
            if (route := paths.route(seat))
        ]
        if not probes:
            return TimeUp()
        self._open = {probe.session: probe.seat for probe in probes}
        self._sent_at = now
        return SendProbes(tuple(probes))

    def _reset(self) -> None:
        self._open, self._readings, self._sent_at = {}, [], None
