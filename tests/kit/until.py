"""Waiting for something instead of for some time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

PATIENCE_S = 180.0
"""Far longer than anything takes, even where others are at work."""

Found = TypeVar("Found")


def until(look: Callable[[], Found], what: str = "it", timeout: float = PATIENCE_S, every: float = 0.01) -> Found:
    """Look until there is something, and give it; fail if it does not come."""
    deadline = time.monotonic() + timeout
    while not (found := look()):
        assert time.monotonic() < deadline, f"{what} did not happen within {timeout:.0f} s"
        time.sleep(every)
    return found
