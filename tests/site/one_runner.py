"""A runner without a gateway, for pages on which programs are run."""

from __future__ import annotations

import asyncio
import json
import os
import sys

import msgspec

from arena.hosting.messages import RunnerFacts, TrialOutcome
from tests.runner.hosting import open_folder
from webui.hosting import actions as hosting_actions
from webui.hosting import queries as hosting_queries
from webui.writing import jobs


class OneRunner:
    """A connected runner that plays trials when it is told to: with the real process, and no gateway."""

    def __init__(self) -> None:
        runner = hosting_queries.runner_of_token(hosting_actions.register_runner("runner"))
        assert runner is not None
        self.id = runner
        hosting_actions.note_runner(runner, RunnerFacts(cores=1, places=1))

    def play(self) -> None:
        """Play the trial that waits."""
        trial = jobs.take_trial(self.id)
        assert trial is not None
        jobs.note_trial(self.id, trial.id, trial.epoch, 3)
        jobs.finish_trial(self.id, trial.id, trial.epoch, asyncio.run(self._outcome(msgspec.json.encode(trial))))

    async def _outcome(self, trial: bytes) -> TrialOutcome:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "arena.runner.trial", str(open_folder()), str(min(os.sched_getaffinity(0))),
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=1 << 23,
        )  # fmt: skip
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(trial + b"\n")
        lines = [json.loads(line) async for line in process.stdout]
        process.stdin.close()
        assert await process.wait() == 0
        return msgspec.convert(lines[-1]["outcome"], TrialOutcome)
