"""Readings of /proc: of processes that work, wait, sleep, are stopped, have children, and have ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread

import pytest

from arena.host.processor import OwnShare, ProcessorUse, is_starved, processor_use, stalls_s
from tests.kit.lacking import require_linux, require_pressure
from tests.kit.stalls import starving
from tests.kit.until import until

WORKS = "while True: pass"
HAS_WORKING_CHILD = (
    "import subprocess, sys, time; subprocess.Popen([sys.executable, '-S', '-c', 'while True: pass']); time.sleep(600)"
)


@pytest.fixture(autouse=True)
def _linux() -> None:
    require_linux()


@pytest.fixture
def child(request: pytest.FixtureRequest) -> Iterator[int]:
    command = [sys.executable, "-S", "-c", request.param]
    with subprocess.Popen(command, start_new_session=True) as process:
        yield process.pid
        os.killpg(process.pid, signal.SIGKILL)


def use_of(pid: int) -> ProcessorUse:
    use = processor_use(pid)
    assert use is not None
    return use


@pytest.mark.parametrize("child", [WORKS, HAS_WORKING_CHILD], indirect=True)
def test_work_counts_with_that_of_children(child: int) -> None:
    before = use_of(child).worked_s
    until(lambda: use_of(child).worked_s > before + 0.3)


@pytest.mark.parametrize("child", [WORKS, HAS_WORKING_CHILD, "import time; time.sleep(600)"], indirect=True)
def test_who_wants_a_processor_waits_and_who_sleeps_does_not(child: int, request: pytest.FixtureRequest) -> None:
    is_busy = "while" in request.node.callspec.params["child"]
    until(lambda: use_of(child).is_waiting is is_busy)


def test_a_busy_thread_of_a_sleeping_process_is_seen() -> None:
    ends = Event()
    thread = Thread(target=lambda: [None for _ in iter(ends.is_set, True)])
    thread.start()
    try:
        until(lambda: use_of(os.getpid()).is_waiting)
    finally:
        ends.set()
        thread.join()


@pytest.mark.parametrize("child", [WORKS], indirect=True)
def test_a_stopped_process_is_told_and_not_one_that_works(child: int) -> None:
    assert not use_of(child).is_stopped
    os.kill(child, signal.SIGSTOP)
    until(lambda: use_of(child).is_stopped)
    os.kill(child, signal.SIGCONT)
    until(lambda: not use_of(child).is_stopped)


def test_nothing_is_known_without_proc_or_of_a_process_that_has_ended(tmp_path: Path) -> None:
    assert processor_use(os.getpid(), tmp_path) is None
    assert stalls_s(tmp_path) == ()
    with subprocess.Popen([sys.executable, "-S", "-c", ""]) as ended:
        pass
    assert processor_use(ended.pid) is None


@pytest.mark.parametrize("child", [WORKS], indirect=True)
def test_the_pressure_grows_and_is_in_seconds(child: int) -> None:
    require_pressure()
    before = stalls_s()
    with starving(child):
        until(lambda: stalls_s()[0] > before[0] + 0.5)
    stalls = stalls_s()
    since_start_s = float(Path("/proc/uptime").read_text().split()[0])
    assert all(0 <= early <= late <= since_start_s for early, late in zip(before, stalls, strict=True))


@pytest.mark.parametrize(
    ("worked_s", "waited_s", "expected"),
    [(1.0, 9.0, False), (1.0, 11.0, True), (0.001, 1.9, False), (0.0, 2.1, True), (0.0, 0.0, False), (5.0, 5.0, False)],
)
def test_who_waits_much_and_works_little_is_starved(worked_s: float, waited_s: float, expected: bool) -> None:
    assert is_starved(worked_s, waited_s, 10.0) is expected
    assert not is_starved(worked_s, waited_s, 1.0), "too short"


def test_threads_that_end_hide_no_waits_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread that has waited for long ends, and a new one may have its id. The first thread waits all the time."""
    waits = [{"1": 5.0, "2": 100.0}, {"1": 15.0}, {"1": 25.0, "2": 0.1}]
    readings = iter((10.0 * number, 0.1 * number, each) for number, each in enumerate(waits))
    monkeypatch.setattr(OwnShare, "_read", lambda _: next(readings))
    share = OwnShare()
    assert share.is_starved() and share.is_starved()


SHARES = (
    "import sys, time\n"
    "from arena.host import processor\n"
    "processor.MEASURED_S = 1.0\n"
    "share = processor.OwnShare()\n"
    "for line in sys.stdin:\n"
    "    ends = time.monotonic() + 2\n"
    "    while time.monotonic() < ends and line == 'work\\n':\n"
    "        pass\n"
    "    time.sleep(max(0, ends - time.monotonic()))\n"
    "    print(share.is_starved(), flush=True)\n"
)


def test_a_process_learns_that_it_is_starved_and_that_it_no_longer_is() -> None:
    """It has the lowest claim on a processor that another process wants as well."""
    with subprocess.Popen(
        [sys.executable, "-c", SHARES], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        try:
            assert process.stdin is not None and process.stdout is not None

            def answer(word: str) -> str:
                print(word, file=process.stdin, flush=True)
                return process.stdout.readline().strip()  # type: ignore[union-attr]

            answer("sleep")
            with starving(process.pid):
                answer("work")
                assert answer("work") == "True"
            until(lambda: answer("sleep") == "False")
        finally:
            process.kill()


def test_children_that_end_meanwhile_do_no_harm() -> None:
    parent = subprocess.Popen(["/bin/sh", "-c", "while :; do /bin/true; done"])
    try:
        for _ in range(3000):
            assert processor_use(parent.pid) is not None
    finally:
        parent.kill()
        parent.wait()
