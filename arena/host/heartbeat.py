"""Heartbeat of a process that cannot be asked whether it works: a file that it touches as it works.

`arena up` and the health checks of containers read the file's time. A hanging loop touches nothing, so only threads
that do the work may call this.

The file's time is that of the machine's monotonic clock, which all processes share and nobody can set. The time of day
would not do: after it was set back, an old heartbeat would look fresh until that time comes again.
"""

from __future__ import annotations

import math
import os
import time
from pathlib import Path
from typing import Final

import structlog

log = structlog.get_logger(__name__)

EVERY_S: Final = 1.0
"""Minimum seconds between two touches of the file."""
HANG_LIMIT_S: Final = float(os.environ.get("ARENA_HANG_SECONDS") or 30)
"""A process without a heartbeat for this long counts as hanging."""


def heartbeat_file() -> Path | None:
    """Return the heartbeat file of this process (ARENA_HEARTBEAT), if it is watched."""
    path = os.environ.get("ARENA_HEARTBEAT")
    return Path(path) if path else None


def age_s(path: Path) -> float | None:
    """Return the seconds since the last heartbeat; `None` before the first one since the machine was started."""
    try:
        age_ns = time.monotonic_ns() - path.stat().st_mtime_ns
    except OSError:
        return None
    return age_ns / 1e9 if age_ns >= 0 else None


class Heartbeat:
    """The heartbeat of this process; it may be used from any number of threads."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._last = -math.inf
        """Time of the last heartbeat by the monotonic clock."""
        self._next = 0.0
        self._fails = False

    def silent_s(self) -> float:
        """Return the seconds since the last heartbeat; infinity before the first one."""
        return time.monotonic() - self._last

    def shown_at(self) -> float:
        """Return the time of the last heartbeat in Unix seconds; 0 before the first one."""
        return max(0.0, time.time() - self.silent_s())

    def beat(self) -> None:
        """Record that work was done. The first call shows that the process has begun to work."""
        self._touch(may_be_first=True)

    def beat_while_blocked(self) -> None:
        """Record that the process works but is blocked, because something outside of it is missing."""
        self._touch(may_be_first=False)

    def _touch(self, *, may_be_first: bool) -> None:
        now = time.monotonic()
        if now < self._next:
            return
        try:
            if self._path is None:
                if not may_be_first and self._last < 0:
                    return
            else:
                if may_be_first:
                    self._path.touch()
                at = time.monotonic_ns()
                os.utime(self._path, ns=(at, at))
        except FileNotFoundError:
            return  # no work has been done yet
        except OSError as error:
            if not self._fails:
                log.warning("heartbeat_not_written", file=str(self._path), error=str(error))
            self._fails = True
            return
        self._fails = False
        self._last, self._next = now, now + EVERY_S
