"""One computation of a kind at a time: a stranger may ask for any number."""

from __future__ import annotations

import fcntl
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import IO, Final

from webui.turns import Busy, Turns

MOST_WAITING: Final = 6
"""Each of them keeps a thread of the pages, of which most are to be free for what is not computed."""
RETRY_S = 0.02
"""How often the lock of another process is tried."""


@cache
def _turns_at(lock_file: Path) -> Turns[str]:
    return Turns(["the turn"], MOST_WAITING)


@contextmanager
def one_at_a_time(lock_file: Path, wait_s: float, address: str) -> Iterator[None]:
    """A lock over all threads and processes that use this file. `Busy` after `wait_s` seconds, or at once where too
    many wait. `address`: of the visitor who asks; within a process each address gets it in turn.

    The kernel unlocks the file of a process that dies. Where the file cannot be written, only the threads of this
    process wait for each other.
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
