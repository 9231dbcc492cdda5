"""Compare hosted bots on an idle and on a busy machine, and with bots that dial in: `python -m tests.bench.hosted`.

First a hosted bot computes the same thing for each request, which takes about 200 ms, with and without ten processes
beside it that compute without end. Its charged times should stay within 5 % in the median, and within 15 % in the 99th
percentile.

Then bots play on two cores: hosted, and dialled in to a gateway. Hosted ones that compute for 50 ms should make at
least 90 % as many decisions a second. Bots that answer at once show what the freezer costs.

Last come the times from the first message for a seat to its bot's first answer, which takes some milliseconds once the
bot has started. A Python bot should need 2 s, and the starter in Go, where this machine has Go, 0.5 s.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import median

from msgspec.structs import replace

from arena.bus import AsyncBus, Presence
from arena.gateway.clock import ListeningLoop
from arena.gateway.identity import Identity
from arena.gateway.server import Gateway, GatewayConfig
from arena.runner.door import SandboxIdentities
from arena.runner.server import RunnerConfig, SandboxRunner
from arena.sandbox.cores import CorePool
from tests.bench.fair_core import busy_machine
from tests.bench.figures import Goal, p99
from tests.kit.redis_server import RedisServer
from tests.runner.conftest import FIRST, RunnerWorker, Versions, bot_that
from tests.runner.hosting import open_folder

THINKING = "end = time.process_time() + {}\n        while time.process_time() < end: pass"
ROUNDS = 5
REQUESTS = 20
"""Requests in one round of one condition."""
DECISIONS = 200
"""Decisions of each bot for the figure of decisions a second."""
WARM_UP = 5
STARTS = 15
TOKEN = "bench"


async def sessions(bus: AsyncBus, number: int) -> list[Presence]:
    """Return the sessions of bots, once there are that many."""
    while len(found := [session for session in await bus.presences() if session.connected]) < number:
        await asyncio.sleep(0.05)
    return found


async def decide(worker: RunnerWorker, session: Presence, match: str, indices: Sequence[int]) -> list[float]:
    """Ask for decisions one by one. Return what each is charged, in milliseconds."""
    charged = []
    for index in indices:
        await worker.ask(session, match, index=index)
        while (answer := await worker.next()).kind != "message":
            pass
        charged.append(answer.think_ns / 1e6)
    return charged


async def decisions_a_second(url: str, number: int) -> float:
    """Return how many decisions a second this many bots make, each in a match of its own."""
    async with asyncio.TaskGroup() as group:
        buses = [AsyncBus(url) for _ in range(number)]
        workers = [RunnerWorker(bus, f"w{place}-{secrets.token_hex(4)}") for place, bus in enumerate(buses)]
        found = await sessions(buses[0], number)

        async def play(place: int, first: int, count: int) -> None:
            await decide(workers[place], found[place], f"rate{place}", range(first, first + count))

        await asyncio.gather(*(play(place, 0, WARM_UP) for place in range(number)))
        begun = time.monotonic()
        for place in range(number):
            group.create_task(play(place, WARM_UP, DECISIONS))
    return number * DECISIONS / (time.monotonic() - begun)


async def hosted(versions: Versions, url: str, cores: Sequence[int], measure: Callable[[], Awaitable[None]]) -> None:
    """Run a runner while something is measured."""
    folder = open_folder()
    config = RunnerConfig(id=f"runner-{secrets.token_hex(4)}", redis_url=url, places=8, folder=folder)
    runner = SandboxRunner(config, versions, versions, CorePool(cores))
    await runner.start()
    try:
        await measure()
    finally:
        await runner.drain()
        shutil.rmtree(folder)


async def charged_times(redis: RedisServer, core: int) -> None:
    """Measure and print what a bot is charged on an idle and on a busy machine."""
    versions = Versions()
    versions.add(bot_that(THINKING.format(0.2)))
    times: dict[str, list[float]] = {"nothing else": [], "hogs": []}

    async def measure() -> None:
        bus = AsyncBus(redis.url)
        worker = RunnerWorker(bus)
        [session] = await sessions(bus, 1)
        await decide(worker, session, "charged", range(WARM_UP))
        for number in range(1, ROUNDS + 1):
            # In turns, because the machine's speed changes.
            first = number * 1000
            times["nothing else"] += await decide(worker, session, "charged", range(first, first + REQUESTS))
            with busy_machine():
                times["hogs"] += await decide(worker, session, "charged", range(first + 500, first + 500 + REQUESTS))
        await bus.close()

    try:
        await hosted(versions, redis.url, [core], measure)
    finally:
        shutil.rmtree(versions.root)
    for name, each in times.items():
        print(f"charged beside {name}: median {median(each):.1f} ms, p99 {p99(each):.1f} ms")
    for name, figure, most in (("median", median, 5), ("p99", p99, 15)):
        change = 100 * (figure(times["hogs"]) / figure(times["nothing else"]) - 1)
        print(Goal(f"difference of what is charged beside hogs, {name}, in percent", abs(change), most))


async def rates(redis: RedisServer, cores: Sequence[int], name: str, program: str) -> float:
    """Print the decisions a second of bots that are hosted, and of bots that dial in. Return how many percent fewer
    the hosted ones make."""
    found: dict[str, float] = {}
    versions = Versions()
    for _ in cores:
        versions.add(program)

    async def measure_hosted() -> None:
        found["hosted"] = await decisions_a_second(redis.url, len(cores))

    try:
        await hosted(versions, redis.url, cores, measure_hosted)
        redis.flush()
        identity = Identity(1, 1, "bench", 1, is_house=False, version_id=1)
        gateway = Gateway(GatewayConfig("127.0.0.1:0", redis.url), SandboxIdentities(TOKEN, identity))
        await gateway.start()
        bot = str(versions.root / "image1" / "bot.py")
        variables = {"ARENA_SERVER": f"127.0.0.1:{gateway.port}", "ARENA_TOKEN": TOKEN}
        bots = [
            subprocess.Popen([sys.executable, bot], env={**os.environ, **variables, "ARENA_PROCESS": f"bot{number}"})
            for number in range(len(cores))
        ]
        try:
            found["dialled in"] = await decisions_a_second(redis.url, len(cores))
        finally:
            for process in bots:
                process.kill()
                process.wait()
            await gateway.drain()
    finally:
        shutil.rmtree(versions.root)
    for kind, rate in found.items():
        print(f"{name}, {kind}: {rate:.0f} decisions a second on {len(cores)} cores")
    return 100 * (1 - found["hosted"] / found["dialled in"])


def add_go_starter(versions: Versions) -> None:
    """Build the starter in Go, and host it."""
    version = versions.add("")
    arena = str(Path(sys.executable).with_name("arena"))
    with tempfile.TemporaryDirectory() as folder:
        run = partial(subprocess.run, check=True, capture_output=True)
        run([arena, "bot", "new", "mybot", "--lang", "go"], cwd=folder)
        run(["sh", "-c", "go generate && go build"], cwd=Path(folder, "mybot"), env={**os.environ, "CGO_ENABLED": "0"})
        shutil.copy(Path(folder, "mybot", "mybot"), versions.root / version.image / "mybot")
    versions.listed[-1] = replace(version, command=("/bot/mybot",), wants_legal=False)


async def start_times(redis: RedisServer, core: int) -> None:
    """Measure and print how long bots take to start."""
    versions = Versions()
    versions.add(FIRST)
    kinds = {"Python": 2.0}
    if shutil.which("go"):
        kinds["Go"] = 0.5
        add_go_starter(versions)
    else:
        print("starts in Go are not measured: there is no go here")
    times: dict[str, list[float]] = {kind: [] for kind in kinds}

    async def measure() -> None:
        bus = AsyncBus(redis.url)
        worker = RunnerWorker(bus)
        found = sorted(await sessions(bus, len(kinds)), key=lambda session: session.bot)
        for number in range(STARTS):
            for session, seconds in zip(found, times.values(), strict=True):
                match = f"{session.bot}-{number}"
                begun = time.monotonic()
                await decide(worker, session, match, [0])
                seconds.append(time.monotonic() - begun)
                await worker.finish(session, match)
        await bus.close()

    try:
        await hosted(versions, redis.url, [core], measure)
    finally:
        shutil.rmtree(versions.root)
    for kind, most in kinds.items():
        print(Goal(f"seconds from the first message to the first answer in {kind}, median", median(times[kind]), most))


async def main() -> None:
    """Measure and print."""
    print(f"load of the machine before: {os.getloadavg()[0]:.1f}")
    cores = sorted(os.sched_getaffinity(0))[-2:]
    with RedisServer() as redis:
        redis.start()
        await charged_times(redis, cores[-1])
        for name, program in {"answer at once": FIRST, "compute for 50 ms": bot_that(THINKING.format(0.05))}.items():
            redis.flush()
            fewer = await rates(redis, cores, name, program)
        print(Goal("decisions a second that hosted bots make fewer, in percent", fewer, 10))
        redis.flush()
        await start_times(redis, cores[-1])


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=ListeningLoop) as runner:
        runner.run(main())
