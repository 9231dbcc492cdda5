"""The bots that are connected now, as the gateways announce them on the bus."""

import time
from collections.abc import Mapping, Sequence
from functools import lru_cache
from threading import Lock

import structlog
from django.conf import settings

from arena.bus import PERSON, Bus, BusError, Presence

KEPT_S = 2.0
"""Seconds for which an answer is reused. Announcements come every five seconds, so fresher answers show nothing new."""

Online = Mapping[int, Sequence[Presence]] | None
"""Connected sessions of each bot, by the bot's id. None: not known."""

log = structlog.get_logger(__name__)


class PresenceCache:
    """The latest answer of the bus, which all pages reuse for `KEPT_S` seconds."""

    def __init__(self, url: str) -> None:
        self._bus = Bus(url, max_connections=4)
        self._lock = Lock()
        self._read_at = -KEPT_S
        self._sessions: dict[int, list[Presence]] | None = None

    def sessions(self) -> dict[int, list[Presence]] | None:
        """Return the connected sessions by bot id. Return None while the bus cannot be reached."""
        with self._lock:
            if time.monotonic() - self._read_at >= KEPT_S:
                self._sessions = self._read()
                self._read_at = time.monotonic()
            return self._sessions

    def wake(self, name: str) -> None:
        """Wake the readers of this name (`Bus.wake`)."""
        self._bus.wake(name)

    def _read(self) -> dict[int, list[Presence]] | None:
        try:
            by_bot: dict[int, list[Presence]] = {}
            for session in self._bus.presences():
                if session.connected and not session.id.startswith(PERSON):
                    by_bot.setdefault(session.bot, []).append(session)
        except BusError as error:
            log.warning("presence unknown", error=str(error))
            return None
        return by_bot


@lru_cache(maxsize=1)
def _presence(url: str) -> PresenceCache:
    return PresenceCache(url)


def online() -> dict[int, list[Presence]] | None:
    """Return the connected sessions by bot id, without people. Return None while the bus cannot be reached."""
    return _presence(settings.REDIS_URL).sessions()


def wake(name: str) -> None:
    """Wake the readers of this name on the bus (`Bus.wake`). Never raise: they also look by themselves."""
    _presence(settings.REDIS_URL).wake(name)
