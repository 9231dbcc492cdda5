"""Running matches as server-sent events.

In each process, one feed for a match and a language serves all its readers. When the bus wakes it, the feed reads the
new decisions as a spectator may see them, and encodes frames that all readers share.

The id of an event is the index of the event that follows in the match. A reader uses it to resume after a lost
connection. The think time of the seat to act is a separate event, made when it is sent, so that frames are the same
for all readers. Events that many readers need at the same time are joined once.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from typing import NamedTuple

from asgiref.sync import sync_to_async
from django.db import connections
from django.utils import translation
from django.utils.translation import ngettext

from webui.core.feeds import Feed, Reader, sent
from webui.matches import live as match_live
from webui.matches import queries as match_queries
from webui.matches.values import MatchLine
from webui.replays.frames import VERSION, Frame, FrameEncoder
from webui.replays.moves import Move, fold_line, move_at, move_line, turn_line
from webui.replays.replay import ENDED, LiveLoader, Replay
from webui.words.titles import seat_names

COUNT_EVERY_S = 1.0
"""Minimum number of seconds between two events with the number of readers.

Without it, each new reader of a crowd would cause an event for all others.
"""


PIECE = 16_384
"""Approximate number of bytes that are sent to a reader at once."""
SHARED_S = 0.1
"""Seconds for which a think time may be sent to other readers, too."""


class ReaderPosition(NamedTuple):
    """The position of a reader: what it has received. Many readers share the same position."""

    ply: int
    after: int
    """Index of the last frame, or the index with which the reader connected."""
    timed: int
    """Ply for which the think time was sent. 0 if none was sent."""
    counted: int
    """Number of readers that was sent last."""


class ReaderNews(NamedTuple):
    """Events for a reader, and its position after them."""

    piece: bytes
    place: ReaderPosition


class MatchFeed(Feed):
    """The feed of one running match in one language: its frames so far, and its readers."""

    def __init__(self, line: MatchLine, language: str, loader: LiveLoader | None = None) -> None:
        """Make a feed. `loader` loads what its readers may see; otherwise they are spectators."""
        super().__init__(line.id)
        self._line = line
        self._language = language
        self._loader = loader or LiveLoader(line)
        self._encoder: FrameEncoder | None = None
        self._turn: list[Move] = []
        """Decisions of the current turn."""
        self._events: list[tuple[int, bytes]] = []
        self._thinking: tuple[float, int] | None = None
        """Time when the seat to act was asked (monotonic, seconds), and its limit (ms). None if neither is shown."""
        self._counted = 0
        self._latest: tuple[ReaderPosition, float, ReaderNews] | None = None
        """Latest piece: the position it is for, when it was made (monotonic, seconds), and the piece itself."""
        self._count_due: asyncio.TimerHandle | None = None

    async def read(self) -> None:
        """Encode the new frames, and wake the readers."""
        new_events, self._has_ended = await sync_to_async(self._read, thread_sensitive=False)()
        self._events += new_events
        if new_events or self._has_ended:
            self.tell()

    def _read(self) -> tuple[list[tuple[int, bytes]], bool]:
        try:
            with translation.override(self._language):
                return self._new_events()
        finally:
            connections.close_all()  # this thread may then be idle for a long time

    def _new_events(self) -> tuple[list[tuple[int, bytes]], bool]:
        replay = self._loader.load()
        page = match_queries.match_page(self._line.id)  # after the replay, because the page names the seats only then
        line = page.line
        if line.state in ENDED or self._loader.is_closed():
            return [], True
        if replay is None:
            return [], False
        first = len(self._events)
        if self._encoder is None:
            self._line, self._encoder = line, FrameEncoder(line.seats)
        frames = [self._live_frame(replay, ply, frame) for ply, frame in enumerate(self._encoder.frames(replay), first)]
        replay.forget(len(replay.steps) - 1)  # the next frame and its move need one earlier ply
        if frames:
            waited = match_live.decided_ago(line.id)
            self._thinking = None if waited is None else (time.monotonic() - waited, page.clock.cap_ms)
        return [(frame.get("d", -1), sent("frame", frame, frame.get("d"))) for frame in frames], False

    def _live_frame(self, replay: Replay, ply: int, frame: Frame) -> Frame:
        """Complete the frame as a standalone document, with its addition to the move list."""
        frame["v"] = VERSION
        if ply:
            move = move_at(replay, seat_names(self._line), ply)
            self._turn = [move] if move.starts_turn else [*self._turn, move]
            if move.starts_turn:
                frame["move"] = turn_line(self._turn)
            else:
                frame["move"], frame["fold"] = move_line(move), fold_line(self._turn)
            frame["count"] = ngettext("%(n)s decision", "%(n)s decisions", ply) % {"n": ply}
        return frame

    def _watching(self, readers: int) -> str:
        with translation.override(self._language):
            return ngettext("%(n)d watching", "%(n)d watching", readers) % {"n": readers}

    def join(self, reader: Reader) -> None:
        """Add a reader. The new number of readers is sent soon."""
        super().join(reader)
        self._count_soon()

    def leave(self, reader: Reader) -> None:
        """Remove a reader. The new number of readers is sent soon."""
        super().leave(reader)
        self._count_soon()

    def _count_soon(self) -> None:
        if self._count_due is None:
            self._count_due = asyncio.get_running_loop().call_later(COUNT_EVERY_S, self._count)

    def _count(self) -> None:
        self._count_due = None
        if self._counted != self.readers:
            self._counted = self.readers
            self.tell()

    def events(self, after: int) -> Iterator[bytes]:
        """Yield the frames after an index as they arrive, think times, and the number of readers."""
        has = ReaderPosition(sum(index <= after for index, _ in self._events) if after >= 0 else 0, after, 0, 0)
        while True:
            while (news := self._after(has)).place != has:
                has = news.place
                if news.piece:
                    yield news.piece
            if self._has_ended:
                yield sent("end", {})
                return
            if self._is_gone:
                return
            yield b""

    def _after(self, has: ReaderPosition) -> ReaderNews:
        """Return the next piece for a reader at this position. It is made once for all readers at the same position."""
        now = time.monotonic()
        if self._latest is None or self._latest[0] != has or now - self._latest[1] > SHARED_S:
            self._latest = has, now, self._joined(has, now)
        return self._latest[2]

    def _joined(self, has: ReaderPosition, now: float) -> ReaderNews:
        ply, after, timed, counted = has
        pieces: list[bytes] = []
        size = 0
        while ply < len(self._events) and size < PIECE:
            index, event = self._events[ply]
            ply += 1
            if index > after or index < 0:
                after = max(after, index)
                pieces.append(event)
                size += len(event)
        if ply == len(self._events) and not self._has_ended:
            if self._thinking and ply and timed != ply:
                timed, (since, most) = ply, self._thinking
                pieces.append(sent("thinking", {"ms": int(1000 * (now - since)), "most": most}))
            if counted != self._counted:
                counted = self._counted
                pieces.append(sent("watching", self._watching(counted)))
        return ReaderNews(b"".join(pieces), ReaderPosition(ply, after, timed, counted))

    def tell(self, first: bytes = b"") -> None:
        """Wake all readers."""
        self._latest = None
        super().tell(first)
