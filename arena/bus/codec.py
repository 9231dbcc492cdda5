"""Common parts of the blocking and the asyncio bus: retries during outages, and decoding of replies."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Sequence
from hashlib import sha1
from typing import Any, Final, TypeVar

import structlog
from redis.exceptions import RedisError, ResponseError

from arena.bus.envelopes import EnvelopeError, Presence, decode_presence
from arena.bus.errors import BusUnavailable

log = structlog.get_logger(__name__)

SEND_TIMEOUT_S: Final = 1.0
"""A Redis that has not answered a command for this long counts as unavailable. A busy one answers within
milliseconds."""
PATIENCE_S: Final = 1.5
"""Time after the beginning of an outage for which sends are retried; later ones fail at once.

Leases are renewed after a third of their time. With that and one more timeout, this is less than the shortest lease of
a deployment.
"""
LOOK_AGAIN_S: Final = 0.5
"""Interval at which one of the later sends checks whether Redis is back."""
SAY_AGAIN_S: Final = 30.0
BACKOFF_BASE_S: Final = 0.05
BACKOFF_CAP_S: Final = 1.0
BATCH: Final = 256
"""Maximum number of envelopes returned by one receive."""
LONGEST_BLOCK_S: Final = 10.0
"""Maximum duration of one blocking read. A longer wait consists of several reads, so that a dead peer is noticed."""
READ_TIMEOUT_S: Final = LONGEST_BLOCK_S + 5.0

PUSH: Final = """
if redis.call('LLEN', KEYS[1]) + #ARGV - 2 > tonumber(ARGV[2]) then return 0 end
for i = 3, #ARGV do redis.call('RPUSH', KEYS[1], ARGV[i]) end
redis.call('EXPIRE', KEYS[1], ARGV[1])
return 1
"""
"""Append envelopes to a mailbox, all or none; return 0 if it is full. KEYS: mailbox; ARGV: time to live, limit,
envelopes."""
PUSH_SHA: Final = sha1(PUSH.encode(), usedforsecurity=False).hexdigest()

EXPIRE: Final = """
for _, id in ipairs(redis.call('SMEMBERS', KEYS[1])) do
  local left = redis.call('PTTL', ARGV[1] .. id)
  if left == -2 then redis.call('SREM', KEYS[1], id)
  elseif left > tonumber(ARGV[2]) then redis.call('PEXPIRE', ARGV[1] .. id, ARGV[2]) end
end
"""
"""Expire presences. KEYS: their index; ARGV: what their keys begin with, the longest time to live in milliseconds."""

OUTAGES: Final = (RedisError, OSError)
"""Errors of an unavailable Redis, or of one that refuses. It may be loading its data, lack memory or disk, or be a
replica.

Reads wait until the outage is over.
"""

T = TypeVar("T")


def checked(replies: Sequence[Any]) -> Sequence[Any]:
    """Return the replies of Redis to several commands. Raise the first that is an error."""
    for reply in replies:
        if isinstance(reply, ResponseError):
            raise reply
    return replies


def pause_after(failures: int) -> float:
    """Return how long to wait after this many consecutive failures, with jitter."""
    return min(BACKOFF_CAP_S, BACKOFF_BASE_S * 2.0 ** min(failures, 10)) * random.uniform(0.5, 1.0)  # noqa: S311 - no secret


def decode_all(items: Iterable[bytes], decode: Callable[[bytes], T]) -> list[T]:
    """Return the readable envelopes.

    The others are logged and dropped: they are of another version, or not ours at all.
    """
    envelopes = []
    for item in items:
        try:
            envelopes.append(decode(item))
        except EnvelopeError as error:
            log.warning("envelope_dropped", error=str(error), size=len(item))
    return envelopes


def decode_presences(values: Sequence[bytes | None]) -> list[Presence]:
    """Return the presences that an MGET found, in the order of their ids."""
    return sorted(decode_all([value for value in values if value is not None], decode_presence), key=lambda s: s.id)


class Outage:
    """Shared knowledge of all users of one bus about an outage of Redis, so that not each of them waits in vain.

    The first sends of an outage are retried for a while. After that each send fails at once, except one now and then
    that checks Redis. A caller with several messages to send, or a lease to renew, is therefore never delayed for
    long. Many threads may use it: each method reads the beginning of the outage once.
    """

    def __init__(self) -> None:
        self._began = 0.0
        self._failures = 0
        self._look_at = 0.0
        self._say_at = 0.0
        self._refuses = False
        """Whether Redis is reachable but refuses writes."""

    def check(self, *, writes: bool = True) -> None:
        """Raise `BusUnavailable` if another try is pointless for now.

        A read fails also while Redis refuses writes: presence that nobody can announce does not mean absence.
        """
        now, began = time.monotonic(), self._began
        if began and self._refuses and not writes:
            raise BusUnavailable("Redis refuses writes, so its data are out of date")
        if began and now >= began + PATIENCE_S:
            if now < self._look_at:
                raise BusUnavailable("Redis is unavailable")
            self._look_at = now + LOOK_AGAIN_S

    def failed(self, error: Exception) -> float:
        """Record that a try has failed.

        Return how long to wait for the next one, or raise `BusUnavailable` if it was the last.
        """
        began = self.noticed(error)  # another thread may find Redis available at any moment
        now = time.monotonic()
        if now >= began + PATIENCE_S:
            self._look_at = now + LOOK_AGAIN_S
            raise BusUnavailable(f"Redis does not accept messages: {error}") from error
        self._failures += 1
        return pause_after(self._failures)

    def noticed(self, error: Exception) -> float:
        """Record that Redis was found unavailable, and return when the outage began.

        Log it once, and again while it lasts.
        """
        now = time.monotonic()
        self._refuses = isinstance(error, ResponseError)
        began = self._began
        if not began:
            began = self._began = self._say_at = now
            self._failures = 0
        if now >= self._say_at:
            self._say_at = now + SAY_AGAIN_S
            log.warning("bus_away", for_s=round(now - began, 1), error=str(error))
        return began

    def is_over(self, *, writes: bool) -> None:
        """Record that Redis was found available. A successful read proves nothing about a Redis that refuses writes."""
        began = self._began
        if began and (writes or not self._refuses):
            self._began = 0.0
            log.info("bus_back", after_s=round(time.monotonic() - began, 1))
