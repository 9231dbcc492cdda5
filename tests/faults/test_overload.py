"""An arena on two processors that 150 other processes want as well: it is slow meanwhile, and as before afterwards."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.running import RunningArena
from tests.faults import table
from tests.kit.postgres_server import PostgresServer
from tests.kit.until import until

pytestmark = [pytest.mark.soak, pytest.mark.timeout(3600)]

PROCESSORS = int(os.environ.get("ARENA_OVERLOAD_PROCESSORS", "2"))
LOAD = 75 * PROCESSORS
NORMAL_WITHIN_S = 60.0
ANSWER_S = 120.0
"""Timeout of a request to the site meanwhile."""
WORKS = """
import os, sys
for _ in range(int(sys.argv[1]) - 1):
    if not os.fork():
        break
while True:
    pass
"""


@contextmanager
def few_processors() -> Iterator[None]:
    """Run on a few processors, with all processes that are started meanwhile."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(before)[:PROCESSORS])
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


@contextmanager
def load(processes: int, *, of_a_session: int = 1) -> Iterator[None]:
    """Run processes that only work, a number of them in each session. The kernel shares the processors between sessions
    first, and each process of the arena has a session of its own.
    """
    with ExitStack() as stack:
        for _ in range(processes // of_a_session):
            command = [sys.executable, "-S", "-c", WORKS, str(of_a_session)]
            hogs = stack.enter_context(subprocess.Popen(command, start_new_session=True))
            stack.callback(os.killpg, hogs.pid, signal.SIGKILL)
        yield


def status(site: str, timeout: float) -> dict[str, Any]:
    with urllib.request.urlopen(f"{site}/api/v1/status", timeout=timeout) as answer:
        document: dict[str, Any] = json.load(answer)
    return document


def states(arena: RunningArena) -> dict[str, dict[str, Any]]:
    """Return the last report about each process."""
    return {event["name"]: event for event in arena.events if event["event"] == "process"}


def finished(arena: RunningArena) -> int:
    return max((int(event["finished"]) for event in arena.events if event["event"] == "matches"), default=0)


def is_normal(arena: RunningArena, site: str, done: int) -> bool:
    """Return whether all processes are ready, and more matches were finished than `done`."""
    are_ready = all(one["state"] == "ready" for one in states(arena).values())
    return are_ready and finished(arena) > done and not status(site, ANSWER_S)["overloaded"]


@pytest.mark.parametrize("seconds", [60, 600])
def test_an_overloaded_arena_lives_and_is_soon_normal_again(database: str, tmp_path: Path, seconds: float) -> None:
    row = table.row(f"load of {LOAD} on {PROCESSORS} processors for {seconds:.0f} s", database, tries=1)
    took: list[float] = []
    says_so = False
    with ExitStack() as stack:
        more: dict[str, Any] = {}
        if database == "postgres":
            more["DATABASE_URL"] = stack.enter_context(PostgresServer(tables=True)).url
        stack.enter_context(few_processors())
        arena = stack.enter_context(RunningArena(tmp_path / "var", "--house", **more))
        site = arena.wait_ready()["site"]
        until(lambda: finished(arena), "a finished match", 300, every=0.5)
        before = states(arena)
        with load(LOAD):
            ends = time.monotonic() + seconds
            while (began := time.monotonic()) < ends:
                says_so |= status(site, ANSWER_S)["overloaded"]
                took.append(time.monotonic() - began)
                time.sleep(0.5)  # a visitor asks now and then; without a pause the questions would be load, too
        ended = time.monotonic()
        restarts = {name: one["restarts"] - before[name]["restarts"] for name, one in states(arena).items()}
        assert not any(restarts.values()), f"{restarts}\n{arena.log_tails()}"
        done = finished(arena)
        until(lambda: is_normal(arena, site, done), "normal again", 10 * NORMAL_WITHIN_S, every=0.5)
        recovery_s = time.monotonic() - ended
    row.recoveries.append(recovery_s)
    row.note = f"{len(took)} answers of the site meanwhile, the slowest after {max(took):.0f} s"
    assert says_so
    assert recovery_s < NORMAL_WITHIN_S
    row.survived = 1
