"""What the way worker → Redis → gateway → bot and back costs, beside its parts: `python -m tests.bench.bus_roundtrip`.

Every end is a process of its own. The parts, in the same run: a message through a raw grpc.aio stream and back, and a
value through two raw Redis lists and back. Rounds alternate and medians count; the ratio is what to look at, because
absolute figures move with the machine. The floor of a decision on this machine is the sum of both parts.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import grpc
import grpc.aio
import redis

from arena.bus import Bus, Presence, ToBot
from arena.wire.service import PROTOCOL, open_play
from arena.wire.v1.bot_pb2 import Answer, BotMessage, DecisionRequest, Hello, Pong, ServerMessage
from tests.kit.redis_server import RedisServer

ROUNDS = 7
TRIPS = 400
ROOT = Path(__file__).resolve().parents[2]


def timed(trip: Callable[[], None]) -> list[float]:
    """Microseconds of each of many trips."""
    times = []
    for _ in range(TRIPS):
        began = time.perf_counter()
        trip()
        times.append((time.perf_counter() - began) * 1e6)
    return times


# Parts, each with the process at its other end


async def serve_grpc() -> None:
    """A raw grpc.aio server that sends back what it gets."""

    async def echo(messages: AsyncIterator[bytes], _: Any) -> AsyncIterator[bytes]:
        async for message in messages:
            yield message

    server = grpc.aio.server()
    handler: Any = grpc.stream_stream_rpc_method_handler(echo)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("raw", {"Echo": handler}),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    print(port, flush=True)
    await server.wait_for_termination()


def serve_redis(url: str) -> None:
    """Answer every value in one list with a value in another."""
    client: Any = redis.Redis.from_url(url, socket_timeout=None)
    print("ready", flush=True)
    while True:
        client.rpush("raw:back", client.blpop("raw:there")[1])


async def serve_bot(address: str, token: str) -> None:
    """A bot that answers at once."""
    async with grpc.aio.insecure_channel(address) as channel:
        call = open_play(channel)
        hello = Hello(token=token, process="bench", version="1", protocol=PROTOCOL, max_matches=10)
        await call.write(BotMessage(hello=hello))
        print("ready", flush=True)
        async for message in call:
            kind = message.WhichOneof("kind")
            if kind == "ping":
                await call.write(BotMessage(pong=Pong(id=message.ping.id)))
            elif kind == "request":
                answer = Answer(match_id=message.request.match_id, index=message.request.index)
                await call.write(BotMessage(answer=answer))


# The worker's end


class Worker:
    """Asks the bot for one decision after the other."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._index = 0
        while not (found := bus.presences()):
            time.sleep(0.02)
        self._session: Presence = found[0]

    def ask(self) -> None:
        """One decision, with nothing in it."""
        self._index += 1
        payload = ServerMessage(request=DecisionRequest(match_id="m", index=self._index)).SerializeToString()
        ask = ToBot(self._session.id, "m", 1, 1, "bench", payload, ask=True, index=self._index)
        self._bus.send_to_gateway(self._session.gateway, ask)
        while not any(message.index == self._index for message in self._bus.receive_for_worker("bench", 5)):
            pass


def start(stack: ExitStack, *arguments: str, **environment: str) -> str:
    """Start a process for the time of the run; its first line."""
    process = stack.enter_context(
        subprocess.Popen(
            [sys.executable, "-m", *arguments],
            cwd=ROOT,
            env={**os.environ, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
    )
    stack.callback(process.kill)
    assert process.stdout is not None
    return process.stdout.readline().strip()


def new_token(database: str) -> str:
    """A bot in a new database."""
    os.environ["DATABASE_URL"] = database
    os.environ["DJANGO_SETTINGS_MODULE"] = "webui.settings"
    import django

    django.setup()
    from django.core.management import call_command

    from webui.accounts import actions as account_actions
    from webui.bots import actions as bot_actions
    from webui.bots import token_actions

    call_command("migrate", verbosity=0)
    return token_actions.issue_token(
        bot_actions.register_bot(account_actions.create_user("bench", None), "Bench")
    ).token


def main() -> None:
    """Measure and print."""
    here = "tests.bench.bus_roundtrip"
    with ExitStack() as stack:
        directory = stack.enter_context(tempfile.TemporaryDirectory())
        server = stack.enter_context(RedisServer())
        database = f"sqlite:///{directory}/arena.sqlite3"
        token = new_token(database)
        line = start(
            stack, "webui.commands.gateway", "--listen", "127.0.0.1:0", DATABASE_URL=database, REDIS_URL=server.url
        )
        start(stack, here, "bot", f"127.0.0.1:{line.rsplit(' ', 1)[1]}", token)
        start(stack, here, "redis", server.url)
        raw_port = start(stack, here, "grpc")

        worker = Worker(stack.enter_context(Bus(server.url)))
        client: Any = server.client()
        loop = asyncio.new_event_loop()
        stack.callback(loop.close)
        channel, call = loop.run_until_complete(open_raw(raw_port))
        stack.callback(lambda: loop.run_until_complete(channel.close()))

        def through_redis() -> None:
            client.rpush("raw:there", b"")
            client.blpop("raw:back")

        async def through_grpc() -> list[float]:
            times = []
            for _ in range(TRIPS):
                began = time.perf_counter()
                await call.write(b"x")
                await call.read()
                times.append((time.perf_counter() - began) * 1e6)
            return times

        ways: dict[str, Callable[[], list[float]]] = {
            "raw Redis lists": lambda: timed(through_redis),
            "raw grpc.aio stream": lambda: loop.run_until_complete(through_grpc()),
            "worker to bot and back": lambda: timed(worker.ask),
        }
        rounds: dict[str, list[list[float]]] = {name: [] for name in ways}
        for number in range(ROUNDS + 1):
            for name, way in ways.items():
                times = way()
                if number:  # the first round warms up
                    rounds[name].append(times)
        report(rounds)


async def open_raw(port: str) -> tuple[grpc.aio.Channel, Any]:
    channel = grpc.aio.insecure_channel(f"127.0.0.1:{port}")
    stream: Any = channel.stream_stream("/raw/Echo")
    return channel, stream()


def report(rounds: dict[str, list[list[float]]]) -> None:
    """Medians, 99th percentiles, and every way as a multiple of the floor of its own round."""
    *parts, _ = rounds
    floors = [sum(median(rounds[name][number]) for name in parts) for number in range(ROUNDS)]
    print(f"{'':24} {'p50 µs':>8} {'p99 µs':>8} {'of floor':>9}")
    for name, of_round in rounds.items():
        everything = [trip for times in of_round for trip in times]
        ratio = median(median(times) / floor for times, floor in zip(of_round, floors, strict=True))
        print(f"{name:24} {median(everything):8.0f} {quantiles(everything, n=100)[98]:8.0f} {ratio:9.2f}")
    print(f"{'floor (the two parts)':24} {median(floors):8.0f} {'':8} {1:9.2f}")


if __name__ == "__main__":
    match sys.argv[1:]:
        case []:
            main()
        case ["grpc"]:
            asyncio.run(serve_grpc())
        case ["redis", url]:
            serve_redis(url)
        case ["bot", address, token]:
            asyncio.run(serve_bot(address, token))
