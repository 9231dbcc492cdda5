"""The processes of `arena up`, with small real ones in their place: order, restarts, hangs, giving up, stopping."""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from arena.host.heartbeat import HANG_LIMIT_S
from tests.kit.lacking import require_linux
from tests.kit.stalls import starving
from tests.kit.until import until
from webui.commands.services import fleet as fleet_module
from webui.commands.services import process as process_module
from webui.commands.services import ready
from webui.commands.services.fleet import LONGEST_STEP_S, TRIES, TURN_S, Fleet, StartFailed
from webui.commands.services.process import FIRST_PAUSE_S, Process, ProcessState, ServiceSpec
from webui.commands.services.ready import Heartbeats, page_answers, site_answers

STAYS = "import time; time.sleep(600)"
BEATS_UNTIL_TOLD = (
    "import os, pathlib, sys, time\n"
    "while True:\n"
    "    pathlib.Path(sys.argv[1]).exists() or pathlib.Path(os.environ['ARENA_HEARTBEAT']).touch()\n"
    "    time.sleep(0.01)"
)
STAYS_THOUGH_ASKED = (
    "import pathlib, signal, sys, time; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
    "pathlib.Path(sys.argv[1]).touch(); time.sleep(600)"
)
HAS_CHILD = (
    "import subprocess, sys, pathlib, time;"
    "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']);"
    "pathlib.Path(sys.argv[1]).write_text(str(child.pid)); time.sleep(600)"
)

TALKS = (
    "import os, time\n"
    "for word in ('first', 'second', 'third', 'fourth'):\n"
    "    while os.fstat(1).st_size: time.sleep(0.01)\n"  # until it is emptied
    "    print(word if word == 'fourth' else '\\n'.join([word + 50 * '.'] * 2000), flush=True)\n"
    "time.sleep(600)"
)


def service(name: str, code: str = STAYS, *arguments: object, **more: Any) -> ServiceSpec:
    more.setdefault("is_ready", lambda: True)
    return ServiceSpec(name, (sys.executable, "-S", "-c", code, *map(str, arguments)), f"the {name}", **more)


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[Callable[..., Fleet]]:
    made: list[Fleet] = []

    def make(*services: ServiceSpec) -> Fleet:
        made.append(Fleet(services, tmp_path / "log", time.sleep))
        return made[-1]

    yield make
    for one in made:
        one.kill()


def look_until(fleet: Fleet, is_done: Callable[[], object], timeout: float = 120) -> None:
    """Tend the fleet until it is so far."""
    deadline = time.monotonic() + timeout
    while not is_done():
        assert time.monotonic() < deadline, [(process.service.name, process.state) for process in fleet.processes]
        fleet.update()
        time.sleep(0.01)


def lives(process: Process) -> bool:
    return process.pid is not None and Path(f"/proc/{process.pid}").exists()


def test_who_needs_somebody_starts_after_and_stops_before(fleet: Callable[..., Fleet], tmp_path: Path) -> None:
    is_up = tmp_path / "is-up"
    both = fleet(service("upper", needs=("lower",)), service("lower", is_ready=is_up.exists))
    upper, lower = both.processes
    look_until(both, lambda: lower.state is ProcessState.STARTING)
    both.update()
    assert upper.state is ProcessState.WAITING
    is_up.touch()
    look_until(both, lambda: both.is_ready)
    seen: list[bool] = []

    def pause(seconds: float) -> None:
        seen.append(lives(lower) or not lives(upper))
        time.sleep(seconds)

    both._pause = pause
    both.stop(lambda: False)
    assert seen and all(seen)
    assert {process.state for process in both.processes} == {ProcessState.STOPPED}


def test_who_dies_is_started_again_and_again_with_longer_pauses(
    fleet: Callable[..., Fleet], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1_000.0
    monkeypatch.setattr(fleet_module, "time", SimpleNamespace(monotonic=lambda: now))
    one = fleet(service("one"))
    (process,) = one.processes
    for restarts in range(3):
        pause = FIRST_PAUSE_S * 2**restarts
        look_until(one, lambda: process.state is ProcessState.READY)
        assert process.restarts == restarts
        assert process.pid is not None
        os.kill(process.pid, signal.SIGKILL)
        look_until(one, lambda: process.state is ProcessState.PAUSING)
        now += 0.9 * pause
        one.update()
        assert process.state is ProcessState.PAUSING
        now += 0.2 * pause
        one.update()
        assert process.state is not ProcessState.PAUSING
    assert process.log.exists()


def test_a_log_that_is_too_long_is_cut_while_its_process_goes_on(
    fleet: Callable[..., Fleet], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process_module, "MOST_LOG_BYTES", 100_000)
    one = fleet(service("talks", TALKS))
    (process,) = one.processes
    look_until(one, lambda: process.log.exists() and "fourth" in process.log.read_text())
    lines = process.log.with_suffix(".1.log").read_text().splitlines()
    assert len(lines) == 2000 and all(line.startswith("third") for line in lines), "the one before is there whole"
    assert process.restarts == 0 and process.log.stat().st_size < 100


def test_who_never_comes_up_ends_the_start_with_its_last_words(fleet: Callable[..., Fleet]) -> None:
    one = fleet(service("broken", "raise SystemExit('no such table')", is_ready=lambda: False))
    with pytest.raises(StartFailed, match=rf"broken died {TRIES} times(.|\n)*no such table"):
        look_until(one, lambda: False)


def test_what_a_process_has_started_ends_with_it(fleet: Callable[..., Fleet], tmp_path: Path) -> None:
    told = tmp_path / "child"
    one = fleet(service("parent", HAS_CHILD, told, is_ready=lambda: told.exists() and told.read_text() != ""))
    look_until(one, lambda: one.is_ready)
    child = Path(f"/proc/{told.read_text()}/stat")
    one.stop(lambda: False)
    until(lambda: not child.exists() or child.read_text().split()[2] == "Z")


def test_who_does_not_leave_is_killed_when_it_is_urgent(
    fleet: Callable[..., Fleet], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fleet_module, "LEAVE_LIMIT_S", 600.0)
    stubborn = tmp_path / "stubborn"
    one = fleet(service("one", STAYS_THOUGH_ASKED, stubborn, is_ready=stubborn.exists))
    look_until(one, lambda: one.is_ready)
    began = time.monotonic()
    one.stop(lambda: True)
    assert time.monotonic() - began < 300
    assert not lives(one.processes[0])


def test_the_logs_of_the_last_time_are_kept(fleet: Callable[..., Fleet], tmp_path: Path) -> None:
    log = tmp_path / "log" / "one.log"

    def run(word: str) -> None:
        one = fleet(service("one", f"print('{word}', flush=True); {STAYS}"))
        look_until(one, lambda: one.is_ready and f"{word}\n" in log.read_text())
        one.stop(lambda: False)

    run("first")
    run("second")
    assert log.read_text() == "second\n"
    assert log.with_suffix(".old.log").read_text() == "first\n"


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """The supervisor's, which stands still but for the tests that set `now`.

    The supervisor knows nothing about the processor, as on a system without /proc.
    """
    clock = SimpleNamespace(now=1_000.0)
    monkeypatch.setattr(fleet_module, "stalls_s", tuple)
    monkeypatch.setattr(process_module, "processor_use", lambda _: None)
    monkeypatch.setattr(fleet_module, "time", SimpleNamespace(monotonic=lambda: clock.now))
    return clock


def pass_time(fleet: Fleet, clock: SimpleNamespace, seconds: float, step: float = LONGEST_STEP_S) -> None:
    """Look so often that this time has passed."""
    for _ in range(round(seconds / step)):
        clock.now += step
        fleet.update()


def test_who_hangs_is_killed_and_started_again(
    fleet: Callable[..., Fleet], clock: SimpleNamespace, tmp_path: Path
) -> None:
    hangs, heartbeat = tmp_path / "hangs", tmp_path / "heartbeats" / "one"
    code = service("one", BEATS_UNTIL_TOLD, hangs, is_ready=Heartbeats(heartbeat), heartbeat=heartbeat)
    one = fleet(code)
    (process,) = one.processes
    look_until(one, lambda: process.state is ProcessState.READY)
    hung = process.pid
    hangs.touch()

    def is_silent() -> bool:
        clock.now += LONGEST_STEP_S
        return process.state is ProcessState.SILENT

    look_until(one, is_silent)
    assert process.pid == hung
    hangs.unlink()
    look_until(one, lambda: process.state is ProcessState.READY)  # it was only slow
    hangs.touch()
    look_until(one, is_silent)
    pass_time(one, clock, HANG_LIMIT_S)
    assert process.pid != hung
    pass_time(one, clock, 2 * FIRST_PAUSE_S)
    assert process.state is ProcessState.STARTING and process.restarts == 1
    for _ in range(20):
        time.sleep(0.01)  # time to work, which it does not use
        one.update()
    assert process.state is ProcessState.STARTING, "it runs, and has not worked yet"
    hangs.unlink()
    look_until(one, lambda: process.state is ProcessState.READY)


def test_who_hangs_as_it_is_started_again_is_killed_too(fleet: Callable[..., Fleet], clock: SimpleNamespace) -> None:
    answers = [True]
    one = fleet(service("one", is_ready=lambda: answers[0]))
    (process,) = one.processes
    look_until(one, lambda: one.is_ready)
    answers[0] = False
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    look_until(one, lambda: process.state is ProcessState.PAUSING)
    pass_time(one, clock, 2 * FIRST_PAUSE_S)
    assert process.restarts == 1
    pass_time(one, clock, 1.1 * process_module.START_LIMIT_S)
    assert process.restarts == 2


def test_time_in_which_the_supervisor_stood_still_does_not_count(
    fleet: Callable[..., Fleet], clock: SimpleNamespace
) -> None:
    answers = [True]
    one = fleet(service("one", is_ready=lambda: answers[0]))
    (process,) = one.processes
    look_until(one, lambda: one.is_ready)
    pid = process.pid
    answers[0] = False
    for _ in range(10):  # this machine sleeps, or has no time for the supervisor
        clock.now += 10 * HANG_LIMIT_S
        one.update()
    assert (process.pid, process.silent_s <= 10 * LONGEST_STEP_S) == (pid, True)


def test_who_lacks_something_is_left_alone(fleet: Callable[..., Fleet], clock: SimpleNamespace) -> None:
    answers = [True]
    both = fleet(
        service("lower", is_ready=lambda: answers[0]), service("upper", needs=("lower",), is_ready=lambda: answers[0])
    )
    lower, upper = both.processes
    look_until(both, lambda: both.is_ready)
    pids = lower.pid, upper.pid
    answers[0] = False
    pass_time(both, clock, 2 * HANG_LIMIT_S)
    assert lower.pid != pids[0] and upper.pid == pids[1]


def test_what_others_run_is_watched_and_not_touched(fleet: Callable[..., Fleet], clock: SimpleNamespace) -> None:
    def check() -> bool:
        if not answers[0]:
            raise RuntimeError("it does not answer")
        return True

    answers = [True]
    both = fleet(ServiceSpec("others", (), "elsewhere", check), service("ours", needs=("others",)))
    others, ours = both.processes
    look_until(both, lambda: both.is_ready)
    answers[0] = False
    pass_time(both, clock, 2 * HANG_LIMIT_S)
    assert (others.state, others.restarts, ours.state) == (ProcessState.SILENT, 0, ProcessState.READY)
    answers[0] = True
    look_until(both, lambda: others.state is ProcessState.READY)
    both.stop(lambda: False)
    assert others.state is ProcessState.STOPPED


def test_where_there_is_no_room_for_a_process_it_is_tried_again(
    fleet: Callable[..., Fleet], clock: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = fleet(service("one"))
    (process,) = one.processes
    with monkeypatch.context() as patched:
        patched.setattr(process, "_open_log", lambda: (_ for _ in ()).throw(OSError("too many open files")))
        one.update()
    assert process.state is ProcessState.PAUSING
    pass_time(one, clock, 2 * FIRST_PAUSE_S)
    look_until(one, lambda: one.is_ready)


def test_a_disk_that_cannot_be_written_is_no_silence(
    fleet: Callable[..., Fleet], clock: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hangs, heartbeat = tmp_path / "hangs", tmp_path / "heartbeats" / "one"
    one = fleet(service("one", BEATS_UNTIL_TOLD, hangs, is_ready=Heartbeats(heartbeat), heartbeat=heartbeat))
    (process,) = one.processes
    look_until(one, lambda: one.is_ready)
    pid = process.pid
    hangs.touch()
    monkeypatch.setattr(os, "access", lambda *_: False)
    pass_time(one, clock, 2 * HANG_LIMIT_S)
    assert process.pid == pid


def test_hanging_processes_are_restarted_one_at_a_time_with_more_patience_each_time(
    fleet: Callable[..., Fleet], clock: SimpleNamespace
) -> None:
    answers = [True]
    three = fleet(*(service(name, is_ready=lambda: answers[0]) for name in ("one", "two", "three")))
    one, two, three_ = three.processes
    look_until(three, lambda: three.is_ready)
    answers[0] = False
    pass_time(three, clock, HANG_LIMIT_S + 2)
    assert [process.restarts for process in three.processes] == [1, 0, 0]
    assert (two.state, three_.state) == (ProcessState.SILENT, ProcessState.SILENT)
    pass_time(three, clock, TURN_S)
    assert [process.restarts for process in three.processes] == [1, 1, 0], "one has had its time to become ready"
    answers[0] = True
    look_until(three, lambda: all(process.state is ProcessState.READY for process in three.processes))
    assert three_.restarts == 0, "it works again before its turn"
    answers[0] = False
    pass_time(three, clock, HANG_LIMIT_S + 2)
    assert (one.restarts, three_.restarts) == (1, 1), "one has twice the time, for it has hung before"
    pass_time(three, clock, HANG_LIMIT_S + 2 * TURN_S)
    assert one.restarts == 2


def test_a_start_that_always_hangs_pauses_longer_each_time(fleet: Callable[..., Fleet], clock: SimpleNamespace) -> None:
    answers = [True]
    one = fleet(service("one", is_ready=lambda: answers[0]))
    (process,) = one.processes
    look_until(one, lambda: one.is_ready)
    answers[0] = False
    pauses = []
    for _ in range(3):
        look_until_passing(one, clock, lambda: process.state is ProcessState.PAUSING)
        began = clock.now
        look_until_passing(one, clock, lambda: process.state is ProcessState.STARTING)
        pauses.append(clock.now - began)
    assert pauses == [FIRST_PAUSE_S, 2 * FIRST_PAUSE_S, 4 * FIRST_PAUSE_S]


def look_until_passing(fleet: Fleet, clock: SimpleNamespace, is_done: Callable[[], object]) -> None:
    for _ in range(3_000):
        if is_done():
            return
        pass_time(fleet, clock, LONGEST_STEP_S)
    pytest.fail("it does not happen")


def test_a_stopped_process_is_continued(fleet: Callable[..., Fleet], tmp_path: Path, quick: None) -> None:
    hangs, heartbeat = tmp_path / "hangs", tmp_path / "heartbeats" / "one"
    one = fleet(service("one", BEATS_UNTIL_TOLD, hangs, is_ready=Heartbeats(heartbeat), heartbeat=heartbeat))
    (process,) = one.processes
    look_until(one, lambda: one.is_ready)
    pid = process.pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    look_until(one, lambda: process.state is ProcessState.SILENT)
    look_until(one, lambda: process.state is ProcessState.READY)
    assert (process.pid, process.restarts) == (pid, 0)


def test_a_process_without_a_processor_is_left_alone(fleet: Callable[..., Fleet], quick: None) -> None:
    require_linux()
    answers = [True]
    one = fleet(service("one", "while True: pass", is_ready=lambda: answers[0]))
    (process,) = one.processes
    look_until(one, lambda: one.is_ready)
    starved = process.pid
    assert starved is not None
    with starving(starved):
        answers[0] = False
        deadline = time.monotonic() + 5 * HANG_LIMIT_OF_TEST_S
        look_until(one, lambda: time.monotonic() > deadline)
        assert (process.pid, process.restarts) == (starved, 0)


def test_a_slow_page_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """On an overloaded machine a page takes many times as long. Asking again would only add to the site's work."""
    monkeypatch.setattr(ready, "TRY_S", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as server, ThreadPoolExecutor(1) as threads:
        answer = threads.submit(page_answers, server.getsockname()[1])
        line, _ = server.accept()
        with line:
            line.recv(65536)
            with pytest.raises(TimeoutError):
                answer.result(timeout=0.5)
            line.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")
            assert answer.result()


@pytest.mark.parametrize(("status", "is_answer"), [("404 Not Found", True), ("503 Service Unavailable", False)])
def test_a_site_without_a_free_thread_does_not_answer(status: str, is_answer: bool) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, ThreadPoolExecutor(1) as threads:
        answer = threads.submit(site_answers, server.getsockname()[1])
        line, _ = server.accept()
        with line:
            line.recv(65536)
            line.sendall(f"HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n".encode())
            assert answer.result() == is_answer


def test_a_process_that_works_in_vain_is_restarted(fleet: Callable[..., Fleet], quick: None) -> None:
    answers = [True]
    one = fleet(service("one", "while True: pass", is_ready=lambda: answers[0]))
    look_until(one, lambda: one.is_ready)
    answers[0] = False
    look_until(one, lambda: one.processes[0].restarts == 1)


HANG_LIMIT_OF_TEST_S = 2.0


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits of seconds, on real clocks."""
    monkeypatch.setattr(process_module, "HANG_LIMIT_S", HANG_LIMIT_OF_TEST_S)
    monkeypatch.setattr(process_module, "CHECK_EVERY_S", 0.1)
    monkeypatch.setattr(process_module, "JUDGE_EVERY_S", 0.1)
    monkeypatch.setattr(process_module, "JUDGE_AFTER_S", 0.2)
