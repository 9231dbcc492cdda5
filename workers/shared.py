"""Objects that the tasks of one of Celery's workers share, created when the first of them needs them."""

from __future__ import annotations

from threading import Lock

from django.conf import settings

from arena.bus import Bus
from workers.announcing import Announcer
from workers.database import Pool
from workers.sweeper import Sweeper
from workers.workerlink import WorkerLink

_lock = Lock()
_link: WorkerLink | None = None
_sweeper: Sweeper | None = None
_announcer: Announcer | None = None

database = Pool(7)
"""Connections of all tasks of this process; the group of its matches has one more."""


def link() -> WorkerLink:
    """Return the link of this process; the first call starts it."""
    global _link
    with _lock:
        if _link is None:
            _link = WorkerLink(Bus(settings.REDIS_URL))
            _link.start()
        return _link


def start_sweeping() -> None:
    """Start the sweeper and the announcer of this process."""
    global _sweeper, _announcer
    if _sweeper is None:
        _sweeper = Sweeper(link().bus, database, settings.SITE_URL)
        _sweeper.start()
    if _announcer is None:
        _announcer = Announcer("referee", link().bus, database)
        _announcer.start()


def stop() -> None:
    """Have all matches handed back because this process stops. Called in a signal handler, so it takes no lock."""
    if _link is not None:
        _link.stop()


def close() -> None:
    """Close everything, once the tasks have ended."""
    if _announcer is not None:
        _announcer.close()
    if _sweeper is not None:
        _sweeper.close()
    if _link is not None:
        _link.close()
        _link.bus.close()
    database.close()
