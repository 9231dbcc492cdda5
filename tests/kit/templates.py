"""Databases that are made once for all processes of a test run or a benchmark, and copied: empty ones with all tables.

Migrations take seconds of processor time, and many tests start with an empty database. `tests/e2e/test_demo.py` and
`tests/ladder/test_migrations.py` show that an arena makes its tables itself.
"""

from __future__ import annotations

import atexit
import fcntl
import os
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

FOLDER = "ARENA_TEST_TEMPLATES"
"""The environment variable with the folder, which child processes share."""


def folder() -> Path:
    """Return the folder. If no parent process has made one, it is made, and removed at the end of this process."""
    if FOLDER not in os.environ:
        made = tempfile.TemporaryDirectory(prefix="arena-templates-")
        os.environ[FOLDER] = made.name
        atexit.register(made.cleanup)
    return Path(os.environ[FOLDER])


def template(name: str, make: Callable[[Path], None]) -> Path:
    """Return the file or directory of this name. The first process that asks for it makes it; the others wait."""
    found = folder() / name
    with open(found.with_name(f"{name}.lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not found.exists():
            unfinished = found.with_name(f"{name}.new")
            make(unfinished)
            unfinished.rename(found)
    return found


def copy(source: Path, target: Path) -> None:
    """Copy a template, with its owner and permissions."""
    subprocess.run(["cp", "--archive", str(source), str(target)], check=True)
