"""A bot that holds back its pongs and thinks meanwhile gains no time: directly, behind nginx, or over a long link."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import grpc.aio
import pytest

from arena.bus import FromBot
from arena.host.sockets import Proxies
from arena.wire.v1.bot_pb2 import Pong, ServerMessage
from tests.gateway.conftest import Arena, TestBot
from tests.gateway.delayed_link import delayed_link
from tests.gateway.test_nginx import HOST, nginx

pytestmark = pytest.mark.asyncio(loop_scope="session")

HELD_S = 0.245
"""Time for which the bot holds back each pong. A gateway would not charge 250 ms if it believed them."""
MS = 1_000_000
ANSWERS = 12
PONGS = 12


@asynccontextmanager
async def cheating(bot: TestBot) -> AsyncIterator[asyncio.Queue[int]]:
    """Answer pings and requests late while the context lasts. Yield a queue of the pings whose pongs were sent."""
    heard: asyncio.Queue[tuple[float, ServerMessage]] = asyncio.Queue()
    sent: asyncio.Queue[int] = asyncio.Queue()
    now = asyncio.get_running_loop().time

    async def read() -> None:
        while (message := await bot.call.read()) is not grpc.aio.EOF:
            heard.put_nowait((now(), message))

    async def reply() -> None:
        while True:
            at, message = await heard.get()
            await asyncio.sleep(at + HELD_S - now())
            if message.WhichOneof("kind") == "ping":
                await bot.say(pong=Pong(id=message.ping.id))
                sent.put_nowait(message.ping.id)
            elif message.WhichOneof("kind") == "request":
                await bot.answer(message.request.match_id, message.request.index)

    tasks = [asyncio.create_task(read()), asyncio.create_task(reply())]
    try:
        yield sent
    finally:
        for task in tasks:
            task.cancel()


async def answers(arena: Arena, bot: TestBot) -> list[FromBot]:
    """Let the bot cheat for a while, then return its answers to requests."""
    await bot.hello()
    session = await arena.present()
    found = []
    async with cheating(bot) as sent:
        for _ in range(PONGS):  # the gateway reads them before the answers
            await sent.get()
        for index in range(ANSWERS):
            await arena.worker.ask(session, index=index)
            found.append(await arena.worker.next("message"))
    return found


async def test_directly(arena: Arena) -> None:
    """Proxies of the same machine are trusted by default; a bot there is no proxy."""
    gateway = await arena.gateway(proxies=Proxies(["127.0.0.0/8", "::1"]))
    found = await answers(arena, arena.bot(gateway))
    assert all(answer.network_ns < 50 * MS for answer in found)
    assert max(answer.think_ns for answer in found) > 190 * MS


async def test_behind_nginx(arena: Arena, tmp_path: Path) -> None:
    gateway = await arena.gateway(proxies=Proxies(["127.0.0.0/8", "::1"]))
    with nginx(tmp_path, gateway.port, 9) as (port, chain):
        options = [("grpc.ssl_target_name_override", HOST)]
        credentials = grpc.ssl_channel_credentials(chain.read_bytes())
        bot = arena.bot(gateway, channel=grpc.aio.secure_channel(f"127.0.0.1:{port}", credentials, options))
        found = await answers(arena, bot)
        assert all(answer.network_ns < 100 * MS for answer in found)
        assert max(answer.think_ns for answer in found) > 140 * MS
        await bot.drop()


async def test_over_a_link_with_100_ms(arena: Arena, tmp_path: Path) -> None:
    """The true round trip is not charged, and nothing more."""
    gateway = await arena.gateway(listen="0.0.0.0:0")
    with delayed_link(0.05, gateway.port, tmp_path / "far"):
        bot = arena.bot(gateway, channel=grpc.aio.insecure_channel(f"unix:{tmp_path / 'far'}"))
        found = await answers(arena, bot)
        assert all(answer.network_ns < 200 * MS for answer in found)
        assert max(answer.network_ns for answer in found) > 95 * MS
        assert max(answer.think_ns for answer in found) > 140 * MS
        await bot.drop()
