"""One open stream of a bot: its outbox, its writer, its pings, and how it ends."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from typing import Any, Final

import grpc.aio

from arena.gateway.clock import ListeningClock
from arena.gateway.errors import REASON_METADATA, SILENT, SLOW_READER, ErrorReason, Refusal
from arena.gateway.limits import Bucket, GatewayLimits, Pings
from arena.gateway.seats import PendingAsk
from arena.wire.v1.bot_pb2 import Ping, ServerMessage

Context = grpc.aio.ServicerContext[Any, Any]

FIRST_PAUSE_S: Final = 1.0
"""The second ping comes soon: at the first one the transport is not known yet."""
FLUSH_S: Final = 1.0
"""How long the last messages may take when a stream ends."""
GOODBYE_S: Final = 0.5
"""And how long a bot may take to stop writing, once it was told why."""


class BotStream:
    """The writing half and the lifetime of one stream. The reading half is in `service`."""

    def __init__(
        self,
        context: Context,
        limits: GatewayLimits,
        capacity: int,
        clock: ListeningClock,
        transport_ns: Callable[[], int | None],
    ) -> None:
        now = time.monotonic_ns()
        self.pings = Pings()
        self.unasked = Bucket(
            limits.max_messages_per_second * limits.flood_window_s, limits.max_messages_per_second, now
        )
        self.connected_at_ns = time.time_ns()
        self.clock = clock
        self.transport_ns = transport_ns
        """The round trip by the transport: `Connections.round_trip_ns`."""
        self.opened_ns = clock.now()
        self.heard_ns = clock.now()
        """When the bot last gave a sign of life."""
        self.resting: ErrorReason | None = None
        """Why the bot is given no new matches, if it was told so."""
        self.ended: asyncio.Future[Refusal | None] = asyncio.get_running_loop().create_future()
        """Done when the stream shall end: why, or None for OK."""
        self._context = context
        self._limits = limits
        self._outbox: deque[tuple[bytes, PendingAsk | None, int]] = deque()
        self._outbox_size = limits.outbox_size(capacity)
        self._outbox_bytes = 0
        self._filled = asyncio.Event()

    @property
    def is_open(self) -> bool:
        """Whether it takes messages."""
        return not self.ended.done()

    def send(self, payload: bytes, ask: PendingAsk | None = None, ping: int = 0) -> None:
        """Leave a message for the writer. A full outbox ends the stream: that bot does not read."""
        if not self.is_open:
            return
        if len(self._outbox) >= self._outbox_size or self._outbox_bytes + len(payload) > self._limits.outbox_bytes:
            self.end(SLOW_READER)
            return
        self._outbox.append((payload, ask, ping))
        self._outbox_bytes += len(payload)
        self._filled.set()

    def end(self, refusal: Refusal | None) -> None:
        """Let the stream end; the first reason counts."""
        if self.ended.done():
            return
        if refusal is not None:
            self._outbox.append((refusal.encode(fatal=True), None, 0))
            self._filled.set()
        self.ended.set_result(refusal)

    async def write(self) -> None:
        """Write what is in the outbox, one by one, until the stream has ended and everything is out."""
        while True:
            while self._outbox:
                payload, ask, ping = self._outbox.popleft()
                self._outbox_bytes -= len(payload)
                now = self.clock.now()
                if ask is not None:
                    ask.start(now)
                elif ping:
                    self.pings.was_written(ping, now)
                try:
                    async with asyncio.timeout(self._limits.write_timeout_s):
                        await self._context.write(payload)
                except TimeoutError:
                    self.end(SLOW_READER)
                    return
            if self.ended.done():
                return
            self._filled.clear()
            await self._filled.wait()

    def ask_sign(self) -> int:
        """Ask for a sign of life now; the id of the ping."""
        ping = self.pings.next_id()
        self.send(ServerMessage(ping=Ping(id=ping)).SerializeToString(), ping=ping)
        return ping

    async def ping(self) -> None:
        """Ask for signs of life until there is none for too long."""
        pause = min(FIRST_PAUSE_S, self._limits.ping_interval_s)
        while self.is_open:
            self.ask_sign()
            await asyncio.sleep(pause)
            pause = self._limits.ping_interval_s
            if self.clock.now() - self.heard_ns > self._limits.silence_s * 1e9:
                self.end(SILENT)

    async def close(self, writer: asyncio.Task[None], reader: asyncio.Task[None]) -> None:
        """Write the rest and the final status; raises TimeoutError if the bot takes no data. Only after `ended`."""
        self._filled.set()
        refusal = self.ended.result()
        try:
            await asyncio.wait([writer], timeout=FLUSH_S)
            if refusal is not None:
                # What a bot writes to a call that has its status hides that status from it (gRPC makes it INTERNAL).
                await asyncio.wait([reader], timeout=GOODBYE_S)
        finally:
            is_written = writer.done()
            writer.cancel()
            reader.cancel()
        if refusal is None and not is_written:
            raise TimeoutError
        if refusal is not None:
            await refuse(self._context, refusal)


async def refuse(context: Context, refusal: Refusal) -> None:
    """End a call with the canonical status; always raises `grpc.aio.AbortError`."""
    await context.abort(refusal.status, f"{refusal.reason}: {refusal.message}", ((REASON_METADATA, refusal.reason),))
