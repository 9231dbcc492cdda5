"""The processes of `tests.bench.overhead`: `python -m tests.bench.overhead_processes ROLE …`."""

from __future__ import annotations

import asyncio
import gc
import json
import random
import sys
import threading
import time
from collections.abc import AsyncIterator
from hashlib import sha256
from typing import Any

import django
import grpc
import grpc.aio
import redis
import redis.asyncio

from arena.wire.service import PROTOCOL, open_play
from arena.wire.v1.bot_pb2 import Accept, Answer, BotMessage, Hello, Pong, Reveal

LEASE_S = 5.0
AT_ONCE = 50
"""So many bots say hello at a time: a gateway takes no more than a hundred streams of an address that have not."""
FLOOR_MATCH = "floor"


# Processes of the arena


def be_worker() -> None:
    """A worker without Celery: every line of the input is the id of a match to play, in a thread of its own."""
    from django.conf import settings

    from arena.bus import Bus
    from workers.database import Pool
    from workers.driver import Driver
    from workers.workerlink import WorkerLink

    database = Pool()
    link = WorkerLink(Bus(settings.REDIS_URL))
    link.start()
    gc.collect()
    gc.freeze()  # as `workers.app` does
    print("ready", flush=True)
    for line in sys.stdin:
        driver = Driver(line.strip(), link, database, lease_s=LEASE_S)
        threading.Thread(target=driver.run, daemon=True).start()


class Stream:
    """A bot's stream; grpc.aio takes one message at a time."""

    def __init__(self, call: Any) -> None:
        self._call = call
        self._turn = asyncio.Lock()

    async def write(self, **kind: Any) -> None:
        """Send a message, after those that are being sent."""
        async with self._turn:
            await self._call.write(BotMessage(**kind))


class Players:
    """Bots on streams of their own, which answer with any legal action after thinking."""

    def __init__(self, address: str, think_s: float) -> None:
        self._address = address
        self._think_s = think_s
        self._answered: dict[str, float] = {}
        self._thinking: set[asyncio.Task[None]] = set()
        self.overheads: list[float] = []

    async def play(self, token: str, is_here: asyncio.Event) -> None:
        """One bot, until its stream ends."""
        own = [("grpc.use_local_subchannel_pool", 1)]  # otherwise all bots here share one connection
        async with grpc.aio.insecure_channel(self._address, options=own) as channel:
            call = open_play(channel)
            stream = Stream(call)
            hello = Hello(token=token, process="p", version="1", protocol=PROTOCOL, max_matches=4, wants_legal=True)
            await stream.write(hello=hello)
            async for message in call:
                if message.HasField("request"):
                    await self._decide(stream, message.request)
                elif message.HasField("welcome"):
                    is_here.set()
                elif message.HasField("offer"):
                    digest = sha256(bytes(16)).digest()
                    await stream.write(accept=Accept(match_id=message.offer.match_id, nonce_hash=digest))
                elif message.HasField("reveal_request"):
                    match_id = message.reveal_request.match_id
                    await stream.write(reveal=Reveal(match_id=match_id, nonce=bytes(16)))
                elif message.HasField("ping"):
                    await stream.write(pong=Pong(id=message.ping.id))
                elif message.HasField("error") or message.HasField("fault"):
                    sys.exit(f"not as it should be: {message}")

    async def _decide(self, stream: Stream, request: Any) -> None:
        match = request.match_id
        if match in self._answered:
            self.overheads.append(time.perf_counter() - self._answered[match])
        answer = Answer(match_id=match, index=request.index, actions=[random.choice(request.legal)])
        if not self._think_s:
            await self._answer(stream, answer)
            return
        task = asyncio.create_task(self._answer(stream, answer, self._think_s * random.uniform(0.5, 1.5)))
        self._thinking.add(task)
        task.add_done_callback(self._thinking.discard)

    async def _answer(self, stream: Stream, answer: Answer, think_s: float = 0.0) -> None:
        if think_s:
            await asyncio.sleep(think_s)
        self._answered[answer.match_id] = time.perf_counter()
        await stream.write(answer=answer)


async def be_bots(address: str, think: str) -> None:
    """Bots with the tokens of the first line. Every further line is answered with the overheads since the last."""
    players = Players(address, float(think))
    tokens: list[str] = json.loads(sys.stdin.readline())
    door = asyncio.Semaphore(AT_ONCE)

    async def come(token: str) -> asyncio.Task[None]:
        async with door:
            is_here = asyncio.Event()
            task, there = asyncio.create_task(players.play(token, is_here)), asyncio.create_task(is_here.wait())
            await asyncio.wait([task, there], return_when=asyncio.FIRST_COMPLETED)
            if not is_here.is_set():
                sys.exit(f"a bot was not taken: {task}")
            return task

    tasks = await asyncio.gather(*map(come, tokens))
    print("ready", flush=True)
    while await asyncio.to_thread(sys.stdin.readline):
        for task in tasks:
            if task.done():
                sys.exit(f"a bot's stream has ended: {task}")
        print(json.dumps(players.overheads), flush=True)
        players.overheads.clear()


# Processes of the floor


async def be_floor_gateway(url: str) -> None:
    """Between one stream and two lists."""
    client: Any = redis.asyncio.Redis.from_url(url, socket_timeout=None)

    async def pass_on(messages: AsyncIterator[bytes], _: Any) -> AsyncIterator[bytes]:
        async def there() -> None:
            async for message in messages:
                await client.rpush("floor:worker", message)

        task = asyncio.create_task(there())
        while not task.done():
            yield (await client.blpop("floor:gateway"))[1]

    server = grpc.aio.server()
    handler: Any = grpc.stream_stream_rpc_method_handler(pass_on)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("floor", {"Play": handler}),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    print(port, flush=True)
    await server.wait_for_termination()


def be_floor_worker(url: str) -> None:
    """Commits for every message what a decision commits at least."""
    from django.db import transaction

    from webui.core.dbtime import after_now
    from webui.matches.models import LogRow, Match, MatchState

    row = Match.objects.get(pk=FLOOR_MATCH)
    epoch, length = row.epoch, row.length
    client: Any = redis.Redis.from_url(url, socket_timeout=None)
    print("ready", flush=True)
    while True:
        message = client.blpop("floor:worker")[1]
        with transaction.atomic():
            same = Match.objects.filter(pk=FLOOR_MATCH, state=MatchState.RUNNING, epoch=epoch, length=length)
            assert same.update(length=length + 1, lease_expires_at=after_now(LEASE_S))
            entry = LogRow(match_id=FLOOR_MATCH, number=length, epoch=epoch, kind="decision", seat=1, text="pass")
            entry.data = {"ms": 0}
            LogRow.objects.bulk_create([entry])
        length += 1
        client.rpush("floor:gateway", message)


async def be_floor_bot(port: str) -> None:
    """Every line says for how long and with which thinking to go; answered with the times from answer to ask."""
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        play: Any = channel.stream_stream("/floor/Play", None, None)
        call = play()
        print("ready", flush=True)
        while line := await asyncio.to_thread(sys.stdin.readline):
            for_s, think_s = json.loads(line)
            times = []
            until_s = time.perf_counter() + for_s
            while time.perf_counter() < until_s:
                if think_s:
                    await asyncio.sleep(think_s * random.uniform(0.5, 1.5))
                began = time.perf_counter()
                await call.write(b"x")
                await call.read()
                times.append(time.perf_counter() - began)
            print(json.dumps(times), flush=True)


def main(role: str, *arguments: str) -> None:
    """Be one of these."""
    if role in ("worker", "floor-worker"):
        django.setup()
    match role:
        case "worker":
            be_worker()
        case "bots":
            asyncio.run(be_bots(*arguments))
        case "floor-gateway":
            asyncio.run(be_floor_gateway(*arguments))
        case "floor-worker":
            be_floor_worker(*arguments)
        case "floor-bot":
            asyncio.run(be_floor_bot(*arguments))


if __name__ == "__main__":
    main(*sys.argv[1:])
