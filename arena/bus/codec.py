"""What the blocking and the asyncio bus have in common: how often to try again, and reading what Redis answered."""

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
"""A Redis that has not answered a command for this long counts as away. A busy one answers within milliseconds."""
PATIENCE_S: Final = 1.5
"""A send is tried again for this long after an outage began; later ones fail at once. With the renewal of leases
after a third of their time, and one more time-out, this is less than the shortest lease of a deployment."""
LOOK_AGAIN_S: Final = 0.5
"""And so often one of the later sends looks whether Redis is back."""
SAY_AGAIN_S: Final = 30.0
BACKOFF_BASE_S: Final = 0.05
BACKOFF_CAP_S: Final = 1.0
BATCH: Final = 256
"""How many envelopes one receive hands out at most."""
LONGEST_BLOCK_S: Final = 10.0
"""A longer wait is made of several reads, so that a dead peer is noticed."""
READ_TIMEOUT_S: Final = LONGEST_BLOCK_S + 5.0

PUSH: Final = """
if redis.call('LLEN', KEYS[1]) + #ARGV - 2 > tonumber(ARGV[2]) then return 0 end
for i = 3, #ARGV do redis.call('RPUSH', KEYS[1], ARGV[i]) end
redis.call('EXPIRE', KEYS[1], ARGV[1])
return 1
"""
"""Append envelopes to a mailbox, all or none; 0 if it is full. KEYS: mailbox; ARGV: time to live, limit, envelopes."""
PUSH_SHA: Final = sha1(PUSH.encode(), usedforsecurity=False).hexdigest()

OUTAGES: Final = (RedisError, OSError)
"""Redis is away for now, or refuses: it may load its data, have no memory or disk left, or be a replica. Reads ride it
out."""

T = TypeVar("T")


def checked(replies: Sequence[Any]) -> Sequence[Any]:
    """The replies of Redis to several commands; raises the first that is an error."""
    for reply in replies:
        if isinstance(reply, ResponseError):
            raise reply
    return replies


def pause_after(failures: int) -> float:
    """How long to wait after this many failures in a row, with jitter."""
    return min(BACKOFF_CAP_S, BACKOFF_BASE_S * 2.0 ** min(failures, 10)) * random.uniform(0.5, 1.0)  # noqa: S311 - no secret


def decode_all(items: Iterable[bytes], decode: Callable[[bytes], T]) -> list[T]:
    """The readable ones; the others are logged and dropped (a neighbour of another version, or not ours at all)."""
    envelopes = []
    for item in items:
        try:
            envelopes.append(decode(item))
        except EnvelopeError as error:
            log.warning("envelope_dropped", error=str(error), size=len(item))
    return envelopes


def decode_presences(values: Sequence[bytes | None]) -> list[Presence]:
    """The present ones of an MGET, in the order of their ids."""
    return sorted(decode_all([value for value in values if value is not None], decode_presence), key=lambda s: s.id)


class Outage:
    """What all users of one bus know about an absence of Redis, so that not each of them waits for it in vain.

    The first sends of an outage try again for a while. Then each fails at once, but for one now and then that looks:
    whoever has several messages to send, or a lease to renew, is never held up for long. Many threads may use it: each
    method reads once when the outage began.
    """

    def __init__(self) -> None:
        self._began = 0.0
        self._failures = 0
        self._look_at = 0.0
        self._say_at = 0.0
        self._refuses = False
        """Redis is there, and does not take what is sent."""

    def check(self, *, writes: bool = True) -> None:
        """Raise `BusUnavailable` where another try is of no use yet; for a read also where Redis takes nothing that is
        sent: presence that nobody can announce is not absence."""
        now, began = time.monotonic(), self._began
        if began and self._refuses and not writes:
            raise BusUnavailable("Redis takes nothing, and what it holds is old")
        if began and now >= began + PATIENCE_S:
            if now < self._look_at:
                raise BusUnavailable("Redis is away")
            self._look_at = now + LOOK_AGAIN_S

    def failed(self, error: Exception) -> float:
        """A try has failed: how long to wait for the next one; raises `BusUnavailable` if it has been enough."""
        began = self.noticed(error)  # another thread may find Redis back at any moment
        now = time.monotonic()
        if now >= began + PATIENCE_S:
            self._look_at = now + LOOK_AGAIN_S
            raise BusUnavailable(f"Redis does not take messages: {error}") from error
        self._failures += 1
        return pause_after(self._failures)

    def noticed(self, error: Exception) -> float:
        """Somebody found Redis away. Said once, and again when it lasts. Returns when the outage began."""
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
        """Somebody found Redis there. A read that was answered says nothing of a Redis that refuses to take more."""
        began = self._began
        if began and (writes or not self._refuses):
            self._began = 0.0
            log.info("bus_back", after_s=round(time.monotonic() - began, 1))
