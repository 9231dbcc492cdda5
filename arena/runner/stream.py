"""The stream of a bot in a sandbox. It is frozen whenever it has nothing to do, so requests wait for a core."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

import grpc.aio

from arena.gateway.clock import ListeningClock
from arena.gateway.limits import GatewayLimits
from arena.gateway.seats import PendingAsk
from arena.gateway.stream import BotStream, Context
from arena.runner.turns import SeatTurns
from arena.wire.v1.bot_pb2 import Ping, ServerMessage

EOF: Any = grpc.aio.EOF  # type: ignore[attr-defined]  # missing in grpc-stubs


class SandboxStream(BotStream):
    """The stream of a bot in a sandbox, which plays one match."""

    def __init__(
        self,
        match: str,
        turns: SeatTurns,
        answered: Callable[[], None],
        greeted: Callable[[], None],
        context: Context,
        limits: GatewayLimits,
        capacity: int,
        clock: ListeningClock,
        transport_ns: Callable[[], int],
    ) -> None:
        """Write to `context`.

        `answered` is called when the bot has answered its request and is frozen, before its answer is handled.
        `greeted` is called when the bot has read its welcome. All other arguments are those of `BotStream`.
        """
        super().__init__(context, limits, capacity, clock, transport_ns)
        self._match = match
        self._turns = turns
        self._answered = answered
        self._greeted = greeted
        self._first_ping = 0

    async def write_message(self, payload: bytes, ask: PendingAsk | None, ping: int) -> None:
        """Write one message of the outbox. The bot runs for each request, and for the ping after a match."""
        write = partial(super().write_message, payload, ask, ping)
        if ask is not None or ping:
            await self._turns.ask(ask, write)
            return
        await write()
        if not self._first_ping:
            # The pong proves that the bot has read its welcome, whose limits its timers need.
            self._first_ping = self.pings.next_id()
            message = ServerMessage(ping=Ping(id=self._first_ping)).SerializeToString()
            await super().write_message(message, None, self._first_ping)

    async def read(self) -> Any:
        """Return the next message of the bot. If it is the answer to its request, the bot is frozen before."""
        data = await super().read()
        # A message that is too large is refused, and the request stays open.
        is_small = data is not EOF and len(data) <= self._limits.max_message_bytes
        if is_small and self._turns.is_answer(self._match, data):
            await self._turns.rest()
            self._answered()
        return data

    def was_ponged(self, ping: int) -> bool:
        """Record the pong of a ping. Return false if no such ping was sent."""
        was_sent = super().was_ponged(ping)
        if was_sent and ping == self._first_ping:
            self._greeted()
        return was_sent

    async def ping(self) -> None:
        """Wait for the end of the stream. A frozen bot answers no pings, and its sandbox shows whether it lives."""
        await asyncio.shield(self.ended)
