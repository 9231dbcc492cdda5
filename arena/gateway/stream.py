"""One open stream of a bot: its outbox, its writer, its pings and its end."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from typing import Any, Final, Protocol

import grpc.aio

from arena.gateway.clock import ListeningClock
from arena.gateway.errors import REASON_METADATA, SILENT, SLOW_READER, GatewayRefusal
from arena.gateway.limits import GatewayLimits, Pings
from arena.gateway.seats import PendingAsk
from arena.host.limiters import Bucket
from arena.wire.v1.bot_pb2 import Ping, ServerMessage

Context = grpc.aio.ServicerContext[Any, Any]

FIRST_PAUSE_S: Final = 1.0
"""Pause before the second ping. It is short because the transport's round trip is not known at the first ping."""
FLUSH_S: Final = 1.0
"""Time allowed for writing the last messages when a stream ends."""
GOODBYE_S: Final = 0.5
"""Time in which a bot must stop writing after it was sent the reason of the end."""


class SessionStream(Protocol):
    """What a session needs of the stream to its bot, or to a person."""

    opened_ns: int
    ended: asyncio.Future[GatewayRefusal | None]

    def send(self, payload: bytes, ask: PendingAsk | None = None, ping: int = 0) -> None:
        """Send a message. If it is an `ask`, start its clock."""

    def end(self, refusal: GatewayRefusal | None) -> None:
        """Let the stream end."""

    def ask_sign(self) -> int:
        """Ask for a sign of life. Return the id of the ping."""

    def was_ponged(self, ping: int) -> bool:
        """Record the answer to a ping. Return false if no such ping was sent."""

    def network_ns(self) -> int:
        """Return the network's share of a round trip, in nanoseconds."""


class BotStream:
    """The writing half and the lifetime of one stream. The reading half is in `service`."""

    def __init__(
        self,
        context: Context,
        limits: GatewayLimits,
        capacity: int,
        clock: ListeningClock,
        transport_ns: Callable[[], int],
    ) -> None:
        now = time.monotonic_ns()
        self.pings = Pings()
        self.unasked = Bucket(
            limits.max_messages_per_second * limits.flood_window_s, limits.max_messages_per_second, now
        )
        self.connected_at_ns = time.time_ns()
        self.clock = clock
        self.transport_ns = transport_ns
        """Returns the transport's round trip (`Connections.round_trip_ns`)."""
        self.opened_ns = clock.now()
        self.heard_ns = clock.now()
        """Time of the bot's last sign of life."""
        self.resting: GatewayRefusal | None = None
        """The reason why the bot gets no new matches, if it was sent one."""
        self.ended: asyncio.Future[GatewayRefusal | None] = asyncio.get_running_loop().create_future()
        """Done when the stream is to end: holds the refusal, or `None` for OK."""
        self._context = context
        self._limits = limits
        self._outbox: deque[tuple[bytes, PendingAsk | None, int]] = deque()
        self._outbox_size = limits.outbox_size(capacity)
        self._outbox_bytes = 0
        self._filled = asyncio.Event()

    @property
    def is_open(self) -> bool:
        """Whether the stream accepts messages."""
        return not self.ended.done()

    def send(self, payload: bytes, ask: PendingAsk | None = None, ping: int = 0) -> None:
        """Queue a message for the writer. A full outbox ends the stream, because the bot does not read."""
        if not self.is_open:
            return
        if len(self._outbox) >= self._outbox_size or self._outbox_bytes + len(payload) > self._limits.outbox_bytes:
            self.end(SLOW_READER)
            return
        self._outbox.append((payload, ask, ping))
        self._outbox_bytes += len(payload)
        self._filled.set()

    def end(self, refusal: GatewayRefusal | None) -> None:
        """Let the stream end. Only the first call counts."""
        if self.ended.done():
            return
        if refusal is not None:
            self._outbox.append((refusal.encode(fatal=True), None, 0))
            self._filled.set()
        self.ended.set_result(refusal)

    async def write(self) -> None:
        """Write the messages of the outbox one by one, until the stream has ended and the outbox is empty."""
        while True:
            while self._outbox:
                payload, ask, ping = self._outbox.popleft()
                self._outbox_bytes -= len(payload)
                try:
                    await self.write_message(payload, ask, ping)
                except TimeoutError:
                    self.end(SLOW_READER)
                    return
            if self.ended.done():
                return
            self._filled.clear()
            await self._filled.wait()

    async def write_message(self, payload: bytes, ask: PendingAsk | None, ping: int) -> None:
        """Write one message of the outbox. Raises TimeoutError if the bot does not read."""
        if ask is not None:
            ask.start(self.clock.now())
        elif ping:
            self.pings.was_written(ping, time.monotonic_ns())
        async with asyncio.timeout(self._limits.write_timeout_s):
            await self._context.write(payload)

    async def read(self) -> Any:
        """Return the next message of the bot as bytes, or `grpc.aio.EOF`."""
        return await self._context.read()

    def ask_sign(self) -> int:
        """Ping the bot now. Return the id of the ping."""
        ping = self.pings.next_id()
        self.send(ServerMessage(ping=Ping(id=ping)).SerializeToString(), ping=ping)
        return ping

    def was_ponged(self, ping: int) -> bool:
        """Record the pong of a ping. Return false if no such ping was sent.

        Round trips are measured by a clock that goes on during a stall of the gateway. A stall can only make them
        longer, and the least one counts. With the bots' clock they would become shorter, and bots would be charged for
        the network.
        """
        return self.pings.was_answered(ping, time.monotonic_ns(), self.transport_ns())

    def network_ns(self) -> int:
        """Return the network's share of a round trip, in nanoseconds."""
        return self.pings.network(time.monotonic_ns())

    async def ping(self) -> None:
        """Ping the bot at intervals. End the stream when the bot stays silent for too long."""
        pause = min(FIRST_PAUSE_S, self._limits.ping_interval_s)
        while self.is_open:
            self.ask_sign()
            await asyncio.sleep(pause)
            pause = self._limits.ping_interval_s
            if self.clock.now() - self.heard_ns > self._limits.silence_s * 1e9:
                self.end(SILENT)

    async def close(self, writer: asyncio.Task[None], reader: asyncio.Task[None]) -> None:
        """Write the rest and the final status. Call it only after `ended`.

        Raises TimeoutError if the bot reads no data.
        """
        self._filled.set()
        refusal = self.ended.result()
        try:
            await asyncio.wait([writer], timeout=FLUSH_S)
            if refusal is not None:
                # If a bot writes to a call that already has its status, gRPC hides that status from it (it becomes
                # INTERNAL).
                await asyncio.wait([reader], timeout=GOODBYE_S)
        finally:
            is_written = writer.done()
            writer.cancel()
            reader.cancel()
        if refusal is None and not is_written:
            raise TimeoutError
        if refusal is not None:
            await refuse(self._context, refusal)


async def refuse(context: Context, refusal: GatewayRefusal) -> None:
    """End a call with the canonical status. Always raises `grpc.aio.AbortError`."""
    await context.abort(refusal.status, f"{refusal.reason}: {refusal.message}", ((REASON_METADATA, refusal.reason),))
