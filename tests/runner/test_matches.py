"""Real matches between hosted bots, with a real referee, while runners and Redis are killed and stopped."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from arena.bus import Bus, hosted_version
from arena.sandbox.cgroups import PREFIX, find_group_roots
from tests.kit.arena.arena import Arena
from tests.kit.arena.play import Bots
from tests.kit.until import until
from tests.runner.conftest import FIRST, PASSWORD, RUNNER_USER, Versions, runner_users
from webui.accounts import actions as account_actions
from webui.bots import actions as bot_actions
from webui.matches.models import LogRow, MatchState

ROOT = Path(__file__).resolve().parents[2]


class RunnerProcess:
    """A runner in a process of its own."""

    def __init__(self, arena: Arena, spec: Path, name: str) -> None:
        self.log = arena.directory / f"{name}.log"
        with self.log.open("w") as log:
            command = [sys.executable, "-m", "tests.runner.process", str(spec)]
            self.process = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log)
        until(lambda: "is ready" in self.log.read_text(), "a runner that is ready")

    def groups(self) -> list[Path]:
        """Return the control groups of its sandboxes."""
        roots = find_group_roots()
        folders = [*roots.v1.values(), *([roots.unified] if roots.unified else [])]
        return [path for folder in folders for path in folder.glob(f"{PREFIX}{self.process.pid}-*")]

    def sandboxes(self) -> list[str]:
        """Return the process ids in its sandboxes."""
        return [pid for group in self.groups() for pid in (group / "cgroup.procs").read_text().split()]


class HostedArena:
    """An arena with a worker, two hosted bots, and runners."""

    def __init__(self, arena: Arena, versions: Versions) -> None:
        self.arena = arena
        self._count = 0
        ids = []
        folders = {}
        for name in ("ada", "bob"):
            owner = account_actions.create_user(f"owner-of-{name}", None)
            bot = bot_actions.register_bot(owner, name)
            ids.append(bot_actions.register_version(bot, "1"))
            folders[ids[-1]] = str(versions.root / versions.add(FIRST).image)
        self.bots = Bots(tuple(ids), ("ada", "bob"))
        self._spec = arena.directory / "runner.json"
        # Runners use their user of a deployment, where Redis is new enough for it.
        url = arena.redis.url_of(RUNNER_USER, PASSWORD) if arena.redis.users else arena.redis_url
        self._spec.write_text(json.dumps({"redis": url, "versions": list(folders.items()), "places": 4}))
        self.runners: list[RunnerProcess] = []

    def start_runner(self) -> RunnerProcess:
        """Start a runner, and wait until its versions are announced."""
        self._count += 1
        runner = RunnerProcess(self.arena, self._spec, f"runner{self._count}")
        self.runners.append(runner)
        until(lambda: set(self.bots.versions) <= self.arena.present(), "the hosted versions")
        return runner

    def play(self, name: str) -> None:
        """Schedule a match between both bots."""
        self.arena.schedule(self.bots, name)

    def holders(self, match: str) -> set[str]:
        """Return the runners that play seats of this match."""
        with Bus(self.arena.redis_url) as bus:
            return {one.gateway for one in bus.presences() if match in one.matches and hosted_version(one.id)}

    def wait_for_length(self, match: str, length: int) -> None:
        """Wait until the log of a match has this many rows."""
        until(
            lambda: LogRow.objects.filter(match_id=match).count() >= length or self.arena.has_ended(match),
            f"{length} rows of the log", 300,
        )  # fmt: skip
        assert not self.arena.has_ended(match), self.arena.fate(match)

    def check(self, match: str) -> None:
        """Wait for the end of a match. Nobody has been blamed for anything."""
        self.arena.finish(match)
        fate = self.arena.fate(match)
        assert fate.state == MatchState.FINISHED, fate
        document = json.loads(fate.record)
        assert document["incidents"] == [], document["incidents"]


@pytest.fixture(scope="module")
def hosted_arena(django_db_blocker: Any) -> Iterator[HostedArena]:
    versions = Versions()
    arena = Arena()
    arena.redis.users = runner_users()
    with django_db_blocker.unblock(), arena, arena.working():
        hosted = HostedArena(arena, versions)
        try:
            yield hosted
        finally:
            for runner in hosted.runners:
                runner.process.kill()
                runner.process.wait()


@contextmanager
def two_runners(hosted: HostedArena) -> Iterator[tuple[RunnerProcess, RunnerProcess]]:
    """Yield a runner that plays, and another one that could take over from it."""
    runners = hosted.start_runner(), hosted.start_runner()
    try:
        yield runners
    finally:
        for runner in runners:
            runner.process.kill()
            runner.process.wait()


def test_two_hosted_bots_play_a_match_and_leave_nothing(hosted_arena: HostedArena) -> None:
    runner = hosted_arena.start_runner()
    try:
        hosted_arena.play("whole")
        hosted_arena.check("whole")
        begun = time.monotonic()
        until(lambda: not runner.groups(), "the end of all sandboxes")
        print(f"gone {time.monotonic() - begun:.2f} s after the end of the match")
        until(lambda: not hosted_arena.holders("whole"), "that no runner announces the match")
        assert runner.log.read_text().count("report SeatReport(") == 2
    finally:
        runner.process.kill()
        runner.process.wait()


def kill(hosted: HostedArena, runner: RunnerProcess) -> None:
    runner.process.kill()


def drain(hosted: HostedArena, runner: RunnerProcess) -> None:
    runner.process.terminate()
    runner.process.wait()
    assert "drained" in runner.log.read_text()


def stop_for_long(hosted: HostedArena, runner: RunnerProcess) -> None:
    """Stop a runner until the other one has taken over, and let it run on."""
    runner.process.send_signal(signal.SIGSTOP)
    until(
        lambda: not any(runner_id in runner.log.read_text() for runner_id in hosted.holders(stop_for_long.__name__)),
        "a hand-over",
    )
    runner.process.send_signal(signal.SIGCONT)


def stop_for_a_moment(hosted: HostedArena, runner: RunnerProcess) -> None:
    runner.process.send_signal(signal.SIGSTOP)
    time.sleep(3)
    runner.process.send_signal(signal.SIGCONT)


def restart_redis(hosted: HostedArena, runner: RunnerProcess) -> None:
    hosted.arena.redis.kill()
    hosted.arena.redis.start()


@pytest.mark.soak
@pytest.mark.parametrize("harm", [kill, drain, stop_for_long, stop_for_a_moment, restart_redis])
def test_a_match_goes_on_whatever_happens_to_its_runner(
    hosted_arena: HostedArena, harm: Callable[[HostedArena, RunnerProcess], None]
) -> None:
    match = harm.__name__
    with two_runners(hosted_arena) as runners:
        hosted_arena.play(match)
        hosted_arena.wait_for_length(match, 30)
        holder = next(runner for runner in runners if runner.sandboxes())
        harm(hosted_arena, holder)
        hosted_arena.check(match)
        until(lambda: not any(runner.groups() for runner in runners if runner.process.poll() is None), "no sandbox")
