"""Bots that flood, send too much, do not read or are silent: the referee gets the fault, and memory stays bounded."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import Any

import grpc
import grpc.aio
import pytest

from arena.bus import REVEAL_INDEX, Presence
from arena.gateway.server import Gateway
from arena.gateway.stream import BotStream
from arena.wire.service import SERVICE
from arena.wire.v1.bot_pb2 import (
    Accept,
    BotMessage,
    DecisionRequest,
    Decline,
    Ping,
    Reveal,
    RevealRequest,
    ServerMessage,
)
from tests.gateway.conftest import Arena

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_flooding_ends_the_stream_and_is_a_fault(arena: Arena) -> None:
    gateway = await arena.gateway(max_messages_per_second=2, ping_interval_s=60)
    bot = arena.bot(gateway)
    await bot.hello()
    session = await arena.present()
    stream_of(gateway, session).unasked._per_second = 0
    await arena.worker.ask(session, index=6)
    await bot.hear("request")
    for _ in range(21):  # the allowance of ten seconds, and one more
        await bot.answer("m1", 1)
    status, reason, _ = await bot.end()
    assert (status, reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_MANY_MESSAGES")
    kinds = []
    while not kinds or kinds[-1] != ("lost", "TOO_MANY_MESSAGES", 6):
        message = await arena.worker.next()
        kinds.append((message.kind, message.reason, message.index))
    assert kinds[-2] == ("fault", "FLOODING", 6)
    assert len(kinds) == 2 + 21, "what was let through is bounded"


async def test_answers_to_requests_are_no_flood(arena: Arena) -> None:
    bot = arena.bot(await arena.gateway(max_messages_per_second=1, flood_window_s=1, ping_interval_s=60))
    await bot.hello()
    session = await arena.present()
    for index in range(50):
        await arena.worker.ask(session, index=index)
        await bot.hear("request")
        await bot.answer("m1", index)
        assert (await arena.worker.next("message")).is_answer


async def test_an_oversized_message_is_a_fault_of_its_match(arena: Arena) -> None:
    bot = arena.bot(await arena.gateway())
    await bot.hello()
    session = await arena.present()
    await arena.worker.ask(session, index=2)
    await bot.hear("request")
    await bot.answer("m1", 2, note="n" * 20_000)
    error = (await bot.hear("error")).error
    assert (error.reason, error.match_id, error.fatal) == ("MESSAGE_TOO_LARGE", "m1", False)
    fault = await arena.worker.next("fault")
    assert (fault.reason, fault.match, fault.index) == ("OVERSIZED", "m1", 2)


async def test_a_fault_that_redis_delivers_twice_has_one_number(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    gateway = await arena.gateway()
    bot = arena.bot(gateway)
    await bot.hello()
    session = await arena.present()
    await arena.worker.ask(session, index=2)
    await bot.hear("request")
    exchange = gateway._bus._exchange
    lost: list[str] = []

    async def exchange_and_lose_the_first_reply(*commands: Sequence[Any]) -> list[Any]:
        replies = await exchange(*commands)
        if not lost:
            lost.append(commands[0][0])
            raise TimeoutError("Redis has the message, and its reply did not come in time")
        return replies

    monkeypatch.setattr(gateway._bus, "_exchange", exchange_and_lose_the_first_reply)
    await bot.answer("m1", 2, note="n" * 20_000)
    await bot.hear("error")
    heard = [await arena.worker.next(), await arena.worker.next()]
    await bot.drop()
    while heard[-1].kind != "lost":
        heard.append(await arena.worker.next())
    faults = [message.number for message in heard if message.kind == "fault"]
    assert len(faults) == 2 and len(set(faults)) == 1
    assert heard[-1].number > faults[0] > 0


async def test_a_message_beyond_all_measure_ends_the_stream(arena: Arena) -> None:
    gateway = await arena.gateway()
    bot = arena.bot(gateway)
    await bot.hello()
    session = await arena.present()
    await arena.worker.ask(session)
    await bot.hear("request")
    await bot.answer("m1", 0, note="n" * 300_000)
    error = (await bot.hear("error")).error
    assert error.fatal and "at most 16384 are allowed" in error.message
    assert (await bot.end())[:2] == (grpc.StatusCode.RESOURCE_EXHAUSTED, "MESSAGE_TOO_LARGE")
    lost = await arena.worker.next("lost")
    assert (lost.index, lost.reason) == (0, "MESSAGE_TOO_LARGE")
    again = arena.bot(gateway)
    await again.hello()
    await again.hear("request")
    await arena.worker.next("back")
    await again.answer("m1", 0, note="n" * 1_500_000)  # gRPC itself refuses this one
    assert (await again.end())[0] == grpc.StatusCode.RESOURCE_EXHAUSTED
    assert (await arena.worker.next("lost")).reason == "STREAM_LOST"


async def test_a_hello_beyond_all_measure_is_refused(arena: Arena) -> None:
    bot = arena.bot(await arena.gateway(), sdk="s" * 300_000)
    await bot.say(hello=bot._hello)
    assert await bot.end() == (grpc.StatusCode.RESOURCE_EXHAUSTED, "MESSAGE_TOO_LARGE", ["MESSAGE_TOO_LARGE"])


async def test_a_nonce_that_is_too_long_is_an_error_and_may_be_corrected(arena: Arena) -> None:
    bot = arena.bot(await arena.gateway())
    await bot.hello()
    session = await arena.present()
    await arena.worker.send(
        session, ServerMessage(reveal_request=RevealRequest(match_id="m1")), "m1", ask=True, index=REVEAL_INDEX
    )
    await bot.hear("reveal_request")
    await bot.say(reveal=Reveal(match_id="m1", nonce=bytes(33)))
    error = (await bot.hear("error")).error
    assert (error.reason, error.match_id, error.fatal) == ("NONCE_SIZE", "m1", False)
    assert error.message.startswith("The nonce has 33 bytes, but at most 32 are allowed")
    await bot.say(reveal=Reveal(match_id="m1", nonce=bytes(32)))
    assert (await arena.worker.next("message")).is_answer


@pytest.mark.parametrize("kind", [Accept, Decline])
async def test_an_offer_that_is_not_the_bots_is_an_error_of_its_own(arena: Arena, kind: type[Accept | Decline]) -> None:
    bot = arena.bot(await arena.gateway())
    await bot.hello()
    await bot.say(**{kind.__name__.lower(): kind(match_id="somebody-elses")})
    error = (await bot.hear("error")).error
    assert (error.reason, error.match_id, error.fatal) == ("OFFER_UNKNOWN", "somebody-elses", False)


async def test_unreadable_bytes_are_an_error_and_count_as_flood(arena: Arena) -> None:
    gateway = await arena.gateway(max_messages_per_second=1, flood_window_s=3)
    bot = arena.bot(gateway)
    async with grpc.aio.insecure_channel(f"127.0.0.1:{gateway.port}") as channel:
        call: Any = channel.stream_stream(f"/{SERVICE}/Play")()
        await call.write(BotMessage(hello=bot._hello).SerializeToString())
        stream_of(gateway, await arena.present()).unasked._per_second = 0
        for _ in range(4):
            await call.write(b"\xff\xff")
        reasons: list[str] = []

        async def read_to_the_end() -> None:
            while True:
                message = ServerMessage.FromString(await call.read())
                if message.WhichOneof("kind") == "error":
                    reasons.append(message.error.reason)

        with pytest.raises(grpc.aio.AioRpcError):
            await read_to_the_end()
        assert reasons == ["UNREADABLE"] * 4 + ["TOO_MANY_MESSAGES"]


async def test_a_bot_that_does_not_read_is_a_fault(arena: Arena) -> None:
    gateway = await arena.gateway(outbox_messages=10, outbox_messages_per_match=0)
    bot = arena.bot(gateway)
    await bot.hello()
    session = await arena.present()
    # Far more than the connection's window, to a bot that reads nothing from now on.
    big = ServerMessage(request=DecisionRequest(match_id="m1", legal=["x" * 50_000])).SerializeToString()
    for index in range(400):
        if gateway.registry.get(session.id) is None or gateway.registry.get(session.id).stream is None:
            break
        await arena.worker.send(session, ServerMessage.FromString(big), ask=True, index=index)
        await asyncio.sleep(0.005)
    fault = await arena.worker.next("fault")
    assert fault.reason == "SLOW_READER"
    assert (await arena.worker.next("lost")).reason == "SLOW_READER"
    # The gateway keeps nothing of the stream, although the bot still does not read.
    await arena.until(streams_being_served, lambda count: count == 0)
    # The gateway serves everybody else as before.
    other = arena.bot(gateway, process="p2")
    await other.hello()
    await other.say(ping=Ping(id=5))
    await other.hear("pong")


async def test_a_bot_that_gives_no_sign_of_life_is_lost(arena: Arena) -> None:
    gateway = await arena.gateway(ping_interval_s=0.05)
    bot = arena.bot(gateway)
    bot.pong = False
    await bot.hello()
    session = await arena.present()
    await arena.worker.ask(session)
    await arena.present(lambda session: session.running == 1)
    # pretend that it was long ago
    stream_of(gateway, session).heard_ns -= round(2e9 * gateway.registry.limits.silence_s)
    status, reason, heard = await bot.end()
    assert (status, reason) == (grpc.StatusCode.DEADLINE_EXCEEDED, "SILENT")
    assert heard == ["request", "SILENT"]
    assert (await arena.worker.next("lost")).reason == "SILENT"


@pytest.mark.slow
async def test_a_stall_of_the_gateway_is_no_silence_of_the_bot(arena: Arena) -> None:
    gateway = await arena.gateway(ping_interval_s=0.5, silence_factor=4)
    bot = arena.bot(gateway)
    await bot.hello()
    session = await arena.present()
    time.sleep(2 * gateway.registry.limits.silence_s)  # this blocks the gateway's loop, too: it receives nothing
    for number in range(1, 4):
        await bot.say(ping=Ping(id=number))
        assert (await bot.hear("pong")).pong.id == number
    assert stream_of(gateway, session).is_open


def stream_of(gateway: Gateway, session: Presence) -> BotStream:
    """Return the session's stream, so that a test can set its times instead of waiting."""
    found = gateway.registry.get(session.id)
    assert found is not None and found.stream is not None
    return found.stream


async def streams_being_served() -> int:
    """Count the tasks that read from or write to a bot."""
    names = [getattr(task.get_coro(), "__qualname__", "") for task in asyncio.all_tasks()]
    return sum(name in ("BotStream.write", "BotStream.ping", "Service._read") for name in names)
