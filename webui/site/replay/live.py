"""Running matches as server-sent events: one feed a match, language and process serves all its readers.

A feed reads the new decisions when the bus wakes it, as a spectator may see them, and encodes the frames that its
readers share. The id of an event is the index of what follows, so that a reader resumes after a lost connection. How
long the seat to act has thought is an event of its own, made when it is sent: frames are equal for all readers.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator

from asgiref.sync import sync_to_async
from django.db import connections
from django.utils import translation
from django.utils.translation import ngettext

from webui.ladder import queries
from webui.ladder.values import MatchLine
from webui.site.feeds import BEAT, Feed, sent
from webui.site.replay.frames import VERSION, Frame, FrameEncoder
from webui.site.replay.loading import ENDED, LiveLoader
from webui.site.replay.moves import Move, fold_line, move_at, move_line, turn_line
from webui.site.replay.replay import Replay
from webui.site.titles import seat_names

COUNT_EVERY_S = 1.0
"""How often the number of readers is sent: else each new reader of a crowd would cause an event for all others."""


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
        page = queries.match_page(self._line.id)  # after the replay, for it names the seats only once there is one
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
            waited = queries.decided_ago(line.id)
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

    def join(self, number: int) -> None:
        """Add (1) or remove (-1) a reader; the new number is sent soon."""
        super().join(number)
        if self._count_due is None:
            self._count_due = asyncio.get_running_loop().call_later(COUNT_EVERY_S, self._count)

    def _count(self) -> None:
        self._count_due = None
        if self._counted != self.readers:
            self._counted = self.readers
            self.tell()

    async def events(self, after: int) -> AsyncIterator[bytes]:
        """The frames after an index as they come, think times, and the number of readers."""
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
                yield sent("end", {})
                return
            if self._asked and self._events and asked != len(self._events):
                asked, (since, most) = len(self._events), self._asked
                yield sent("thinking", {"ms": int(1000 * (time.monotonic() - since)), "most": most})
            if self._is_gone:
                return
            if counted != self._counted:
                counted = self._counted
                yield sent("watching", self._watching(counted))
            if not await self.has_news(changed):
                yield BEAT
