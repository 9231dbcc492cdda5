"""A limit of lines a minute for each event, so that strangers cannot fill the disk.

Suppressed lines are counted, and the next written line of the event has their number (`suppressed`).
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

WINDOW_S = 60.0
MOST = 100
"""Maximum number of lines of one event within a window, in one process."""
MOST_TRACEBACKS = 10
"""Lower limit for lines with a traceback, which is as long as fifty lines."""


class Sampler(logging.Filter):
    """Lets the first lines of each event pass in each window.

    Our events are identified by name. A library's line is identified only by its logger and level, because its text may
    hold what somebody sent.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._now = now
        self._windows: dict[tuple[str, str], _Window] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether the line is written. If so, it gets the number of lines suppressed before it."""
        ours = record.msg if isinstance(record.msg, dict) else None
        key = record.name, str(ours.get("event")) if ours is not None else record.levelname
        has_traceback = bool(record.exc_info or (ours is not None and ours.get("exc_info")))
        now = self._now()
        window = self._windows.setdefault(key, _Window(now))
        if now - window.since >= WINDOW_S:
            window.since, window.written = now, 0
        if window.written >= (MOST_TRACEBACKS if has_traceback else MOST):
            window.suppressed += 1
            return False
        window.written += 1
        if window.suppressed:
            if ours is not None:
                ours["suppressed"] = window.suppressed
            else:
                record.suppressed = window.suppressed  # shown like all attributes that a library adds to its records
            window.suppressed = 0
        return True


class _Window:
    def __init__(self, since: float) -> None:
        self.since = since
        self.written = self.suppressed = 0
