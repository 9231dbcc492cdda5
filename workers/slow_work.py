"""The threads of a worker for slow work: claiming and setting up a match, the house's decisions, ending it, handing it
back.

There are few of them, and no match has a thread of its own for such work. A thread that has done slow work keeps the
stack that it took while it waits for the rest of the match. Many threads that work at once also hold the interpreter
for some milliseconds each, for which the thread that plays the matches has to wait.
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
"""Time after which a busy thread is not counted any more: it waits for a database, or hangs."""
LONGEST_CPU_S: Final = 60.0
"""Processor time of one piece of work beyond which it hangs. Waiting takes none."""


class SlowThreads:
    """The threads for slow work. Any thread may call `put` and `run`."""

    def __init__(self, size: int = THREADS) -> None:
        self._size = size
        self._work: PriorityQueue[tuple[bool, int, Callable[[], None] | None]] = PriorityQueue()
        """Work to do. Work for a match that is played here comes first, because its lease runs; new matches follow.
        None ends a thread."""
        self._numbers = count()
        self._lock = Lock()
        self._began: dict[Thread, float] = {}
        """Time at which each thread began its current work; 0 while it is idle."""
        self._cpu_began: dict[Thread, float] = {}
        """Processor time that each busy thread had taken when it began its current work."""
        self._is_closed = False

    def start(self) -> None:
        """Start the threads."""
        with self._lock:
            self._add_threads(self._size)

    def put(self, work: Callable[[], None]) -> None:
        """Queue work that raises nothing."""
        self._work.put((False, next(self._numbers), work))

    def run(self, work: Callable[[], T], *, is_new: bool = False) -> T:
        """Queue work and wait for it; return or raise its outcome.

        `is_new` marks work for a match that is not played here yet.
        """
        done: Future[T] = Future()
        with self._lock:
            if not (is_late := self._is_closed):
                self._work.put((is_new, next(self._numbers), partial(_fulfil, done, copy_context(), work)))
        return work() if is_late else done.result()

    def replace_busy(self) -> None:
        """Start more threads if work waits while others have been busy for long."""
        with self._lock:
            if not (self._is_closed or self._work.empty()):
                self._add_threads(self._size - self._count_responsive())

    def is_hung(self) -> bool:
        """Return whether a thread has computed for far longer than any work takes."""
        with self._lock:
            return any(_cpu_s(thread) - began > LONGEST_CPU_S for thread, began in self._cpu_began.items())

    def close(self) -> None:
        """Stop once all queued work is done. Work that is requested later runs in the caller's thread."""
        with self._lock:
            self._is_closed = True
            threads = list(self._began)
            for _ in threads:
                self._work.put((True, next(self._numbers), None))
        for thread in threads:
            thread.join(5)

    def _add_threads(self, number: int) -> None:
        for _ in range(number):
            thread = Thread(target=self._run, name="slow_work", daemon=True)
            thread.start()  # before it is counted: the machine may have no thread left
            self._began[thread] = 0.0

    def _count_responsive(self) -> int:
        """Return the number of threads that are expected to be free soon."""
        long_ago = time.monotonic() - LONG_S
        return sum(not began or began > long_ago for began in self._began.values())

    def _run(self) -> None:
        this, is_wanted = current_thread(), True
        while is_wanted and (work := self._work.get()[2]) is not None:
            with self._lock:
                self._began[this] = time.monotonic()
                self._cpu_began[this] = time.thread_time()
            try:
                work()
            except Exception:
                log.exception("slow_work_failed")
            with self._lock:
                self._began[this] = 0.0
                del self._cpu_began[this]
                is_wanted = self._count_responsive() <= self._size  # otherwise other threads have replaced it
        with self._lock:
            del self._began[this]


def _cpu_s(thread: Thread) -> float:
    """Return the processor time that a running thread has taken."""
    assert thread.ident is not None
    return time.clock_gettime(time.pthread_getcpuclockid(thread.ident))


def _fulfil(done: Future[T], context: Context, work: Callable[[], T]) -> None:
    try:
        done.set_result(context.run(work))
    except BaseException as error:  # noqa: BLE001 - raised where it is waited for
        done.set_exception(error)
