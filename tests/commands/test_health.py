"""The health check of a container: a process that only lacks the processor is slow, and is not restarted."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from typer.testing import CliRunner

from arena.host.heartbeat import HANG_LIMIT_S, Heartbeat, age_s
from arena.host.processor import process_age_s
from tests.kit.until import until
from webui.commands.admin import app
from webui.commands.services import health, ready
from webui.commands.services.health import answers, is_healthy

PID = 1
STARTED_TICKS = -(10**6)
"""Start of the process: hours before that of the machine, so that a heartbeat of any age is later than it."""


def stat(state: str, started: int = STARTED_TICKS) -> str:
    return f"1 (arena) {state} " + "0 " * 18 + f"{started} 0 0\n"


@pytest.fixture
def proc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Directory like /proc, in which one process never uses any processor time."""
    monkeypatch.setattr(health, "WATCH_S", 0.2)
    monkeypatch.setattr(health, "LOOK_S", 0.05)
    (tmp_path / "proc" / str(PID) / "task" / str(PID)).mkdir(parents=True)
    return tmp_path / "proc"


def put(proc: Path, state: str, started: int = STARTED_TICKS) -> None:
    for place in (proc / str(PID), proc / str(PID) / "task" / str(PID)):
        (place / "stat").write_text(stat(state, started))


@pytest.fixture
def heartbeat(tmp_path: Path) -> Path:
    file = tmp_path / "heartbeat"
    Heartbeat(file).beat()
    return file


def silent_for(heartbeat: Path, seconds: float) -> None:
    at = time.monotonic_ns() - int(seconds * 1e9)
    os.utime(heartbeat, ns=(at, at))


def never() -> bool:
    return False


@pytest.mark.parametrize(
    ("state", "silent_s", "expected"),
    [
        pytest.param("R", 20 * HANG_LIMIT_S, True, id="starved"),
        pytest.param("D", 20 * HANG_LIMIT_S, True, id="waits for the disk"),
        pytest.param("S", 2 * HANG_LIMIT_S, False, id="deadlocked"),
        pytest.param("T", 2 * HANG_LIMIT_S, False, id="stopped"),
        pytest.param("S", HANG_LIMIT_S / 2, True, id="silent for a moment"),
    ],
)
def test_a_silent_process_is_judged_by_what_it_does(
    proc: Path, heartbeat: Path, state: str, silent_s: float, expected: bool
) -> None:
    put(proc, state)
    silent_for(heartbeat, silent_s)
    assert is_healthy(never, heartbeat, PID, proc=proc) is expected


def test_a_process_that_has_never_worked_is_not_healthy(proc: Path, heartbeat: Path, tmp_path: Path) -> None:
    put(proc, "R")
    assert not is_healthy(never, tmp_path / "none", PID, proc=proc)
    assert not is_healthy(never, None, PID, proc=proc)
    silent_for(heartbeat, 10)  # the previous process of this container left it
    put(proc, "R", int(time.clock_gettime(time.CLOCK_BOOTTIME) * os.sysconf("SC_CLK_TCK")))
    assert not is_healthy(never, heartbeat, PID, proc=proc)


def test_a_sign_of_work_ends_the_watch(proc: Path, heartbeat: Path) -> None:
    put(proc, "S")
    silent_for(heartbeat, 2 * HANG_LIMIT_S)
    signs = iter([False, False, True])
    assert is_healthy(lambda: next(signs), heartbeat, PID, proc=proc)


def test_an_answer_counts_as_a_heartbeat(tmp_path: Path) -> None:
    file = tmp_path / "heartbeat"
    assert not answers(never, file) and age_s(file) is None
    assert answers(lambda: True, file) and age_s(file) is not None
    assert answers(lambda: True, None)


@contextmanager
def busy(policy: int) -> Iterator[int]:
    """Run a process that only works, under this policy of the scheduler."""

    def start() -> None:
        os.sched_setscheduler(0, policy, os.sched_param(0))

    with subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"], preexec_fn=start) as child:
        try:
            yield child.pid
        finally:
            child.kill()


def alive(pid: int, *options: str) -> int:
    """Return the exit code of the command for a process without a port."""
    return CliRunner().invoke(app, ["alive", "upkeep", "--pid", str(pid), *options]).exit_code


def test_a_process_without_a_processor_is_slow_and_not_ready_and_one_that_works_in_vain_is_stuck(
    heartbeat: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_HEARTBEAT", str(heartbeat))
    for module in (health, ready):
        monkeypatch.setattr(module, "HANG_LIMIT_S", 2.0)
    monkeypatch.setattr(health, "WATCH_S", 2.0)
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        with busy(os.SCHED_IDLE) as pid:
            until(lambda: (process_age_s(pid) or 0) > 0.1)
            Heartbeat(heartbeat).beat()
            with busy(os.SCHED_OTHER):
                time.sleep(3)  # longer than the limit: by the clock it hangs
                assert (alive(pid), alive(pid, "--ready")) == (0, 1)
            until(lambda: alive(pid) == 1, "enough work in vain")
    finally:
        os.sched_setaffinity(0, before)


def test_the_command_fails_for_a_process_that_does_not_work(heartbeat: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_HEARTBEAT", str(heartbeat))
    assert CliRunner().invoke(app, ["alive", "upkeep"]).exit_code == 0
    heartbeat.unlink()
    failed = CliRunner().invoke(app, ["alive", "upkeep"])
    assert failed.exit_code == 1 and "no heartbeat" in failed.stderr
