"""The sweeper of a worker process, a thread.

It carries out orders of staff, frees the matches of silent owners, sends tasks again for matches that wait for their
next owner, and sends match ends again. Every worker process has one, so recovery does not depend on any single
process, such as upkeep. They take turns by a row of the database (`webui.core.turns`).

Leases end by the clock of the database, which somebody may set. If it was set forward, all leases have ended at once,
and owners that live need some time to renew them. Nothing is then swept for the length of a lease. If it was set back,
leases of dead owners would last as long as that, and are shortened.
"""

from __future__ import annotations

import time
from threading import Event, Thread
from typing import Final

import structlog
from django.conf import settings

from arena.bus import Bus, BusError
from webui.core import turns
from webui.matches import dispatching, ending, ownership
from webui.staff import orders
from workers import end_notices, metrics
from workers.database import Pool

log = structlog.get_logger(__name__)

EVERY_S: Final = 2.0
"""Interval at which the arena is swept, by any process."""
LOOK_S: Final = 0.5
TURN: Final = "sweep"
STEP_S: Final = 1.0
"""Smallest step by which a clock is thought to have been set."""
LEASES: Final = 2
"""A lease that ends later than after so many leases was written before the clock was set back."""


class Sweeper:
    """Sweeps until it is closed."""

    def __init__(self, bus: Bus, database: Pool, site_url: str) -> None:
        self._bus = bus
        self._database = database
        self._site_url = site_url
        self._clock = SteppedClock()
        self._leases_count_at = 0.0
        """Time from which leases count again, by the monotonic clock."""
        self._closed = Event()
        self._thread = Thread(target=self._run, name="sweeper", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def close(self) -> None:
        """Stop the thread, and wait for a sweep in progress."""
        self._closed.set()
        self._thread.join(5)

    def sweep(self) -> None:
        """Sweep once, unless another process has just done so."""
        before = time.monotonic()
        turn = self._database(_next_turn)
        if self._clock.was_set_forward(turn.now.timestamp(), before, time.monotonic()):
            log.warning("database_clock_set_forward")
            self._leases_count_at = time.monotonic() + settings.LEASE_SECONDS
        if not (turn.is_due and self._database(turns.take_turn, turn, EVERY_S)):
            return
        self._database(orders.carry_out_orders)
        self._database(ownership.shorten_leases, LEASES * settings.LEASE_SECONDS)
        if time.monotonic() >= self._leases_count_at:
            metrics.LEASES_EXPIRED.inc(len(self._database(ending.sweep)))
        self._database(dispatching.dispatch_waiting)
        try:
            self._bus.expire_presences()
        except BusError as error:
            log.debug("presences_not_expired", error=str(error))
        end_notices.send_missing_ends(self._bus, self._database, self._site_url)

    def _run(self) -> None:
        while not self._closed.wait(LOOK_S):
            try:
                self.sweep()
            except Exception:
                # Whatever the error is (such as an unavailable database), try again the next time.
                log.exception("not_swept")


class SteppedClock:
    """Notices that somebody set a clock forward, by comparing it with the monotonic clock."""

    def __init__(self) -> None:
        self._most_ahead: float | None = None
        """Upper bound of the difference to the monotonic clock at the last reading, in seconds."""

    def was_set_forward(self, at: float, before: float, after: float) -> bool:
        """Return whether the clock was set forward since it was read last.

        `at` is what it shows, read between the times `before` and `after` of the monotonic clock. All are in seconds.
        """
        is_set = self._most_ahead is not None and at - after > self._most_ahead + STEP_S
        self._most_ahead = at - before
        return is_set


def _next_turn() -> turns.NextTurn:
    found = turns.next_turns({TURN: EVERY_S})
    if not found:
        turns.add_turns({TURN: 0.0})
        found = turns.next_turns({TURN: EVERY_S})
    return found[TURN]
