"""One open stream of a bot at the local gateway: its outbox, its writer, its pings, and how it ends.

Limits, and how round trips are measured, are the server's.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from functools import partial
from typing import Final

from arena.gateway.errors import SILENT, SLOW_READER, Refusal
from arena.gateway.limits import Bucket, Pings
from arena.local.refusals import LIMITS, Context, refuse
from arena.wire.v1.bot_pb2 import Ping, ServerMessage

NEAR: Final = ("ipv4:127.", "ipv6:%5B::1%5D", "ipv6:[::1]")
"""Peers on this machine. The way to them takes some hundredths of a millisecond, which no ping can tell from the time
that their programs take for its answer: it counts as nothing."""
GOODBYE_S: Final = 0.5
"""How long the last messages may take, and how long a bot may take to stop writing once it was told why."""

Written = Callable[[int], None]
"""Is told when a message goes onto the wire, in nanoseconds of the monotonic clock."""


class Stream:
    """The writing half and the lifetime of one stream."""

    def __init__(self, context: Context, capacity: int, *, is_patient: bool = False) -> None:
        now = time.monotonic_ns()
        self.pings = Pings()
        self.unasked = Bucket(
            LIMITS.max_messages_per_second * LIMITS.flood_window_s, LIMITS.max_messages_per_second, now
        )
        self.heard_ns = now
        """When the bot last said something."""
        self.ended: asyncio.Future[Refusal | None] = asyncio.get_running_loop().create_future()
        """Done when the stream shall end: why, or None for OK."""
        self._context = context
        self._is_patient = is_patient
        self._is_near = context.peer().startswith(NEAR)
        self._outbox: asyncio.Queue[tuple[bytes, Written | None] | None] = asyncio.Queue(LIMITS.outbox_size(capacity))

    def send(self, message: bytes, written: Written | None = None) -> None:
        """Leave a message for the writer. A full outbox ends the stream: that bot does not read."""
        if self.ended.done():
            return
        try:
            self._outbox.put_nowait((message, written))
        except asyncio.QueueFull:
            self.end(SLOW_READER)

    def end(self, refusal: Refusal | None) -> None:
        """Let the stream end; the first reason counts."""
        if not self.ended.done():
            self.ended.set_result(refusal)

    async def write(self) -> None:
        """Write what is in the outbox, one by one."""
        while (one := await self._outbox.get()) is not None:
            message, written = one
            if written is not None:
                written(time.monotonic_ns())
            try:
                async with asyncio.timeout(None if self._is_patient else LIMITS.write_timeout_s):
                    await self._context.write(message)
            except TimeoutError:
                self.end(SLOW_READER)
                return

    async def ping(self) -> None:
        """Ask for signs of life until there is none for too long; one at a time, if that is never."""
        pause = 1.0  # the second one comes soon: a process that has just started is slow at the first
        while not self.ended.done():
            if self._is_patient and time.monotonic_ns() - self.heard_ns > LIMITS.silence_s * 1e9:
                await asyncio.sleep(pause)  # it would find them all when it goes on, and answer too many at once
                continue
            ping = self.pings.next_id()
            message = ServerMessage(ping=Ping(id=ping)).SerializeToString()
            self.send(message, partial(self.pings.was_written, ping))
            await asyncio.sleep(pause)
            pause = LIMITS.ping_interval_s
            if time.monotonic_ns() - self.heard_ns > LIMITS.silence_s * 1e9:
                self.end(SILENT)

    def ponged(self, ping: int, now: int) -> bool:
        """A ping was answered; whether there was one."""
        return self.pings.was_answered(ping, now, 0 if self._is_near else None)

    async def close(self, writer: asyncio.Task[None], reader: asyncio.Task[None]) -> None:
        """Write the rest, and why it ends; raises `grpc.aio.AbortError` then. Only after `ended`."""
        refusal = self.ended.result()
        try:
            while self._outbox.full():
                self._outbox.get_nowait()
            self._outbox.put_nowait(None)
            await asyncio.wait([writer], timeout=GOODBYE_S)
            if refusal is not None and writer.done():
                await self._context.write(refusal.encode(fatal=True))
                # What a bot writes to a call that has its status hides that status from it (gRPC makes it INTERNAL).
                await asyncio.wait([reader], timeout=GOODBYE_S)
        finally:
            writer.cancel()
            reader.cancel()
        if refusal is not None:
            await refuse(self._context, refusal)
