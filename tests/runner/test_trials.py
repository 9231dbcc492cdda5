"""Trials with real sandboxes: the game, what the bot wrote at each decision, its limits, and runners that are lost."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from msgspec.structs import replace

from arena.hosting.messages import RunnerFacts, TrialFault, TrialInfo, TrialOutcome
from arena.lessons import LESSONS, BotLesson
from arena.rules import Game, Ruleset
from arena.runner import trial, trials
from arena.runner.desk import RunnerDesk
from arena.runner.trials import work_on_trials
from arena.sandbox.cores import CorePool
from tests.hosting.conftest import open_to_all
from tests.kit.remains import processes_that_use
from tests.kit.until import soon
from tests.runner.hosting import TOKEN, MemoryHosting, serving

pytestmark = pytest.mark.asyncio(loop_scope="session")

BOT = """
from arena.bots import Bot

class Mine(Bot):
    def choose(self, view, legal):
        print("phase", view.phase)
        return legal[0]
"""
CRASH = """
from arena.bots import Bot

class Mine(Bot):
    asked = 0
    def choose(self, view, legal):
        self.asked += 1
        print("asked", self.asked)
        return self.third(legal) if self.asked == 3 else legal[0]

    def third(self, legal):
        return legal[10_000]
"""
LOOP = """
from arena.bots import Bot

class Mine(Bot):
    def choose(self, view, legal):
        print("into the loop")
        while True:
            pass
"""
RUNNER = """
import asyncio, os, sys
from pathlib import Path
from arena.hosting.messages import RunnerFacts
from arena.runner.desk import RunnerDesk
from arena.runner.trials import work_on_trials
from arena.sandbox.cores import CorePool

async def main(server, token, folder):
    async with RunnerDesk([server], token, Path(folder), RunnerFacts()) as desk:
        await work_on_trials(desk, CorePool([min(os.sched_getaffinity(0))]))

asyncio.run(main(*sys.argv[1:]))
"""
SEED = "07" * 32


class Trials:
    """A gateway with one trial, and runners."""

    def __init__(self, hosting: MemoryHosting, server: str, folder: Path) -> None:
        self.hosting = hosting
        self.server = server
        self.folder = folder
        self.pool = CorePool([min(os.sched_getaffinity(0))])

    def ask(self, source: str, opponent: str = "random") -> None:
        self.hosting.trial = TrialInfo(id=7, epoch=0, source=source, opponent=opponent, seed=SEED)

    @asynccontextmanager
    async def runner(self) -> AsyncIterator[asyncio.Task[None]]:
        """Play trials while the context lasts."""
        async with RunnerDesk([self.server], TOKEN, self.folder, RunnerFacts()) as desk:
            working = asyncio.create_task(work_on_trials(desk, self.pool))
            try:
                yield working
            finally:
                working.cancel()
                await asyncio.wait([working])

    async def outcome(self) -> TrialOutcome:
        """Return the outcome of the trial, once a runner has reported it."""
        async with self.runner():
            await soon(lambda: self.hosting.outcome is not None, "the outcome", timeout=900)
        assert self.hosting.outcome is not None
        return self.hosting.outcome


@pytest_asyncio.fixture(loop_scope="session")
async def asked(tmp_path: Path) -> AsyncIterator[Trials]:
    open_to_all(tmp_path)
    hosting = MemoryHosting()
    async with serving(hosting) as server:
        yield Trials(hosting, server, tmp_path)


def record_of(outcome: TrialOutcome) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(outcome.replay)
    return document


def asked_phases(record: dict[str, Any]) -> dict[int, str]:
    """Return the phase of each decision for which the bot was asked, by its index.

    The game is played through the rules again. A seat is not asked where it has no choice.
    """
    game = Game(Ruleset(2), bytes.fromhex(record["seed"]))
    phases: dict[int, str] = {}
    for index, (seat, action, *_) in enumerate(record["events"]):
        if seat == 1 and len(game.state.legal) > 1:
            phases[index] = game.state.phase
        if seat:
            game.play(action)
    return phases


async def test_a_game_is_played_and_each_print_stands_at_its_decision(asked: Trials) -> None:
    asked.ask(BOT)
    outcome = await asked.outcome()
    record = record_of(outcome)
    assert (outcome.fault, outcome.fault_text, record["verdict"]["forfeits"]) == ("", "", [])
    assert [seat["name"] for seat in record["seats"]] == ["your bot", "random"]
    phases = asked_phases(record)
    written = {output.index: output.stdout for output in outcome.outputs}
    assert written == {index: f"phase {phase}\n" for index, phase in phases.items()}
    assert outcome.answers == len(phases)
    assert 0 < outcome.processor_ms < 20_000 and outcome.peak_memory_bytes > 1_000_000


async def test_an_exception_stands_at_its_decision(asked: Trials) -> None:
    asked.ask(CRASH)
    outcome = await asked.outcome()
    record = record_of(outcome)
    own = list(asked_phases(record))
    assert [output.index for output in outcome.outputs[:4]] == own[:4]
    first, _, third, fourth = outcome.outputs[:4]
    assert (first.stdout, first.stderr) == ("asked 1\n", "")
    assert third.stdout == "asked 3\n"
    assert third.stderr.startswith('Traceback (most recent call last):\n  File "/bot/bot.py", line 9, in choose\n')
    assert third.stderr.endswith("IndexError: tuple index out of range\n")
    assert "match_runner" not in third.stderr and "timestamp" not in third.stderr
    assert (fourth.stdout, fourth.stderr) == ("asked 4\n", "")
    assert record["incidents"] == [{"at": own[2], "seat": 1, "kind": "fault", "reason": "MALFORMED"}]
    assert outcome.faults == (TrialFault(index=own[2], message="the answer has no action"),)


async def test_an_endless_loop_is_stopped(asked: Trials) -> None:
    asked.ask(LOOP)
    outcome = await asked.outcome()
    record = record_of(outcome)
    assert record["verdict"]["kind"] == "forfeit"
    assert {incident["reason"] for incident in record["incidents"]} == {"LATE"}
    assert outcome.processor_ms < 25_000 and outcome.answers == 0
    assert "into the loop\n" in "".join(output.stdout for output in outcome.outputs)
    assert outcome.outputs[-1].stderr.startswith('Stopped here (most recent call last):\n  File "/bot/bot.py", line ')
    assert outcome.outputs[-1].stderr.endswith(" in choose\n") and outcome.fault == ""


async def test_a_program_that_uses_all_its_processor_time_is_killed(asked: Trials) -> None:
    asked.ask(f"import time\nend = time.process_time() + 100\nwhile time.process_time() < end: pass\n{BOT}")
    outcome = await asked.outcome()
    assert (outcome.replay, outcome.fault) == ("", "TOO_MUCH_PROCESSOR")
    assert outcome.fault_text == "killed: used more than 20 s of processor time (the limit of this arena)"


@pytest.mark.parametrize(
    ("source", "fault", "words"),
    [
        ("def broken(:\n", "EXITED", "SyntaxError: invalid syntax"),
        ("print('hello')\n", "EXITED", "bot.py has no bot"),
        (f"x = b'x' * 400_000_000\n{BOT}", "OUT_OF_MEMORY", ""),
        ("import os\nos.abort()\n", "CRASHED", ""),
        (f"import sys\nfor _ in range(300): sys.stdout.write('x' * 8192)\n{BOT}", "OUTPUT_FLOOD", ""),
    ],
)
async def test_a_bot_that_cannot_begin_says_why(asked: Trials, source: str, fault: str, words: str) -> None:
    asked.ask(source)
    outcome = await asked.outcome()
    assert (outcome.replay, outcome.fault, bool(outcome.fault_text)) == ("", fault, True)
    assert words in "".join(output.stdout + output.stderr for output in outcome.outputs)


async def test_a_bot_for_other_games_does_not_play_this_one(asked: Trials) -> None:
    asked.ask(BOT.replace("class Mine(Bot):", "class Mine(Bot):\n    player_counts = (3, 4)"))
    outcome = await asked.outcome()
    assert (outcome.replay, outcome.fault) == ("", "")
    assert outcome.fault_text == "it does not play with 2 players: add 2 to its player_counts"


async def test_a_runner_that_is_killed_leaves_nothing_and_another_one_plays(asked: Trials) -> None:
    asked.ask(LOOP)
    folder = asked.folder / "killed"
    folder.mkdir()
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", RUNNER, asked.server, TOKEN, str(folder), env={**os.environ, "TMPDIR": str(asked.folder)}
    )
    await soon(lambda: any(asked.hosting.progress), "a decision", timeout=900)
    os.kill(process.pid, signal.SIGKILL)
    await process.wait()
    await soon(lambda: not processes_that_use(asked.folder), "the end of its sandbox", timeout=300)
    asked.hosting.is_trial_held = False  # its lease expires
    asked.ask(BOT)
    assert record_of(await asked.outcome())["verdict"]["kind"] == "completed"


async def test_a_trial_that_another_runner_has_is_stopped(asked: Trials) -> None:
    asked.ask(LOOP)
    async with asked.runner():
        await soon(lambda: asked.hosting.is_trial_held, "the claim", timeout=900)
        assert asked.hosting.trial is not None
        asked.hosting.trial = replace(asked.hosting.trial, epoch=5)
        asked.hosting.is_trial_held = False  # and it can be taken again
        await soon(lambda: asked.hosting.trial is not None and asked.hosting.trial.epoch == 6, "a claim", timeout=900)


async def test_a_bot_that_sleeps_gives_its_core_away_and_is_stopped(asked: Trials) -> None:
    asked.ask(f"import time\ntime.sleep(10_000)\n{BOT}")
    async with asked.runner():
        await soon(lambda: asked.hosting.is_trial_held, "the claim", timeout=900)
        await soon(lambda: any(map(is_own_trial, Path("/proc").glob("[0-9]*"))), "its process", timeout=300)
        core = await asked.pool.take()
        outcome = asked.hosting.outcome
        asked.pool.put_back(core)
        assert outcome is None
        await soon(lambda: asked.hosting.outcome is not None, "the outcome", timeout=900)
    assert asked.hosting.outcome is not None
    assert asked.hosting.outcome.fault_text == (
        "it has not said hello, and it did nothing for 10 seconds: begin without waiting"
    )


async def test_the_time_in_which_others_have_the_core_does_not_count(asked: Trials) -> None:
    asked.ask(BOT.replace("        print", "        __import__('time').sleep(0.1)\n        print"))
    away_s = 8.0
    async with asked.runner():
        await soon(lambda: any(asked.hosting.progress), "a decision", timeout=900)
        core = await asked.pool.take()
        await asyncio.sleep(away_s)
        asked.pool.put_back(core)
        await soon(lambda: asked.hosting.outcome is not None, "the outcome", timeout=900)
    assert asked.hosting.outcome is not None
    record = record_of(asked.hosting.outcome)
    assert (record["verdict"]["kind"], record.get("incidents", [])) == ("completed", [])
    assert asked.hosting.outcome.slowest_ms < 1000 * away_s


async def test_its_process_has_a_limit_of_memory_and_no_secret(asked: Trials, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_RUNNER_TOKEN", "secret")
    monkeypatch.setenv("REDIS_URL", "redis://:secret@localhost")
    asked.ask(LOOP)
    async with asked.runner():
        await soon(lambda: any(asked.hosting.progress), "a decision", timeout=900)
        (process,) = (path for path in Path("/proc").glob("[0-9]*") if is_own_trial(path))
        variables = dict(entry.split("=", 1) for entry in (process / "environ").read_text().split("\0") if entry)
        assert variables["PATH"] == os.environ["PATH"]
        assert not [name for name, value in variables.items() if "secret" in value]
        assert resource.prlimit(int(process.name), resource.RLIMIT_DATA) == (2 * 1024**3, 2 * 1024**3)


def is_own_trial(process: Path) -> bool:
    """Return whether a runner of this test has started this process to play a trial."""
    try:
        parent = (process / "stat").read_text().rpartition(")")[2].split()[1]
        return parent == str(os.getpid()) and trials.PROGRAM in (process / "cmdline").read_text()
    except OSError:  # it has ended meanwhile
        return False


async def test_a_runner_that_stops_gives_its_trial_back(asked: Trials, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trials, "RETURN_S", 300.0)  # on a slow machine, too
    asked.ask(LOOP)
    async with asked.runner():
        # The gateway has its claim before the runner knows that it holds the trial.
        await soon(lambda: any(map(is_own_trial, Path("/proc").glob("[0-9]*"))), "its process", timeout=900)
    assert (asked.hosting.is_trial_held, asked.hosting.returns) == (False, [False])


async def test_a_trial_whose_process_ends_is_a_failure_of_the_arena(
    asked: Trials, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trials, "PROGRAM", "tests.no_such_module")
    asked.ask(BOT)
    async with asked.runner():
        await soon(lambda: asked.hosting.returns, "the return", timeout=300)
    assert asked.hosting.returns[0] is True


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("plain\n", "plain\n"),
        ("timestamp=10:00:00 level=info event=connected bot=x\nmine\n", "mine\n"),
        (
            'timestamp=10:00:00 level=error event=bot_failed index=3 exception="Traceback (most recent call last):\\n'
            '  File \\"/opt/arena/python/arena/bots/match_runner.py\\", line 1, in decide\\n    x\\n    ^\\n'
            '  File \\"/bot/bot.py\\", line 2, in choose\\n    y\\nValueError: \\"no\\""\n',
            'Traceback (most recent call last):\n  File "/bot/bot.py", line 2, in choose\n    y\nValueError: "no"\n',
        ),
    ],
)
async def test_only_exceptions_are_left_of_the_clients_log(text: str, left: str) -> None:
    assert trial.without_log(text) == left


EXAMINED = ["dials-in", "accepts-offer", "reveals-nonce", "answers"]
"""The essential checks of the doctor in their order."""


@pytest.mark.parametrize(
    ("source", "outcomes", "words"),
    [
        (BOT, ["passed"] * 4, ""),
        ("print('hello')\n", ["failed", "skipped", "skipped", "skipped"], "its program ended with exit code 1"),
        (BOT.replace("legal[0]", "'bid 99'"), ["passed"] * 3 + ["failed"], "check answers: "),
    ],
)
async def test_a_bot_is_examined_as_a_submission(asked: Trials, source: str, outcomes: list[str], words: str) -> None:
    asked.ask(source)
    assert asked.hosting.trial is not None
    asked.hosting.trial = replace(asked.hosting.trial, is_examination=True)
    outcome = await asked.outcome()
    assert [check.name for check in outcome.checks] == EXAMINED
    assert [check.outcome for check in outcome.checks] == outcomes
    assert (words in outcome.fault_text) and bool(outcome.fault_text) == bool(words) and outcome.replay == ""
    assert (outcome.announced is not None) == (not words)
    if outcome.announced is not None:
        assert outcome.announced.player_counts == (2, 3, 4, 5)


@pytest.mark.slow
@pytest.mark.parametrize("lesson", LESSONS[:5], ids=lambda lesson: str(lesson.number))
@pytest.mark.parametrize("kind", ["start", "solution"])
async def test_a_lesson_is_passed_by_its_solution_and_not_by_its_start(
    asked: Trials, lesson: BotLesson, kind: str
) -> None:
    asked.ask(lesson.solution if kind == "solution" else lesson.start, lesson.opponent)
    assert asked.hosting.trial is not None
    asked.hosting.trial = replace(asked.hosting.trial, lesson=lesson.number)
    outcome = await asked.outcome()
    verdict = outcome.lesson
    assert verdict is not None and verdict.faults == 0 and verdict.judged > 0, outcome.fault_text
    assert verdict.is_passed == (kind == "solution"), verdict
    # The game that is shown has the set-up of the lesson, and outputs at its own decisions alone.
    record = record_of(outcome)
    assert record["deal"] in [deal.hex() for deal in lesson.deals]
    own = {index for index, (seat, *_) in enumerate(record["events"]) if seat == 1}
    assert {output.index for output in outcome.outputs} - {None} <= own
    assert outcome.processor_ms < 20_000


async def test_the_games_of_a_lesson_end_when_enough_are_won_or_lost(asked: Trials) -> None:
    """Chance decides about single games, so this bot plays none of them well: it gives its gold away."""
    lesson = LESSONS[5]
    asked.ask(BOT.replace("return legal[0]", "return legal[-1]"), lesson.opponent)
    assert asked.hosting.trial is not None
    asked.hosting.trial = replace(asked.hosting.trial, lesson=lesson.number)
    verdict = (await asked.outcome()).lesson
    assert verdict is not None and not verdict.is_passed and (verdict.right, verdict.judged) == (0, 3)


async def test_a_lesson_is_not_passed_with_a_fault(asked: Trials) -> None:
    asked.ask(LESSONS[0].solution.replace("state =", "if view.phase == 'bid': return 'bid 0'\n        state ="))
    assert asked.hosting.trial is not None
    asked.hosting.trial = replace(asked.hosting.trial, lesson=1)
    verdict = (await asked.outcome()).lesson
    assert verdict is not None and verdict.faults > 0 and not verdict.is_passed
