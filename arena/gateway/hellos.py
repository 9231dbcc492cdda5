"""Limits for hellos: streams that have not said hello yet, and the rate of hellos."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Final

from arena.gateway.limits import GatewayLimits
from arena.host.limiters import Bucket, Buckets


@dataclass(eq=False, slots=True)
class SilentStream:
    """A stream that has not said hello yet."""

    address: str
    timeout: asyncio.Timeout
    """Timeout of its wait for the hello."""
    is_evicted: bool = False
    """Whether a newer stream has taken its place."""


class SilentStreams:
    """The streams that have not said hello, limited by address and in all.

    At the limit a new stream evicts the oldest one. A bot says hello at once, so streams that wait for long are not
    bots.
    """

    def __init__(self, limits: GatewayLimits) -> None:
        self._limits = limits
        self._streams: dict[SilentStream, None] = {}
        """Waiting streams, the oldest first."""
        self._of_address: Counter[str] = Counter()

    @contextmanager
    def wait(self, address: str, timeout: asyncio.Timeout) -> Iterator[SilentStream]:
        """Hold a place while the context lasts. `timeout` expires at once if a newer stream takes the place."""
        if self._of_address[address] >= self._limits.max_silent_streams_per_address:
            self._evict(next(stream for stream in self._streams if stream.address == address))
        elif len(self._streams) >= self._limits.max_silent_streams:
            self._evict(next(iter(self._streams)))
        stream = SilentStream(address, timeout)
        self._streams[stream] = None
        self._of_address[address] += 1
        try:
            yield stream
        finally:
            self._leave(stream)

    def _evict(self, stream: SilentStream) -> None:
        self._leave(stream)
        stream.is_evicted = True
        with suppress(RuntimeError):  # RuntimeError: it has expired already
            stream.timeout.reschedule(asyncio.get_running_loop().time())

    def _leave(self, stream: SilentStream) -> None:
        if stream not in self._streams:
            return
        del self._streams[stream]
        self._of_address[stream.address] -= 1
        if not self._of_address[stream.address]:
            del self._of_address[stream.address]


class HelloLimiter:
    """Token buckets for hellos, one for each of the last 10 000 payers.

    Hellos without a valid token are charged to their address. All others are charged to the token and address together,
    so that nobody pays for a neighbour.
    """

    PAYERS: Final = 10_000
    COST: Final = 1.0
    FAILED_COST: Final = 10.0
    """A failed hello costs more, to slow down guessing of tokens."""

    def __init__(self, limits: GatewayLimits) -> None:
        self._limits = limits
        self._buckets = Buckets(self.PAYERS)

    def may_try(self, payer: str, now: int) -> bool:
        """Return whether this payer may say hello now."""
        return self._bucket(payer, now).take(0.0, now)

    def charge(self, payer: str, cost: float, now: int) -> None:
        """Charge a payer for a hello that was checked, also in debt: many may be checked at the same time."""
        self._bucket(payer, now).charge(cost, now)

    def _bucket(self, payer: str, now: int) -> Bucket:
        return self._buckets.find(payer, self._limits.hello_burst, self._limits.hello_per_second, now)
