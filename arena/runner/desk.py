"""The runner's calls to gateways: what it hosts, its jobs, files, and reports on seats.

A call is repeated until a gateway answers it, since that does no harm (`arena.gateway.runners`). Reports on seats are
kept in files until a gateway has them, so a runner that was killed sends them after its restart.
"""

from __future__ import annotations

import asyncio
import random
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self, TypeVar

import grpc
import grpc.aio
import structlog
from grpc import StatusCode
from msgspec import Struct
from msgspec.structs import replace

from arena.bots.channel import StreamLost, open_channel, parse_server
from arena.hosting.faults import HostingFault
from arena.hosting.messages import (
    PART_BYTES,
    RUNNER_REASON_METADATA,
    RUNNER_SERVICE,
    RUNNER_TOKEN_METADATA,
    BlobRequest,
    BuildResult,
    HelloFacts,
    HostedVersionInfo,
    HostedVersions,
    ImageHeader,
    JobFailure,
    JobInfo,
    JobOffer,
    JobRequest,
    JobResult,
    JobReturn,
    LogPiece,
    RunnerErrorReason,
    RunnerFacts,
    RunnerMessage,
    RunnerMessageError,
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

log = structlog.get_logger(__name__)

CALL_S: Final = 30.0
"""Seconds after which a call without an answer is repeated."""
TRANSFER_S: Final = 600.0
"""The same for a transfer of an image or source."""
PAUSE_S: Final = 0.2
"""Longest pause after the first failure. It doubles with each further one."""
LONGEST_PAUSE_S: Final = 15.0
MOST_REPORTS: Final = 2_000
"""Maximum number of reports that wait for a gateway. Beyond it the oldest are dropped."""
FINAL: Final = {
    StatusCode.INVALID_ARGUMENT, StatusCode.NOT_FOUND, StatusCode.FAILED_PRECONDITION, StatusCode.UNAUTHENTICATED,
}  # fmt: skip
"""Statuses of calls that would be refused again. A runner whose token was revoked ends by the last one."""

Answered = TypeVar("Answered")


class CallRefused(Exception):
    """Raised when a gateway refuses a call for good."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class LostJob(CallRefused):
    """Raised when another runner has the job, or when it has ended. Its former holder stops working on it."""


class RunnerDesk:
    """A context manager for all calls of one runner. It sends reports in the background while the context lasts."""

    def __init__(
        self, servers: Sequence[str], token: str, folder: Path, facts: RunnerFacts, certificate: Path | None = None
    ) -> None:
        """`servers` are addresses of gateways, as bots give them. `folder` belongs to this runner alone. `certificate`
        is a certificate chain (PEM) that the gateways must show; `None` accepts any valid one.

        Raises ValueError for an address that cannot be dialled.
        """
        for server in servers:
            parse_server(server)
        self._servers = tuple(servers)
        self._metadata = ((RUNNER_TOKEN_METADATA, token),)
        self._reports = folder / "reports"
        self.facts = facts
        """The runner's description of itself, which each request for the hosted versions carries."""
        self._certificate = certificate
        self._at = random.randrange(len(servers))  # noqa: S311 - no secret
        """Index of the server that is called now; another one after each failure."""
        self._channel: grpc.aio.Channel | None = None
        self._closing: set[asyncio.Task[None]] = set()
        self._has_reports = asyncio.Event()
        self._sending: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        await asyncio.to_thread(self._reports.mkdir, parents=True, exist_ok=True)
        self._has_reports.set()
        self._sending = asyncio.create_task(self._send_reports(), name="reports")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._sending is not None:
            self._sending.cancel()
            await asyncio.wait([self._sending])
        for closing in self._closing:
            closing.cancel()
        if self._channel is not None:
            await self._channel.close(None)

    # Hosted versions and their files

    async def hosted(self) -> HostedVersions:
        """Return the versions that runners host now, and whether this runner is paused."""
        found: list[HostedVersionInfo] = []
        while True:
            after = found[-1].version if found else 0
            page = await self._ask("Hosted", replace(self.facts, after=after), HostedVersions)
            found += page.versions
            if not page.has_more or not page.versions:
                return replace(page, versions=tuple(found), has_more=False)

    async def fetch(self, sha256: str, target: Path) -> None:
        """Write an image or source, compressed, to a file. Nobody has checked its hash then.

        Raises `CallRefused` if no gateway has it.
        """

        async def attempt(channel: grpc.aio.Channel) -> None:
            call: Any = channel.unary_stream(f"/{RUNNER_SERVICE}/FetchBlob", None, None)
            with target.open("wb") as file:
                request = encode_message(BlobRequest(sha256=sha256))
                async for part in call(request, metadata=self._metadata, timeout=TRANSFER_S):
                    await asyncio.to_thread(file.write, part)

        await self._until_answered("FetchBlob", attempt)

    # Jobs. All of these calls raise `LostJob`, and `CallRefused` for values that are refused.

    async def take_job(self) -> JobInfo | None:
        """Return a job that this runner holds from now on; `None` if there is none."""
        return (await self._ask("TakeJob", JobRequest(key=secrets.token_hex(16)), JobOffer)).job

    async def append_log(self, job: JobInfo, offset: int, text: str) -> None:
        """Append text to the log of a job, after `offset` characters, and renew the lease."""
        await self._tell("AppendLog", LogPiece(job=job.id, epoch=job.epoch, offset=offset, text=text))

    async def store_image(self, job: JobInfo, sha256: str, packed: Path) -> None:
        """Store the image that a job has built: a canonical tar with this hash, compressed in the file `packed`."""
        size = packed.stat().st_size
        header = encode_message(ImageHeader(job=job.id, epoch=job.epoch, sha256=sha256, size=size))

        async def parts() -> AsyncIterator[bytes]:
            yield header
            with packed.open("rb") as file:
                while part := await asyncio.to_thread(file.read, PART_BYTES):
                    yield part

        async def attempt(channel: grpc.aio.Channel) -> None:
            call: Any = channel.stream_unary(f"/{RUNNER_SERVICE}/StoreImage", None, None)
            await call(parts(), metadata=self._metadata, timeout=TRANSFER_S)

        await self._until_answered("StoreImage", attempt)

    async def finish_build(self, job: JobInfo, image: str) -> None:
        """Record the image of a job: one that was stored, or its source. The job is examined next."""
        await self._tell("FinishBuild", BuildResult(job=job.id, epoch=job.epoch, image=image))

    async def finish_job(self, job: JobInfo, facts: HelloFacts) -> None:
        """Record that the version is ready."""
        await self._tell("FinishJob", JobResult(job=job.id, epoch=job.epoch, facts=facts))

    async def fail_job(self, job: JobInfo, fault: HostingFault, text: str) -> None:
        """Record that the job failed by a fault of the bot."""
        await self._tell("FailJob", JobFailure(job=job.id, epoch=job.epoch, fault=fault, text=text))

    async def return_job(self, job: JobInfo, *, is_failure: bool) -> None:
        """Give a job back unfinished. `is_failure`: because the arena failed."""
        await self._tell("ReturnJob", JobReturn(job=job.id, epoch=job.epoch, is_failure=is_failure))

    # Trials. All of these calls raise `LostJob`, and `CallRefused` for values that are refused.

    async def take_trial(self) -> TrialInfo | None:
        """Return a trial that this runner holds from now on; `None` if there is none."""
        return (await self._ask("TakeTrial", JobRequest(key=secrets.token_hex(16)), TrialOffer)).trial

    async def note_trial(self, trial: TrialInfo, decisions: int) -> None:
        """Report the number of decisions that a trial has reached, and renew the lease."""
        await self._tell("NoteTrial", TrialProgress(trial=trial.id, epoch=trial.epoch, decisions=decisions))

    async def finish_trial(self, trial: TrialInfo, outcome: TrialOutcome) -> None:
        """Record the outcome of a trial."""
        await self._tell("FinishTrial", TrialResult(trial=trial.id, epoch=trial.epoch, outcome=outcome))

    async def return_trial(self, trial: TrialInfo, *, is_failure: bool) -> None:
        """Give a trial back unfinished. `is_failure`: because the arena failed."""
        await self._tell("ReturnTrial", TrialReturn(trial=trial.id, epoch=trial.epoch, is_failure=is_failure))

    # Reports

    async def report_seat(self, report: SeatReport) -> None:
        """Keep a report until a gateway has it. Return as soon as it is in a file."""
        await asyncio.to_thread(self._keep_report, report)
        self._has_reports.set()

    def _keep_report(self, report: SeatReport) -> None:
        key = f"{report.match}\n{report.seat}\n{report.started_at_ns}"
        path = self._reports / f"{report.ended_at_ns:020d}-{sha256(key.encode()).hexdigest()[:16]}"
        unfinished = path.with_suffix(".new")
        unfinished.write_bytes(encode_message(report))
        unfinished.replace(path)
        for oldest in self._kept_reports()[:-MOST_REPORTS]:
            log.error("report_dropped", why="too many reports wait for a gateway")
            oldest.unlink(missing_ok=True)

    def _kept_reports(self) -> list[Path]:
        """Return the files of all reports that wait, oldest first."""
        return sorted(path for path in self._reports.iterdir() if path.suffix != ".new")

    async def _send_reports(self) -> None:
        while True:
            await self._has_reports.wait()
            self._has_reports.clear()
            for path in await asyncio.to_thread(self._kept_reports):
                try:
                    report = decode_message(await asyncio.to_thread(path.read_bytes), SeatReport)
                    await self._tell("ReportSeat", report)
                except (RunnerMessageError, CallRefused) as error:
                    log.error("report_dropped", why=str(error))
                except FileNotFoundError:
                    continue  # dropped meanwhile
                await asyncio.to_thread(path.unlink, missing_ok=True)

    # Calls

    async def _ask(self, method: str, request: Struct, kind: type[RunnerMessage]) -> RunnerMessage:
        """Return the answer to a request."""

        async def attempt(channel: grpc.aio.Channel) -> RunnerMessage:
            call: Any = channel.unary_unary(f"/{RUNNER_SERVICE}/{method}", None, None)
            return decode_message(await call(encode_message(request), metadata=self._metadata, timeout=CALL_S), kind)

        return await self._until_answered(method, attempt)

    async def _tell(self, method: str, request: Struct) -> None:
        """Send a message whose answer is empty."""

        async def attempt(channel: grpc.aio.Channel) -> None:
            call: Any = channel.unary_unary(f"/{RUNNER_SERVICE}/{method}", None, None)
            await call(encode_message(request), metadata=self._metadata, timeout=CALL_S)

        await self._until_answered(method, attempt)

    async def _until_answered(
        self, method: str, attempt: Callable[[grpc.aio.Channel], Awaitable[Answered]]
    ) -> Answered:
        """Return the answer of the first attempt that gets one, at any of the servers. Raise `CallRefused`."""
        failures = 0
        while True:
            server, channel = self._servers[self._at], self._channel
            try:
                if channel is None:
                    channel = self._channel = open_channel(server, self._certificate)
                return await attempt(channel)
            except grpc.aio.AioRpcError as error:
                if error.code() in FINAL:
                    raise _refusal_of(error) from None
                why = f"{error.code().name}: {error.details()}"
            except (StreamLost, RunnerMessageError) as error:
                why = str(error)
            if channel is self._channel:
                # Another call has not done this meanwhile. A new channel also reads a renewed certificate, and does
                # not wait as long as gRPC does after several failures.
                self._at = (self._at + 1) % len(self._servers)
                self._close_channel()
            failures += 1
            if failures in (1, 10) or failures % 100 == 0:
                log.warning("call_failed", method=method, server=server, failures=failures, why=why)
            longest = min(LONGEST_PAUSE_S, PAUSE_S * 2.0 ** min(failures, 10))
            await asyncio.sleep(longest * random.uniform(0.5, 1.0))  # noqa: S311 - no secret

    def _close_channel(self) -> None:
        """Close the channel once its other calls have ended."""
        if self._channel is not None:
            closing = asyncio.create_task(self._channel.close(grace=TRANSFER_S))
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)
            self._channel = None


def _refusal_of(error: grpc.aio.AioRpcError) -> CallRefused:
    metadata: Any = error.trailing_metadata() or ()
    reason = str(dict(metadata).get(RUNNER_REASON_METADATA, error.code().name))
    kind = LostJob if reason == RunnerErrorReason.JOB_LOST else CallRefused
    return kind(reason, error.details() or "")
