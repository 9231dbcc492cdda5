"""The database's side of the runner service, for the gateway. Queries run on threads of their own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, Final, TypeVar

import structlog
from django.db import DatabaseError, DataError, IntegrityError, InterfaceError, close_old_connections

from arena.gateway.runners import RunnerRefused
from arena.hosting.messages import (
    HOSTED_PAGE,
    BuildResult,
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
    TrialProgress,
    TrialResult,
    TrialReturn,
)
from webui.core.errors import LadderError, NotFound, RecordAway
from webui.hosting import actions, blobs, jobs, queries, seats
from webui.hosting.values import JobLost
from webui.writing import jobs as trials

log = structlog.get_logger(__name__)

THREADS: Final = 2
"""Number of threads for short calls. With `FILE_THREADS` it is the maximum number of database connections that runners
use, however many there are."""
FILE_THREADS: Final = 2
"""Number of threads that read and store images and sources, so that no short call waits for a file."""

Result = TypeVar("Result")
JobMessage = BuildResult | ImageHeader | JobFailure | JobResult | JobReturn | LogPiece


class DatabaseHosting:
    """Implements `arena.gateway.runners.Hosting` with the database."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="hosting")
        self._file_threads = ThreadPoolExecutor(FILE_THREADS, thread_name_prefix="hosting-files")

    async def runner_of(self, token: str) -> int | None:
        """Return the id of the runner with this token; None if it is unknown or revoked."""
        return await self._run(lambda: queries.runner_of_token(token))

    async def hosted(self, runner: int, facts: RunnerFacts) -> HostedVersions:
        """Return a page of the hosted versions, and store what the runner says of itself."""

        def answer() -> HostedVersions:
            actions.note_runner(runner, facts)
            found = queries.hosted_versions(facts.after, HOSTED_PAGE + 1)
            return HostedVersions(
                versions=tuple(found[:HOSTED_PAGE]),
                has_more=len(found) > HOSTED_PAGE,
                is_paused=queries.is_paused(runner),
            )

        return await self._run(answer)

    async def take_job(self, runner: int, key: str) -> JobInfo | None:
        """Give a job to the runner; None if there is none. The same key gets the same job again."""
        return await self._run(lambda: jobs.take_job(runner, key))

    async def append_log(self, runner: int, piece: LogPiece) -> None:
        """Append to the log of a job, and renew its lease."""
        await self._run_job(runner, piece, lambda: jobs.append_log(piece.job, piece.epoch, piece.offset, piece.text))

    async def store_image(self, runner: int, header: ImageHeader, packed: Path) -> None:
        """Store the image of a job. Its hash is checked before anything is stored."""
        file = packed.open("rb")  # it is closed here, so that the caller's descriptor may become another file

        def store() -> None:
            with file:
                jobs.store_image(header.job, header.epoch, header.sha256, Path(f"/dev/fd/{file.fileno()}"))

        await self._run_job(runner, header, store, self._file_threads)

    async def finish_build(self, runner: int, result: BuildResult) -> None:
        """Record that a job is built, so that it is examined next."""
        await self._run_job(runner, result, lambda: jobs.finish_build(result.job, result.epoch, result.image))

    async def finish_job(self, runner: int, result: JobResult) -> None:
        """Record that a job is done, so that its version is ready."""
        await self._run_job(runner, result, lambda: jobs.finish_examination(result.job, result.epoch, result.facts))

    async def fail_job(self, runner: int, failure: JobFailure) -> None:
        """Record that a job failed by a fault of the bot."""
        await self._run_job(
            runner, failure, lambda: jobs.fail_job(failure.job, failure.epoch, failure.fault, failure.text)
        )

    async def return_job(self, runner: int, returned: JobReturn) -> None:
        """Take a job back that the runner cannot finish."""
        await self._run_job(
            runner, returned, lambda: jobs.return_job(returned.job, returned.epoch, is_failure=returned.is_failure)
        )

    async def take_trial(self, runner: int, key: str) -> TrialInfo | None:
        """Give a trial to the runner; None if there is none. The same key gets the same trial again."""
        return await self._run(lambda: trials.take_trial(runner, key))

    async def note_trial(self, runner: int, progress: TrialProgress) -> None:
        """Record the progress of a trial, and renew its lease."""
        await self._run(lambda: trials.note_trial(runner, progress.trial, progress.epoch, progress.decisions))

    async def finish_trial(self, runner: int, result: TrialResult) -> None:
        """Record the outcome of a trial."""
        await self._run(lambda: trials.finish_trial(runner, result.trial, result.epoch, result.outcome))

    async def return_trial(self, runner: int, returned: TrialReturn) -> None:
        """Take a trial back that the runner cannot finish."""
        await self._run(
            lambda: trials.return_trial(runner, returned.trial, returned.epoch, is_failure=returned.is_failure)
        )

    async def copy_blob(self, sha256: str, target: IO[bytes]) -> None:
        """Write an image or source, as it is stored, to a file."""

        def copy() -> None:
            for part in blobs.blob_parts(sha256):
                target.write(part)

        await self._run(copy, self._file_threads)

    async def record_seat(self, runner: int, report: SeatReport) -> None:
        """Record the end of a sandbox that played a seat."""
        await self._run(lambda: seats.record_seat(runner, report))

    def close(self) -> None:
        """Release the threads."""
        for threads in (self._threads, self._file_threads):
            threads.shutdown(wait=False, cancel_futures=True)

    async def _run_job(
        self, runner: int, message: JobMessage, do: Callable[[], None], threads: ThreadPoolExecutor | None = None
    ) -> None:
        """Call `do` for a message about a job, unless another runner has that job."""

        def check_and_do() -> None:
            jobs.check_holder(message.job, message.epoch, runner)
            do()

        await self._run(check_and_do, threads)

    async def _run(self, do: Callable[[], Result], threads: ThreadPoolExecutor | None = None) -> Result:
        return await asyncio.get_running_loop().run_in_executor(threads or self._threads, _refusing, do)


def _refusing(do: Callable[[], Result]) -> Result:
    """Return the result. Raise `RunnerRefused` for the errors of actions and of the database."""
    close_old_connections()
    try:
        return do()
    except JobLost as error:
        raise RunnerRefused(RunnerErrorReason.JOB_LOST, str(error)) from error
    except NotFound as error:
        raise RunnerRefused(RunnerErrorReason.BLOB_UNKNOWN, str(error)) from error
    except RecordAway as error:
        log.error("blob_away", error=str(error))
        raise RunnerRefused(RunnerErrorReason.TRY_AGAIN, "the files of this bot cannot be reached now") from error
    except LadderError as error:
        raise RunnerRefused(RunnerErrorReason.BAD_MESSAGE, str(error)) from error
    except (DataError, IntegrityError, OverflowError) as error:
        log.warning("runner_value_refused", error=str(error))
        raise RunnerRefused(
            RunnerErrorReason.BAD_MESSAGE, "a value is out of range, or names what does not exist"
        ) from error
    except (DatabaseError, InterfaceError) as error:
        log.error("database_away", error=str(error))
        raise RunnerRefused(RunnerErrorReason.TRY_AGAIN, "the database is unavailable") from error
    finally:
        close_old_connections()
