"""Whether time is really up: only when the ways to the seats concerned are known to be sound. No I/O.

An answer may have arrived at a gateway and wait on the bus while a deadline passes. So before `TimePassed` is handed to
the referee, a probe goes to the gateway of each seat concerned, behind the open ask, which is sent again: a message for
a session that cannot exist, which the gateway answers by `undeliverable`. That answer comes after everything that the
gateway sent before it. With all of them back, no answer of a bot was on its way; a probe that does not come back means
that the way is broken, which is never charged to the bot.

The answer also says how long the bot has had the ask, as its gateway measures it: without the time for which the
gateway stood still, or the ask was on its way. What a worker sees of time is no measure: it, or the bus, may have stood
still as well.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Final

from arena.bus import PROBE, FromBot, probe_id
from arena.referee import SECOND
from workers.presence import PresenceSnapshot
from workers.ways import Ways

PROBE_TIMEOUT: Final = 1 * SECOND
"""How long the way to a gateway and back may take before it counts as broken."""


@dataclass(frozen=True, slots=True)
class Probe:
    """A message to a gateway, for a session that cannot exist."""

    session: str
    """`probe_id` of the session that it asks about."""
    gateway: str
    seat: int
    """On whose account it is sent."""


@dataclass(frozen=True, slots=True)
class NotYet:
    """The deadline is ahead, or probes are out."""


@dataclass(frozen=True, slots=True)
class SendProbes:
    """The deadline has passed: send these, and ask again when they are answered."""

    probes: tuple[Probe, ...]


@dataclass(frozen=True, slots=True)
class WaysBroken:
    """The deadline has passed, but the ways to these seats are broken."""

    seats: tuple[int, ...]
    is_silence: bool = False
    """Found out by probes that did not come back."""


@dataclass(frozen=True, slots=True)
class Reading:
    """For how long a seat has had its ask, by its gateway."""

    seat: int
    index: int
    """Of the ask; `NO_ASK` if the gateway knows of none."""
    open_ns: int
    gone_ns: int = 0


@dataclass(frozen=True, slots=True)
class TimeUp:
    """The deadline has passed, and everything that arrived before has been handed in. What the gateways say about time
    is to be handed in as well; a gateway of an earlier version says nothing."""

    readings: tuple[Reading, ...] = ()


Finding = NotYet | SendProbes | WaysBroken | TimeUp


def _new_name() -> str:
    return secrets.token_hex(8)


class DeadlineCheck:
    """The check of one match's deadlines."""

    def __init__(self, new_name: Callable[[], str] = _new_name) -> None:
        self._new_name = new_name
        self._open: dict[str, int] = {}
        """The seats on whose account probes are out, by the name of the probe."""
        self._readings: list[Reading] = []
        self._sent_at: int | None = None
        """When the probes were sent; None: there are none for this deadline."""

    def wake_at(self, deadline: int | None) -> int | None:
        """When to check again, if nothing arrives before."""
        return deadline if self._sent_at is None else self._sent_at + PROBE_TIMEOUT

    def answer(self, message: FromBot) -> bool:
        """Take in a message; whether it was the answer to a probe."""
        seat = self._open.pop(message.session, None)
        if seat is not None and message.open_ns >= 0:
            self._readings.append(Reading(seat, message.index, message.open_ns, message.gone_ns))
        return message.session.startswith(PROBE)

    def check(
        self, deadline: int | None, now: int, seats: Collection[int], ways: Ways, presence: PresenceSnapshot
    ) -> Finding:
        """What to do about a deadline (of the monotonic clock, None for none) of these seats."""
        if deadline is None or now < deadline:
            self._reset()
            return NotYet()
        if presence.is_stale(now):
            return WaysBroken(tuple(sorted(seats)))
        if presence.is_recovering(now) and (lost := ways.without_route(seats)):
            return WaysBroken(tuple(sorted(lost)))
        if self._sent_at is None:
            return self._send(now, seats, ways)
        if not self._open:
            readings = tuple(self._readings)
            self._reset()
            return TimeUp(readings)
        if now < self._sent_at + PROBE_TIMEOUT:
            return NotYet()
        silent = tuple(sorted(set(self._open.values())))
        self._reset()
        return WaysBroken(silent, is_silence=True)

    def _send(self, now: int, seats: Collection[int], ways: Ways) -> Finding:
        probes = [
            Probe(probe_id(self._new_name(), route.session), route.gateway, seat)
            for seat in seats
            if (route := ways.route(seat))
        ]
        if not probes:
            return TimeUp()
        self._open = {probe.session: probe.seat for probe in probes}
        self._sent_at = now
        return SendProbes(tuple(probes))

    def _reset(self) -> None:
        self._open, self._readings, self._sent_at = {}, [], None
