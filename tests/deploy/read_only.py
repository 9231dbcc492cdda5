"""Runs a command like a container with a read-only root: it can write only to the given directories.

    unshare --mount --propagation private python -I read_only.py DIRECTORY… -- COMMAND…

Every mount of this machine is made read-only in the mount namespace that `unshare` has made. The directories are first
bound over themselves, and stay writable. Linux only; it needs root, or user namespaces for everybody.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

KERNEL = ("/dev", "/proc", "/sys")
"""Not files of a disk; a container has its own."""
KEPT = {"nosuid", "nodev", "noexec", "noatime", "nodiratime", "relatime"}
"""Options that a remount would remove."""

AS_ROOT = ["unshare", "--mount", "--propagation", "private"]
AS_ANYBODY = [*AS_ROOT, "--user", "--map-root-user"]


@cache
def unshare() -> list[str] | None:
    """Return the command that makes a mount namespace here; `None` if nothing does."""
    for command in (AS_ROOT, AS_ANYBODY) if shutil.which("unshare") else ():
        if not subprocess.run([*command, "true"], capture_output=True, check=False).returncode:
            return command
    return None


def contained(command: list[str], *writable: Path) -> list[str]:
    """Return the command that runs this one in such a namespace."""
    prefix = unshare()
    assert prefix is not None
    return [*prefix, sys.executable, "-I", __file__, *map(str, writable), "--", *command]


def places() -> dict[str, str]:
    """Return the options of every mount in this namespace, by its place."""
    fields = [line.split() for line in Path("/proc/self/mountinfo").read_text().splitlines()]
    return {each[4]: each[5] for each in fields}


def main() -> None:
    """Make everything but the directories read-only, and become the command."""
    cut = sys.argv.index("--")
    writable, command = sys.argv[1:cut], sys.argv[cut + 1 :]
    for directory in writable:
        subprocess.run(["mount", "--bind", directory, directory], check=True)
    for place, options in places().items():
        if place in writable or place.startswith(KERNEL) or "ro" in options.split(","):
            continue
        kept = ["remount", "bind", "ro", *sorted(KEPT & set(options.split(",")))]
        remounted = subprocess.run(["mount", "-o", ",".join(kept), place], capture_output=True, text=True, check=False)
        # A mount of another test may have gone since the list was read.
        if remounted.returncode and place in places():
            sys.exit(remounted.stderr)
    os.execvp(command[0], command)


if __name__ == "__main__":
    main()
