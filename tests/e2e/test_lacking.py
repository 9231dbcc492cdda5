"""One arena whose processes are stopped, and then lack one resource after the other.

A stopped process is continued, and one that lacks something waits. The tests share one arena, and each leaves it
healthy.
"""

from __future__ import annotations

import os
import resource
import signal
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
import redis

from arena.host.places import Places
from arena.players import GRADED
from tests.e2e.playing import FAST, pause, play_only
from tests.e2e.running import FEW_MATCHES, RunningArena
from tests.kit.until import until

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(1200)]

WAIT_S = 500.0
NO_MEMORY = "command not allowed when used memory"
LOOKS_S = 15.0
"""Longer than a process may be silent here."""
OURS = ("site", "gateway", "referee", "upkeep", "runner")


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory, django_db_blocker: Any) -> Iterator[RunningArena]:
    """Run an arena with house bots. Its processes count as hanging sooner than usual.

    It makes matches only while a test waits for decisions (`check_well`), and only with players that decide fast.
    """
    with RunningArena(
        tmp_path_factory.mktemp("lacking") / "var", "--house", ARENA_HANG_SECONDS="12", **FEW_MATCHES
    ) as arena:
        arena.wait_ready()
        with django_db_blocker.unblock():
            with arena.database():
                pause(set(GRADED) - set(FAST))
                play_only()
            yield arena


def decisions(arena: RunningArena) -> int:
    """Return the number of decisions in all logs of matches."""
    with closing(sqlite3.connect(arena.var / "arena.sqlite3", timeout=60)) as database:
        return int(database.execute("SELECT count(*) FROM matches_logrow WHERE kind = 'decision'").fetchone()[0])


def check_well(arena: RunningArena) -> None:
    """Check that all processes are ready, and that matches continue."""
    until(lambda: all(arena.state(name)["state"] == "ready" for name in ("redis", *OURS)), "ready", WAIT_S, every=0.1)
    with arena.database():
        play_only("2")
    before = decisions(arena)
    until(lambda: decisions(arena) > before, "decisions", WAIT_S, every=0.1)
    with arena.database():
        play_only()


def client(arena: RunningArena) -> redis.Redis:
    return redis.Redis.from_url(f"unix://{arena.var}/redis.sock")


def log_of(arena: RunningArena, name: str) -> str:
    return (arena.var / "log" / f"{name}.log").read_text(errors="replace")


@pytest.mark.parametrize("names", [OURS, ("redis",)], ids=["ours", "redis"])
def test_what_is_stopped_is_continued(arena: RunningArena, names: tuple[str, ...]) -> None:
    check_well(arena)
    stopped = {name: arena.state(name) for name in names}
    for before in stopped.values():
        os.kill(before["pid"], signal.SIGSTOP)
    for name, before in stopped.items():
        arena.wait_for("process", WAIT_S, name=name, state="silent", pid=before["pid"])
    check_well(arena)
    after = {name: arena.state(name) for name in names}
    assert {name: one["pid"] for name, one in after.items()} == {name: one["pid"] for name, one in stopped.items()}


def test_a_redis_without_memory_is_waited_for(arena: RunningArena) -> None:
    pids = {name: arena.state(name)["pid"] for name in OURS}
    with client(arena) as line:
        line.config_set("maxmemory", 1)
        try:
            for name in ("runner", "referee"):  # the house bots are at the runner
                until(lambda: NO_MEMORY in log_of(arena, name), name, WAIT_S, every=0.1)  # noqa: B023
            began = time.monotonic()
            heartbeat = Places(arena.var).heartbeat("upkeep")
            until(lambda: heartbeat.stat().st_mtime > began + LOOKS_S, "work of upkeep", WAIT_S, every=0.1)
            assert {name: arena.state(name)["pid"] for name in OURS} == pids
            os.kill(pids["referee"], signal.SIGKILL)  # and one that starts while there is no memory
            arena.wait_for("process", WAIT_S, name="referee", pid=lambda other: other not in (None, pids["referee"]))
        finally:
            line.config_set("maxmemory", 0)
    check_well(arena)


def test_who_was_out_of_descriptors_goes_on(arena: RunningArena) -> None:
    pids = {name: arena.state(name)["pid"] for name in ("site", "gateway", "referee", "upkeep")}
    usual = resource.getrlimit(resource.RLIMIT_NOFILE)
    for pid in pids.values():
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (0, usual[1]))
    until(lambda: "Too many open files" in log_of(arena, "site"), "a site without descriptors", WAIT_S, every=0.1)
    for pid in pids.values():
        try:
            resource.prlimit(pid, resource.RLIMIT_NOFILE, usual)
        except ProcessLookupError:
            continue  # it has been restarted already: without descriptors Celery ends by itself
    check_well(arena)
    assert {name: arena.state(name)["pid"] for name in ("site", "gateway")} == {
        name: pids[name] for name in ("site", "gateway")
    }
    assert sum(log.stat().st_size for log in (arena.var / "log").iterdir()) < 5_000_000
