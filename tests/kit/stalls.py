"""Measures how long this machine let its processes wait, and lets a process wait for a processor."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from typing import Self

EVERY_S = 0.02
HOPS = 3
"""Maximum number of the machine's waits in one step: a process waits for another one, which waits for a third."""


class StallWatch:
    """A context manager with a thread that wakes up every 20 ms, and records how late it was."""

    def __init__(self) -> None:
        self._stalls: list[tuple[float, float]] = []
        self._closed = Event()
        self._thread = Thread(target=self._watch, name="stall watch", daemon=True)

    def longest_s(self, since: float = 0.0) -> float:
        """Return the longest stall that ended after this moment of the monotonic clock."""
        return max((length for end, length in self._stalls if end >= since), default=0.0)

    def _watch(self) -> None:
        before = time.monotonic()
        while not self._closed.wait(EVERY_S):
            now = time.monotonic()
            if (late := now - before - EVERY_S) > EVERY_S:
                self._stalls.append((now, late))
            before = now

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closed.set()
        self._thread.join()


@contextmanager
def starving(pid: int) -> Iterator[None]:
    """Let a process, which has a session of its own, wait for a processor until the end of the block.

    It may only use one processor, and another process wants that one all the time. Afterwards it is like others again,
    as far as this user may change that: on a busy machine it would wait until nobody else works.
    """
    cpus = os.sched_getaffinity(0)
    cpu = min(cpus)
    with subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"]) as hog:
        try:
            os.sched_setaffinity(hog.pid, {cpu})
            _put_last(pid, cpu)
            yield
        finally:
            hog.kill()
            _put_back(pid, cpus)


def _put_back(pid: int, cpus: set[int]) -> None:
    """Undo `_put_last`."""
    autogroup = Path(f"/proc/{pid}/autogroup")
    with suppress(OSError):  # the process has ended
        os.sched_setaffinity(pid, cpus)
    with suppress(OSError):  # the kernel allows it to root, or with a limit of its own
        os.sched_setscheduler(pid, os.SCHED_OTHER, os.sched_param(0))
    if autogroup.exists():
        with suppress(OSError):
            autogroup.write_text("0")


def _put_last(pid: int, cpu: int) -> None:
    """Give a process a processor only while hardly anybody else wants this one."""
    os.sched_setaffinity(pid, {cpu})
    os.sched_setscheduler(pid, os.SCHED_IDLE, os.sched_param(0))
    autogroup = Path(f"/proc/{pid}/autogroup")
    if autogroup.exists():  # sessions share the processor first, and the threads of each share its part
        autogroup.write_text("19")
