"""One open stream of a bot at the local gateway: its outbox, its writer, its pings and its end.

The limits and the measurement of round trips are those of the server.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Final

from arena.gateway.errors import SILENT, SLOW_READER, GatewayRefusal
from arena.gateway.limits import Pings
from arena.host.limiters import Bucket
from arena.local.refusals import LIMITS, Context, refuse
from arena.wire.v1.bot_pb2 import Ping, ServerMessage

NEAR: Final = ("ipv4:127.", "ipv6:%5B::1%5D", "ipv6:[::1]")
"""Prefixes of peers on this machine. Their round trip counts as zero.

It takes some hundredths of a millisecond, which no ping can tell from the time that their programs need to answer.
"""
GOODBYE_S: Final = 0.5
"""Seconds for the last messages, and then for a bot to stop writing after it was sent the reason."""

Written = Callable[[int], None]
"""Called when a message is written, with nanoseconds of the monotonic clock."""


class LocalStream:
    """The writing half and the lifetime of one stream."""

    def __init__(self, context: Context, capacity: int, clock: Callable[[], int], *, is_patient: bool = False) -> None:
        """`clock` gives the nanoseconds that count for the bot."""
        now = clock()
        self._clock = clock
        self.pings = Pings()
        self.unasked = Bucket(
            LIMITS.max_messages_per_second * LIMITS.flood_window_s, LIMITS.max_messages_per_second, now
        )
        self.heard_ns = now
        """Time of the bot's last message."""
        self.ended: asyncio.Future[GatewayRefusal | None] = asyncio.get_running_loop().create_future()
        """Done when the stream is to end: holds the refusal, or `None` for OK."""
        self._context = context
        self._is_patient = is_patient
        self._is_near = context.peer().startswith(NEAR)
        self._outbox: asyncio.Queue[tuple[bytes, Written | None] | None] = asyncio.Queue(LIMITS.outbox_size(capacity))

    def send(self, message: bytes, written: Written | None = None) -> None:
        """Queue a message for the writer. A full outbox ends the stream, because the bot does not read."""
        if self.ended.done():
            return
        try:
            self._outbox.put_nowait((message, written))
        except asyncio.QueueFull:
            self.end(SLOW_READER)

    def end(self, refusal: GatewayRefusal | None) -> None:
        """Let the stream end. Only the first call counts."""
        if not self.ended.done():
            self.ended.set_result(refusal)

    async def write(self) -> None:
        """Write the messages of the outbox one by one."""
        while (queued := await self._outbox.get()) is not None:
            message, written = queued
            if written is not None:
                written(self._clock())
            try:
                async with asyncio.timeout(None if self._is_patient else LIMITS.write_timeout_s):
                    await self._context.write(message)
            except TimeoutError:
                self.end(SLOW_READER)
                return

    async def ping(self) -> None:
        """Ping the bot at intervals. End the stream when the bot stays silent for too long, unless it may be silent."""
        pause = 1.0  # short, because a process that has just started answers the first one slowly
        while not self.ended.done():
            if self._is_patient and self._clock() - self.heard_ns > LIMITS.silence_s * 1e9:
                # a paused bot would find all pings when it continues, and send too many answers at once
                await asyncio.sleep(pause)
                continue
            ping = self.pings.next_id()
            message = ServerMessage(ping=Ping(id=ping)).SerializeToString()
            self.send(message, partial(self.pings.was_written, ping))
            await asyncio.sleep(pause)
            pause = LIMITS.ping_interval_s
            if self._clock() - self.heard_ns > LIMITS.silence_s * 1e9:
                self.end(SILENT)

    def ponged(self, ping: int, now: int) -> bool:
        """Handle a pong. Return whether its ping was sent."""
        return self.pings.was_answered(ping, now, 0 if self._is_near else None)

    async def close(self, writer: asyncio.Task[None], reader: asyncio.Task[None]) -> None:
        """Write the rest and the reason of the end. Call it only after `ended`.

        Raises `grpc.aio.AbortError` if there is a reason.
        """
        refusal = self.ended.result()
        try:
            while self._outbox.full():
                self._outbox.get_nowait()
            self._outbox.put_nowait(None)
            await asyncio.wait([writer], timeout=GOODBYE_S)
            if refusal is not None and writer.done():
                await self._context.write(refusal.encode(fatal=True))
                # If a bot writes to a call that already has its status, gRPC hides that status from it (it becomes
                # INTERNAL).
                await asyncio.wait([reader], timeout=GOODBYE_S)
        finally:
            writer.cancel()
            reader.cancel()
        if refusal is not None:
            await refuse(self._context, refusal)
