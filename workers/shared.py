"""What the tasks of one worker process share, made when the first of them needs it."""

from __future__ import annotations

from threading import Lock

from django.conf import settings

from arena.bus import Bus
from workers.database import Pool
from workers.mailroom import Mailroom

_lock = Lock()
_mailroom: Mailroom | None = None

database = Pool()
"""The connections of all matches of this process."""


def mailroom() -> Mailroom:
    """The mailbox of this process, being read."""
    global _mailroom
    with _lock:
        if _mailroom is None:
            _mailroom = Mailroom(Bus(settings.REDIS_URL))
            _mailroom.start()
        return _mailroom


def stop() -> None:
    """This process goes down: have all matches handed back. Called in a signal handler, so it takes no lock."""
    if _mailroom is not None:
        _mailroom.stop()


def close() -> None:
    """The tasks have ended."""
    if _mailroom is not None:
        _mailroom.close()
        _mailroom.bus.close()
    database.close()
