"""A limit of one expensive computation of a kind at a time, because anybody may request any number of them."""

from __future__ import annotations

import fcntl
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import IO, Final

from webui.fair_queue import Busy, Turns

MOST_WAITING: Final = 6
"""Maximum number of waiting requests. Each occupies a thread, and most threads must stay free for other pages."""
RETRY_S = 0.02
"""Seconds between two attempts to take a lock that another process holds."""


@cache
def _turns_at(lock_file: Path) -> Turns[str]:
    return Turns(["the turn"], MOST_WAITING)


@contextmanager
def one_at_a_time(lock_file: Path, wait_s: float, address: str) -> Iterator[None]:
    """Hold a lock that is shared by all threads and processes that use this file.

    Raise `Busy` after `wait_s` seconds, or at once if too many requests wait.

    `address`: the network address of the visitor. Within a process, addresses take turns.

    The kernel releases the lock of a process that dies. If the file cannot be written, only the threads of this process
    exclude each other.
    """
    deadline = time.monotonic() + wait_s
    turns = _turns_at(lock_file)
    turn = turns.ask(address)
    try:
        thing = turn.result(wait_s)
    except BaseException as error:
        turns.leave(turn, address)
        if isinstance(error, TimeoutError):
            raise Busy from None
        raise
    with ExitStack() as stack:
        stack.callback(turns.give_back, thing, address)
        file = _opened(lock_file)
        if file is not None:
            stack.enter_context(file)
            while not _is_locked(file):
                if time.monotonic() >= deadline:
                    raise Busy
                time.sleep(RETRY_S)
        yield


def _opened(path: Path) -> IO[bytes] | None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return path.open("ab")
    except OSError:
        return None


def _is_locked(file: IO[bytes]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
