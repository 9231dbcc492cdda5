"""Run one program in a sandbox, as the user of this process, and report the verdict: `python child.py < JSON`.

The report says what is left one second after the end. This process adopts every orphan of the sandbox, so a process
that is left is a child of this one.
"""

from __future__ import annotations

import ctypes
import json
import os
import socket
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from arena.sandbox.limits import Mounts, SandboxLimits, SandboxVerdict
from arena.sandbox.running import RunningSandbox, group_roots, start
from tests.kit.remains import groups_of

PR_SET_CHILD_SUBREAPER = 36
WAIT_S = 300.0


def processes_left() -> list[str]:
    """Return the names of the processes that descend from this one, after reaping those that have ended."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    found = []
    for task in Path("/proc/self/task").iterdir():
        with suppress(OSError):  # the watcher's thread may just be ending
            children = (task / "children").read_text().split()
            found += [Path(f"/proc/{pid}/comm").read_text().strip() for pid in children]
    return found


def files_in(folder: Path) -> dict[str, int]:
    """Return the files of a folder, with their sizes and modes in one number."""
    return {str(path): path.lstat().st_size + path.lstat().st_mode for path in folder.rglob("*")}


def left_after(image: Path, files: dict[str, int], descriptors: int, mounts: str) -> list[str]:
    """Return what is left of a sandbox, in words. Wait for at most one second until nothing is."""
    end = time.monotonic() + 1.0
    while True:
        left = [f"process {name}" for name in processes_left()] + [f"group {path}" for path in groups_of(os.getpid())]
        if files_in(image) != files:
            left.append("the image has changed")
        if len(os.listdir("/proc/self/fd")) != descriptors:
            left.append("descriptors are open")
        if Path("/proc/self/mountinfo").read_text() != mounts:
            left.append("mounts have changed")
        if not left or time.monotonic() > end:
            return left
        time.sleep(0.02)


def do_action(name: str, sandbox: RunningSandbox) -> object:
    """Do what a test asks for while the program runs, and return what it should know."""
    if name == "kill after output":
        while not sandbox.usage().processor_s > 0.2:
            time.sleep(0.01)
        sandbox.kill()
    if name == "freeze":
        sandbox.freeze()
        before = sandbox.usage().processor_s
        time.sleep(1.0)
        frozen = sandbox.usage().processor_s - before
        sandbox.thaw()
        end = time.monotonic() + WAIT_S
        while sandbox.usage().processor_s < before + 0.3 and time.monotonic() < end:
            time.sleep(0.01)
        thawed = sandbox.usage().processor_s - before
        sandbox.freeze()
        sandbox.kill()  # a frozen sandbox ends, too
        return {"frozen_s": frozen, "thawed_s": thawed}
    return None


def verdict_as_json(verdict: SandboxVerdict) -> dict[str, object]:
    """Return a verdict as values of JSON, with its outputs as text."""
    return {
        **asdict(verdict),
        "reached": sorted(verdict.reached),
        "stdout": verdict.stdout.head.decode(errors="replace") + verdict.stdout.tail.decode(errors="replace"),
        "stderr": verdict.stderr.text(),
        "stdout_bytes": verdict.stdout.length,
    }


def main() -> None:
    """Run the program that standard input describes, `times` times."""
    order = json.load(sys.stdin)
    os.umask(0o022)  # the user of a sandbox reads the image
    libc = ctypes.CDLL(None)
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    reports = []
    group_roots()
    with tempfile.TemporaryDirectory(prefix="arena-sandbox-test-") as folder, socket.socket(socket.AF_UNIX) as listener:
        parent = Path(folder)
        parent.chmod(0o755)
        image = parent / "image"
        image.mkdir()
        for name, content in order["files"].items():
            (image / name).write_text(content)
        for name, target in order["links"].items():
            (image / name).symlink_to(target)
        for name in order["setuid"]:
            (image / name).write_bytes(Path("/usr/bin/id").read_bytes())
            (image / name).chmod(0o6755)
        path = parent / "socket"
        listener.bind(str(path))
        path.chmod(0o666)
        listener.listen()
        for _ in range(order["times"]):
            before = files_in(image), len(os.listdir("/proc/self/fd")), Path("/proc/self/mountinfo").read_text()
            sandbox = start(
                order["command"],
                Mounts(image=image, socket=path),
                SandboxLimits(**order["limits"]),
                environment=order["environment"],
                group=order["group"],
            )
            acted = do_action(order["action"], sandbox)
            verdict = sandbox.wait(WAIT_S)
            reports.append({**verdict_as_json(verdict), "acted": acted, "left": left_after(image, *before)})
    print(json.dumps(reports))


main()
