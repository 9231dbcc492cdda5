"""A gateway's runner service without a database: what runners store is held in memory."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO

import grpc.aio
from msgspec.structs import replace

from arena.gateway.connections import Connections
from arena.gateway.limits import GatewayLimits, RunnerServiceLimits
from arena.gateway.runners import RunnerRefused, RunnerService
from arena.host.sockets import Proxies
from arena.hosting.messages import (
    HOSTED_PAGE,
    BuildResult,
    HostedVersionInfo,
    HostedVersions,
    ImageHeader,
    JobFailure,
    JobInfo,
    JobResult,
    JobReturn,
    LogPiece,
    RunnerErrorReason,
    RunnerFacts,
    SeatReport,
    TrialInfo,
    TrialOutcome,
    TrialProgress,
    TrialResult,
    TrialReturn,
)

TOKEN = "arena_runner_test"


class MemoryHosting:
    """Everything that runners have said, for one job at a time. A job that is taken again gets the next epoch."""

    def __init__(self) -> None:
        self.token = TOKEN
        self.versions: list[HostedVersionInfo] = []
        self.blobs: dict[str, bytes] = {}
        self.job: JobInfo | None = None
        self.is_held = False
        self.key = ""
        """Key of the call that has taken the job."""
        self.lost_answers = 0
        """Number of further jobs that are given away while their answers get lost."""
        self.log = ""
        self.result: BuildResult | JobResult | JobFailure | None = None
        self.reports: list[SeatReport] = []
        self.trial: TrialInfo | None = None
        self.is_trial_held = False
        self.outcome: TrialOutcome | None = None
        self.progress: list[int] = []
        """Decisions that the trial has reached, as its runners have said."""
        self.returns: list[bool] = []
        """Trials that were given back, each with whether that was a failure."""
        self.failures = 0
        """Number of further calls that fail as if the database were away."""

    async def runner_of(self, token: str) -> int | None:
        if self.failures:
            self.failures -= 1
            raise RunnerRefused(RunnerErrorReason.TRY_AGAIN, "the database is unavailable")
        return 1 if token == self.token else None

    async def hosted(self, runner: int, facts: RunnerFacts) -> HostedVersions:
        found = [version for version in self.versions if version.version > facts.after]
        return HostedVersions(versions=tuple(found[:HOSTED_PAGE]), has_more=len(found) > HOSTED_PAGE)

    async def take_job(self, runner: int, key: str = "") -> JobInfo | None:
        if key and self.is_held and key == self.key:
            return self.job
        if self.job is None or self.is_held or isinstance(self.result, JobResult | JobFailure):
            return None
        self.job = replace(self.job, epoch=self.job.epoch + 1)
        self.is_held, self.log, self.key = True, "", key
        if self.lost_answers:
            self.lost_answers -= 1
            raise RunnerRefused(RunnerErrorReason.TRY_AGAIN, "the answer is lost")
        return self.job

    def _check(self, job: int, epoch: int) -> None:
        if self.job is None or (job, epoch, True) != (self.job.id, self.job.epoch, self.is_held):
            raise RunnerRefused(RunnerErrorReason.JOB_LOST, f"job {job} is not held at epoch {epoch}")

    async def append_log(self, runner: int, piece: LogPiece) -> None:
        self._check(piece.job, piece.epoch)
        self.log += piece.text[len(self.log) - piece.offset :]

    async def store_image(self, runner: int, header: ImageHeader, packed: Path) -> None:
        self._check(header.job, header.epoch)
        self.blobs[header.sha256] = packed.read_bytes()

    async def finish_build(self, runner: int, result: BuildResult) -> None:
        self._check(result.job, result.epoch)
        assert self.job is not None
        self.job = replace(self.job, image=result.image)

    async def finish_job(self, runner: int, result: JobResult) -> None:
        self._check(result.job, result.epoch)
        self.result = result

    async def fail_job(self, runner: int, failure: JobFailure) -> None:
        self._check(failure.job, failure.epoch)
        self.result = failure

    async def return_job(self, runner: int, returned: JobReturn) -> None:
        self._check(returned.job, returned.epoch)
        self.is_held = False

    async def take_trial(self, runner: int, key: str = "") -> TrialInfo | None:
        if self.trial is None or self.is_trial_held or self.outcome is not None:
            return None
        self.trial = replace(self.trial, epoch=self.trial.epoch + 1)
        self.is_trial_held = True
        return self.trial

    def _check_trial(self, trial: int, epoch: int) -> None:
        if self.trial is None or (trial, epoch, True) != (self.trial.id, self.trial.epoch, self.is_trial_held):
            raise RunnerRefused(RunnerErrorReason.JOB_LOST, f"trial {trial} is not held at epoch {epoch}")

    async def note_trial(self, runner: int, progress: TrialProgress) -> None:
        self._check_trial(progress.trial, progress.epoch)
        self.progress.append(progress.decisions)

    async def finish_trial(self, runner: int, result: TrialResult) -> None:
        self._check_trial(result.trial, result.epoch)
        self.outcome = result.outcome

    async def return_trial(self, runner: int, returned: TrialReturn) -> None:
        self._check_trial(returned.trial, returned.epoch)
        self.is_trial_held = False
        self.returns.append(returned.is_failure)

    async def copy_blob(self, sha256: str, target: IO[bytes]) -> None:
        if sha256 not in self.blobs:
            raise RunnerRefused(RunnerErrorReason.BLOB_UNKNOWN, f"there is no blob {sha256}")
        target.write(self.blobs[sha256])

    async def record_seat(self, runner: int, report: SeatReport) -> None:
        self.reports.append(report)

    def close(self) -> None:
        pass


@asynccontextmanager
async def serving(hosting: MemoryHosting, port: int = 0) -> AsyncIterator[str]:
    """Serve runners on this machine while the context lasts. Yield the address."""
    server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
    service = RunnerService(hosting, Connections(GatewayLimits(), Proxies()), GatewayLimits(), RunnerServiceLimits())
    server.add_generic_rpc_handlers(service.handlers())
    port = server.add_insecure_port(f"127.0.0.1:{port}")
    await server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        await server.stop(None)
        service.close()


def open_folder() -> Path:
    """Make a folder that users of sandboxes may enter."""
    folder = Path(tempfile.mkdtemp(prefix="arena-runner-"))
    folder.chmod(0o711)
    return folder
