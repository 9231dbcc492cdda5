"""Attacks by strangers without a token on the gateway's port: honest bots still connect, and no resource stays in
use."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack, asynccontextmanager, suppress
from typing import Any

import grpc.aio
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from arena.gateway import metrics
from arena.gateway.server import Gateway
from arena.wire.service import SERVICE
from arena.wire.v1.bot_pb2 import BotMessage, Hello, Ping
from tests.gateway.conftest import WAIT_S, Arena
from tests.kit.raw_http2 import RawHttp2

pytestmark = pytest.mark.asyncio(loop_scope="session")

PLAY = f"/{SERVICE}/Play"
SMALL = {
    "max_silent_streams": 40,
    "max_silent_streams_per_address": 20,
    "max_unused_connections": 40,
    "max_unused_connections_per_address": 20,
    "unused_connection_s": 5.0,
    "connection_check_s": 0.1,
    "refusal_timeout_s": 0.3,
}


@asynccontextmanager
async def attack(gateway: Gateway, count: int, do: Callable[[RawHttp2], None], **how: Any) -> AsyncIterator[list[Any]]:
    """Open `count` connections that call `do` and stay open."""

    def start() -> list[RawHttp2]:
        attackers = []
        for _ in range(count):
            attacker = RawHttp2(gateway.port, **how)
            stack.callback(attacker.close)
            with suppress(OSError):  # closed already
                do(attacker)
            attackers.append(attacker)
        return attackers

    with ExitStack() as stack:
        yield await asyncio.to_thread(start)


async def comes_in(arena: Arena, gateway: Gateway, process: str) -> None:
    """Connect an honest bot, long before silent streams would be ended."""
    async with asyncio.timeout(WAIT_S):
        while True:
            bot = arena.bot(gateway, process=process)
            try:
                await bot.hello()
                await bot.say(ping=Ping(id=1))
                await bot.hear("pong")
            except grpc.aio.AioRpcError:
                # The connection was refused: every client retries.
                await asyncio.sleep(0.2)
            else:
                return


async def test_streams_that_never_say_hello_are_bounded(arena: Arena) -> None:
    gateway = await arena.gateway(**SMALL, hello_timeout_s=600)
    playing = arena.bot(gateway, process="before")
    await playing.hello()
    before = await count_tasks()

    def open_many(attacker: RawHttp2) -> None:
        for _ in range(100):
            attacker.open(PLAY)

    async with attack(gateway, 5, open_many, window=0) as attackers:
        # gRPC has two tasks for each of twenty streams.
        await arena.until(count_tasks, lambda count: count <= before + 2 * 20 + 10)
        # No bot uses their connections, so these end with all their streams.
        await arena.until(lambda: closed(attackers), lambda all_closed: all_closed)
        await comes_in(arena, gateway, "meanwhile")
    await arena.until(count_tasks, lambda count: count <= before + 10)
    await playing.say(ping=Ping(id=1))
    await playing.hear("pong")


async def test_silent_streams_of_a_neighbour_keep_no_bot_out(arena: Arena) -> None:
    gateway = await arena.gateway(**{**SMALL, "unused_connection_s": 600}, hello_timeout_s=600)

    def open_many(attacker: RawHttp2) -> None:
        for _ in range(100):
            attacker.open(PLAY)

    before = await count_evicted()
    async with attack(gateway, 2, open_many):
        await arena.until(count_evicted, lambda count: count >= before + 2 * 100 - 20)
        await arena.bot(gateway, process="meanwhile").hello()


async def test_a_refused_stream_that_takes_no_data_ends_with_its_connection(arena: Arena) -> None:
    gateway = await arena.gateway(**{**SMALL, "unused_connection_s": 600, "hello_burst": 10_000})
    before = await count_tasks()
    bad = BotMessage(hello=Hello(token="guess", process="p", version="1", protocol="none")).SerializeToString()

    def open_many(attacker: RawHttp2) -> None:
        for _ in range(20):
            attacker.open(PLAY, bad)

    async with attack(gateway, 5, open_many, window=0) as attackers:
        await arena.until(lambda: closed(attackers), lambda all_closed: all_closed)
        await arena.until(count_tasks, lambda count: count <= before + 10)
        await comes_in(arena, gateway, "meanwhile")


@pytest.mark.parametrize("says", ["nothing", "preface"])
async def test_idle_connections_leave_room_and_are_closed(arena: Arena, says: str) -> None:
    gateway = await arena.gateway(**{**SMALL, "unused_connection_s": 600})
    with ExitStack() as stack:
        idle: list[Any] = []
        for _ in range(100):
            if says == "preface":
                idle.append(attacker := RawHttp2(gateway.port))
                stack.callback(attacker.close)
            else:
                idle.append(stack.enter_context(socket.create_connection(("127.0.0.1", gateway.port))))
        # Only this many from one address stay.
        await arena.until(lambda: count_closed(idle), lambda count: count >= 80)
        await comes_in(arena, gateway, "meanwhile")


async def test_more_connections_than_there_may_be_are_closed_at_once(arena: Arena) -> None:
    gateway = await arena.gateway(**{**SMALL, "unused_connection_s": 1.0, "max_connections": 30})
    with ExitStack() as stack:
        for _ in range(100):
            stack.enter_context(socket.create_connection(("127.0.0.1", gateway.port)))
        await comes_in(arena, gateway, "soon")


async def test_watches_of_the_health_are_bounded(arena: Arena) -> None:
    gateway = await arena.gateway(max_watches=6, max_watches_per_address=3, watch_s=1.0)
    async with grpc.aio.insecure_channel(f"127.0.0.1:{gateway.port}") as channel:
        stub = health_pb2_grpc.HealthStub(channel)
        watches = [stub.Watch(health_pb2.HealthCheckRequest()) for _ in range(10)]
        ends = [await watch_to_the_end(watch) for watch in watches]
        assert ends.count(grpc.StatusCode.RESOURCE_EXHAUSTED) == 7
        assert ends.count(grpc.StatusCode.UNAVAILABLE) == 3
        state = await stub.Check(health_pb2.HealthCheckRequest())
        assert state.status == health_pb2.HealthCheckResponse.SERVING
        again = stub.Watch(health_pb2.HealthCheckRequest())
        assert (await again.read()).status == health_pb2.HealthCheckResponse.SERVING


async def test_a_health_watch_that_takes_no_data_does_not_stop_the_shutdown(arena: Arena) -> None:
    gateway = await arena.gateway()

    def watch(attacker: RawHttp2) -> None:
        attacker.open("/grpc.health.v1.Health/Watch", b"")

    async with attack(gateway, 3, watch, window=0):
        await comes_in(arena, gateway, "before")
        async with asyncio.timeout(20):  # it takes five
            await gateway.drain()


async def watch_to_the_end(watch: Any) -> grpc.StatusCode:
    try:
        while await watch.read() is not grpc.aio.EOF:
            pass
    except grpc.aio.AioRpcError:
        pass
    return await watch.code()


async def count_evicted() -> float:
    return float(metrics.HELLOS.labels("TOO_MANY_HELLOS")._value.get())


async def count_tasks() -> int:
    return len(asyncio.all_tasks())


async def closed(attackers: list[RawHttp2]) -> bool:
    return all(attacker.is_closed() for attacker in attackers)


async def count_closed(connections: list[Any]) -> int:
    return sum(_is_closed(connection) for connection in connections)


def _is_closed(connection: Any) -> bool:
    if isinstance(connection, RawHttp2):
        return connection.is_closed()
    connection.setblocking(False)
    try:
        while connection.recv(4096):
            pass
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True
