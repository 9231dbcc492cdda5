"""Hellos: streams that have not said theirs yet, and what bad ones cost."""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Final

from arena.gateway.limits import Bucket, GatewayLimits


@dataclass(eq=False, slots=True)
class SilentStream:
    """A stream that has not said hello yet."""

    address: str
    timeout: asyncio.Timeout
    """Around its wait for the hello."""
    is_evicted: bool = False
    """Whether it has lost its place to a newer one."""


class SilentStreams:
    """All of them, bounded in number by address and in all. Where there is no place the oldest one loses its own: a bot
    says hello at once, so those that wait are not bots."""

    def __init__(self, limits: GatewayLimits) -> None:
        self._limits = limits
        self._places: dict[SilentStream, None] = {}
        """The oldest first."""
        self._of_address: Counter[str] = Counter()

    @contextmanager
    def wait(self, address: str, timeout: asyncio.Timeout) -> Iterator[SilentStream]:
        """Hold a place while this lasts; the time-out ends at once when a newer stream needs the place."""
        if self._of_address[address] >= self._limits.max_silent_streams_per_address:
            self._evict(next(place for place in self._places if place.address == address))
        elif len(self._places) >= self._limits.max_silent_streams:
            self._evict(next(iter(self._places)))
        place = SilentStream(address, timeout)
        self._places[place] = None
        self._of_address[address] += 1
        try:
            yield place
        finally:
            self._leave(place)

    def _evict(self, place: SilentStream) -> None:
        self._leave(place)
        place.is_evicted = True
        with suppress(RuntimeError):  # its time is up already
            place.timeout.reschedule(asyncio.get_running_loop().time())

    def _leave(self, place: SilentStream) -> None:
        if place not in self._places:
            return
        del self._places[place]
        self._of_address[place.address] -= 1
        if not self._of_address[place.address]:
            del self._of_address[place.address]


class HelloLimiter:
    """A bucket each for the last 10 000 payers: an address for what it says without a good token, a token and an
    address together for all else. So nobody pays for a neighbour."""

    PAYERS: Final = 10_000
    COST: Final = 1.0
    FAILED_COST: Final = 10.0
    """Guessing tokens should be slow."""

    def __init__(self, limits: GatewayLimits) -> None:
        self._limits = limits
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    def may_try(self, payer: str, now: int) -> bool:
        """Whether another hello is looked at."""
        return self._bucket(payer, now).take(0.0, now)

    def charge(self, payer: str, cost: float, now: int) -> None:
        """A hello was looked at."""
        self._bucket(payer, now).take(cost, now)

    def _bucket(self, payer: str, now: int) -> Bucket:
        bucket = self._buckets.pop(payer, None) or Bucket(self._limits.hello_burst, self._limits.hello_per_second, now)
        self._buckets[payer] = bucket
        if len(self._buckets) > self.PAYERS:
            self._buckets.popitem(last=False)
        return bucket
