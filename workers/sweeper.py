"""The sweeper of a worker process, a thread.

It carries out orders of staff, frees the matches of silent owners, sends tasks again for matches that wait for their
next owner, and sends match ends again. Every worker process has one, so recovery does not depend on any single
process, such as upkeep. They take turns by a row of the database (`webui.core.turns`).
"""

from __future__ import annotations

from threading import Event, Thread
from typing import Final

import structlog

from arena.bus import Bus
from webui.core import turns
from webui.matches import dispatching, ending
from webui.staff import orders
from workers import end_notices, metrics
from workers.database import Pool

log = structlog.get_logger(__name__)

EVERY_S: Final = 2.0
"""Interval at which the arena is swept, by any process."""
LOOK_S: Final = 0.5
TURN: Final = "sweep"


class Sweeper:
    """Sweeps until it is closed."""

    def __init__(self, bus: Bus, database: Pool, site_url: str) -> None:
        self._bus = bus
        self._database = database
        self._site_url = site_url
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
        if not self._database(_take_turn):
            return
        self._database(orders.carry_out_orders)
        metrics.LEASES_EXPIRED.inc(len(self._database(ending.sweep)))
        self._database(dispatching.dispatch_waiting)
        end_notices.send_missing_ends(self._bus, self._database, self._site_url)

    def _run(self) -> None:
        while not self._closed.wait(LOOK_S):
            try:
                self.sweep()
            except Exception:
                # Whatever the error is (such as an unavailable database), try again the next time.
                log.exception("not_swept")


def _take_turn() -> bool:
    """Return whether it is this process's turn to sweep."""
    found = turns.next_turns({TURN: EVERY_S})
    if not found:
        turns.add_turns({TURN: 0.0})
        found = turns.next_turns({TURN: EVERY_S})
    turn = found[TURN]
    return turn.is_due and turns.take_turn(turn, EVERY_S)
