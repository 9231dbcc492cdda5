"""Seats of matches that a runner plays: starts, requests, ends, and what is left of them."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.bus import ToBot
from arena.hosting.limits import HostingLimits
from arena.runner import hosted as hosted_module
from arena.wire.v1.bot_pb2 import BotMessage
from tests.kit.remains import groups_of
from tests.runner.conftest import FIRST, Hosting, bot_that

FROZEN_S = 600.0
"""Seconds for which an opponent may think."""

pytestmark = pytest.mark.asyncio(loop_scope="session")


THREADS = """
import threading, time
try:
    while True: threading.Thread(target=time.sleep, args=(9999,), daemon=True).start()
except RuntimeError: os._exit(5)
"""
"""Program that is refused a thread."""
DISK = """
try:
    with open("/tmp/games", "wb") as file:
        while True: file.write(bytes(1 << 20))
except OSError: os._exit(5)
"""
"""Program that fills its disk."""


async def test_a_hosted_bot_plays_a_match_from_its_offer_to_its_end(hosting: Hosting) -> None:
    version = hosting.versions.add(FIRST)
    runner = await hosting.runner(places=3)
    session = await hosting.present(runner)
    assert (session.bot_version, session.capacity, session.running) == (version.version, 3, 0)
    await hosting.worker.offer(session)
    accepted = await hosting.worker.next("message")
    assert accepted.is_answer and accepted.session == session.id
    assert BotMessage.FromString(accepted.payload).WhichOneof("kind") == "accept"
    playing = await hosting.present(runner, is_right=lambda found: found.matches == ("m1",))
    assert (playing.capacity, playing.running) == (3, 1)
    for index in (4, 5):
        await hosting.worker.ask(session, index=index)
        answer = await hosting.worker.next("message")
        assert answer.is_answer and answer.index == index
        assert BotMessage.FromString(answer.payload).answer.actions
        assert answer.think_ns > 0
        assert answer.gone_ns == answer.network_ns == 0
    await hosting.worker.finish(session)
    [report] = await hosting.reports(1)
    assert (report.match, report.seat, report.number, report.version, report.fault) == ("m1", 1, 1, 1, "")
    assert [cost.index for cost in report.decisions] == [-1, 4, 5]
    await hosting.present(runner, is_right=lambda found: not found.matches)
    assert groups_of(os.getpid()) == []
    assert list(Path(runner._folder).iterdir()) == []


@pytest.mark.parametrize(
    ("choose", "fault", "words"),
    [
        ("os._exit(3)", "EXITED", "its program ended at decision 4 with exit code 3"),
        ("os.kill(os.getpid(), 11)", "CRASHED", "its program crashed at decision 4 with signal SIGSEGV"),
        ("[bytearray(1 << 20) for _ in range(999)]", "OUT_OF_MEMORY", "killed: used more than 128 MB at decision 4"),
        ("while True: os.write(1, bytes(1 << 20))", "OUTPUT_FLOOD", "killed: wrote more than 16 MB of output"),
        (f"exec({THREADS!r})", "TOO_MANY_PROCESSES", "ended at decision 4 with exit code 5, after it had more than"),
        (
            f"exec({DISK!r})",
            "DISK_FULL",
            "ended at decision 4 with exit code 5, after it wrote more than 64 MB or 4,096 files to /tmp (the limit of",
        ),
    ],
)
async def test_a_bot_that_ends_is_lost_by_its_own_fault_and_started_again(
    hosting: Hosting, choose: str, fault: str, words: str
) -> None:
    hosting.versions.add(bot_that(choose), memory_mib=128)
    runner = await hosting.runner()
    session = await hosting.present(runner)
    await hosting.worker.ask(session, index=4)
    for kind in ("lost", "back", "lost", "back", "lost"):
        notice = await hosting.worker.next(kind)
        assert (notice.match, notice.seat, notice.session, notice.index) == ("m1", 1, session.id, 4)
    reports = await hosting.reports(3)
    assert [(report.number, report.fault, report.decision) for report in reports] == [
        (number, fault, 4) for number in (1, 2, 3)
    ]
    assert all(report.fault_text.startswith(words) for report in reports), reports
    # It is started no more, and its clock runs on.
    first, second = await hosting.worker.probe(session), await hosting.worker.probe(session)
    assert first.index == second.index == 4
    assert first.open_ns <= second.open_ns and 0 < first.gone_ns <= second.gone_ns
    await hosting.worker.finish(session)
    await hosting.present(runner, is_right=lambda found: not found.matches)


@pytest.mark.parametrize(
    ("program", "fault"),
    [
        ("import sys; sys.exit('no')", "EXITED"),
        ("while True: pass", "START_FAILED"),
        ("import time; time.sleep(10_000)", "START_FAILED"),
    ],
    ids=["exits", "computes", "sleeps"],
)
async def test_a_bot_that_never_says_hello_is_lost(hosting: Hosting, program: str, fault: str) -> None:
    hosting.versions.add(program)
    runner = await hosting.runner(hosting=HostingLimits(start_processor_s=1.0, start_wall_s=2.0))
    session = await hosting.present(runner)
    await hosting.worker.offer(session)
    assert (await hosting.worker.probe(session)).open_ns == 0
    await hosting.worker.next("lost")
    reports = await hosting.reports(3)
    assert [report.fault for report in reports] == [fault] * 3
    await hosting.worker.ask(session, index=4)
    await hosting.worker.next("lost")
    await hosting.worker.finish(session)
    await hosting.present(runner, is_right=lambda found: not found.matches)


async def test_a_start_that_computes_a_little_all_the_time_is_ended(hosting: Hosting) -> None:
    hosting.versions.add("import time\nwhile True:\n    time.sleep(0.05)\n    sum(range(500_000))")
    runner = await hosting.runner(hosting=HostingLimits(start_processor_s=1000.0, start_wall_s=1.0))
    session = await hosting.present(runner)
    await hosting.worker.offer(session)
    [report] = (await hosting.reports(1))[:1]
    assert report.fault == "START_FAILED"


@pytest.mark.parametrize("is_started", [True, False], ids=["while it plays", "before its hello"])
async def test_a_seat_that_another_runner_has_taken_over_ends_at_once(hosting: Hosting, is_started: bool) -> None:
    hosting.versions.add(FIRST)
    runner = await hosting.runner()
    session = await hosting.present(runner)
    await hosting.worker.ask(session, index=4, epoch=2)
    if is_started:
        await hosting.worker.next("message")
    taken_over = ToBot(session.id, "m1", 1, epoch=1, reply_to="w1", final=True)
    await hosting.bus.send_to_gateway(runner.id, taken_over)
    refused = await hosting.worker.next("undeliverable")
    assert refused.reason == "STALE_EPOCH", "an earlier owner of the match cannot end it"
    await hosting.present(runner, is_right=lambda found: found.matches == ("m1",))
    await hosting.bus.send_to_gateway(runner.id, replace(taken_over, epoch=2))
    await hosting.present(runner, is_right=lambda found: not found.matches)
    await hosting.until(no_groups)
    assert {report.fault for report in hosting.versions.reports} <= {""}


async def no_groups() -> bool:
    return not groups_of(os.getpid())


async def test_a_version_whose_files_cannot_be_had_is_left_to_other_runners(
    hosting: Hosting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hosted_module, "WITHHELD_S", 1.0)
    hosting.versions.add(FIRST)
    runner = await hosting.runner()
    session = await hosting.present(runner)
    hosting.versions.is_damaged = True
    await hosting.worker.ask(session, index=4)
    refused = await hosting.worker.next("undeliverable")
    assert (refused.match, refused.index, refused.reason) == ("m1", 4, "GOING_DOWN")

    async def is_withdrawn() -> bool:
        return not await hosting.bus.presences()

    await hosting.until(is_withdrawn)
    hosting.versions.is_damaged = False
    session = await hosting.present(runner)  # it is tried again
    await hosting.worker.ask(session, index=4)
    assert (await hosting.worker.next("message")).index == 4


async def test_nothing_is_kept_between_matches(hosting: Hosting) -> None:
    look = "print('found', sorted(os.listdir('/tmp')), os.listdir('/dev/shm'), flush=True)"
    keep = "[open(folder + '/note', 'w') for folder in ('/tmp', '/dev/shm')]"
    hosting.versions.add(bot_that(keep, before=look))
    runner = await hosting.runner()
    session = await hosting.present(runner)
    for match in ("m1", "m2"):
        await hosting.worker.ask(session, match, index=4)
        await hosting.worker.next("message")
        await hosting.worker.finish(session, match)
        await hosting.present(runner, is_right=lambda found: not found.matches)
    first, second = await hosting.reports(2)
    assert first.stdout == second.stdout and "found" in first.stdout, (first.stdout, second.stdout)


@pytest.mark.soak
async def test_a_bot_that_was_frozen_for_long_answers_as_before(hosting: Hosting) -> None:
    hosting.versions.add(bot_that("end = time.process_time() + 0.05\n        while time.process_time() < end: pass"))
    runner = await hosting.runner(hold_s=10 * FROZEN_S)
    session = await hosting.present(runner)
    charged_ms = []
    for index in (4, 5, 6):
        await hosting.worker.ask(session, index=index)
        answer = await hosting.worker.next("message")
        assert answer.is_answer and answer.gone_ns == 0
        charged_ms.append(answer.think_ns / 1e6)
        if index == 5:
            await asyncio.sleep(FROZEN_S)  # its opponent thinks
    print(f"charged {charged_ms} ms, the last after {FROZEN_S} s")
    assert charged_ms[-1] < charged_ms[0] + 1000
    await hosting.worker.finish(session)
    [report] = await hosting.reports(1)
    assert (report.number, report.fault) == (1, "")


async def test_a_paused_runner_finishes_its_seats_and_takes_no_others(hosting: Hosting) -> None:
    hosting.versions.add(FIRST)
    runner = await hosting.runner(places=3)
    session = await hosting.present(runner, is_right=lambda found: found.places == 3)
    await hosting.worker.offer(session)
    assert (await hosting.worker.next("message")).is_answer
    hosting.versions.is_paused = True
    paused = await hosting.present(runner, is_right=lambda found: found.places == 1)
    assert not paused.is_available and not paused.leaving
    await hosting.worker.offer(session, "m2")
    assert (await hosting.worker.next("undeliverable")).match == "m2"
    await hosting.worker.ask(session, index=4)
    assert (await hosting.worker.next("message")).index == 4
    await hosting.worker.finish(session)
    await hosting.present(runner, is_right=lambda found: found.places == 0)
    hosting.versions.is_paused = False
    await hosting.present(runner, is_right=lambda found: found.places == 3 and found.is_available)
