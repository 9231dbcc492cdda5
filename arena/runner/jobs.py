"""The jobs of a runner: build what an author handed in, examine the result, and report both.

A job is held by a lease, which each piece of its log renews. If this runner is killed, another one takes the job when
the lease has expired. If another runner has it, everything that this one does for it stops.
"""

from __future__ import annotations

import asyncio
import shlex
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Event, Lock
from typing import Final

import structlog

from arena.hosting.building import BuildFailure, build
from arena.hosting.bundle import Bundle
from arena.hosting.faults import HostingFault
from arena.hosting.limits import HostingLimits
from arena.hosting.manifest import BotManifest, manifest_of_json
from arena.hosting.messages import LOG_PIECE, HelloFacts, JobInfo
from arena.runner.desk import CallRefused, LostJob, RunnerDesk
from arena.runner.examination import BotExamination, ExaminationFailure
from arena.runner.images import ImageCache, bot_files
from arena.sandbox.cores import CorePool

log = structlog.get_logger(__name__)

IDLE_S: Final = 2.0
"""Seconds after which a runner without a job asks for one again."""
SEND_S: Final = 1.0
"""Seconds between two pieces of a log."""
RENEW_S: Final = 15.0
"""Seconds after which a lease is renewed, if nothing was logged."""
MOST_WAITING: Final = 64 * 1024
"""Maximum number of characters of a log that wait to be sent. Beyond it, those in the middle are left out."""
RETURN_S: Final = 1.0
"""Seconds to give a job back when the runner stops. Otherwise its lease must expire."""


async def work_on_jobs(desk: RunnerDesk, images: ImageCache, pool: CorePool, limits: HostingLimits) -> None:
    """Work on jobs, one at a time, forever.

    A build has no core of its own, and gets what bots leave. A bot that is examined waits for a core behind all
    requests to others, and then shares it with them by turns.
    """
    with ThreadPoolExecutor(1, thread_name_prefix="build") as threads:
        while True:
            job = await desk.take_job()
            if job is None:
                await asyncio.sleep(IDLE_S)
            else:
                await Job(job, desk, images, pool, limits, threads).work()


class StoppedJob(Exception):
    """Raised in the thread of a build whose job was lost, or whose runner stops."""


class JobLog:
    """The log of one job. Text is added in any thread, and sent by one task."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._waiting = ""
        self._omitted = 0
        self.is_closed = Event()
        """Set when nobody wants the log any more."""

    def add(self, text: str) -> None:
        """Add text. Raise `StoppedJob` if the job is over."""
        if self.is_closed.is_set():
            raise StoppedJob
        with self._lock:
            self._waiting += _clean(text)
            if (excess := len(self._waiting) - MOST_WAITING) > 0:
                self._omitted += excess
                self._waiting = self._waiting[excess:]

    def take(self) -> str:
        """Return the next piece of the log; an empty one if there is none."""
        with self._lock:
            if self._omitted:
                self._waiting = f"\n[… {self._omitted} characters …]\n{self._waiting}"
                self._omitted = 0
            piece, self._waiting = self._waiting[:LOG_PIECE], self._waiting[LOG_PIECE:]
            return piece


class Job:
    """One job that this runner holds."""

    def __init__(
        self,
        job: JobInfo,
        desk: RunnerDesk,
        images: ImageCache,
        pool: CorePool,
        limits: HostingLimits,
        threads: ThreadPoolExecutor,
    ) -> None:
        self._job = job
        self._desk = desk
        self._images = images
        self._pool = pool
        self._limits = limits
        self._threads = threads
        self._log = JobLog()
        self._sent = 0
        """Number of characters of the log that a gateway has."""
        self._piece = ""
        """The piece that is being sent."""

    async def work(self) -> None:
        """Build and examine, and report the result. A job that cannot be finished here is given back."""
        log.info("job_taken", job=self._job.id, bot=self._job.bot_name, version=self._job.version_name)
        try:
            await self._finish(await self._result_while_logging())
        except LostJob as lost:
            log.warning("job_lost", job=self._job.id, why=str(lost))
        except asyncio.CancelledError:
            await self._give_back(is_failure=False)
            raise
        except Exception:
            # The arena is to blame, so the job is tried again.
            log.exception("job_not_done", job=self._job.id)
            await self._give_back(is_failure=True)
            await asyncio.sleep(IDLE_S)

    async def _result_while_logging(self) -> HelloFacts | ExaminationFailure | BuildFailure:
        """Return the result of the job. Raise `LostJob` as soon as a gateway refuses the log."""
        sending = asyncio.create_task(self._send_log_for_ever())
        working = asyncio.create_task(self._result())
        try:
            await asyncio.wait([sending, working], return_when=asyncio.FIRST_COMPLETED)
            if sending.done():
                sending.result()
            return working.result()
        finally:
            self._log.is_closed.set()
            sending.cancel()
            working.cancel()
            await asyncio.wait([sending, working])

    async def _result(self) -> HelloFacts | ExaminationFailure | BuildFailure:
        manifest = manifest_of_json(self._job.manifest)
        try:
            image = self._job.image or await self._built(manifest)
            async with bot_files(self._images, image) as files:
                self._log.add("Examination\n")
                return await BotExamination(files, manifest, self._pool, self._log.add).facts()
        except (BuildFailure, ExaminationFailure) as failure:
            return failure

    async def _built(self, manifest: BotManifest) -> str:
        """Build and store the image, and return its hash. Without a build command the source is the image."""
        image = self._job.source
        if manifest.build:
            with tempfile.TemporaryDirectory(prefix="arena-image-") as scratch:
                async with self._images.folder(self._job.source) as source:
                    self._log.add(f"Build: {shlex.join(manifest.build)}\n")
                    target = Path(scratch) / "image"
                    bundle = await self._in_thread(
                        partial(build, source, manifest, target, self._limits, self._log.add)
                    )
                image = bundle.sha256
                await self._desk.store_image(self._job, image, target)
        await self._desk.finish_build(self._job, image)
        return image

    async def _in_thread(self, function: Callable[[], Bundle]) -> Bundle:
        """Return the result of a function that adds to the log. If this is cancelled, it ends soon."""
        call = asyncio.get_running_loop().run_in_executor(self._threads, function)
        try:
            return await asyncio.shield(call)
        except asyncio.CancelledError:
            self._log.is_closed.set()
            await asyncio.wait([call])
            call.exception()
            raise

    async def _finish(self, result: HelloFacts | ExaminationFailure | BuildFailure) -> None:
        """Send the rest of the log, and report the result."""
        await self._send_log()
        match result:
            case HelloFacts():
                await self._desk.finish_job(self._job, result)
            case ExaminationFailure():
                await self._desk.fail_job(self._job, result.fault, _clean(str(result)))
            case BuildFailure():
                await self._desk.fail_job(self._job, HostingFault.BUILD_FAILED, _clean(str(result)))
        log.info("job_done", job=self._job.id, result=type(result).__name__)

    async def _give_back(self, *, is_failure: bool) -> None:
        try:
            async with asyncio.timeout(RETURN_S):
                await self._desk.return_job(self._job, is_failure=is_failure)
        except (CallRefused, TimeoutError) as error:
            log.warning("job_not_returned", job=self._job.id, error=repr(error))

    async def _send_log_for_ever(self) -> None:
        """Send what is logged, and renew the lease."""
        renewed = time.monotonic()
        while True:
            await asyncio.sleep(SEND_S)
            if await self._send_log():
                renewed = time.monotonic()
            elif time.monotonic() - renewed > RENEW_S:
                await self._desk.append_log(self._job, self._sent, "")
                renewed = time.monotonic()

    async def _send_log(self) -> bool:
        """Send all that waits. Return whether there was anything."""
        has_sent = False
        while piece := self._piece or self._log.take():
            self._piece = piece  # a cancelled call is repeated as it was
            await self._desk.append_log(self._job, self._sent, piece)
            self._sent += len(piece)
            self._piece = ""
            has_sent = True
        return has_sent


def _clean(text: str) -> str:
    """Return text that has a form in UTF-8."""
    return text.encode("utf-8", "replace").decode()
