"""Databases that are made once for all processes of a test run or a benchmark, and copied: empty ones with all tables.

Migrations take seconds of processor time, and what starts with an empty database starts in many tests. That an arena
makes its tables itself is what `tests/e2e/test_demo.py` and `tests/ladder/test_migrations.py` show.
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
"""The environment variable with the folder: what that run starts shares it."""


def folder() -> Path:
    """The folder, made if no process around this one has; it goes with the process that made it."""
    if FOLDER not in os.environ:
        made = tempfile.TemporaryDirectory(prefix="arena-templates-")
        os.environ[FOLDER] = made.name
        atexit.register(made.cleanup)
    return Path(os.environ[FOLDER])


def template(name: str, make: Callable[[Path], None]) -> Path:
    """The file or directory of this name, which the first process that asks for it makes; the others wait."""
    found = folder() / name
    with open(found.with_name(f"{name}.lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not found.exists():
            unfinished = found.with_name(f"{name}.new")
            make(unfinished)
            unfinished.rename(found)
    return found


def copy(source: Path, target: Path) -> None:
    """A copy of a template, with its owner and permissions."""
    subprocess.run(["cp", "--archive", str(source), str(target)], check=True)
