"""Frames of noise from a bot with a token, while an honest bot plays."""

from __future__ import annotations

import asyncio
import logging
import sys
import time
from statistics import median

import pytest

from tests.gateway.conftest import Arena
from tests.gateway.fuzzer import STREAMS

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.mark.parametrize(
    "frames", [2_000, pytest.param(1_000_000, marks=[pytest.mark.soak, pytest.mark.timeout(4 * 3600)])]
)
async def test_noise_costs_an_honest_bot_nothing(arena: Arena, frames: int, caplog: pytest.LogCaptureFixture) -> None:
    """Every decision arrives once. The extra delay is printed."""
    gateway = await arena.gateway()
    bot = arena.bot(gateway, process="honest")
    await bot.hello()
    session = await arena.present()
    tasks = len(asyncio.all_tasks())

    async def decide(index: int) -> float:
        began = time.perf_counter()
        await arena.worker.ask(session, index=index)
        assert (await bot.hear("request")).request.index == index
        await bot.answer("m1", index)
        heard = await arena.worker.next("message")
        assert (heard.index, heard.is_answer) == (index, True)
        return time.perf_counter() - began

    alone = [await decide(index) for index in range(100)]
    address = f"127.0.0.1:{gateway.port}"
    words = ["-m", "tests.gateway.fuzzer", address, arena.registered.token, str(frames), "7"]
    process = await asyncio.create_subprocess_exec(sys.executable, *words, stdout=asyncio.subprocess.PIPE)
    done = asyncio.create_task(process.communicate())
    beside: list[float] = []
    while not done.done():
        beside.append(await decide(len(alone) + len(beside)))
    written, streams = map(int, done.result()[0].split())
    ratio = median(beside) / median(alone)
    print(f"{written} frames on {streams} streams; {len(beside)} decisions beside them took {ratio:.2f} × as long")
    assert written == frames and streams > STREAMS and beside
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]
    # The streams of the noise are over, and their resources are freed.
    await arena.until(_count_tasks, lambda count: count <= tasks + 10)
    await decide(len(alone) + len(beside))


async def _count_tasks() -> int:
    return len(asyncio.all_tasks())
