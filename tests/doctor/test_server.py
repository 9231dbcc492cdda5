"""What a bot can send to the doctor's server is limited, because the runner examines strangers' bots with it."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import grpc.aio
import pytest

from arena.doctor import CheckOutcome, diagnose, select, server
from arena.doctor.errors import Failed
from arena.doctor.server import BotServer
from arena.gateway.limits import GatewayLimits
from arena.runner import door
from arena.wire.service import PlayCall, open_play
from arena.wire.v1.bot_pb2 import BotMessage, ServerMessage
from tests.doctor.raw_bot import RawBot, started_here

LIMITS = GatewayLimits()
BURST = LIMITS.max_messages_per_second * LIMITS.flood_window_s
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes((0, 0, 0, 4, 0, 0, 0, 0, 0))
PING = bytes((0, 0, 8, 6, 0, 0, 0, 0, 0)) + b"8 bytes."
PONG = b"\0\0\x08\x06\x01"
WAIT_S = 60.0


@asynccontextmanager
async def play(bot_server: BotServer) -> AsyncIterator[PlayCall]:
    """Open a stream of a bot that has said hello."""
    async with grpc.aio.insecure_channel(bot_server.address) as channel:
        call = open_play(channel)
        await call.write(BotMessage(hello={"token": bot_server.token, "max_matches": 1}))
        message = await call.read()
        assert isinstance(message, ServerMessage)
        assert message.HasField("welcome")
        yield call


async def test_no_time_passes_while_the_clock_stands_still() -> None:
    now = 0.0
    async with BotServer("token", clock=lambda: now) as bot_server:
        waiting = asyncio.create_task(bot_server.until(lambda: None, 0.01, "it is too late"))
        for _ in range(3):
            await bot_server.wait_for_change(0.02)
        assert not waiting.done()
        now = 0.02
        bot_server.tell_change()
        with pytest.raises(Failed, match="it is too late"):
            await waiting


async def flood(bot_server: BotServer, call: PlayCall, message: BotMessage, number: int) -> str:
    """Send a message many times, and wait for the end of the stream. Return the reason of its end."""
    with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
        for _ in range(number):
            await call.write(message)
    await bot_server.until(lambda: bot_server.stream is None, WAIT_S, "the stream is open")
    assert bot_server.excess is not None
    return bot_server.excess.reason


async def test_messages_that_answer_nothing_are_limited() -> None:
    async with BotServer("token") as bot_server, play(bot_server) as call:
        assert await flood(bot_server, call, BotMessage(pong={"id": 7}), 100 * BURST) == "TOO_MANY_MESSAGES"
        assert len(bot_server.heard) < 10 * BURST


async def test_a_huge_message_ends_the_stream_and_is_not_kept() -> None:
    huge = BotMessage(answer={"match_id": "x" * LIMITS.hard_message_bytes})
    async with BotServer("token") as bot_server, play(bot_server) as call:
        assert await flood(bot_server, call, huge, 1) == "MESSAGE_TOO_LARGE"
        assert [message.WhichOneof("kind") for message in bot_server.heard] == ["hello"]


async def test_all_messages_together_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "MOST_HEARD_BYTES", 100_000)
    async with BotServer("token") as bot_server, play(bot_server) as call:
        assert await flood(bot_server, call, BotMessage(answer={"match_id": "x" * 10_000}), 15) == "TOO_MANY_MESSAGES"
        assert len(bot_server.heard) == 10  # and the hello


async def test_the_number_of_messages_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "MOST_HEARD", 5)
    async with BotServer("token") as bot_server, play(bot_server) as call:
        assert await flood(bot_server, call, BotMessage(pong={"id": 7}), 10) == "TOO_MANY_MESSAGES"
        assert len(bot_server.heard) == 5


async def test_streams_are_limited() -> None:
    async with BotServer("token") as bot_server, grpc.aio.insecure_channel(bot_server.address) as channel:
        for _ in range(10 * BURST):
            call = open_play(channel)
            with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
                await call.done_writing()
            if await call.code() is grpc.StatusCode.RESOURCE_EXHAUSTED:
                break
        else:
            raise AssertionError("every stream was served")


async def test_an_answer_to_each_message_is_not_limited() -> None:
    async with BotServer("token") as bot_server, play(bot_server) as call:
        for _ in range(2 * BURST):
            bot_server.ping()
            message = await call.read()
            assert isinstance(message, ServerMessage)
            await call.write(BotMessage(pong={"id": message.ping.id}))
        await bot_server.until(lambda: len(bot_server.heard) == 2 * BURST + 1, WAIT_S, "pongs are missing")
        assert bot_server.excess is None


class Flooder(RawBot):
    """A bot that sends far too much when it gets an offer, once."""

    has_flooded = False

    def on_offer(self, offer: Any) -> None:
        if not Flooder.has_flooded:
            Flooder.has_flooded = True
            for number in range(10 * BURST):
                self.say(pong={"id": number})
        super().on_offer(offer)


async def test_the_finding_names_the_limit() -> None:
    checks = select(["accepts-offer"])
    found = [finding async for finding in diagnose(started_here(Flooder), checks)]
    [failed] = [finding for finding in found if finding.outcome is CheckOutcome.FAILED]
    assert failed.sentence.startswith("its stream was ended with TOO_MANY_MESSAGES: ")


async def test_a_wait_ends_even_if_changes_keep_coming() -> None:
    bot_server = BotServer("token")

    async def change() -> None:
        while True:
            bot_server.tell_change()
            await asyncio.sleep(0)

    changing = asyncio.create_task(change())
    try:
        async with asyncio.timeout(WAIT_S):
            with pytest.raises(Failed, match="nothing"):
                await bot_server.until(lambda: None, 0.1, "nothing")
    finally:
        changing.cancel()


# --- connections, to the doctor's server and to the door of a seat ---


@pytest.fixture(params=[server.OPTIONS, door.OPTIONS], ids=["doctor", "door"])
def options(request: pytest.FixtureRequest) -> Sequence[tuple[str, Any]]:
    chosen: Sequence[tuple[str, Any]] = request.param
    return chosen


@asynccontextmanager
async def listening(options: Sequence[tuple[str, Any]], place: Path) -> AsyncIterator[None]:
    grpc_server = grpc.aio.server(options=options)
    grpc_server.add_insecure_port(f"unix:{place}")
    await grpc_server.start()
    try:
        yield
    finally:
        await grpc_server.stop(None)


def dial(place: Path) -> socket.socket:
    """Return a connection that has begun HTTP/2, as far as it lives."""
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(WAIT_S)
    connection.connect(str(place))
    with suppress(OSError):
        connection.sendall(PREFACE)
    return connection


def is_served(connection: socket.socket) -> bool:
    """Return whether the server answers."""
    try:
        return connection.recv(9) != b""
    except OSError:
        return False


def pongs_for(connection: socket.socket, number: int) -> int:
    """Send pings. Return how many are answered before the server closes the connection."""
    received = b""
    with suppress(OSError):
        for _ in range(number):
            connection.sendall(PING)
            if PONG in received[-4096:]:
                connection.setblocking(False)
            with suppress(BlockingIOError):
                while data := connection.recv(65536):
                    received += data
                    break
            connection.settimeout(WAIT_S)
    return received.count(PONG)


async def test_connections_are_limited(options: Sequence[tuple[str, Any]], tmp_path: Path) -> None:
    async with listening(options, tmp_path / "s"):
        connections = [await asyncio.to_thread(dial, tmp_path / "s") for _ in range(40)]
        served = [await asyncio.to_thread(is_served, connection) for connection in connections]
        for connection in connections:
            connection.close()
    assert 1 <= sum(served) <= 32


async def test_pings_of_http2_are_limited(options: Sequence[tuple[str, Any]], tmp_path: Path) -> None:
    async with listening(options, tmp_path / "s"):
        connection = await asyncio.to_thread(dial, tmp_path / "s")
        pongs = await asyncio.to_thread(pongs_for, connection, 1_000)
        connection.close()
    assert 1 <= pongs < 500
