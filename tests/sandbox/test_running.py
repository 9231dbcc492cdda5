"""Sandboxes whose runner dies, machines that allow no sandbox, cores, and outputs."""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import pairwise
from pathlib import Path

import pytest

from arena.sandbox.bubblewrap import BWRAP_VARIABLE, INTERPRETER
from arena.sandbox.cgroups import RUNNER_GROUP, find_group_roots
from arena.sandbox.cores import CorePool, CoreTurn, CoreUse
from arena.sandbox.limits import SOCKET_PATH, KeptOutput, Mounts, SandboxEnd, SandboxLimits
from arena.sandbox.pipes import HALF_BYTES, OutputReader
from arena.sandbox.running import RunningSandbox, start
from arena.sandbox.support import sandbox_support
from tests.kit.lacking import give_up
from tests.kit.remains import groups_of

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 300.0

RUNNER = """
import sys, time
from pathlib import Path
from arena.sandbox.limits import Mounts, SandboxLimits
from arena.sandbox.running import start
program = "import os\\nos.fork()\\nwhile True: pass"
command = ["/usr/bin/python3", "-I", "-c", program, sys.argv[2]]
sandbox = start(command, Mounts(image=Path(sys.argv[1])), SandboxLimits(), group=sys.argv[3] == "groups")
# On a slow machine, the start alone takes this processor time.
while (usage := sandbox.usage()).processor_s < 0.2 or usage.processes < 2: time.sleep(0.01)
sandbox.freeze()
print("frozen", flush=True)
time.sleep(1000)
"""


def wait_until(is_reached: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not is_reached():
        assert time.monotonic() < end
        time.sleep(0.02)


def processes_with(token: str) -> list[int]:
    """Return the ids of the processes whose command line has this word."""
    found = []
    for folder in Path("/proc").iterdir():
        with suppress(OSError):
            if folder.name.isdigit() and token.encode() in (folder / "cmdline").read_bytes().split(b"\0"):
                found.append(int(folder.name))
    return found


@pytest.fixture
def image(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Yield a folder that every user can reach; those of pytest are for their owner alone."""
    folder = Path("/tmp") / f"arena-sandbox-image-{secrets.token_hex(6)}"
    folder.mkdir()
    folder.chmod(0o755)
    yield folder
    for file in folder.iterdir():
        file.unlink()
    folder.rmdir()


@pytest.mark.parametrize("counting", ["groups", "processes"])
def test_a_killed_runner_leaves_no_frozen_bots(image: Path, counting: str) -> None:
    token = secrets.token_hex(16)
    runner = subprocess.Popen(
        [sys.executable, "-c", RUNNER, str(image), token, counting],
        stdout=subprocess.PIPE,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert runner.stdout is not None
    with runner, runner.stdout:
        try:
            assert runner.stdout.readline() == b"frozen\n"
            assert len(processes_with(token)) == 3  # the runner and two processes of the bot
        finally:
            runner.send_signal(signal.SIGKILL)
    wait_until(lambda: not processes_with(token))

    def is_cleaned_up() -> bool:
        # As the next runner does at its start. A process that ends loses its command line before it leaves its group.
        find_group_roots()
        return not groups_of(runner.pid)

    wait_until(is_cleaned_up)


def test_a_start_runs_no_handlers_that_libraries_have_for_copies_of_the_process(image: Path) -> None:
    """gRPC has such handlers, which may end the copy before it becomes bubblewrap."""
    program = """
import ctypes, sys
from pathlib import Path
from arena.sandbox.limits import Mounts, SandboxLimits
from arena.sandbox.running import start
handler = ctypes.CFUNCTYPE(None)(lambda: print("copied", flush=True))
ctypes.CDLL(None).__register_atfork(handler, None, None, None)
print(start(["/usr/bin/true"], Mounts(image=Path(sys.argv[1])), SandboxLimits()).wait().end)
"""
    done = subprocess.run(
        [sys.executable, "-c", program, str(image)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "EXITED\n"


def test_without_bubblewrap_nothing_runs_and_the_reason_is_said(monkeypatch: pytest.MonkeyPatch, image: Path) -> None:
    monkeypatch.setenv(BWRAP_VARIABLE, "/missing/bwrap")
    support = sandbox_support.__wrapped__()
    assert not support.is_possible and not support.is_fit_for_strangers
    assert "bubblewrap is missing" in support.reasons[0]
    verdict = start(["/bin/true"], Mounts(image=image), SandboxLimits()).wait(PATIENCE_S)
    assert verdict.end is SandboxEnd.START_FAILED
    assert "/missing/bwrap" in verdict.reason


def test_without_user_namespaces_nothing_runs_and_the_reason_is_said() -> None:
    program = "from arena.sandbox.support import sandbox_support as s; print(s().is_possible, *s().reasons, sep='\\n')"
    done = subprocess.run(
        ["unshare", "--user", "--map-root-user", "sh", "-c",
         'echo 0 > /proc/sys/user/max_user_namespaces; exec "$0" -c "$1"', sys.executable, program],
        capture_output=True, text=True, check=False, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    said = done.stdout[done.stdout.index("False\n") :]
    assert "a sandbox cannot be made: bubblewrap makes no namespaces." in said, done
    assert "user namespaces are off" in said


def test_a_bubblewrap_that_is_too_old_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    old = tmp_path / "bwrap"
    old.write_text("#!/bin/sh\necho bubblewrap 0.4.1\n")
    old.chmod(0o755)
    monkeypatch.setenv(BWRAP_VARIABLE, str(old))
    support = sandbox_support.__wrapped__()
    assert not support.is_possible
    (reason,) = support.reasons
    assert reason.startswith(f"{old} is bubblewrap 0.4.1, which is too old: install version 0.5 or newer")


def test_a_container_that_hides_parts_of_proc_is_told_what_to_do() -> None:
    """As Docker does, unless it is started with systempaths=unconfined."""
    if os.geteuid() != 0:
        give_up("only root can mount something over a file of /proc")
    program = "from arena.sandbox.support import sandbox_support as s; print(s().is_possible, *s().reasons, sep='\\n')"
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", 'mount --bind /dev/null /proc/keys && exec "$0" -c "$1"', sys.executable,
         program],
        capture_output=True, text=True, check=False, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    said = done.stdout[done.stdout.index("False\n") :]
    assert "a sandbox cannot be made: " in said and "start it with systempaths=unconfined" in said, done


CONTAINER = """
umount "$1" && mount -t cgroup2 none "$1" || exit
sleep 1000 &
"$0" -c "$2"
kill $!
"""
"""A shell that is the init of a container, with another process beside the runner."""
DELEGATED = """
from arena.sandbox import cgroups
cgroups.CONTROLLERS = {controllers!r}
print(*cgroups.find_group_roots().v2_controllers)
"""


def test_the_init_of_a_container_makes_room_for_control_groups() -> None:
    """A group gives its controllers on only if no process is in it, and the container's init is in the runner's."""
    mounts = [line.split() for line in Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines()]
    tops = [Path(words[4]) for words in mounts if " - cgroup2 " in " ".join(words)]
    roots = find_group_roots()
    if os.geteuid() != 0 or not tops or roots.unified is None:
        give_up("only root of a machine with control groups of version 2 can make a container's")
    top, parent = tops[0], roots.unified
    free = (parent / "cgroup.controllers").read_text().split()
    if not free:
        give_up("all controllers of this machine are used by version 1")
    given = parent / "cgroup.subtree_control"
    was_given = free[0] in given.read_text().split()
    given.write_text(f"+{free[0]}")
    group = parent / f"arena-test-{os.getpid()}"
    group.mkdir()
    try:
        done = subprocess.run(
            ["sh", "-c", f'echo $$ > {group}/cgroup.procs && exec unshare --cgroup --mount sh -c "$@"', "sh",
             CONTAINER, sys.executable, str(top), DELEGATED.format(controllers=tuple(free[:1]))],
            capture_output=True, text=True, check=False, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        assert done.stdout == f"{free[0]}\n", done.stdout + done.stderr
    finally:
        inner = group / RUNNER_GROUP
        wait_until(lambda: not any((one / "cgroup.procs").read_text() for one in (group, inner) if one.exists()))
        for one in (inner, group):
            if one.exists():
                one.rmdir()
        if not was_given:
            given.write_text(f"-{free[0]}")


def test_a_folder_that_is_missing_is_named(image: Path) -> None:
    verdict = start(["/bin/true"], Mounts(image=image / "gone"), SandboxLimits()).wait(PATIENCE_S)
    assert verdict.end is SandboxEnd.START_FAILED
    assert str(image / "gone") in verdict.reason


BOT = f"""
import socket, time
runner = socket.socket(socket.AF_UNIX)
runner.connect({SOCKET_PATH!r})
while request := runner.recv(1):
    if request == b"s":
        time.sleep(0.5)
    else:
        end = time.process_time() + 0.2
        while time.process_time() < end: pass
    runner.send(b"a")
"""


@contextmanager
def dialled_bots(image: Path, number: int) -> Iterator[list[tuple[RunningSandbox, socket.socket]]]:
    """Start bots, each of which has dialled in, and freeze them."""
    bots: list[tuple[RunningSandbox, socket.socket]] = []
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(image / "socket"))
        (image / "socket").chmod(0o666)
        listener.listen()
        listener.settimeout(PATIENCE_S)
        try:
            for _ in range(number):
                command = [INTERPRETER, "-I", "-c", BOT]
                sandbox = start(command, Mounts(image=image, socket=image / "socket"), SandboxLimits())
                connection, _ = listener.accept()
                connection.settimeout(PATIENCE_S)
                sandbox.freeze()
                bots.append((sandbox, connection))
            yield bots
        finally:
            for sandbox, connection in bots:
                connection.close()
                sandbox.kill()
            for sandbox, _ in bots:
                sandbox.wait(PATIENCE_S)


def end_turn(turn: CoreTurn, sandbox: RunningSandbox) -> CoreUse:
    turn.stop()
    sandbox.freeze()
    assert turn.has_stopped()
    return turn.end()


def test_bots_that_share_a_core_think_one_after_the_other(image: Path) -> None:
    turns: list[tuple[float, float, CoreUse]] = []

    async def play(pool: CorePool, sandbox: RunningSandbox, connection: socket.socket) -> None:
        for _ in range(3):
            connection.send(b"c")
            asked = time.monotonic()
            core = await pool.take()
            turn = CoreTurn(sandbox, core, waited_s=time.monotonic() - asked)
            await asyncio.to_thread(turn.begin)
            begun = time.monotonic()
            assert await asyncio.to_thread(connection.recv, 1) == b"a"
            ended = time.monotonic()
            turns.append((begun, ended, await asyncio.to_thread(end_turn, turn, sandbox)))
            pool.put_back(core)

    async def play_all(bots: list[tuple[RunningSandbox, socket.socket]]) -> None:
        pool = CorePool([min(os.sched_getaffinity(0))])
        await asyncio.gather(*(play(pool, *bot) for bot in bots))

    with dialled_bots(image, 3) as bots:
        asyncio.run(play_all(bots))
    assert len(turns) == 9
    turns.sort(key=lambda turn: turn[0])
    assert all(earlier[1] <= later[0] for earlier, later in pairwise(turns))
    assert sum(turn.waited_s > 0.15 for _, _, turn in turns) >= 6
    assert all(0.19 <= turn.charged_s <= turn.wall_s for _, _, turn in turns)


def test_a_bot_is_charged_its_processor_time_and_not_what_passes(image: Path) -> None:
    with dialled_bots(image, 1) as [(sandbox, connection)]:
        connection.send(b"s")
        turn = CoreTurn(sandbox, min(os.sched_getaffinity(0)))
        turn.begin()
        assert connection.recv(1) == b"a"
        use = end_turn(turn, sandbox)
    assert use.wall_s >= 0.5
    assert use.charged_s < 0.25


def test_a_bot_that_does_little_is_charged_all_time_and_one_that_computes_is_not(image: Path) -> None:
    with dialled_bots(image, 1) as [(sandbox, connection)]:
        turn = CoreTurn(sandbox, min(os.sched_getaffinity(0)))
        turn.begin()  # without a request, the bot waits
        turn.sample(1000.0)
        assert turn.use().slept_s == 0.0
        turn.sample(1000.0)
        asleep = turn.use()
        for used_of_all, is_asleep in ((0.02, True), (0.7, False)):
            before = turn.use()
            connection.send(b"c")
            assert connection.recv(1) == b"a"
            passed_s = (turn.use().processor_s - before.processor_s) / used_of_all
            turn.sample(passed_s)
            slept_s = turn.use().slept_s - before.slept_s
            assert (0.3 * passed_s < slept_s < passed_s) if is_asleep else slept_s == 0
        use = end_turn(turn, sandbox)
    assert 999 < asleep.slept_s <= 1000
    assert use.charged_s == use.wall_s


def test_no_time_is_counted_of_a_bot_that_has_given_its_core_away(image: Path) -> None:
    core = min(os.sched_getaffinity(0))
    with dialled_bots(image, 1) as [(sandbox, _)]:
        turn = CoreTurn(sandbox, core)
        turn.begin()
        turn.sample(0.0)
        turn.stop()
        sandbox.freeze()
        turn.pause()
        held = turn.use()
        assert not turn.is_sampled
        time.sleep(0.2)
        assert (turn.use().wall_s, turn.use().slept_s) == (held.wall_s, 0)
        assert turn.use().processor_s == pytest.approx(held.processor_s, abs=0.01)  # to leave its core
        turn.restart()  # its stream is lost
        assert turn.use().charged_s == turn.use().wall_s == 0
        before = time.monotonic()
        turn.resume(core)
        assert not turn.is_sampled
        turn.sample(1000.0)  # since the last one before the pause
        use = end_turn(turn, sandbox)
        assert 0 < use.wall_s <= time.monotonic() - before
        assert use.slept_s == 0


def test_bots_with_a_request_get_a_core_before_bots_that_start() -> None:
    order: list[str] = []

    async def hold(pool: CorePool, name: str, *, is_request: bool) -> None:
        core = await pool.take(is_request=is_request)
        order.append(name)
        pool.put_back(core)

    async def take_turns() -> None:
        pool = CorePool([0])
        core = await pool.take()
        given_up = asyncio.create_task(hold(pool, "given up", is_request=True))
        holds = [
            asyncio.create_task(hold(pool, name, is_request=name.startswith("request")))
            for name in ("start 1", "request 1", "start 2", "request 2")
        ]
        await asyncio.sleep(0)
        given_up.cancel()
        pool.put_back(core)
        await asyncio.gather(given_up, *holds, return_exceptions=True)
        assert await pool.take() == 0

    asyncio.run(take_turns())
    assert order == ["request 1", "request 2", "start 1", "start 2"]


def test_output_is_kept_at_both_ends() -> None:
    reader, writer = os.pipe()
    output = OutputReader(reader)
    for number in range(40):
        os.write(writer, bytes([65 + number % 26]) * 4096)
        assert output.read()
    os.close(writer)
    assert not output.read()
    output.close()
    kept = output.kept()
    assert (len(kept.head), len(kept.tail), kept.length) == (HALF_BYTES, HALF_BYTES, 40 * 4096)
    assert kept.head.startswith(b"A") and kept.tail.endswith(b"N")
    assert f"… {40 * 4096 - 2 * HALF_BYTES} bytes are left out …" in kept.text()


def test_output_is_shown_without_control_characters() -> None:
    assert KeptOutput(b"a\x1b[0m\x00\n\tb\x7f\xc2\x9b", b"", 12).text() == "a␛[0m␀\n\tb\ufffd\ufffd"
