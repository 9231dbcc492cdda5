"""The cores of hosted bots: what they are charged, and that they do nothing between their requests."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from arena.bus import REVEAL_INDEX, FromBot, WireReason
from arena.gateway.clock import ListeningClock
from arena.gateway.seats import PendingAsk
from arena.referee import MAX_NONCE
from arena.runner.server import SandboxRunner
from arena.runner.turns import SAMPLE_S, SLICE_S, SeatTurns
from arena.sandbox.bubblewrap import INTERPRETER
from arena.sandbox.cores import CorePool, CoreUse
from arena.sandbox.limits import Mounts, SandboxLimits
from arena.sandbox.running import start
from arena.wire.v1.bot_pb2 import BotMessage, Fault, Reveal, ServerMessage
from tests.runner.conftest import FIRST, Hosting, bot_that

pytestmark = pytest.mark.asyncio(loop_scope="session")


def processor_s(runner: SandboxRunner) -> float:
    """Return the processor time of the runner's only sandbox."""
    [seat] = runner.seats._by_id.values()
    assert seat._sandbox is not None
    return seat._sandbox.usage().processor_s


async def rests(hosting: Hosting, runner: SandboxRunner) -> None:
    """Wait until the runner's only bot has no core."""
    [seat] = runner.seats._by_id.values()

    async def has_none() -> bool:
        return seat._turns._core is None

    await hosting.until(has_none)


async def test_a_bot_is_charged_what_it_computes(hosting: Hosting) -> None:
    compute = "end = time.process_time() + 0.2\n        while time.process_time() < end: pass"
    hosting.versions.add(bot_that(compute))
    session = await hosting.present(await hosting.runner())
    await hosting.worker.ask(session, index=4)
    answer = await hosting.worker.next("message")
    await hosting.worker.finish(session)
    [report] = await hosting.reports(1)
    [cost] = report.decisions
    assert cost.index == 4 and cost.processor_ms >= 199
    assert 199 <= cost.charged_ms <= cost.processor_ms + 6  # the allowance, and both are rounded
    assert abs(answer.think_ns / 1e6 - cost.charged_ms) <= 1


SPIN = """
def spin():
    while True:
        pass
threading.Thread(target=spin, daemon=True).start()
"""


async def test_a_bot_that_thinks_in_its_opponents_time_does_not_run(hosting: Hosting) -> None:
    hosting.versions.add(bot_that("pass", before=SPIN))
    runner = await hosting.runner()
    session = await hosting.present(runner)
    await hosting.worker.ask(session, index=4)
    await hosting.worker.next("message")
    await rests(hosting, runner)
    before = processor_s(runner)
    await asyncio.sleep(1.0)
    assert processor_s(runner) == before
    await hosting.worker.ask(session, index=5)
    await hosting.worker.next("message")
    assert processor_s(runner) > before


async def test_a_bot_without_a_stream_runs_only_while_a_request_is_pending(hosting: Hosting) -> None:
    hosting.versions.add(bot_that("pass", before=SPIN))
    runner = await hosting.runner()
    session = await hosting.present(runner)
    await hosting.worker.ask(session, index=4)
    await hosting.worker.next("message")
    await rests(hosting, runner)
    before = processor_s(runner)
    [seat] = runner.seats._by_id.values()
    assert seat._bot is not None and seat._bot.stream is not None
    seat._bot.stream.end(None)  # as if the bot had closed it right after its answer
    await hosting.worker.next("lost")
    await asyncio.sleep(1.0)
    assert processor_s(runner) == before
    await hosting.worker.ask(session, index=5)
    await hosting.worker.next("lost")
    await hosting.worker.next("back")
    answer = await hosting.worker.next("message")
    assert answer.index == 5 and 0 < answer.gone_ns <= answer.think_ns


async def test_a_bot_that_sleeps_is_charged_and_frozen_when_its_time_is_up(hosting: Hosting) -> None:
    hosting.versions.add(bot_that("time.sleep(10_000)"))
    runner = await hosting.runner()
    session = await hosting.present(runner)
    await hosting.worker.ask(session, index=4, bank_ms=1_000)

    async def used_all() -> FromBot | None:
        reading = await hosting.worker.probe(session)
        assert reading.index == 4 and reading.gone_ns == 0
        return reading if reading.open_ns > 3e9 else None  # its bank, as much for the move, and a second

    await hosting.until(used_all)
    await rests(hosting, runner)
    first, second = await hosting.worker.probe(session), await hosting.worker.probe(session)
    assert first.open_ns > 3e9 and second.open_ns == pytest.approx(first.open_ns, abs=5e8)


async def test_a_bot_whose_request_is_resolved_is_frozen(hosting: Hosting) -> None:
    hosting.versions.add(bot_that("while index == 4: pass"))
    runner = await hosting.runner()
    session = await hosting.present(runner)
    await hosting.worker.ask(session, index=4)

    async def thinks() -> bool:
        return (await hosting.worker.probe(session)).open_ns > 0

    await hosting.until(thinks)
    await hosting.worker.send(session, ServerMessage(fault=Fault(match_id="m1")))
    await rests(hosting, runner)


async def test_a_reveal_that_is_refused_is_no_answer() -> None:
    """It would freeze the bot, whose request stays open."""
    threads = ThreadPoolExecutor(1)
    turns = SeatTurns(CorePool([0]), ListeningClock(), threads, lambda use: None)
    turns._ask, turns._is_asked = PendingAsk(REVEAL_INDEX, b"", 0), True
    for size, is_answer in ((MAX_NONCE, True), (MAX_NONCE + 1, False)):
        message = BotMessage(reveal=Reveal(match_id="m1", nonce=bytes(size)))
        assert turns.is_answer("m1", message.SerializeToString()) is is_answer
    threads.shutdown()


async def test_bots_share_a_core_and_waiting_for_it_is_charged_to_nobody(hosting: Hosting) -> None:
    """The first bot computes until its time is up, while the second one waits for the only core."""
    hosting.versions.add(bot_that("while True: pass"))
    hosting.versions.add(FIRST)
    runner = await hosting.runner(cores=(0,))
    thinker, other = await hosting.present(runner, 1), await hosting.present(runner, 2)
    await hosting.worker.ask(other, "m2", index=4)
    await hosting.worker.next("message")
    await hosting.worker.ask(thinker, "m1", index=4, bank_ms=500)

    async def thinks() -> bool:
        return (await hosting.worker.probe(thinker, "m1")).open_ns > 0

    await hosting.until(thinks)
    await hosting.worker.ask(other, "m2", index=5)
    answer = await hosting.worker.next("message")
    assert (answer.match, answer.index) == ("m2", 5)
    await hosting.worker.finish(other, "m2")
    [report] = await hosting.reports(1)
    cost = report.decisions[-1]
    assert cost.waited_ms > cost.charged_ms


@pytest.mark.soak
@pytest.mark.parametrize("frozen_s", [60, 300])
async def test_a_bot_that_was_frozen_for_minutes_goes_on(hosting: Hosting, frozen_s: int) -> None:
    hosting.versions.add(FIRST)
    runner = await hosting.runner(hold_s=3600)
    session = await hosting.present(runner)
    await hosting.worker.ask(session, index=4)
    await hosting.worker.next("message")
    await asyncio.sleep(frozen_s)
    await hosting.worker.ask(session, index=5)
    answer = await hosting.worker.next("message")
    assert (answer.index, answer.gone_ns) == (5, 0)


async def test_an_offer_waits_for_a_place_as_long_as_it_is_valid(hosting: Hosting) -> None:
    hosting.versions.add(FIRST)
    runner = await hosting.runner(places=1)
    session = await hosting.present(runner)
    await hosting.worker.offer(session, "m1")
    await hosting.worker.next("message")
    await hosting.present(runner, is_right=lambda found: (found.capacity, found.running) == (1, 1))
    await hosting.worker.offer(session, "m2", within_ms=100)
    refusal = await hosting.worker.next("undeliverable")
    assert (refusal.match, refusal.reason) == ("m2", WireReason.TOO_MANY_MATCHES)
    await hosting.worker.offer(session, "m3")
    waiting = await hosting.worker.probe(session, "m3")
    assert (waiting.index, waiting.open_ns) == (-1, 0)
    await hosting.worker.finish(session, "m1")
    accepted = await hosting.worker.next("message")
    assert (accepted.match, accepted.index) == ("m3", -1)


async def test_a_drain_returns_all_matches_with_the_time_that_was_used(hosting: Hosting) -> None:
    hosting.versions.add(bot_that("while True: pass"))
    runner = await hosting.runner(places=1)
    session = await hosting.present(runner)
    await hosting.worker.ask(session, index=4)

    async def thinks() -> bool:
        return (await hosting.worker.probe(session)).open_ns > 5e8

    await hosting.until(thinks)
    await hosting.worker.ask(session, "m2", index=4)
    assert (await hosting.worker.probe(session, "m2")).open_ns == 0
    await runner.drain()
    returned: dict[str, Any] = {message.match: message for message in [await hosting.worker.next() for _ in range(2)]}
    assert (returned["m1"].kind, returned["m1"].reason, returned["m1"].index) == ("moved", WireReason.GOING_DOWN, 4)
    assert returned["m1"].open_ns > 5e8
    assert (returned["m2"].kind, returned["m2"].reason) == ("undeliverable", WireReason.GOING_DOWN)
    assert await hosting.bus.presences() == []
    assert not runner.seats._by_id


async def test_a_bot_that_was_killed_by_nobody_knows_whom_is_excused_twice(hosting: Hosting) -> None:
    hosting.versions.add(bot_that("os.kill(os.getpid(), 9)"))
    session = await hosting.present(await hosting.runner())
    for number in (1, 2):
        await hosting.worker.ask(session, index=4)
        while (notice := await hosting.worker.next()).kind != "moved":
            assert notice.kind == "lost"
        reports = await hosting.reports(number)
        assert (reports[-1].number, reports[-1].fault, reports[-1].signal) == (number, "", 9)
    await hosting.worker.ask(session, index=4)
    await hosting.worker.next("lost")
    await hosting.worker.next("back")
    reports = await hosting.reports(3)
    assert (reports[2].number, reports[2].fault) == (3, "CRASHED")


async def test_a_bot_that_floods_its_runner_is_lost(hosting: Hosting) -> None:
    hosting.versions.add("""
        import os, grpc
        from arena.wire.v1 import bot_pb2 as b, bot_pb2_grpc as s
        def messages():
            yield b.BotMessage(hello=b.Hello(
                token=os.environ["ARENA_TOKEN"], process="p", version="1", protocol="arena.wire/2", max_matches=1))
            for number in range(100_000):
                yield b.BotMessage(ping=b.Ping(id=number))
        for message in s.BotServiceStub(grpc.insecure_channel(os.environ["ARENA_SERVER"])).Play(messages()):
            if message.HasField("ping"):
                pass
    """)
    session = await hosting.present(await hosting.runner())
    await hosting.worker.ask(session, index=4)
    fault = await hosting.worker.next("fault")
    assert fault.reason == WireReason.FLOODING
    lost = await hosting.worker.next("lost")
    assert lost.reason == WireReason.TOO_MANY_MESSAGES


async def test_a_bot_that_sleeps_gives_its_core_to_others_that_wait(hosting: Hosting) -> None:
    """One has slept for longer than its request allows when the other has answered a hundred requests."""
    hosting.versions.add(bot_that("time.sleep(40)"))
    hosting.versions.add(FIRST)
    runner = await hosting.runner(cores=(0,))
    sleeper, other = await hosting.present(runner, 1), await hosting.present(runner, 2)
    await hosting.worker.ask(sleeper, "m1", index=4)
    await hosting.worker.ask(other, "m2", index=4)
    answer = await hosting.worker.next("message")
    assert answer.match == "m2"
    slept = await hosting.worker.probe(sleeper, "m1")
    assert slept.index == 4 and slept.open_ns < 15e9, "it is charged for what it held the core, and not for its sleep"


async def test_a_bot_without_its_core_is_not_looked_at_and_keeps_the_next_one_for_a_slice(tmp_path: Path) -> None:
    looks: list[CoreUse] = []
    pool = CorePool([0])
    with ThreadPoolExecutor(1) as threads:
        turns = SeatTurns(pool, ListeningClock(), threads, looks.append)
        sleeps = [INTERPRETER, "-I", "-c", "import time; time.sleep(10_000)"]
        sandbox = await turns.start(partial(start, sleeps, Mounts(image=tmp_path), SandboxLimits()))
        try:
            core = await pool.take()  # the bot gives it away, because it sleeps
            seen = len(looks)
            others = asyncio.create_task(pool.take(is_request=False))  # after the bot, which has no request either
            await asyncio.sleep(2 * SAMPLE_S)
            assert len(looks) == seen > 0
            put_back = time.monotonic()
            pool.put_back(core)
            assert await others == core
            assert time.monotonic() - put_back >= SLICE_S
            pool.put_back(core)
            await turns.rest()
        finally:
            sandbox.kill()
            await asyncio.to_thread(sandbox.wait)


async def test_a_bot_that_sleeps_for_less_than_a_second_is_charged(hosting: Hosting) -> None:
    hosting.versions.add(bot_that("time.sleep(0.9)"))
    session = await hosting.present(await hosting.runner())
    await hosting.worker.ask(session, index=4)
    answer = await hosting.worker.next("message")
    assert (
        answer.think_ns > 1e8
    )  # it computes for some milliseconds; samples that come late on a busy machine count less


REHELLO = """
import grpc, hashlib, os, queue, time
from arena.wire.service import PROTOCOL, SERVICE
from arena.wire.v1.bot_pb2 import BotMessage, Hello, ServerMessage
channel = grpc.insecure_channel(os.environ["ARENA_SERVER"])

def stream():
    sent = queue.Queue()
    call = channel.stream_stream(f"/{SERVICE}/Play")(iter(lambda: sent.get().SerializeToString(), None))
    sent.put(BotMessage(hello=Hello(
        token=os.environ["ARENA_TOKEN"], protocol=PROTOCOL, process="x", version="1", max_matches=1, wants_legal=True)))
    return sent, call

sent, call = stream()
while True:
    message = ServerMessage.FromString(next(call))
    if message.HasField("ping"):
        sent.put(BotMessage(pong={"id": message.ping.id}))
    if message.HasField("request"):
        for _ in range(8):
            time.sleep(0.85)
            former = call
            sent, call = stream()
            while not ServerMessage.FromString(next(call)).HasField("request"):
                pass
            former.cancel()
        answer = BotMessage()
        answer.answer.match_id = message.request.match_id
        answer.answer.index = message.request.index
        answer.answer.actions.append(message.request.legal[0])
        sent.put(answer)
"""


async def test_a_bot_that_sleeps_between_hellos_is_charged(hosting: Hosting) -> None:
    hosting.versions.add(REHELLO)
    session = await hosting.present(await hosting.runner())
    await hosting.worker.ask(session, index=4)
    while (answer := await hosting.worker.next()).kind != "message":
        pass
    assert answer.think_ns > 5e9  # of 6.8 s


VFORK = """
#include <unistd.h>
int main(void) { if (vfork() == 0) { sleep(1000); _exit(0); } return 0; }
"""


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
async def test_a_bot_that_looks_as_if_it_waited_for_a_disk_is_charged(hosting: Hosting, tmp_path: Path) -> None:
    """The kernel shows a program that waits for its vfork like one that waits for a disk."""
    version = hosting.versions.add(
        bot_that("time.sleep(5)", before="import subprocess; subprocess.Popen(['/bot/vfork'])")
    )
    (tmp_path / "vfork.c").write_text(VFORK)
    program = hosting.versions.root / version.image / "vfork"
    subprocess.run(["cc", "-static", "-o", program, tmp_path / "vfork.c"], check=True)
    program.chmod(0o755)
    session = await hosting.present(await hosting.runner())
    await hosting.worker.ask(session, index=4)
    answer = await hosting.worker.next("message")
    assert answer.think_ns > 1e9  # of 5 s: one is excused, and samples that come late on a busy machine count less


async def test_a_bot_that_answers_no_ping_is_ended_with_its_match(hosting: Hosting) -> None:
    hosting.versions.add(REHELLO.replace('sent.put(BotMessage(pong={"id": message.ping.id}))', "pass"))
    session = await hosting.present(await hosting.runner())
    await hosting.worker.ask(session, index=4)
    while (await hosting.worker.next()).kind != "message":
        pass
    await hosting.worker.finish(session)
    [report] = await hosting.reports(1)
    assert not report.fault
