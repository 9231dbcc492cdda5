"""Waiting for something instead of for some time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import TypeVar

PATIENCE_S = 180.0
"""Far longer than anything takes, even where others are at work."""
SELDOM_S = 0.1
"""What takes longer is looked for less and less often, down to this: looking costs other tests processor time."""

Found = TypeVar("Found")


def until(look: Callable[[], Found], what: str = "it", timeout: float = PATIENCE_S, every: float = 0.01) -> Found:
    """Look until there is something, and give it; fail if it does not come. `every`: seconds, at first."""
    deadline = time.monotonic() + timeout
    while not (found := look()):
        assert time.monotonic() < deadline, f"{what} did not happen within {timeout:.0f} s"
        time.sleep(every)
        every = max(every, min(1.2 * every, SELDOM_S))
    return found


async def soon(look: Callable[[], Found], what: str = "it", timeout: float = PATIENCE_S, every: float = 0.01) -> Found:
    """As `until`, where a loop of asyncio must go on meanwhile."""
    deadline = time.monotonic() + timeout
    while not (found := look()):
        assert time.monotonic() < deadline, f"{what} did not happen within {timeout:.0f} s"
        await asyncio.sleep(every)
        every = max(every, min(1.2 * every, SELDOM_S))
    return found
