"""The runner service of a gateway, with a database: what a runner may do, and what nobody else can."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import msgspec
import pytest
import pytest_asyncio
from asgiref.sync import sync_to_async

from arena.gateway.limits import RunnerServiceLimits
from arena.gateway.server import Gateway
from arena.hosting.bundle import Bundle, pack
from arena.hosting.faults import HostingFault
from arena.hosting.limits import HostingLimits
from arena.hosting.messages import (
    PART_BYTES,
    RUNNER_SERVICE,
    RUNNER_TOKEN_METADATA,
    BlobRequest,
    BuildResult,
    HelloFacts,
    HostedVersions,
    ImageHeader,
    JobFailure,
    JobInfo,
    JobOffer,
    JobRequest,
    JobResult,
    JobReturn,
    LogPiece,
    RunnerFacts,
    SeatReport,
    TrialInfo,
    TrialOffer,
    TrialOutcome,
    TrialProgress,
    TrialResult,
    TrialReturn,
    decode_message,
    encode_message,
)
from arena.sandbox.limits import SandboxEnd
from tests.gateway.conftest import Arena
from tests.kit.until import soon
from webui.accounts.values import Actor
from webui.commands import hosting as hosting_commands
from webui.commands.hosting import THREADS
from webui.hosting import actions
from webui.hosting.models import Blob, HostedSeat, HostedVersion, Runner, Submission
from webui.writing import actions as writing
from webui.writing.models import Trial

pytestmark = pytest.mark.asyncio(loop_scope="session")

Refusal = tuple[grpc.StatusCode, str]
BOT = b"from arena.bots import run\n"


class TestRunner:
    """A runner that sends exactly what the test asks."""

    __test__ = False

    def __init__(self, gateway: Gateway, token: str | None) -> None:
        self.channel = grpc.aio.insecure_channel(f"127.0.0.1:{gateway.port}")
        self._metadata = () if token is None else ((RUNNER_TOKEN_METADATA, token),)

    async def ask(self, method: str, message: Any = None) -> bytes:
        call: Any = self.channel.unary_unary(f"/{RUNNER_SERVICE}/{method}")
        data = message if isinstance(message, bytes) else encode_message(message or JobRequest())
        answer: bytes = await call(data, metadata=self._metadata, timeout=60)
        return answer

    async def take(self) -> JobInfo | None:
        return decode_message(await self.ask("TakeJob"), JobOffer).job

    async def store(self, parts: Iterable[bytes] | AsyncIterable[bytes]) -> bytes:
        call: Any = self.channel.stream_unary(f"/{RUNNER_SERVICE}/StoreImage")
        answer: bytes = await call(parts, metadata=self._metadata, timeout=60)
        return answer

    async def fetch(self, digest: str) -> bytes:
        call: Any = self.channel.unary_stream(f"/{RUNNER_SERVICE}/FetchBlob")
        request = encode_message(BlobRequest(sha256=digest))
        return b"".join([part async for part in call(request, metadata=self._metadata, timeout=60)])

    async def fetch_reason(self, digest: str) -> str:
        """Return why a fetch was refused; empty if it was not."""
        try:
            await self.fetch(digest)
        except grpc.aio.AioRpcError as error:
            return str(dict(error.trailing_metadata())["arena-reason"])
        return ""


async def refusal(call: Any) -> Refusal:
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await call
    return error.value.code(), str(dict(error.value.trailing_metadata()).get("arena-reason"))


def stream(job: JobInfo, digest: str, content: bytes, size: int | None = None) -> list[bytes]:
    header = ImageHeader(job=job.id, epoch=job.epoch, sha256=digest, size=len(content) if size is None else size)
    parts = [content[at : at + PART_BYTES] for at in range(0, len(content), PART_BYTES)]
    return [encode_message(header), *parts]


def report(**changes: Any) -> SeatReport:
    fields = {"match": "m", "seat": 1, "number": 1, "version": 1, "started_at_ns": 1, "ended_at_ns": 2}
    return SeatReport(**fields | changes, end=SandboxEnd.EXITED)


class Runners:
    """A gateway, a submission, and runners."""

    def __init__(self, arena: Arena, gateway: Gateway, token: str, source: Bundle, folder: Path) -> None:
        self.arena = arena
        self.gateway = gateway
        self.token = token
        self.source = source
        self.folder = folder

    def runner(self, token: str | None = "") -> TestRunner:
        runner = TestRunner(self.gateway, self.token if token == "" else token)
        self.arena.push(runner.channel.close)
        return runner

    def bundle(self, content: bytes) -> Bundle:
        source = self.folder / "bot.py"
        source.write_bytes(content)
        return pack(source, "bot.py", self.folder / sha256(content).hexdigest(), HostingLimits())


@pytest_asyncio.fixture(loop_scope="session")
async def runners(arena: Arena, tmp_path: Path) -> Runners:
    return await make_runners(arena, tmp_path)


async def make_runners(arena: Arena, folder: Path, limits: RunnerServiceLimits | None = None, **more: Any) -> Runners:
    gateway = await arena.gateway(runner_limits=limits or RunnerServiceLimits(), **more)
    token = await sync_to_async(actions.register_runner)("north")
    made = Runners(arena, gateway, token, Bundle("", folder, 0, 0, 0, 0, None), folder)  # type: ignore[arg-type]
    made.source = made.bundle(BOT)
    owner = Actor(arena.registered.owner)
    await sync_to_async(actions.submit)(owner, arena.registered.bot, "v1", "", made.source)
    return made


async def row() -> Submission:
    return await Submission.objects.aget()


async def test_a_submission_becomes_a_hosted_version(runners: Runners) -> None:
    runner = runners.runner()
    job = await runner.take()
    assert job is not None and (job.bot_name, job.version_name, job.image) == ("Camel", "v1", "")
    assert await runner.take() is None
    assert await runner.fetch(job.source) == runners.source.packed.read_bytes()
    await runner.ask("AppendLog", LogPiece(job=job.id, epoch=job.epoch, offset=0, text="begins\n"))
    image = runners.bundle(BOT + b"# built\n" + os.urandom(PART_BYTES).hex().encode())
    for _ in range(2):  # each call may be repeated
        await runner.store(stream(job, image.sha256, image.packed.read_bytes()))
    await runner.ask("AppendLog", LogPiece(job=job.id, epoch=job.epoch, offset=0, text="begins\nends\n"))
    for _ in range(2):
        await runner.ask("FinishBuild", BuildResult(job=job.id, epoch=job.epoch, image=image.sha256))
    facts = HelloFacts(sdk="python 1", player_counts=(2, 4), wants_legal=True)
    for _ in range(2):
        await runner.ask("FinishJob", JobResult(job=job.id, epoch=job.epoch, facts=facts))
    made = await row()
    assert (made.state, made.log_head) == ("READY", "begins\nends\n")
    described = RunnerFacts(cores=3, runtime="{}")
    [version] = decode_message(await runner.ask("Hosted", described), HostedVersions).versions
    assert (version.bot_name, version.version_name, version.image) == ("Camel", "v1", image.sha256)
    assert (version.sdk, version.player_counts, version.wants_legal) == ("python 1", (2, 4), True)
    assert (await Runner.objects.aget()).cores == 3
    assert await runner.fetch(image.sha256) == image.packed.read_bytes()


async def test_a_trial_is_taken_reported_and_given_back(runners: Runners) -> None:
    await sync_to_async(writing.try_source)(None, "203.0.113.1", "import this", "greedy")
    runner = runners.runner()
    other = runners.runner(await sync_to_async(actions.register_runner)("south"))
    request = JobRequest(key="a")

    async def take() -> TrialInfo | None:
        return decode_message(await runner.ask("TakeTrial", request), TrialOffer).trial

    trial = await take()
    assert trial is not None and trial == await take() and trial.source == "import this"
    await runner.ask("NoteTrial", TrialProgress(trial=trial.id, epoch=trial.epoch, decisions=9))
    assert (await Trial.objects.aget()).decisions == 9
    for message in (
        other.ask("NoteTrial", TrialProgress(trial=trial.id, epoch=trial.epoch)),
        other.ask("FinishTrial", TrialResult(trial=trial.id, epoch=trial.epoch, outcome=TrialOutcome())),
        runner.ask("NoteTrial", TrialProgress(trial=trial.id, epoch=trial.epoch + 1)),
    ):
        assert await refusal(message) == (grpc.StatusCode.FAILED_PRECONDITION, "JOB_LOST")
    assert (await refusal(runner.ask("FinishTrial", b"damaged")))[1] == "BAD_MESSAGE"
    await runner.ask("ReturnTrial", TrialReturn(trial=trial.id, epoch=trial.epoch))
    request = JobRequest(key="b")
    again = await take()
    assert again is not None and again.epoch == trial.epoch + 1
    for _ in range(2):  # each call may be repeated
        outcome = TrialOutcome(fault="EXITED", fault_text="exit code 1")
        await runner.ask("FinishTrial", TrialResult(trial=again.id, epoch=again.epoch, outcome=outcome))
    assert (await Trial.objects.aget()).state == "DONE"


async def test_nobody_but_a_runner_may_call(runners: Runners) -> None:
    token = runners.arena.registered.token
    for stranger in (runners.runner(None), runners.runner("arena_runner_guess"), runners.runner(token)):
        for call in (
            stranger.ask("Hosted", RunnerFacts()),
            stranger.ask("TakeJob"),
            stranger.ask("TakeTrial"),
            stranger.fetch(runners.source.sha256),
            stranger.store([b""]),
            stranger.ask("ReportSeat", b"damaged"),
        ):
            code, reason = await refusal(call)
            assert (code, reason) == (grpc.StatusCode.UNAUTHENTICATED, "BAD_RUNNER_TOKEN")
    assert (await row()).epoch == 0


async def test_a_revoked_runner_is_refused_at_once(runners: Runners) -> None:
    runner = runners.runner()
    job = await runner.take()
    assert job is not None
    await sync_to_async(actions.revoke_runner)("north")
    piece = LogPiece(job=job.id, epoch=job.epoch, offset=0, text="x")
    assert await refusal(runner.ask("AppendLog", piece)) == (grpc.StatusCode.UNAUTHENTICATED, "BAD_RUNNER_TOKEN")
    assert await refusal(runner.fetch(job.source)) == (grpc.StatusCode.UNAUTHENTICATED, "BAD_RUNNER_TOKEN")
    assert (await row()).log_head == ""


async def test_an_address_that_guesses_tokens_is_stopped_and_its_runners_are_not(arena: Arena, tmp_path: Path) -> None:
    runners = await make_runners(arena, tmp_path, hello_burst=30, hello_per_second=0)
    honest, guesser = runners.runner(), runners.runner("arena_runner_guess")
    await honest.ask("Hosted", RunnerFacts())
    reasons = [(await refusal(guesser.ask("TakeJob")))[1] for _ in range(6)]
    assert reasons[0] == "BAD_RUNNER_TOKEN" and reasons[-1] == "TOO_MANY_ATTEMPTS"
    await honest.ask("Hosted", RunnerFacts())
    await arena.bot(runners.gateway).hello()  # bots are counted on their own


async def test_an_image_that_is_not_what_it_says_is_not_stored(arena: Arena, tmp_path: Path) -> None:
    runners = await make_runners(arena, tmp_path, RunnerServiceLimits(max_blob_bytes=1_000_000))
    runner = runners.runner()
    job = await runner.take()
    assert job is not None
    image = runners.bundle(BOT + b"# built\n")
    content = image.packed.read_bytes()
    huge = os.urandom(1_000_001)
    attacks = {
        "another hash": stream(job, "0" * 64, content),
        "no hash": stream(job, "../../etc/passwd", content),
        "damaged": stream(job, image.sha256, content[:-9] + b"x" + content[-8:]),
        "not compressed": stream(job, sha256(BOT).hexdigest(), BOT),
        "cut": stream(job, image.sha256, content)[:-1],
        "more than it says": [*stream(job, image.sha256, content), b"more"],
        "less than it says": stream(job, image.sha256, content, len(content) + 1),
        "larger than allowed": stream(job, image.sha256, huge),
        "larger than it says": stream(job, image.sha256, huge, 1_000_000),
        "a negative size": stream(job, image.sha256, content, -1),
        "one large part": [*stream(job, image.sha256, b"", 999_999), huge[:999_999]],
        "no header": [content],
        "nothing": [],
    }
    for attack, parts in attacks.items():
        assert await refusal(runner.store(parts)) == (grpc.StatusCode.INVALID_ARGUMENT, "BAD_MESSAGE"), attack
    assert [blob.pk async for blob in Blob.objects.all()] == [runners.source.sha256]
    await runner.store(stream(job, image.sha256, content))


async def test_an_upload_that_is_cut_off_leaves_nothing(runners: Runners) -> None:
    runner = runners.runner()
    job = await runner.take()
    assert job is not None
    image = runners.bundle(BOT + os.urandom(3 * PART_BYTES).hex().encode())
    parts = stream(job, image.sha256, image.packed.read_bytes())

    async def temporary_files() -> int:
        return sum("(deleted)" in os.readlink(f"/dev/fd/{name}") for name in os.listdir("/dev/fd") if exists(name))

    def exists(name: str) -> bool:
        return os.path.lexists(f"/dev/fd/{name}")

    before = await temporary_files()
    running = asyncio.create_task(runner.store(never_ends(*parts[:2])))
    await runners.arena.until(temporary_files, lambda count: count > before)
    running.cancel()
    await runners.arena.until(temporary_files, lambda count: count == before)
    assert [blob.pk async for blob in Blob.objects.all()] == [runners.source.sha256]
    await runner.store(parts)


async def test_of_two_runners_with_one_job_the_later_has_it(runners: Runners) -> None:
    first, second = runners.runner(), runners.runner(await sync_to_async(actions.register_runner)("south"))
    lost = await first.take()
    assert lost is not None
    await Submission.objects.aupdate(lease_expires_at="2020-01-01T00:00:00Z")
    job = await second.take()
    assert job is not None and (job.id, job.epoch) == (lost.id, lost.epoch + 1)
    image = runners.bundle(BOT + b"# of the first\n")
    for call in (
        first.ask("AppendLog", LogPiece(job=lost.id, epoch=lost.epoch, offset=0, text="first")),
        first.store(stream(lost, image.sha256, image.packed.read_bytes())),
        first.ask("FinishBuild", BuildResult(job=lost.id, epoch=lost.epoch, image=lost.source)),
        first.ask("FinishJob", JobResult(job=lost.id, epoch=lost.epoch, facts=HelloFacts())),
        first.ask(
            "FailJob", JobFailure(job=lost.id, epoch=lost.epoch, fault=HostingFault.BUILD_FAILED, text="it hangs")
        ),
    ):
        assert await refusal(call) == (grpc.StatusCode.FAILED_PRECONDITION, "JOB_LOST")
    await first.ask("ReturnJob", JobReturn(job=lost.id, epoch=lost.epoch))  # nothing to return
    for call in (  # the number of the claim is easily guessed
        first.ask("AppendLog", LogPiece(job=job.id, epoch=job.epoch, offset=0, text="first")),
        first.ask("FinishBuild", BuildResult(job=job.id, epoch=job.epoch, image=job.source)),
        first.ask("FailJob", JobFailure(job=job.id, epoch=job.epoch, fault=HostingFault.BUILD_FAILED, text="no")),
        first.ask("ReturnJob", JobReturn(job=job.id, epoch=job.epoch)),
    ):
        assert await refusal(call) == (grpc.StatusCode.FAILED_PRECONDITION, "JOB_LOST")
    await second.ask("FinishBuild", BuildResult(job=job.id, epoch=job.epoch, image=job.source))
    await second.ask("FinishJob", JobResult(job=job.id, epoch=job.epoch, facts=HelloFacts()))
    assert (await HostedVersion.objects.aget()).image_id == runners.source.sha256


async def test_a_returned_job_is_taken_at_once(runners: Runners) -> None:
    runner = runners.runner()
    job = await runner.take()
    assert job is not None
    await runner.ask("ReturnJob", JobReturn(job=job.id, epoch=job.epoch))
    again = await runner.take()
    assert again is not None and again.epoch == job.epoch + 1


async def test_a_failed_job_says_why(runners: Runners) -> None:
    runner = runners.runner()
    job = await runner.take()
    assert job is not None
    for _ in range(2):
        failure = JobFailure(job=job.id, epoch=job.epoch, fault=HostingFault.BUILD_FAILED, text="exit code 2")
        await runner.ask("FailJob", failure)
    failed = await row()
    assert (failed.state, failed.fault, failed.fault_text) == ("FAILED", "BUILD_FAILED", "exit code 2")


@pytest.mark.parametrize(
    ("method", "message"),
    [
        ("AppendLog", b"\xc1"),
        ("AppendLog", b"x" * 100_000),
        ("AppendLog", LogPiece(job=2**70 // 2**7, epoch=1, offset=0, text="x")),
        ("AppendLog", LogPiece(job=1, epoch=1, offset=0, text="x" * 5_000)),
        ("FailJob", msgspec.msgpack.encode({"job": 1, "epoch": 1, "fault": "NO_SUCH_FAULT", "text": ""})),
        ("ReportSeat", report(match="no such match")),
        ("ReportSeat", report(match="m\0")),
        ("ReportSeat", report(seat=-1, version=2**63 - 1)),
        ("ReportSeat", report(started_at_ns=2**63 - 1)),
    ],
)
async def test_values_that_are_not_allowed_are_refused(runners: Runners, method: str, message: Any) -> None:
    code, reason = await refusal(runners.runner().ask(method, message))
    assert (code, reason) in (
        (grpc.StatusCode.INVALID_ARGUMENT, "BAD_MESSAGE"),
        (grpc.StatusCode.FAILED_PRECONDITION, "JOB_LOST"),
    )
    assert not await HostedSeat.objects.aexists()


async def test_a_message_past_the_limit_of_the_transport_is_refused(runners: Runners) -> None:
    code, _ = await refusal(runners.runner().ask("ReportSeat", b"x" * 2_000_000))
    assert code == grpc.StatusCode.RESOURCE_EXHAUSTED


async def test_an_unknown_file_is_not_found(runners: Runners) -> None:
    for name in ("0" * 64, "", "../x", "0" * 10_000):
        assert await refusal(runners.runner().fetch(name)) == (grpc.StatusCode.NOT_FOUND, "BLOB_UNKNOWN")


async def test_the_calls_of_one_runner_are_limited(arena: Arena, tmp_path: Path) -> None:
    runners = await make_runners(arena, tmp_path, RunnerServiceLimits(call_burst=5, calls_per_second=0))
    busy, other = runners.runner(), runners.runner(await sync_to_async(actions.register_runner)("south"))
    for _ in range(5):
        await busy.ask("TakeJob")
    assert await refusal(busy.ask("TakeJob")) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_MANY_CALLS")
    await other.ask("TakeJob")


async def never_ends(*parts: bytes) -> AsyncIterator[bytes]:
    for part in parts:
        yield part
    await asyncio.Event().wait()


async def test_transfers_of_one_runner_are_limited(arena: Arena, tmp_path: Path) -> None:
    runners = await make_runners(arena, tmp_path, RunnerServiceLimits(max_transfers_per_runner=1))
    runner = runners.runner()
    running = asyncio.create_task(runner.store(never_ends()))

    async def attempt() -> str:
        nonlocal running
        if running.done():  # the other transfer was faster
            assert "TOO_MANY_CALLS" in str(running.exception())
            running = asyncio.create_task(runner.store(never_ends()))
        return await runner.fetch_reason(runners.source.sha256)

    assert await arena.until(attempt, lambda reason: reason) == "TOO_MANY_CALLS"
    await runner.ask("TakeJob")  # other calls have their own places
    running.cancel()
    with suppress(asyncio.CancelledError):
        await running
    await arena.until(lambda: runner.fetch_reason(runners.source.sha256), lambda reason: not reason)


async def test_a_transfer_that_stands_still_is_ended(arena: Arena, tmp_path: Path) -> None:
    runners = await make_runners(arena, tmp_path, RunnerServiceLimits(transfer_s=1.0))
    runner = runners.runner()
    stopped = (grpc.StatusCode.DEADLINE_EXCEEDED, "TOO_SLOW")
    assert await refusal(runner.store(never_ends())) == stopped
    job = await runner.take()
    assert job is not None
    assert await refusal(runner.store(never_ends(stream(job, "0" * 64, b"", 9)[0]))) == stopped


async def test_calls_never_wait_for_files(runners: Runners, monkeypatch: pytest.MonkeyPatch) -> None:
    may_end, read = threading.Event(), hosting_commands.blobs.blob_parts
    reading: list[str] = []

    def slow_parts(digest: str) -> Iterator[bytes]:
        reading.append(digest)
        may_end.wait()
        yield from read(digest)

    monkeypatch.setattr(hosting_commands.blobs, "blob_parts", slow_parts)
    runners.arena.push(asyncio.to_thread, may_end.set)
    runner = runners.runner()
    fetches = [asyncio.create_task(runner.fetch(runners.source.sha256)) for _ in range(2)]
    await soon(lambda: len(reading) == 2, "slow readers")
    await runner.ask("Hosted", RunnerFacts())
    assert not any(fetch.done() for fetch in fetches)
    may_end.set()
    assert all(await asyncio.gather(*fetches))


async def test_bots_never_wait_for_runners(runners: Runners) -> None:
    """All threads of the runner service wait for a database that does not answer."""
    arena, may_end = runners.arena, threading.Event()
    bot = arena.bot(runners.gateway)
    await bot.hello()
    session = await arena.present()
    arena.push(asyncio.to_thread, may_end.set)
    for _ in range(2 * THREADS):
        arena.hosting._threads.submit(may_end.wait)
    calls = [asyncio.create_task(runners.runner().ask("Hosted", RunnerFacts())) for _ in range(10)]
    for index in range(3):
        await arena.worker.ask(session, index=index)
        assert (await bot.hear("request")).request.index == index
        await bot.answer("m1", index)
        assert (await arena.worker.next("message")).index == index
    assert not any(call.done() for call in calls)
    may_end.set()
    await asyncio.gather(*calls)
