"""The trials of a runner: one game each of a source that somebody has just written, in a process of its own.

The bot of a trial has a core. When others wait for one, the bot is frozen and they get it, and the bot goes on behind
them.

A trial is held by a lease, which each report on its progress renews. If this runner is killed, the trial's process and
its sandbox end, and another runner plays it when the lease has expired.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Final

import msgspec
import structlog

from arena.hosting.messages import TrialInfo, TrialOutcome
from arena.runner.desk import CallRefused, LostJob, RunnerDesk
from arena.sandbox.bubblewrap import BWRAP_VARIABLE
from arena.sandbox.cores import CorePool

log = structlog.get_logger(__name__)

PROGRAM: Final = "arena.runner.trial"
"""Module of the process that plays a trial."""
VARIABLES: Final = ("PATH", "PYTHONPATH", "LANG", "LC_ALL", "TMPDIR", BWRAP_VARIABLE)
"""What that process gets of the runner's environment, which holds secrets."""
IDLE_S: Final = 1.0
"""Seconds after which a runner without a trial asks for one again."""
RENEW_S: Final = 1.0
"""Seconds between two reports on the progress of a trial."""
MOST_WALL_S: Final = 180.0
"""Seconds after which a trial is given up. Its own limits are far lower, so the machine is to blame."""
SLICE_S: Final = 0.5
"""Seconds after which the bot of a trial gives its core to one that waits."""
RETURN_S: Final = 1.0
"""Seconds to give a trial back when the runner stops. Otherwise its lease must expire."""
LONGEST_LINE: Final = 8 * 1024 * 1024
"""Maximum number of bytes of an outcome."""


async def work_on_trials(desk: RunnerDesk, pool: CorePool) -> None:
    """Play trials, one at a time, forever. Each has a core, for which it waits behind all requests to bots."""
    while True:
        trial = await desk.take_trial()
        if trial is None:
            await asyncio.sleep(IDLE_S)
        else:
            await HeldTrial(trial, desk, pool).work()


class TrialFailure(Exception):
    """The trial could not be played, by no fault of the bot."""


class HeldTrial:
    """One trial that this runner holds."""

    def __init__(self, trial: TrialInfo, desk: RunnerDesk, pool: CorePool) -> None:
        self._trial = trial
        self._desk = desk
        self._pool = pool
        self._decisions = 0
        self._core: int | None = None
        self._is_frozen = asyncio.Event()
        """Set when the bot has stopped, after its core was asked back."""

    async def work(self) -> None:
        """Play the game, and report its outcome. A trial that cannot be finished here is given back."""
        log.info("trial_taken", trial=self._trial.id)
        try:
            await self._desk.finish_trial(self._trial, await self._outcome_while_renewing())
        except LostJob as lost:
            log.info("trial_lost", trial=self._trial.id, why=str(lost))
        except asyncio.CancelledError:
            await self._give_back(is_failure=False)
            raise
        except Exception:
            # The arena is to blame, so the trial is tried again.
            log.exception("trial_not_played", trial=self._trial.id)
            await self._give_back(is_failure=True)
            await asyncio.sleep(IDLE_S)
        else:
            log.info("trial_done", trial=self._trial.id)

    async def _outcome_while_renewing(self) -> TrialOutcome:
        """Return the outcome. Raise `LostJob` as soon as a gateway refuses a report on the progress."""
        renewing = asyncio.create_task(self._renew_for_ever())
        playing = asyncio.create_task(self._outcome())
        try:
            await asyncio.wait([renewing, playing], return_when=asyncio.FIRST_COMPLETED)
            if renewing.done():
                renewing.result()
            return playing.result()
        finally:
            renewing.cancel()
            playing.cancel()
            await asyncio.wait([renewing, playing])

    async def _renew_for_ever(self) -> None:
        while True:
            await asyncio.sleep(RENEW_S)
            await self._desk.note_trial(self._trial, self._decisions)

    async def _outcome(self) -> TrialOutcome:
        self._core = await self._pool.take(is_request=False)
        try:
            async with asyncio.timeout(MOST_WALL_S) as limit, self._process(self._core) as process:
                assert process.stdin is not None
                process.stdin.write(msgspec.json.encode(self._trial) + b"\n")
                sharing = asyncio.create_task(self._share_core(process.stdin, limit))
                try:
                    return await self._outcome_of(process)
                finally:
                    sharing.cancel()
                    await asyncio.wait([sharing])
        finally:
            if self._core is not None:
                self._pool.put_back(self._core)

    async def _outcome_of(self, process: asyncio.subprocess.Process) -> TrialOutcome:
        """Read what the process says, until it says the outcome."""
        assert process.stdout is not None
        async for line in process.stdout:
            said: dict[str, Any] | None = msgspec.json.decode(line)
            if said is None:
                self._is_frozen.set()
            elif "outcome" in said:
                return msgspec.convert(said["outcome"], TrialOutcome)
            else:
                self._decisions = int(said["decisions"])
        raise TrialFailure(f"its process ended with exit code {await process.wait()}")

    async def _share_core(self, orders: asyncio.StreamWriter, limit: asyncio.Timeout) -> None:
        """Give the core to others that wait for one, again and again. `limit` leaves out the time until it is back."""
        while True:
            await asyncio.sleep(SLICE_S)
            if not self._pool.is_wanted:
                continue
            assert self._core is not None
            self._is_frozen.clear()
            orders.write(b"null\n")
            await self._is_frozen.wait()
            given_at = asyncio.get_running_loop().time()
            ends_at = limit.when()
            assert ends_at is not None
            limit.reschedule(None)
            self._pool.put_back(self._core)
            self._core = None
            self._core = await self._pool.take()
            limit.reschedule(ends_at + asyncio.get_running_loop().time() - given_at)
            orders.write(b"%d\n" % self._core)

    @asynccontextmanager
    async def _process(self, core: int) -> AsyncIterator[asyncio.subprocess.Process]:
        """Start the process that plays, and end it with the context."""
        with tempfile.TemporaryDirectory(prefix="arena-trial-", ignore_cleanup_errors=True) as name:
            Path(name).chmod(0o711)  # the sandbox may have a user of its own
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", PROGRAM, name, str(core),
                stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=LONGEST_LINE,
                env={name: os.environ[name] for name in VARIABLES if name in os.environ},
            )  # fmt: skip
            try:
                yield process
            finally:
                with suppress(ProcessLookupError):
                    process.kill()
                await process.wait()

    async def _give_back(self, *, is_failure: bool) -> None:
        try:
            async with asyncio.timeout(RETURN_S):
                await self._desk.return_trial(self._trial, is_failure=is_failure)
        except (CallRefused, TimeoutError) as error:
            log.warning("trial_not_returned", trial=self._trial.id, error=repr(error))
