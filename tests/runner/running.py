"""An arena whose hosted bots are played by runners in processes of their own, as root or as an ordinary user."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from arena.bus import Bus, hosted_version
from arena.hosting.messages import SeatReport
from tests.kit.arena.arena import Arena
from tests.kit.arena.play import Bots
from tests.kit.remains import groups_of, processes_that_use
from tests.kit.until import until
from tests.kit.users import ProcessUser
from tests.runner.conftest import PASSWORD, RUNNER_USER, Versions, runner_users
from webui.accounts import actions as account_actions
from webui.bots import actions as bot_actions
from webui.matches.models import LogRow, MatchState


class RunnerProcess:
    """A runner in a process of its own."""

    def __init__(self, spec: Mapping[str, object], log: Path, user: ProcessUser) -> None:
        self.log = log
        with log.open("w") as out:
            command = [user.interpreter, "-m", "tests.runner.process"]
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=out, stderr=out, **user.options)
        assert self.process.stdin is not None
        with self.process.stdin as stdin:
            stdin.write(json.dumps(spec).encode())
        until(lambda: "is ready" in self.log.read_text(), "a runner that is ready")

    def reports(self) -> list[SeatReport]:
        """Return its reports on seats."""
        lines = [line for line in self.log.read_text().splitlines() if line.startswith("report ")]
        return [msgspec.json.decode(line.removeprefix("report "), type=SeatReport) for line in lines]

    def groups(self) -> list[Path]:
        """Return the control groups of its sandboxes."""
        return groups_of(self.process.pid)

    def sandboxes(self) -> list[str]:
        """Return the process ids in its sandboxes."""
        return [pid for group in self.groups() for pid in (group / "cgroup.procs").read_text().split()]


class HostedArena:
    """An arena with a worker, hosted bots, and runners of one user."""

    def __init__(self, arena: Arena, versions: Versions, user: ProcessUser, programs: Mapping[str, str]) -> None:
        """`programs` are the bots, by their names."""
        self.arena = arena
        self.user = user
        self.versions: dict[str, int] = {}
        """Ids of the versions, by the names of their bots."""
        self._images = versions.root
        folders = []
        for name, program in programs.items():
            owner = account_actions.create_user(f"owner-of-{name}", None)
            self.versions[name] = bot_actions.register_version(bot_actions.register_bot(owner, name), "1")
            folders.append((self.versions[name], str(versions.root / versions.add(program).image)))
        # Runners use their user of a deployment, where Redis is new enough for it.
        url = arena.redis.url_of(RUNNER_USER, PASSWORD) if arena.redis.users else arena.redis_url
        self._spec = {"redis": url, "versions": folders, "places": 4}
        self.runners: list[RunnerProcess] = []

    def start_runner(self) -> RunnerProcess:
        """Start a runner, and wait until its versions are announced."""
        log = self.arena.directory / f"runner{len(self.runners)}.log"
        runner = RunnerProcess(self._spec, log, self.user)
        self.runners.append(runner)
        until(lambda: set(self.versions.values()) <= self.arena.present(), "the hosted versions")
        return runner

    def play(self, match: str, *bots: str, **terms: Any) -> None:
        """Schedule a match between these bots."""
        self.arena.schedule(Bots(tuple(self.versions[bot] for bot in bots), bots), match, **terms)

    def left(self) -> list[str]:
        """Return what sandboxes have left on the machine."""
        groups = [str(group) for runner in self.runners for group in runner.groups()]
        return groups + processes_that_use(self._images)

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


@contextmanager
def hosting_arena(user: ProcessUser, programs: Mapping[str, str]) -> Iterator[HostedArena]:
    """Run an arena with these hosted bots. This user can reach its Redis."""
    versions = Versions()
    try:
        arena = Arena()
        arena.redis.users = runner_users()
        with arena, arena.working():
            arena.redis.directory.chmod(0o711)
            (arena.redis.directory / "redis.sock").chmod(0o666)
            hosted = HostedArena(arena, versions, user, programs)
            try:
                yield hosted
            finally:
                for runner in hosted.runners:
                    runner.process.kill()
                    runner.process.wait()
    finally:
        shutil.rmtree(versions.root)
