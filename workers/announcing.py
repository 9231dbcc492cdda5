"""Announcements of a worker process, made by a thread of its own.

Every few seconds the thread announces that the process is alive (`webui.status.processes`). Once a minute it stores
the overhead of the process's decisions. It also stores the status of the arena, unless another worker has done so in
the same minute.
"""

from __future__ import annotations

import time
from threading import Event, Thread
from typing import Final

import structlog
from django.db import Error

from arena.bus import Bus, BusError
from arena.host.heartbeat import HANG_LIMIT_S
from arena.host.processor import OwnShare
from webui.status import actions as status_actions
from webui.status import queries as status_queries
from webui.status.processes import EVERY_S, process_name, process_version
from webui.status.values import PartState
from workers import metrics
from workers.database import Pool
from workers.heartbeat import heartbeat

log = structlog.get_logger(__name__)

MINUTE_S: Final = 60.0


class Announcer:
    """Announces until it is closed."""

    def __init__(self, kind: str, bus: Bus, database: Pool) -> None:
        self._kind = kind
        self._bus = bus
        self._database = database
        self._name = process_name()
        self._share = OwnShare()
        self._closed = Event()
        self._counted = overheads()
        self._next_minute = time.monotonic() + MINUTE_S
        self._thread = Thread(target=self._run, name="announcer", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def close(self) -> None:
        """Stop the thread, and remove the process's row."""
        self._closed.set()
        self._thread.join(1)

    def announce(self) -> None:
        """Announce whatever is due now."""
        if self._works():
            self._database(
                status_actions.announce_process, self._name, self._kind, process_version(),
                is_starved=self._share.is_starved(),
            )  # fmt: skip
        if time.monotonic() >= self._next_minute:
            self._next_minute = time.monotonic() + MINUTE_S
            self.note_minute()

    def note_minute(self) -> None:
        """Store the overhead of this process's decisions since the last time, and the status of the arena."""
        counts = overheads()
        new = [now - before for now, before in zip(counts, self._counted, strict=True)]
        self._counted = counts
        if any(new):
            self._database(status_actions.note_overhead, new)
        self._database(status_actions.note_status, self._parts())

    def _parts(self) -> dict[str, PartState]:
        try:
            self._bus.presences()
            redis = PartState.UP
        except BusError:
            redis = PartState.DOWN
        return {**self._database(status_queries.process_states), "redis": redis}

    def _works(self) -> bool:
        return heartbeat.silent_s() < HANG_LIMIT_S

    def _run(self) -> None:
        pause = 1.0
        while not self._closed.wait(pause):
            pause = EVERY_S
            try:
                self.announce()
            except Error as error:
                log.debug("process_not_announced", error=str(error))
            except Exception:
                log.exception("process_not_announced")
        try:
            self._database(status_actions.withdraw_process, self._name)
        except Error as error:
            log.debug("process_not_withdrawn", error=str(error))


def overheads() -> list[int]:
    """Return the number of decisions of this process by class of overhead: each of `BOUNDS_S`, and beyond."""
    (family,) = metrics.OVERHEAD.collect()
    until = [round(sample.value) for sample in family.samples if sample.name.endswith("_bucket")]
    return [count - below for count, below in zip(until, [0, *until], strict=False)]
