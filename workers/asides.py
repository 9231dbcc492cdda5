"""The threads of a worker that do what takes long: a match is claimed and made there, set up, decided for by the house,
ended, and handed back.

They are few, and no match has one of its own. A thread that has done such work keeps the stack that this took, for as
long as it then waits for the rest of the match; and many threads that work at once each hold the interpreter for some
milliseconds, which the thread that plays the matches has to wait for.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import Context, copy_context
from functools import partial
from itertools import count
from queue import PriorityQueue
from threading import Lock, Thread, current_thread
from typing import Final, TypeVar

import structlog

log = structlog.get_logger(__name__)

T = TypeVar("T")

THREADS: Final = 4
LONG_S: Final = 2.0
"""A thread that has been at one thing for so long is not counted on: it waits for a database, or hangs."""


class Asides:
    """These threads. Any thread may call `put` and `run`."""

    def __init__(self, size: int = THREADS) -> None:
        self._size = size
        self._work: PriorityQueue[tuple[bool, int, Callable[[], None] | None]] = PriorityQueue()
        """What is to be done: first what belongs to a match that is played here, whose lease runs, then new matches.
        None: a thread is to end."""
        self._numbers = count()
        self._lock = Lock()
        self._began: dict[Thread, float] = {}
        """For every thread when it began with what it does; 0 while it has nothing to do."""
        self._is_closed = False

    def start(self) -> None:
        """Begin."""
        with self._lock:
            self._add_threads(self._size)

    def put(self, work: Callable[[], None]) -> None:
        """Have this done, which must raise nothing."""
        self._work.put((False, next(self._numbers), work))

    def run(self, work: Callable[[], T], *, is_new: bool = False) -> T:
        """Have this done, and wait for it: what it returns or raises. `is_new`: it is for a match that is not played
        here yet."""
        done: Future[T] = Future()
        with self._lock:
            if not (is_late := self._is_closed):
                self._work.put((is_new, next(self._numbers), partial(_fulfil, done, copy_context(), work)))
        return work() if is_late else done.result()

    def look_after(self) -> None:
        """Where something waits, let other threads work beside those that have been at one thing for long."""
        with self._lock:
            if not (self._is_closed or self._work.empty()):
                self._add_threads(self._size - self._counted())

    def close(self) -> None:
        """Stop, once all is done that was to be; what comes later is done by those who want it."""
        with self._lock:
            self._is_closed = True
            threads = list(self._began)
            for _ in threads:
                self._work.put((True, next(self._numbers), None))
        for thread in threads:
            thread.join(5)

    def _add_threads(self, number: int) -> None:
        for _ in range(number):
            thread = Thread(target=self._run, name="aside", daemon=True)
            self._began[thread] = 0.0
            thread.start()

    def _counted(self) -> int:
        """How many threads have something done soon."""
        long_ago = time.monotonic() - LONG_S
        return sum(not began or began > long_ago for began in self._began.values())

    def _run(self) -> None:
        this, is_wanted = current_thread(), True
        while is_wanted and (work := self._work.get()[2]) is not None:
            with self._lock:
                self._began[this] = time.monotonic()
            try:
                work()
            except Exception:
                log.exception("aside_failed")
            with self._lock:
                self._began[this] = 0.0
                is_wanted = self._counted() <= self._size  # else others have come in its place
        with self._lock:
            del self._began[this]


def _fulfil(done: Future[T], context: Context, work: Callable[[], T]) -> None:
    try:
        done.set_result(context.run(work))
    except BaseException as error:  # noqa: BLE001 - raised where it is waited for
        done.set_exception(error)
