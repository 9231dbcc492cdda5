"""The link of a worker process to the bus, shared by its matches: its mailbox, and the present bots.

One thread reads the mailbox for the group of the matches; another one reads presence.
"""

from __future__ import annotations

import os
import secrets
import signal
import socket
import time
from threading import Event, Lock, Thread

import structlog

from arena.bus import Bus, BusError
from arena.host.steps import steps as step_file
from arena.referee import SECOND
from workers.database import Pool, checkpoint
from workers.group import MatchGroup
from workers.paths import REFRESH_EVERY, PresenceSnapshot
from workers.slow_work import LONGEST_CPU_S, SlowThreads

log = structlog.get_logger(__name__)

READ_TIMEOUT_S = 0.3
"""Timeout of one read, which bounds the time to notice that this process is stopping."""
CHECKPOINT_EVERY_S = 0.5


class WorkerLink:
    """The link of one worker process."""

    def __init__(self, bus: Bus) -> None:
        self.bus = bus
        self.id = f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(4)}"
        """Name of the mailbox, which no earlier process has had."""
        self.stopping = Event()
        """Set when this process stops: every match is handed back at its next event."""
        self.presence = PresenceSnapshot()
        """Present bots, as last read."""
        self._is_bus_lost = False
        """Whether the last read of presence failed."""
        self.slow_threads = SlowThreads()
        """Threads for slow work."""
        self.group = MatchGroup(bus, self.stopping, self.slow_threads)
        """Matches that this process plays."""
        self._threads: list[Thread] = []
        self._closed = Event()
        self._refresh_lock = Lock()

    def start(self) -> None:
        """Begin to read, and to play."""
        self.slow_threads.start()
        self.group.start()
        for work in (self._read, self._watch, self._checkpoint):
            thread = Thread(target=work, name=f"worker_link{work.__name__}", daemon=True)
            thread.start()
            self._threads.append(thread)

    def refresh_presence(self, *, older_than_s: float = 0) -> None:
        """Read presence, unless it was read within `older_than_s`. While the bus is unavailable it stays as it was."""
        with self._refresh_lock:
            now = time.monotonic_ns()
            if now - self.presence.read_at < older_than_s * SECOND:
                return
            try:
                bots = {presence.id: presence for presence in self.bus.presences()}
            except BusError as error:
                log.debug("presence_not_read", error=str(error))
                self._is_bus_lost = True
                return
            regained_at = now if self._is_bus_lost else self.presence.regained_at
            self._is_bus_lost = False
            self.presence = PresenceSnapshot(bots, now, regained_at)

    def stop(self) -> None:
        """Have all matches handed back. Safe in a signal handler."""
        self.stopping.set()
        self.group.wake_all()

    def close(self) -> None:
        """Stop reading."""
        self.stop()
        self._closed.set()
        for thread in self._threads:
            thread.join(5)
        self.group.close()
        self.slow_threads.close()
        step_file.close()

    def _read(self) -> None:
        while not self._closed.is_set():
            try:
                messages = self.bus.receive_for_worker(self.id, READ_TIMEOUT_S)
            except Exception:
                # Whatever the error is, a worker that does not read its mailbox is useless to its matches.
                log.exception("mailbox_not_read")
                time.sleep(0.5)
                continue
            if messages:
                self.group.deliver(messages)

    def _watch(self) -> None:
        while not self._closed.wait(REFRESH_EVERY / SECOND):
            try:
                self.slow_threads.replace_busy()
            except RuntimeError:
                log.exception("slow_thread_not_started")  # the next turn tries again
            if self.slow_threads.is_hung():
                log.critical("slow_work_hangs", limit_s=LONGEST_CPU_S)
                os.kill(os.getpid(), signal.SIGKILL)  # nothing else ends a thread; the step file names the match
            if self.group:
                try:
                    self.refresh_presence()
                except Exception:
                    log.exception("presence_not_read")

    def _checkpoint(self) -> None:
        """Move SQLite's log into its file.

        This has a thread of its own, because a disk may be slow and the group's commits skip it.
        """
        pool = Pool(1)
        while not self._closed.wait(CHECKPOINT_EVERY_S):
            if self.group:
                try:
                    pool(checkpoint)
                except Exception:
                    log.exception("no_checkpoint")  # everything written stays in the log until the next one
        pool.close()
