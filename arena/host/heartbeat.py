"""Heartbeat of a process that cannot be asked whether it works: a file that it touches as it works.

`arena up` and the health checks of containers look at the file's time. A loop that stands still touches nothing, so no
thread may do this but those that do the work.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Final

import structlog

log = structlog.get_logger(__name__)

EVERY_S: Final = 1.0
"""The file is touched no more often than this, however much is done."""
HANG_LIMIT_S: Final = float(os.environ.get("ARENA_HANG_SECONDS") or 30)
"""A process that has not shown for this long that it works hangs."""


def heartbeat_file() -> Path | None:
    """ARENA_HEARTBEAT: the file of this process, if somebody looks at one."""
    path = os.environ.get("ARENA_HEARTBEAT")
    return Path(path) if path else None


def age_s(path: Path) -> float | None:
    """Seconds since the last heartbeat; None before the first one."""
    try:
        return max(0.0, time.time() - path.stat().st_mtime)
    except OSError:
        return None


class Heartbeat:
    """Of this process; safe in any number of threads."""

    def __init__(self, path: Path | None) -> None:
        self.shown_at = 0.0
        """When this process last showed that it works, in Unix seconds; 0: never yet."""
        self._path = path
        self._next = 0.0
        self._fails = False

    def beat(self) -> None:
        """Something was done. The first time of all says that the process has begun to work."""
        self._touch(may_be_first=True)

    def beat_while_blocked(self) -> None:
        """Nothing can be done now, because something outside of this process is missing, and that was noticed."""
        self._touch(may_be_first=False)

    def _touch(self, *, may_be_first: bool) -> None:
        now = time.monotonic()
        if now < self._next:
            return
        try:
            if self._path is None:
                if not (may_be_first or self.shown_at):
                    return
            elif may_be_first:
                self._path.touch()
            else:
                os.utime(self._path)
        except FileNotFoundError:
            return  # nothing has been done yet
        except OSError as error:
            if not self._fails:
                log.warning("heartbeat_not_written", file=str(self._path), error=str(error))
            self._fails = True
            return
        self._fails = False
        self.shown_at, self._next = time.time(), now + EVERY_S
