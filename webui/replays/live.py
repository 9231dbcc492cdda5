"""Running matches as server-sent events: one feed a match, language and process serves all its readers.

A feed reads the new decisions when the bus wakes it, as a spectator may see them, and encodes the frames that its
readers share. The id of an event is the index of what follows, so that a reader resumes after a lost connection. How
long the seat to act has thought is an event of its own, made when it is sent: frames are equal for all readers. What
many readers are sent at the same time is joined once.
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
from webui.replays.loading import ENDED, LiveLoader
from webui.replays.moves import Move, fold_line, move_at, move_line, turn_line
from webui.replays.replay import Replay
from webui.words.titles import seat_names

COUNT_EVERY_S = 1.0
"""How often the number of readers is sent: else each new reader of a crowd would cause an event for all others."""


PIECE = 16_384
"""Bytes, about, that are sent to a reader before it is seen whether it takes them."""
SHARED_S = 0.1
"""For so long a think time is good for other readers, too."""


class ReaderPosition(NamedTuple):
    """What a reader has been sent. Readers of a crowd have the same."""

    ply: int
    after: int
    """The index of the last frame, or the one that the reader came with."""
    asked: int
    """The think time is that at this ply; 0: none was sent."""
    counted: int
    """The number of readers."""


class ReaderNews(NamedTuple):
    """Events for a reader, and what it has with them."""

    piece: bytes
    place: ReaderPosition


class MatchFeed(Feed):
    """One running match in one language: its frames so far, and the readers who wait for more."""

    def __init__(self, line: MatchLine, language: str) -> None:
        super().__init__(line.id)
        self._line = line
        self._language = language
        self._loader = LiveLoader(line)
        self._encoder: FrameEncoder | None = None
        self._turn: list[Move] = []
        """The decisions of the turn that goes on."""
        self._events: list[tuple[int, bytes]] = []
        self._asked: tuple[float, int] | None = None
        """When the seat to act was asked (monotonic, seconds), and the most that it may take (ms); None: not shown."""
        self._counted = 0
        self._latest: tuple[ReaderPosition, float, ReaderNews] | None = None
        """The piece that was made last: for whom, when (monotonic, seconds), and what it is."""
        self._count_due: asyncio.TimerHandle | None = None

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
        replay = self._loader.load()
        page = match_queries.match_page(
            self._line.id
        )  # after the replay, for it names the seats only once there is one
        line = page.line
        if line.state in ENDED:
            return [], True
        if replay is None:
            return [], False
        first = len(self._events)
        if self._encoder is None:
            self._line, self._encoder = line, FrameEncoder(line.seats)
        frames = [self._live_frame(replay, ply, frame) for ply, frame in enumerate(self._encoder.frames(replay), first)]
        replay.forget(len(replay.steps) - 1)  # the next frame and its move look back so far
        if frames:
            waited = match_live.decided_ago(line.id)
            self._asked = None if waited is None else (time.monotonic() - waited, page.clock["cap_ms"])
        return [(frame.get("d", -1), sent("frame", frame, frame.get("d"))) for frame in frames], False

    def _live_frame(self, replay: Replay, ply: int, frame: Frame) -> Frame:
        """The frame as a document of its own, with what it adds to the move list."""
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
        """Add a reader; the new number is sent soon."""
        super().join(reader)
        self._count_soon()

    def leave(self, reader: Reader) -> None:
        """Remove a reader; the new number is sent soon."""
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
        """The frames after an index as they come, think times, and the number of readers."""
        has = ReaderPosition(sum(index <= after for index, _ in self._events) if after >= 0 else 0, after, 0, 0)
        while True:
            while (found := self._after(has)).place != has:
                has = found.place
                if found.piece:
                    yield found.piece
            if self._has_ended:
                yield sent("end", {})
                return
            if self._is_gone:
                return
            yield b""

    def _after(self, has: ReaderPosition) -> ReaderNews:
        """The next piece for a reader who has this much: made once for all who wait for the same."""
        now = time.monotonic()
        if self._latest is None or self._latest[0] != has or now - self._latest[1] > SHARED_S:
            self._latest = has, now, self._joined(has, now)
        return self._latest[2]

    def _joined(self, has: ReaderPosition, now: float) -> ReaderNews:
        ply, after, asked, counted = has
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
            if self._asked and ply and asked != ply:
                asked, (since, most) = ply, self._asked
                pieces.append(sent("thinking", {"ms": int(1000 * (now - since)), "most": most}))
            if counted != self._counted:
                counted = self._counted
                pieces.append(sent("watching", self._watching(counted)))
        return ReaderNews(b"".join(pieces), ReaderPosition(ply, after, asked, counted))

    def tell(self, first: bytes = b"") -> None:
        """Wake all readers."""
        self._latest = None
        super().tell(first)
