"""What pages follow live, as server-sent events: one feed of each thing and process serves all its readers.

A feed reads what is new when the bus wakes it, and tells its readers. It lasts as long as it has any.
"""

from __future__ import annotations

import asyncio
import json
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from typing import Any, Final

import structlog
from django.conf import settings

from arena.bus import AsyncBus, watch
from arena.host.sockets import Slots

log = structlog.get_logger(__name__)

HEARTBEAT_S = 15.0
"""A comment is sent after this much silence, so that both ends notice a dead connection."""
RETRY_MS = 2000

live_slots = Slots(in_all=500, per_address=20)
"""Readers of live pages at a time, in this process."""

BEAT: Final = b": still here\n\n"
BEGINNING: Final = f"retry: {RETRY_MS}\n\n".encode()


def sent(kind: str, data: Any, number: int | None = None) -> bytes:
    """An event as it is sent; with a number a browser that comes again says the last one that it has."""
    head = f"id: {number}\n" if number is not None else ""
    return f"{head}event: {kind}\ndata: {json.dumps(data, separators=(',', ':'), ensure_ascii=False)}\n\n".encode()


class Feed(ABC):
    """Something that is followed, and the readers who wait for what is new."""

    LOOK_EVERY_S = 5.0
    """Wake-ups may be lost: it is read at least this often."""
    PAUSE_S = 0.2
    """Between two reads: bots may decide faster than anybody can look."""

    def __init__(self, name: str) -> None:
        """`name`: what the bus wakes (`Bus.wake`)."""
        self._name = name
        self._has_ended = False
        """Nothing new can come."""
        self._is_gone = False
        """It has failed."""
        self._changed = asyncio.Event()
        self.readers = 0

    async def run(self) -> None:
        """Read until the end."""
        async with AsyncBus(settings.REDIS_URL) as bus:
            async for _ in watch(bus, self._name, look_every=self.LOOK_EVERY_S):
                await self.read()
                if self._has_ended:
                    return
                await asyncio.sleep(self.PAUSE_S)

    @abstractmethod
    async def read(self) -> None:
        """Read what is new."""

    @abstractmethod
    def events(self, after: int) -> AsyncIterator[bytes]:
        """What is sent to one reader, who has everything up to the number `after`."""

    def join(self, number: int) -> None:
        """Add (1) or remove (-1) a reader."""
        self.readers += number

    def tell(self) -> None:
        """Wake all readers."""
        self._changed.set()
        self._changed = asyncio.Event()

    def fail(self) -> None:
        """Close all connections without an event `end`: browsers reconnect by themselves."""
        self._is_gone = True
        self.tell()

    async def has_news(self, changed: asyncio.Event) -> bool:
        """Wait until readers are woken; false after a silence, in which a heartbeat is due."""
        try:
            async with asyncio.timeout(HEARTBEAT_S):  # `wait_for` loses a cancellation that comes with an event
                await changed.wait()
        except TimeoutError:
            return False
        return True


Key = tuple[str, str]
"""What is followed, and for whom: a match in a language, an event with or without what is hidden."""


class Feeds:
    """The feeds of this process, each for as long as it has readers."""

    def __init__(self) -> None:
        self._feeds: dict[Key, tuple[Feed, asyncio.Task[None]]] = {}

    async def follow(self, key: Key, make: Callable[[], Feed], after: int) -> AsyncGenerator[bytes, None]:
        """The events after a number, until the end or until the reader leaves; `make`: the feed, if there is none."""
        yield BEGINNING
        feed, task = self._feeds.get(key) or self._begin(key, make())
        feed.join(1)
        try:
            async for event in feed.events(after):
                yield event
        finally:
            feed.join(-1)
            if not feed.readers:
                task.cancel()
                if self._feeds.get(key, (None,))[0] is feed:
                    del self._feeds[key]

    def _begin(self, key: Key, feed: Feed) -> tuple[Feed, asyncio.Task[None]]:
        task = asyncio.create_task(feed.run())
        task.add_done_callback(lambda done: self._ended(key, done))
        self._feeds[key] = feed, task
        return feed, task

    def _ended(self, key: Key, task: asyncio.Task[None]) -> None:
        """Forget a feed that failed: readers who reconnect start a new one."""
        if not task.cancelled() and (error := task.exception()):
            log.error("live_feed_failed", name=key[0], error=repr(error))
        if key in self._feeds and self._feeds[key][1] is task:
            self._feeds.pop(key)[0].fail()


async def ended() -> AsyncGenerator[bytes, None]:
    """What is sent to readers of something that is over."""
    yield BEGINNING
    yield sent("end", {})


feeds = Feeds()
