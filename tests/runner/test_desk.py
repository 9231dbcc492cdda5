"""Calls of a runner to gateways that are away, restart, or refuse."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
import pytest_asyncio
from msgspec.structs import replace

from arena.hosting.messages import PART_BYTES, HelloFacts, HostedVersionInfo, JobInfo, RunnerFacts, SeatReport
from arena.runner import desk as desk_module
from arena.runner.desk import CallRefused, LostJob, RunnerDesk
from arena.sandbox.limits import SandboxEnd
from tests.kit.ports import ReservedPort
from tests.kit.until import soon
from tests.runner.hosting import TOKEN, MemoryHosting, serving

pytestmark = pytest.mark.asyncio(loop_scope="session")

REPORT = SeatReport(match="m1", seat=1, number=1, version=7, started_at_ns=1, ended_at_ns=2, end=SandboxEnd.EXITED)
VERSION = HostedVersionInfo(version=7, bot=3, image="a" * 64)
JOB = JobInfo(id=5, epoch=0, source="b" * 64, manifest="{}")


@pytest_asyncio.fixture(loop_scope="session")
async def stack() -> AsyncIterator[AsyncExitStack]:
    async with AsyncExitStack() as stack:
        yield stack


@pytest.fixture
def hosting() -> MemoryHosting:
    hosting = MemoryHosting()
    hosting.versions, hosting.job = [VERSION], JOB
    return hosting


def new_desk(folder: Path, *servers: str, token: str = TOKEN) -> RunnerDesk:
    return RunnerDesk(servers, token, folder, RunnerFacts(cores=2))


async def test_calls_wait_for_a_gateway(tmp_path: Path, hosting: MemoryHosting, stack: AsyncExitStack) -> None:
    number = stack.enter_context(ReservedPort()).number
    desk = await stack.enter_async_context(new_desk(tmp_path, f"127.0.0.1:{number}"))
    calls = [asyncio.create_task(desk.hosted()), asyncio.create_task(desk.take_job())]
    await desk.report_seat(REPORT)
    await asyncio.wait(calls, timeout=0.5)
    assert not any(call.done() for call in calls)
    async with serving(hosting, number):
        versions, job = await asyncio.gather(*calls)
        assert versions.versions == (VERSION,)
        assert job == replace(JOB, epoch=1)
        await soon(lambda: hosting.reports == [REPORT], "the report")


async def test_the_number_of_hosted_versions_has_no_limit(
    tmp_path: Path, hosting: MemoryHosting, stack: AsyncExitStack
) -> None:
    """Together they would be larger than a message may be."""
    hosting.versions = [replace(VERSION, version=number, command=("a" * 4096,)) for number in range(1, 1201)]
    desk = await stack.enter_async_context(new_desk(tmp_path, await stack.enter_async_context(serving(hosting))))
    assert list((await desk.hosted()).versions) == hosting.versions


async def test_another_gateway_answers_if_one_is_away(
    tmp_path: Path, hosting: MemoryHosting, stack: AsyncExitStack
) -> None:
    first, second = MemoryHosting(), hosting
    async with serving(second) as there, AsyncExitStack() as other:
        away = await other.enter_async_context(serving(first))
        desk = await stack.enter_async_context(new_desk(tmp_path, away, there))
        await desk.hosted()
        await other.aclose()
        assert (await desk.hosted()).versions == (VERSION,)


async def test_a_database_that_is_away_is_waited_for(
    tmp_path: Path, hosting: MemoryHosting, stack: AsyncExitStack
) -> None:
    desk = await stack.enter_async_context(new_desk(tmp_path, await stack.enter_async_context(serving(hosting))))
    hosting.failures = 3
    assert (await desk.hosted()).versions == (VERSION,)
    assert hosting.failures == 0


async def test_a_runner_whose_token_was_revoked_ends(
    tmp_path: Path, hosting: MemoryHosting, stack: AsyncExitStack
) -> None:
    address = await stack.enter_async_context(serving(hosting))
    desk = await stack.enter_async_context(new_desk(tmp_path, address, token=hosting.token))
    assert (await desk.hosted()).versions == (VERSION,)
    hosting.token = "another"
    for call in (desk.hosted(), desk.take_job()):
        with pytest.raises(CallRefused, match="BAD_RUNNER_TOKEN"):
            await call


async def test_a_job_whose_answer_was_lost_is_given_again(
    tmp_path: Path, hosting: MemoryHosting, stack: AsyncExitStack
) -> None:
    desk = await stack.enter_async_context(new_desk(tmp_path, await stack.enter_async_context(serving(hosting))))
    hosting.lost_answers = 1
    assert await desk.take_job() == replace(JOB, epoch=1)
    assert await desk.take_job() is None, "another call is not the same one"


async def test_refusals_are_final(tmp_path: Path, hosting: MemoryHosting, stack: AsyncExitStack) -> None:
    desk = await stack.enter_async_context(new_desk(tmp_path, await stack.enter_async_context(serving(hosting))))
    job = await desk.take_job()
    assert job is not None and await desk.take_job() is None
    hosting.job = replace(job, epoch=2)
    with pytest.raises(LostJob):
        await desk.append_log(job, 0, "late")
    with pytest.raises(LostJob):
        await desk.finish_job(job, HelloFacts())
    with pytest.raises(CallRefused, match="no blob"):
        await desk.fetch("0" * 64, tmp_path / "blob")
    assert hosting.log == ""


async def test_files_are_sent_in_parts(tmp_path: Path, hosting: MemoryHosting, stack: AsyncExitStack) -> None:
    desk = await stack.enter_async_context(new_desk(tmp_path, await stack.enter_async_context(serving(hosting))))
    job = await desk.take_job()
    assert job is not None
    content = bytes(range(256)) * (3 * PART_BYTES // 256) + b"end"
    (tmp_path / "image").write_bytes(content)
    await desk.store_image(job, "c" * 64, tmp_path / "image")
    assert hosting.blobs == {"c" * 64: content}
    await desk.fetch("c" * 64, tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == content
    await desk.finish_build(job, "c" * 64)
    assert hosting.job is not None and hosting.job.image == "c" * 64


async def test_reports_outlive_the_runner(tmp_path: Path, hosting: MemoryHosting, stack: AsyncExitStack) -> None:
    number = stack.enter_context(ReservedPort()).number
    reports = [replace(REPORT, match=f"m{at}", ended_at_ns=at) for at in range(5)]
    async with new_desk(tmp_path, f"127.0.0.1:{number}") as killed:
        for report in reports:
            await killed.report_seat(report)
            await killed.report_seat(report)  # kept once
    (tmp_path / "reports" / "half.new").write_bytes(b"half")  # it was killed while it wrote
    (tmp_path / "reports" / "0damaged").write_bytes(b"\xc1")
    async with serving(hosting, number) as address:
        await stack.enter_async_context(new_desk(tmp_path, address))
        await soon(lambda: len(hosting.reports) == 5, "the reports")
        await soon(lambda: not list((tmp_path / "reports").glob("0*")), "their removal")
    assert hosting.reports == reports


async def test_the_oldest_reports_are_dropped(
    tmp_path: Path, hosting: MemoryHosting, stack: AsyncExitStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desk_module, "MOST_REPORTS", 3)
    number = stack.enter_context(ReservedPort()).number
    async with new_desk(tmp_path, f"127.0.0.1:{number}") as desk:
        for at in range(5):
            await desk.report_seat(replace(REPORT, match=f"m{at}", ended_at_ns=at))
    async with serving(hosting, number) as address, new_desk(tmp_path, address):
        await soon(lambda: len(hosting.reports) == 3, "the reports")
    assert [report.match for report in hosting.reports] == ["m2", "m3", "m4"]
