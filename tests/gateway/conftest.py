"""A gateway with real Redis, gRPC over a socket and a database; a bot of raw messages; the worker's end of the bus."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any

import grpc.aio
import pytest
import pytest_asyncio

from arena.bus import AsyncBus, FromBot, Presence, ToBot
from arena.gateway.limits import GatewayLimits, RunnerServiceLimits
from arena.gateway.server import Gateway, GatewayConfig
from arena.gateway.tls import Certificate
from arena.host.sockets import Proxies
from arena.wire.service import PROTOCOL, open_play
from arena.wire.v1.bot_pb2 import (
    Accept,
    Answer,
    BotMessage,
    DecisionRequest,
    Hello,
    MatchEnd,
    Offer,
    Pong,
    ServerMessage,
    Welcome,
)
from tests.kit.redis_server import RedisServer
from tests.kit.until import PATIENCE_S
from webui.accounts import actions as account_actions
from webui.bots import actions as bot_actions
from webui.bots import token_actions
from webui.commands.hosting import DatabaseHosting
from webui.commands.identities import DatabaseIdentities

WAIT_S = PATIENCE_S


@pytest.fixture(scope="session")
def redis_process() -> Iterator[RedisServer]:
    with RedisServer() as server:
        yield server


@pytest.fixture
def redis(redis_process: RedisServer) -> RedisServer:
    """Return a running, empty Redis."""
    if redis_process.process is None:
        redis_process.start()
    redis_process.flush()
    return redis_process


@dataclass(frozen=True)
class Registered:
    """A bot that may connect."""

    bot: int
    owner: int
    token: str
    token_id: int


@pytest.fixture
def registered(transactional_db: None) -> Registered:
    owner = account_actions.create_user("ada", None)
    bot = bot_actions.register_bot(owner, "Camel")
    token = token_actions.issue_token(bot)
    return Registered(bot, owner, token.token, token.token_id)


class TestBot:
    """A bot that sends exactly what the test asks, and answers pings."""

    __test__ = False

    def __init__(
        self,
        address: str,
        token: str,
        *,
        process: str = "p1",
        forwarded: str = "",
        channel: grpc.aio.Channel | None = None,
        **hello: Any,
    ) -> None:
        self.channel = channel or grpc.aio.insecure_channel(address)
        self.call = open_play(self.channel, metadata=(("x-forwarded-for", forwarded),) if forwarded else ())
        self.pong = True
        self._hello = Hello(
            **{"token": token, "process": process, "version": "1", "protocol": PROTOCOL, "max_matches": 10, **hello}
        )

    async def say(self, **kind: Any) -> None:
        await self.call.write(BotMessage(**kind))

    async def answer(self, match: str, index: int, *actions_: str, note: str = "") -> None:
        await self.say(answer=Answer(match_id=match, index=index, actions=actions_ or ["pass"], note=note))

    async def hello(self) -> Welcome:
        await self.say(hello=self._hello)
        return (await self.hear("welcome")).welcome

    async def next(self) -> ServerMessage:
        """Return the next message that is not a ping."""
        async with asyncio.timeout(WAIT_S):
            while True:
                message = await self.call.read()
                if message is grpc.aio.EOF:
                    raise EOFError(f"{await self.call.code()}: {await self.call.details()}")
                if message.WhichOneof("kind") != "ping":
                    return message
                if self.pong:
                    await self.say(pong=Pong(id=message.ping.id))

    async def hear(self, kind: str) -> ServerMessage:
        """Return the next message, which must be of this kind."""
        message = await self.next()
        assert message.WhichOneof("kind") == kind, message
        return message

    async def end(self) -> tuple[grpc.StatusCode, str, list[str]]:
        """Read to the end. Return the status, the reason in the trailing metadata, and the kinds of messages before
        it."""
        # grpc.aio replaces a call's status by INTERNAL if a write meets its end, so write nothing any more.
        self.pong = False
        heard = []
        try:
            while True:
                message = await self.next()
                heard.append(message.error.reason or str(message.WhichOneof("kind")))
        except (EOFError, grpc.aio.AioRpcError):
            pass
        metadata = dict(await self.call.trailing_metadata() or ())
        return await self.call.code(), str(metadata.get("arena-reason", "")), heard

    async def drop(self) -> None:
        """Break the connection."""
        self.call.cancel()
        await self.channel.close()


class TestWorker:
    """The worker's end of the bus."""

    __test__ = False

    def __init__(self, bus: AsyncBus, name: str = "w1") -> None:
        self.bus = bus
        self.name = name
        self._waiting: list[FromBot] = []

    async def ask(self, session: Presence, match: str = "m1", index: int = 0, **more: Any) -> None:
        request = DecisionRequest(match_id=match, index=index, bank_ms=60_000, cap_ms=10_000, grace_ms=30_000)
        await self.send(session, ServerMessage(request=request), match, ask=True, index=index, **more)

    async def offer(self, session: Presence, match: str = "m1") -> None:
        await self.send(session, ServerMessage(offer=Offer(match_id=match)), match, ask=True, index=-1)

    async def finish(self, session: Presence, match: str = "m1") -> None:
        await self.send(session, ServerMessage(match_end=MatchEnd(match_id=match)), match, final=True)

    async def send(self, session: Presence, message: ServerMessage, match: str = "m1", **more: Any) -> None:
        fields = {"seat": 1, "epoch": 1, "reply_to": self.name, **more}
        await self.bus.send_to_gateway(
            session.gateway, ToBot(session.id, match, payload=message.SerializeToString(), **fields)
        )

    async def next(self, kind: str | None = None) -> FromBot:
        """Return the next message; only of this kind, if one is named."""
        async with asyncio.timeout(WAIT_S):
            while not self._waiting:
                self._waiting += await self.bus.receive_for_worker(self.name, 1.0)
        message = self._waiting.pop(0)
        assert kind in (None, message.kind), message
        return message

    async def silence(self, seconds: float = 0.3) -> None:
        """Check that no message arrives."""
        self._waiting += await self.bus.receive_for_worker(self.name, seconds)
        assert not self._waiting


class Arena:
    """The objects that a test uses."""

    def __init__(self, redis: RedisServer, registered: Registered, stack: AsyncExitStack) -> None:
        self.redis = redis
        self.registered = registered
        self.bus = AsyncBus(redis.url)
        self.worker = TestWorker(self.bus)
        self._stack = stack

    async def gateway(
        self,
        *,
        certificate: Certificate | None = None,
        proxies: Proxies | None = None,
        listen: str = "127.0.0.1:0",
        runner_limits: RunnerServiceLimits | None = None,
        **limits: Any,
    ) -> Gateway:
        # Bot, worker and gateway share one process. A high limit keeps a stall of the process from ending silent
        # streams.
        limits = {"ping_interval_s": 0.2, "silence_factor": 10_000, "hello_timeout_s": 600, **limits}
        config = GatewayConfig(
            listen,
            self.redis.url,
            certificate,
            proxies or Proxies(),
            GatewayLimits(**limits),
            runner_limits or RunnerServiceLimits(),
        )
        self.hosting = DatabaseHosting()
        gateway = Gateway(config, DatabaseIdentities(), self.hosting)
        await gateway.start()
        self._stack.push_async_callback(gateway.kill)
        return gateway

    def push(self, close: Callable[..., Awaitable[object]], *arguments: Any) -> None:
        """Call this at the end of the test."""
        self._stack.push_async_callback(close, *arguments)

    def bot(self, gateway: Gateway, **hello: Any) -> TestBot:
        bot = TestBot(f"127.0.0.1:{gateway.port}", **{"token": self.registered.token, **hello})
        self._stack.push_async_callback(bot.drop)
        return bot

    async def present(self, is_right: Callable[[Presence], bool] = lambda session: True) -> Presence:
        """Return the one session, once its announcement satisfies `is_right`."""
        return (await self.until(lambda: self.bus.presences(), lambda found: len(found) == 1 and is_right(found[0])))[0]

    async def until(self, look: Callable[[], Awaitable[Any]], is_right: Callable[[Any], Any]) -> Any:
        async with asyncio.timeout(WAIT_S):
            while not is_right(value := await look()):
                await asyncio.sleep(0.02)
        return value


@pytest_asyncio.fixture(loop_scope="session")  # grpc.aio fails with a new loop for every test
async def arena(redis: RedisServer, registered: Registered) -> AsyncIterator[Arena]:
    async with AsyncExitStack() as stack:
        arena = Arena(redis, registered, stack)
        stack.push_async_callback(arena.bus.close)
        yield arena


def accept(match: str) -> Accept:
    return Accept(match_id=match, nonce_hash=b"h" * 32)
