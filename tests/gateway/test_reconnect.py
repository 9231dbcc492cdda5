"""Lost, restored and replaced streams; crashes of Redis and of gateways; the drain of a real process."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest
from django.conf import settings
from grpc_health.v1 import health_pb2, health_pb2_grpc

from arena.bus import Presence
from arena.gateway.server import Gateway
from arena.wire.service import SERVICE
from tests.gateway.conftest import WAIT_S, Arena, TestBot
from tests.kit.stalls import HOPS, StallWatch
from webui.bots.models import BotVersion

pytestmark = pytest.mark.asyncio(loop_scope="session")

MS = 1_000_000


async def asked(arena: Arena, gateway: Gateway) -> tuple[TestBot, Presence]:
    """Return a bot that has received its request, of index 3."""
    bot = arena.bot(gateway)
    await bot.hello()
    session = await arena.present()
    await arena.worker.ask(session, index=3)
    await bot.hear("request")
    return bot, session


async def pass_time(gateway: Gateway, ns: int) -> None:
    """Wait until so much time has passed by the gateway's clock, which stands still while the gateway is stalled."""
    begin = gateway.registry.clock.now()
    while gateway.registry.clock.now() < begin + ns:
        await asyncio.sleep(0.01)


async def test_another_version_of_the_process_waits_until_its_matches_are_over(arena: Arena) -> None:
    gateway = await arena.gateway()
    bot, session = await asked(arena, gateway)
    other = arena.bot(gateway, version="other")
    await other.say(hello=other._hello)
    status, reason, _ = await other.end()
    assert (status, reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "ANOTHER_VERSION")
    assert not await BotVersion.objects.filter(name="other").aexists(), "who is refused makes no version"
    elsewhere = arena.bot(gateway, version="other", process="p2")
    assert list((await elsewhere.hello()).running) == []
    await bot.drop()
    again = arena.bot(gateway)
    assert list((await again.hello()).running) == ["m1"], "itself it comes back"
    await again.hear("request")
    await arena.worker.finish(session)
    await again.hear("match_end")
    await again.drop()
    assert list((await arena.bot(gateway, version="other").hello()).running) == []


async def test_a_lost_bot_comes_back_to_its_pending_asks(arena: Arena) -> None:
    gateway = await arena.gateway()
    bot = arena.bot(gateway)
    await bot.hello()
    session = await arena.present()
    for match, index in (("m1", 3), ("m2", 8)):
        await arena.worker.ask(session, match, index)
        await bot.hear("request")
    await bot.drop()
    lost = [await arena.worker.next("lost") for _ in range(2)]
    assert {(notice.match, notice.index, notice.reason) for notice in lost} == {
        ("m1", 3, "STREAM_LOST"),
        ("m2", 8, "STREAM_LOST"),
    }
    await arena.present(lambda session: not session.connected and session.running == 2)
    await pass_time(gateway, 400 * MS)  # the bot is disconnected

    again = arena.bot(gateway)
    assert sorted((await again.hello()).running) == ["m1", "m2"]
    requests = [(await again.hear("request")).request for _ in range(2)]
    assert {(request.match_id, request.index) for request in requests} == {("m1", 3), ("m2", 8)}
    for left in requests:
        # The absence is charged to the bank and the grace, not to the cap.
        assert left.bank_ms <= 59_900 and left.grace_ms <= 29_900
        assert abs((60_000 - left.bank_ms) - (10_000 - left.cap_ms) - (30_000 - left.grace_ms)) <= 1
    assert {(await arena.worker.next("back")).match for _ in range(2)} == {"m1", "m2"}
    back = await arena.present(lambda session: session.connected)
    assert back.id == session.id
    await again.answer("m1", 3)
    answer = await arena.worker.next("message")
    assert answer.is_answer
    assert answer.think_ns + answer.network_ns >= 100 * MS, "the time away is charged"
    assert answer.think_ns >= answer.gone_ns >= 90 * MS, "and known as such"


async def test_an_ask_for_a_lost_bot_waits_for_it(arena: Arena) -> None:
    gateway = await arena.gateway()
    bot, session = await asked(arena, gateway)
    await bot.answer("m1", 3)
    await arena.worker.next("message")
    await bot.drop()
    await arena.worker.next("lost")
    await arena.worker.ask(session, index=4)
    await arena.worker.next("lost")
    again = arena.bot(gateway)
    await again.hello()
    assert (await again.hear("request")).request.index == 4


async def test_a_bot_without_matches_is_forgotten_when_it_goes(arena: Arena) -> None:
    bot = arena.bot(await arena.gateway())
    await bot.hello()
    await arena.present()
    await bot.drop()
    await arena.until(arena.bus.presences, lambda found: not found)


async def test_a_newer_stream_replaces_the_older(arena: Arena) -> None:
    gateway = await arena.gateway()
    bot, _ = await asked(arena, gateway)
    newer = arena.bot(gateway)
    await newer.hello()
    assert await bot.end() == (grpc.StatusCode.ABORTED, "TAKEN_OVER", ["TAKEN_OVER"])
    assert (await newer.hear("request")).request.index == 3
    assert [(await arena.worker.next()).kind for _ in range(2)] == ["lost", "back"]
    other = arena.bot(gateway, process="p2")
    await other.hello()
    await newer.answer("m1", 3)
    await arena.worker.next("message")


async def test_a_newer_stream_at_another_gateway_replaces_the_older(arena: Arena) -> None:
    first, second = await arena.gateway(), await arena.gateway()
    bot, session = await asked(arena, first)
    await pass_time(first, 400 * MS)  # the bot thinks
    newer = arena.bot(second)
    await newer.hello()
    moved = await arena.worker.next("moved")
    assert (moved.reason, moved.gateway, moved.index) == ("TAKEN_OVER", first.id, 3)
    assert moved.open_ns >= 95 * MS, "the worker learns what the bot has had of its time"
    assert (await bot.end())[1] == "TAKEN_OVER"
    there = await arena.bus.presence(session.id)
    assert there is not None and there.gateway == second.id
    await arena.worker.ask(there, index=3)
    assert (await newer.hear("request")).request.index == 3


async def test_a_gateway_that_dies_is_a_new_presence_elsewhere(arena: Arena) -> None:
    first = await arena.gateway()
    bot, session = await asked(arena, first)
    await first.kill()
    assert (await bot.end())[0] != grpc.StatusCode.OK
    await arena.worker.silence(0.1)
    second = await arena.gateway()
    again = arena.bot(second)
    await again.hello()
    there = await arena.present(lambda session: session.gateway == second.id)
    assert there.id == session.id
    await arena.worker.ask(there, index=3)
    await again.hear("request")
    await again.answer("m1", 3)
    assert (await arena.worker.next("message")).is_answer


async def play_on(arena: Arena, index: int) -> None:
    """Ask until the answer arrives, as a worker does."""
    session = await arena.present(lambda session: session.connected)
    async with asyncio.timeout(WAIT_S):
        while True:
            await arena.worker.ask(session, index=index)
            for message in await arena.bus.receive_for_worker("w1", 0.3):
                if message.is_answer and message.index == index:
                    return


async def answer_all(bot: TestBot, seen: list[int]) -> None:
    """Answer every request, and store its index."""
    while True:
        message = await bot.next()
        if message.WhichOneof("kind") == "request":
            seen.append(message.request.index)
            await bot.answer("m1", message.request.index)


@pytest.mark.slow
async def test_all_goes_on_after_flushall(arena: Arena) -> None:
    bot = arena.bot(await arena.gateway())
    await bot.hello()
    session = await arena.present()
    await arena.worker.ask(session, index=3)
    await bot.hear("request")
    await bot.answer("m1", 3)
    await arena.until(lambda: asyncio.to_thread(mail_of, arena, "w1"), lambda length: length == 1)
    arena.redis.flush()
    # The answer is lost with everything else in Redis. The gateway still has it when it is asked again.
    await arena.worker.ask(session, index=3)
    assert (await arena.worker.next("message")).is_answer
    await arena.present()
    await arena.worker.ask(session, index=4)
    await bot.hear("request")


def mail_of(arena: Arena, worker: str) -> Any:
    with arena.redis.client() as client:
        return client.llen(f"arena:worker:{worker}")


async def test_all_goes_on_after_a_restart_of_redis(arena: Arena) -> None:
    bot = arena.bot(await arena.gateway())
    await bot.hello()
    seen: list[int] = []
    playing = asyncio.create_task(answer_all(bot, seen))
    await play_on(arena, 3)
    await asyncio.to_thread(arena.redis.restart)
    await play_on(arena, 4)
    assert seen == [3, 4], "the bot has noticed nothing"
    assert not playing.done()
    playing.cancel()


async def test_a_bot_may_come_while_redis_is_away(arena: Arena) -> None:
    gateway = await arena.gateway()
    bot = arena.bot(gateway)
    await asyncio.to_thread(arena.redis.kill)
    await bot.hello()
    await asyncio.to_thread(arena.redis.start)
    playing = asyncio.create_task(answer_all(bot, []))
    await play_on(arena, 0)
    playing.cancel()


class Process:
    """A real gateway process on the tests' database and Redis."""

    def __init__(self, process: asyncio.subprocess.Process, port: int) -> None:
        self.process = process
        self.address = f"127.0.0.1:{port}"

    @classmethod
    async def start(cls, arena: Arena) -> Process:
        root = Path(__file__).resolve().parents[2]
        environment = {
            **os.environ,
            "REDIS_URL": arena.redis.url,
            "DATABASE_URL": f"sqlite:///{settings.DATABASES['default']['NAME']}",
        }
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "webui.commands.gateway", "--listen", "127.0.0.1:0",
            cwd=root, env=environment, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
        assert process.stdout is not None
        async with asyncio.timeout(WAIT_S):
            line = (await process.stdout.readline()).decode()
        return cls(process, int(line.rsplit(" ", 1)[1]))


@pytest.mark.skipif(
    settings.DATABASES["default"]["ENGINE"] != "django.db.backends.sqlite3", reason="starts its gateway on SQLite"
)
async def test_sigterm_drains_within_five_seconds(arena: Arena) -> None:
    gateway = await Process.start(arena)
    bot = TestBot(gateway.address, arena.registered.token)
    try:
        await bot.hello()
        session = await arena.present()
        await arena.worker.ask(session, index=3)
        await bot.hear("request")
        health: Any = health_pb2_grpc.HealthStub(bot.channel)
        states = health.Watch(health_pb2.HealthCheckRequest(service=SERVICE))
        assert (await states.read()).status == health_pb2.HealthCheckResponse.SERVING
        with StallWatch() as stalls:
            began = time.monotonic()
            gateway.process.send_signal(signal.SIGTERM)
            assert (await states.read()).status == health_pb2.HealthCheckResponse.NOT_SERVING
            states.cancel()
            assert await bot.end() == (grpc.StatusCode.UNAVAILABLE, "GOING_DOWN", ["GOING_DOWN"])
            moved = await arena.worker.next("moved")
            assert (moved.reason, moved.match, moved.index) == ("GOING_DOWN", "m1", 3)
            assert await arena.bus.presences() == [], "it is not there any more before anybody hears that it moved"
            assert await asyncio.wait_for(gateway.process.wait(), WAIT_S) == 0
            assert time.monotonic() - began < 5 + HOPS * stalls.longest_s()
    finally:
        await bot.drop()
        if gateway.process.returncode is None:
            gateway.process.kill()
            await gateway.process.wait()
