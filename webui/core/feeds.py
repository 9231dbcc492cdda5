"""Feeds of live pages, as server-sent events. All readers of the same thing in a process share one feed.

A feed reads new data when the bus wakes it, and wakes its readers. It exists as long as it has readers.
"""

from __future__ import annotations

import asyncio
import json
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from threading import Lock
from typing import Any, Final, Protocol

import structlog
from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import connections

from arena.bus import AsyncBus, watch
from arena.host.limiters import Slots
from arena.host.sockets import file_limit, site_of
from webui.core.visitors import Live, Receive, Send

log = structlog.get_logger(__name__)

HEARTBEAT_S = 15.0
"""Maximum silence in seconds. A comment is then sent, so that both ends notice a dead connection."""
RETRY_MS = 2000


def most_live_readers(files: int) -> int:
    """Return the maximum number of live readers of a process that may open `files` files.

    At least a quarter of its connections (`webui.commands.site`) is left for all other pages.
    """
    return min(6_000, files * 3 // 5)


PAGES_PER_ADDRESS: Final = 20
"""Maximum number of different live pages that one address may read at a time."""
CROWD: Final = 200
"""Maximum number of readers at one address, or in one /48 of IPv6: a school reads one page with a hundred browsers."""
CROWD_SHARE: Final = 8
"""A crowd gets at most one of so many slots, in a process with few slots."""
RESERVE_SHARE: Final = 4
"""The last one of so many slots is reserved for addresses with few readers."""
FEW: Final = 4
"""Number of readers that an address may have while only reserved slots are left."""


class ReaderSlots:
    """A limit for simultaneous readers of live pages: in all, for each crowd, and for the pages of an address.

    Many readers of one page from one address are a crowd behind one router. Many pages at one address are a program.
    A few such crowds cannot take the reserved slots.
    """

    def __init__(self, in_all: int, pages_per_address: int = PAGES_PER_ADDRESS) -> None:
        self._slots = Slots(in_all, max(pages_per_address, min(CROWD, in_all // CROWD_SHARE)))
        """Slots by address. An IPv6 address counts with its /48: otherwise few customers could take all slots."""
        self._unreserved = in_all - in_all // RESERVE_SHARE
        self._pages_per_address = pages_per_address
        self._readers: dict[str, Counter[str]] = {}
        """Number of readers of each page, by address."""
        self._lock = Lock()

    @property
    def taken(self) -> int:
        """Number of readers now."""
        return self._slots.taken

    @property
    def are_all_taken(self) -> bool:
        """Whether there is no slot for anybody."""
        return self._slots.are_all_taken

    def is_free(self, address: str, page: str) -> bool:
        """Return whether another reader of the page at this address gets a slot."""
        site = site_of(address)
        if self._slots.taken >= self._unreserved and self._slots.held_by(site) >= FEW:
            return False
        pages: Mapping[str, int] = self._readers.get(address, {})
        return not self._slots.are_taken(site) and (page in pages or len(pages) < self._pages_per_address)

    @contextmanager
    def take(self, address: str, page: str) -> Iterator[bool]:
        """Hold a slot while the context lasts. Yield false if there is none."""
        with ExitStack() as slot:
            with self._lock:
                is_free = self.is_free(address, page) and slot.enter_context(self._slots.take(site_of(address)))
                if is_free:
                    self._readers.setdefault(address, Counter())[page] += 1
                    slot.callback(self._leave, address, page)
            yield is_free

    def _leave(self, address: str, page: str) -> None:
        with self._lock:
            pages = self._readers[address]
            pages[page] -= 1
            if not pages[page]:
                del pages[page]
            if not pages:
                del self._readers[address]


live_slots = ReaderSlots(most_live_readers(file_limit()))
"""Slots for simultaneous readers of live pages in this process."""

AT_ONCE = 50
"""Number of readers that are woken in one iteration of the event loop."""
BEAT: Final = b": still here\n\n"
BEGINNING: Final = f"retry: {RETRY_MS}\n\n".encode()


def sent(kind: str, data: Any, number: int | None = None) -> bytes:
    """Return an event in the form in which it is sent.

    With a number, a browser that reconnects sends the number of the last event that it received.
    """
    head = f"id: {number}\n" if number is not None else ""
    return f"{head}event: {kind}\ndata: {json.dumps(data, separators=(',', ':'), ensure_ascii=False)}\n\n".encode()


class Feed(ABC):
    """Something that is followed, with the readers that wait for news of it."""

    LOOK_EVERY_S = 5.0
    """Maximum time between two reads, because wake-ups can be lost."""
    PAUSE_S = 0.2
    """Minimum time between two reads, because bots may decide faster than people can watch."""

    def __init__(self, name: str) -> None:
        """Make a feed that the bus wakes by `name` (`Bus.wake`)."""
        self._name = name
        self._has_ended = False
        """Whether nothing new can come."""
        self._is_gone = False
        """Whether the feed has failed."""
        self._readers: set[Reader] = set()
        self._beat_due: asyncio.TimerHandle | None = None

    @property
    def readers(self) -> int:
        """Return the number of readers."""
        return len(self._readers)

    async def run(self) -> None:
        """Read new data until the end."""
        async with AsyncBus(settings.REDIS_URL) as bus:
            async for _ in watch(bus, self._name, look_every=self.LOOK_EVERY_S):
                await self.read()
                if self._has_ended:
                    return
                await asyncio.sleep(self.PAUSE_S)

    @abstractmethod
    async def read(self) -> None:
        """Read new data once."""

    @abstractmethod
    def events(self, after: int) -> Iterator[bytes]:
        """Yield what is sent to a reader that has everything up to the number `after`.

        Each piece is one or more whole events. An empty piece means that there is nothing more until readers are woken.
        """

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
        """Wake all readers. `first` is sent to them before the new events."""
        self._wake(list(self._readers), first)
        self._set_beat()

    def _wake(self, waiting: list[Reader], first: bytes) -> None:
        """Wake readers in batches, one for each iteration of the event loop, so that other tasks are not starved.

        Batches also keep the garbage collector fast. If it ran while objects of all readers existed, it would take them
        for long-lived ones. It would then soon scan everything that there is.
        """
        for reader in waiting[-AT_ONCE:]:
            if reader in self._readers:
                reader.wake(first)
        del waiting[-AT_ONCE:]
        if waiting:
            asyncio.get_running_loop().call_soon(self._wake, waiting, first)

    def fail(self) -> None:
        """Close all connections without an event `end`. Browsers then reconnect by themselves."""
        self._is_gone = True
        self.tell()

    def _set_beat(self) -> None:
        """Restart the heartbeat. One timer serves all readers, because nearly all of them have been silent equally
        long.
        """
        if self._beat_due is not None:
            self._beat_due.cancel()
        loop = asyncio.get_running_loop()
        self._beat_due = loop.call_later(HEARTBEAT_S, self.tell, BEAT) if self._readers else None


class Reader:
    """A reader of a feed.

    Between two pieces it has no task and no timer, because there can be thousands of readers.
    """

    __slots__ = ("_events", "_is_over", "_send", "_taking")

    def __init__(self, events: Iterator[bytes], send: Send) -> None:
        self._events = events
        self._send = send
        self._taking: asyncio.Task[None] | None = None
        self._is_over = False

    def wake(self, first: bytes = b"") -> None:
        """Send new events. A reader that is still receiving the last piece gets them after it."""
        if self._taking is None and not self._is_over:
            self._taking = asyncio.create_task(self._take(first))

    async def leave(self) -> None:
        """Stop sending."""
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
            log.exception("live_reader_failed")  # the reader reconnects
            piece = None
        finally:
            self._taking = None
        if piece is None:
            self._is_over = True
            await self._send({"type": "http.response.body"})


class PageMark(Protocol):
    """A summary of what a page shows."""

    @property
    def mark(self) -> str:
        """Return a hash that changes whenever the page changes."""

    @property
    def is_settled(self) -> bool:
        """Return whether the page never changes again."""


class PartsFeed(Feed):
    """The feed of a page that fetches its parts again when they have changed (`static/site/parts.js`).

    It only announces changes of the page's mark.
    """

    def __init__(self, name: str, find: Callable[[], PageMark]) -> None:
        """Make a feed of the page whose mark `find` reads from the database."""
        super().__init__(name)
        self._find = find
        self._mark = ""

    async def read(self) -> None:
        """Read the current mark of the page."""
        page = await sync_to_async(self._read, thread_sensitive=False)()
        if page.mark != self._mark or page.is_settled:
            self._mark, self._has_ended = page.mark, page.is_settled
            self.tell()

    def _read(self) -> PageMark:
        try:
            return self._find()
        finally:
            connections.close_all()  # this thread may stay idle for long

    def events(self, after: int) -> Iterator[bytes]:
        """Yield the marks of the page as they change, and finally the end."""
        sent_mark = ""
        while True:
            if sent_mark != self._mark:
                sent_mark = self._mark
                yield sent("changed", sent_mark)
            if self._has_ended:
                yield sent("end", {})
                return
            if self._is_gone:
                return
            yield b""


Key = tuple[str, str]
"""Thing that is followed, and its audience: a match and a language, or an event with or without hidden results."""


class Feeds:
    """The feeds of this process. Each exists as long as it has readers."""

    def __init__(self) -> None:
        self._feeds: dict[Key, tuple[Feed, asyncio.Task[None]]] = {}

    def follow(self, key: Key, make: Callable[[], Feed], after: int) -> Live:
        """Return a function that sends the events after the number `after`, until the end or until the reader leaves.

        `make` makes the feed if there is none.
        """

        async def live(receive: Receive, send: Send) -> None:
            nonlocal make
            await send({"type": "http.response.body", "body": BEGINNING, "more_body": True})
            feed, task = self._feeds.get(key) or self._begin(key, make())
            del make  # it refers to the data from which the request was answered
            reader = Reader(feed.events(after), send)
            feed.join(reader)
            reader.wake()
            try:
                await receive()  # until the reader leaves, or the end was sent
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
        task.add_done_callback(lambda ended: self._ended(key, ended))
        self._feeds[key] = feed, task
        return feed, task

    def _ended(self, key: Key, task: asyncio.Task[None]) -> None:
        """Remove a feed that failed. Readers that reconnect start a new one."""
        if not task.cancelled() and (error := task.exception()):
            log.error("live_feed_failed", name=key[0], error=repr(error))
        if key in self._feeds and self._feeds[key][1] is task:
            self._feeds.pop(key)[0].fail()


ENDED: Final = BEGINNING + sent("end", {})
"""Body for readers of something that is over."""
feeds = Feeds()
