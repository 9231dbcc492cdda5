"""Waiting for an event instead of for a time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import TypeVar

PATIENCE_S = 180.0
"""Far longer than anything takes, even on a busy machine."""
SELDOM_S = 0.1
"""Maximum seconds between two looks; the interval grows up to this, because looking costs other tests processor
time."""

Found = TypeVar("Found")


def until(look: Callable[[], Found], what: str = "it", timeout: float = PATIENCE_S, every: float = 0.01) -> Found:
    """Look until there is a result, and return it. Fails on a timeout. `every` is the first interval in seconds."""
    deadline = time.monotonic() + timeout
    while not (found := look()):
        assert time.monotonic() < deadline, f"{what} did not happen within {timeout:.0f} s"
        time.sleep(every)
        every = max(every, min(1.2 * every, SELDOM_S))
    return found


async def soon(look: Callable[[], Found], what: str = "it", timeout: float = PATIENCE_S, every: float = 0.01) -> Found:
    """Do the same as `until`, while a loop of asyncio must continue."""
    deadline = time.monotonic() + timeout
    while not (found := look()):
        assert time.monotonic() < deadline, f"{what} did not happen within {timeout:.0f} s"
        await asyncio.sleep(every)
        every = max(every, min(1.2 * every, SELDOM_S))
    return found
