"""Running matches as server-sent events: one feed a match, language and process serves all its readers.

A feed reads the new decisions when the bus wakes it, as a spectator may see them, and encodes the frames that its
readers share. The id of an event is the index of its decision, so that a reader resumes after a lost connection. How
long the seat to act has thought is an event of its own, made when it is sent: frames are equal for all readers.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any

import structlog
from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import connections
from django.utils import translation
from django.utils.translation import ngettext

from arena.bus import AsyncBus, watch
from webui.ladder import queries
from webui.ladder.values import MatchLine
from webui.site.replay.frames import VERSION, Frame, FrameEncoder
from webui.site.replay.loading import ENDED, LiveLoader
from webui.site.replay.moves import move_at, move_line
from webui.site.replay.replay import Replay
from webui.site.titles import seat_names

log = structlog.get_logger(__name__)

HEARTBEAT_S = 15.0
"""A comment is sent after this much silence, so that both ends notice a dead connection."""
LOOK_EVERY_S = 5.0
"""Wake-ups may be lost: the match is read at least this often."""
PAUSE_S = 0.2
"""Between two reads: bots may decide faster than anybody can look."""
RETRY_MS = 2000
COUNT_EVERY_S = 1.0
"""How often the number of readers is sent: else each new reader of a crowd would cause an event for all others."""


def _event(kind: str, data: Any, number: int | None = None) -> bytes:
    head = f"id: {number}\n" if number is not None else ""
    return f"{head}event: {kind}\ndata: {json.dumps(data, separators=(',', ':'), ensure_ascii=False)}\n\n".encode()


class MatchFeed:
    """One running match in one language: its frames so far, and the readers who wait for more."""

    def __init__(self, line: MatchLine, language: str) -> None:
        self._line = line
        self._language = language
        self._loader = LiveLoader(line)
        self._encoder = FrameEncoder(line.seats)
        self._events: list[tuple[int, bytes]] = []
        self._asked: tuple[float, int] | None = None
        """When the seat to act was asked (monotonic, seconds), and the most that it may take (ms); None: not shown."""
        self._has_ended = False
        self._is_gone = False
        self._changed = asyncio.Event()
        self.readers = 0
        self._counted = 0
        self._count_due: asyncio.TimerHandle | None = None

    async def run(self) -> None:
        """Read the match until it ends."""
        async with AsyncBus(settings.REDIS_URL) as bus:
            async for _ in watch(bus, self._line.id, look_every=LOOK_EVERY_S):
                await self.read()
                if self._has_ended:
                    return
                await asyncio.sleep(PAUSE_S)

    async def read(self) -> None:
        """Encode the frames that are new."""
        fresh, self._has_ended = await sync_to_async(self._read, thread_sensitive=False)()
        self._events += fresh
        if fresh or self._has_ended:
            self.tell()

    def _read(self) -> tuple[list[tuple[int, bytes]], bool]:
        try:
            with translation.override(self._language):
                return self._fresh()
        finally:
            connections.close_all()  # this thread may not be used again for long

    def _fresh(self) -> tuple[list[tuple[int, bytes]], bool]:
        page = queries.match_page(self._line.id)
        line = page.line
        if line.state in ENDED:
            return [], True
        replay = self._loader.load()
        if replay is None:
            return [], False
        first = len(self._events)
        frames = [self._live_frame(replay, ply, frame) for ply, frame in enumerate(self._encoder.frames(replay), first)]
        replay.forget(len(replay.steps) - 1)  # the next frame and its move look back so far
        if frames:
            waited = queries.decided_ago(line.id)
            self._asked = None if waited is None else (time.monotonic() - waited, page.clock["cap_ms"])
        return [(frame.get("d", -1), _event("frame", frame, frame.get("d"))) for frame in frames], False

    def _live_frame(self, replay: Replay, ply: int, frame: Frame) -> Frame:
        """The frame as a document of its own, with its line of the move list."""
        frame["v"] = VERSION
        if ply:
            frame["move"] = move_line(move_at(replay, seat_names(self._line), ply))
            frame["count"] = ngettext("%(n)s decision", "%(n)s decisions", ply) % {"n": ply}
        return frame

    def _watching(self, readers: int) -> str:
        with translation.override(self._language):
            return ngettext("%(n)d watching", "%(n)d watching", readers) % {"n": readers}

    def tell(self) -> None:
        """Wake all readers."""
        self._changed.set()
        self._changed = asyncio.Event()

    def join(self, number: int) -> None:
        """Add (1) or remove (-1) a reader; the new number is sent soon."""
        self.readers += number
        if self._count_due is None:
            self._count_due = asyncio.get_running_loop().call_later(COUNT_EVERY_S, self._count)

    def _count(self) -> None:
        self._count_due = None
        if self._counted != self.readers:
            self._counted = self.readers
            self.tell()

    def fail(self) -> None:
        """Close all connections without an event `end`: browsers reconnect by themselves."""
        self._is_gone = True
        self.tell()

    async def events(self, after: int) -> AsyncIterator[bytes]:
        """The frames of the decisions after an index as they come, think times, and the number of readers."""
        counted, asked = 0, None
        ply = sum(index <= after for index, _ in self._events) if after >= 0 else 0
        while True:
            changed = self._changed
            while ply < len(self._events):  # it may grow while a slow reader takes an event
                index, event = self._events[ply]
                ply += 1
                if index > after or index < 0:
                    yield event
            if self._has_ended:
                yield _event("end", {})
                return
            if self._asked and self._events and asked != len(self._events):
                asked, (since, most) = len(self._events), self._asked
                yield _event("thinking", {"ms": int(1000 * (time.monotonic() - since)), "most": most})
            if self._is_gone:
                return
            if counted != self._counted:
                counted = self._counted
                yield _event("watching", self._watching(counted))
            try:
                async with asyncio.timeout(HEARTBEAT_S):  # `wait_for` loses a cancellation that comes with an event
                    await changed.wait()
            except TimeoutError:
                yield b": still here\n\n"


Key = tuple[str, str]
"""A match and a language."""


class MatchFeeds:
    """The feeds of this process, each for as long as it has readers."""

    def __init__(self) -> None:
        self._feeds: dict[Key, tuple[MatchFeed, asyncio.Task[None]]] = {}

    async def follow(self, line: MatchLine, after: int, language: str) -> AsyncGenerator[bytes, None]:
        """The events of a match after an index, until it ends or the reader leaves."""
        yield f"retry: {RETRY_MS}\n\n".encode()
        if line.state in ENDED:
            yield _event("end", {})
            return
        key = line.id, language
        feed, task = self._feeds.get(key) or self._begin(line, key)
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

    def _begin(self, line: MatchLine, key: Key) -> tuple[MatchFeed, asyncio.Task[None]]:
        feed = MatchFeed(line, key[1])
        task = asyncio.create_task(feed.run())
        task.add_done_callback(lambda done: self._ended(key, done))
        self._feeds[key] = feed, task
        return feed, task

    def _ended(self, key: Key, task: asyncio.Task[None]) -> None:
        """Forget a feed that failed: readers who reconnect start a new one."""
        if not task.cancelled() and (error := task.exception()):
            log.error("live_feed_failed", match=key[0], error=repr(error))
        if key in self._feeds and self._feeds[key][1] is task:
            self._feeds.pop(key)[0].fail()


feeds = MatchFeeds()
