"""Waiting for news of a match or an event; for asyncio only."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import structlog

from arena.bus import codec, keys
from arena.bus.aio import AsyncBus

log = structlog.get_logger(__name__)


async def watch(bus: AsyncBus, name: str, *, look_every: float = 10.0) -> AsyncGenerator[None, None]:
    """Yield whenever it is time to read again.

    It is time at the start, at every wake-up (several at once count as one) and after an outage. A wake-up may be
    lost, so it is also time after `look_every` seconds of silence.
    """
    failures = 0
    while True:
        try:
            async with bus.reading.pubsub() as pubsub:
                await pubsub.subscribe(keys.wake_channel(name))
                # The first message confirms the subscription: everything written from now on wakes us.
                await pubsub.get_message(timeout=look_every)
                failures = 0
                while True:
                    yield
                    await pubsub.get_message(timeout=look_every)
                    while await pubsub.get_message(timeout=0) is not None:
                        pass
        except codec.OUTAGES as error:
            failures += 1
            log.debug("watch_interrupted", name=name, failures=failures, error=str(error))
            await asyncio.sleep(codec.pause_after(failures))
            yield
