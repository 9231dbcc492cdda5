"""Compare what a sandboxed bot is charged on an idle and on a busy machine: `python -m tests.bench.fair_core`.

The bot computes the same thing for each request, which takes about 200 ms. It has a core for as long as its request is
pending, and is frozen otherwise (`arena/sandbox/cores.py`). In turns, nothing else runs beside it; ten processes that
compute without end; hostile programs in sandboxes of their own, which nobody freezes. Beside the ten processes, the
times that the bot is charged should stay within 5 % in the median, and within 15 % in the 99th percentile. The time
that passes is printed beside them.

Last come the times of a whole sandbox whose program ends at once.

Needs root and writable control groups; otherwise the bench says what is missing, and measures all the same.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from statistics import median

from arena.sandbox.bubblewrap import INTERPRETER
from arena.sandbox.cores import CoreTurn, CoreUse
from arena.sandbox.limits import SOCKET_PATH, Mounts, SandboxLimits
from arena.sandbox.running import RunningSandbox, start
from arena.sandbox.support import sandbox_support
from tests.bench.figures import Goal, p99

ROUNDS = 10
REQUESTS = 10
"""Requests in one round of one condition."""
THINKING_S = 0.2
HOGS = 10
WARM_UP = 1
TIMEOUT_S = 600.0
STARTS = 20
NEIGHBOURS = {
    "fork bomb": "import os\nwhile True:\n  try: os.fork()\n  except OSError: pass",
    "memory, again and again": "while True: bytearray(150 << 20)",
    "files, again and again": (
        "import os\nwhile True:\n  open('/tmp/x', 'wb').write(bytes(30 << 20))\n  os.unlink('/tmp/x')"
    ),
    "system calls": "import os\nwhile True: os.stat('/usr/bin')",
}
"""Programs of rivals on the same machine."""

BOT = f"""
import socket, time

def compute(rounds):
    total = 0
    for number in range(rounds):
        total += number * number
    return total

runner = socket.socket(socket.AF_UNIX)
runner.connect({SOCKET_PATH!r})
rounds = 100_000
while True:
    begun = time.process_time()
    compute(rounds)
    used = time.process_time() - begun
    if used > 0.1:
        rounds = int(rounds * {THINKING_S} / used)
        break
    rounds *= 2
runner.send(b"r")
while runner.recv(1):
    compute(rounds)
    runner.send(b"a")
"""


@contextmanager
def sandboxed_bot(program: str) -> Iterator[tuple[RunningSandbox, socket.socket]]:
    """Start a bot, and yield it frozen, with the connection to it. The bot sends an "r" when it is ready."""
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as folder, socket.socket(socket.AF_UNIX) as listener:
        Path(folder).chmod(0o755)
        path = Path(folder) / "socket"
        listener.bind(str(path))
        path.chmod(0o666)
        listener.listen()
        listener.settimeout(TIMEOUT_S)
        image = Path(folder) / "image"
        image.mkdir()
        image.chmod(0o755)
        command = [INTERPRETER, "-I", "-c", program]
        sandbox = start(command, Mounts(image=image, socket=path), SandboxLimits(processor_s=100_000))
        try:
            connection, _ = listener.accept()
            connection.settimeout(TIMEOUT_S)
            with connection:
                assert connection.recv(1) == b"r"
                sandbox.freeze()
                yield sandbox, connection
        finally:
            sandbox.kill()
            sandbox.wait(TIMEOUT_S)


@contextmanager
def hostile_neighbours(image: Path, program: str) -> Iterator[None]:
    """Run this program in two sandboxes. Nobody freezes them."""
    command = [INTERPRETER, "-I", "-c", program]
    sandboxes = [start(command, Mounts(image=image), SandboxLimits(processor_s=100_000)) for _ in range(2)]
    try:
        yield
    finally:
        for sandbox in sandboxes:
            sandbox.kill()
        for sandbox in sandboxes:
            sandbox.wait(TIMEOUT_S)


def seconds_to_start(image: Path, command: list[str]) -> float:
    """Return the time from `start` until the program has ended at once."""
    begun = time.monotonic()
    verdict = start(command, Mounts(image=image), SandboxLimits()).wait(TIMEOUT_S)
    assert verdict.exit_code == 0, verdict
    return time.monotonic() - begun


@contextmanager
def busy_machine() -> Iterator[None]:
    """Let other processes compute without end, on all cores."""
    hogs = [subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"]) for _ in range(HOGS)]
    try:
        yield
    finally:
        for hog in hogs:
            hog.kill()
            hog.wait()


def measured_turns(core: int, sandbox: RunningSandbox, connection: socket.socket) -> list[CoreUse]:
    """Ask the bot `REQUESTS` times, and return what each answer took."""
    uses = []
    for _ in range(WARM_UP + REQUESTS):
        connection.send(b"?")  # it waits in the socket until the bot has a core
        turn = CoreTurn(sandbox, core)
        turn.begin()
        assert connection.recv(1) == b"a"
        turn.stop()
        sandbox.freeze()
        uses.append(turn.end())
    return uses[WARM_UP:]


def figures(name: str, turns: list[CoreUse]) -> tuple[float, float]:
    """Print the times of these turns in milliseconds; return the median and the 99th percentile of what was charged."""
    columns = []
    for times in (
        [turn.charged_s for turn in turns], [turn.processor_s for turn in turns], [turn.wall_s for turn in turns],
    ):  # fmt: skip
        milliseconds = [1000 * one for one in times]
        columns.append((median(milliseconds), p99(milliseconds)))
    print(f"{name:24}" + "".join(f"{middle:10.1f} {high:8.1f}" for middle, high in columns))
    return columns[0]


def conditions(image: Path) -> dict[str, Callable[[], AbstractContextManager[None]]]:
    """Return what runs beside the bot, by name. The first two are compared."""
    neighbours = {name: partial(hostile_neighbours, image, program) for name, program in NEIGHBOURS.items()}
    return {"nothing else": nullcontext, f"{HOGS} hogs": busy_machine, **neighbours}


def main() -> None:
    """Measure and print."""
    for reason in sandbox_support().reasons:
        print(f"note: {reason}")
    print(f"load of the machine before: {os.getloadavg()[0]:.1f}")
    core = max(os.sched_getaffinity(0))
    turns: dict[str, list[CoreUse]] = defaultdict(list)
    with sandboxed_bot(BOT) as (sandbox, connection), tempfile.TemporaryDirectory(prefix="arena-bench-") as folder:
        image = Path(folder)
        image.chmod(0o755)
        for _ in range(ROUNDS):
            # In turns, because the machine's speed changes.
            for name, condition in conditions(image).items():
                with condition():
                    turns[name] += measured_turns(core, sandbox, connection)
        starts = {
            name: [seconds_to_start(image, command) for _ in range(STARTS)]
            for name, command in {"a compiled program": ["/bin/true"], "Python": [INTERPRETER, "-I", "-c", ""]}.items()
        }
    print(f"{'ms, median and p99':24}{'charged':>19}{'processor':>19}{'passed':>19}")
    idle, busy = [figures(name, each) for name, each in turns.items()][:2]
    for name, times in starts.items():
        print(f"start and end of {name}: median {1000 * median(times):.0f} ms, p99 {1000 * p99(times):.0f} ms")
    for name, low, high, most in (("median", idle[0], busy[0], 5), ("p99", idle[1], busy[1], 15)):
        change = 100 * (high / low - 1)
        print(Goal(f"difference of what is charged beside hogs, {name}, in percent", abs(change), most))


if __name__ == "__main__":
    main()
