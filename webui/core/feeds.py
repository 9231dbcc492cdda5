"""What pages follow live, as server-sent events: one feed of each thing and process serves all its readers.

A feed reads what is new when the bus wakes it, and tells its readers. It lasts as long as it has any.
"""

from __future__ import annotations

import asyncio
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, Final

import structlog
from django.conf import settings

from arena.bus import AsyncBus, watch
from arena.host.sockets import Slots, file_limit
from webui.core.visitors import Live, Receive, Send

log = structlog.get_logger(__name__)

HEARTBEAT_S = 15.0
"""A comment is sent after no more than this much silence, so that both ends notice a dead connection."""
RETRY_MS = 2000


def most_live_readers(files: int) -> int:
    """How many readers of live pages a process takes that may open so many files: of its connections
    (`webui.commands.site`) a quarter or more is left to all other pages."""
    return min(6_000, files * 3 // 5)


live_slots = Slots(in_all=most_live_readers(file_limit()), per_address=20)
"""Readers of live pages at a time, in this process."""

AT_ONCE = 50
"""Readers who are woken at one turn of the loop."""
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
        self._readers: set[Reader] = set()
        self._beat_due: asyncio.TimerHandle | None = None

    @property
    def readers(self) -> int:
        """How many there are."""
        return len(self._readers)

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
    def events(self, after: int) -> Iterator[bytes]:
        """What is sent to one reader, who has everything up to the number `after`: whole events, several in one piece
        where they are there already. Empty: nothing more until readers are woken."""

    def join(self, reader: Reader) -> None:
        """Add a reader."""
        self._readers.add(reader)
        if self._beat_due is None:
            self._set_beat()

    def leave(self, reader: Reader) -> None:
        """Remove a reader."""
        self._readers.discard(reader)
        if not self._readers:
            self._set_beat()

    def tell(self, first: bytes = b"") -> None:
        """Wake all readers; `first`: what they are sent before what is new."""
        self._wake(list(self._readers), first)
        self._set_beat()

    def _wake(self, waiting: list[Reader], first: bytes) -> None:
        """Some at each turn of the loop, in which others have theirs, too. And what all readers of a crowd need for a
        moment would be taken for something that stays by the garbage collector, if it came while that moment lasts: it
        would soon look through all that there is."""
        for reader in waiting[-AT_ONCE:]:
            if reader in self._readers:
                reader.wake(first)
        del waiting[-AT_ONCE:]
        if waiting:
            asyncio.get_running_loop().call_soon(self._wake, waiting, first)

    def fail(self) -> None:
        """Close all connections without an event `end`: browsers reconnect by themselves."""
        self._is_gone = True
        self.tell()

    def _set_beat(self) -> None:
        """One timer for all readers: they have the same silence, but for those who came during it."""
        if self._beat_due is not None:
            self._beat_due.cancel()
        loop = asyncio.get_running_loop()
        self._beat_due = loop.call_later(HEARTBEAT_S, self.tell, BEAT) if self._readers else None


class Reader:
    """One who follows a feed. Between two pieces it has no task, timer or anything else: there are thousands."""

    __slots__ = ("_events", "_is_over", "_send", "_taking")

    def __init__(self, events: Iterator[bytes], send: Send) -> None:
        self._events = events
        self._send = send
        self._taking: asyncio.Task[None] | None = None
        self._is_over = False

    def wake(self, first: bytes = b"") -> None:
        """Send what is new. A reader who has not taken the last piece yet gets it after that."""
        if self._taking is None and not self._is_over:
            self._taking = asyncio.create_task(self._take(first))

    async def leave(self) -> None:
        """Send no more."""
        self._is_over = True
        if self._taking is not None:
            self._taking.cancel()
            await asyncio.wait([self._taking])

    async def _take(self, first: bytes) -> None:
        try:
            piece: bytes | None = first or next(self._events, None)
            while piece:
                await self._send({"type": "http.response.body", "body": piece, "more_body": True})
                piece = next(self._events, None)
        except Exception:
            log.exception("live_reader_failed")  # it reconnects
            piece = None
        finally:
            self._taking = None
        if piece is None:
            self._is_over = True
            await self._send({"type": "http.response.body"})


Key = tuple[str, str]
"""What is followed, and for whom: a match in a language, an event with or without what is hidden."""


class Feeds:
    """The feeds of this process, each for as long as it has readers."""

    def __init__(self) -> None:
        self._feeds: dict[Key, tuple[Feed, asyncio.Task[None]]] = {}

    def follow(self, key: Key, make: Callable[[], Feed], after: int) -> Live:
        """The events after a number, until the end or until the reader leaves; `make`: the feed, if there is none."""

        async def live(receive: Receive, send: Send) -> None:
            nonlocal make
            await send({"type": "http.response.body", "body": BEGINNING, "more_body": True})
            feed, task = self._feeds.get(key) or self._begin(key, make())
            del make  # it has what the request was answered from
            reader = Reader(feed.events(after), send)
            feed.join(reader)
            reader.wake()
            try:
                await receive()  # until the reader leaves, or has been sent the end
            finally:
                feed.leave(reader)
                if not feed.readers:
                    task.cancel()
                    if self._feeds.get(key, (None,))[0] is feed:
                        del self._feeds[key]
                await reader.leave()

        return live

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


ENDED: Final = BEGINNING + sent("end", {})
"""What is sent to readers of something that is over."""
feeds = Feeds()
