"""Processes of tests that are started by root, or by an ordinary user who has no control groups."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import structlog

from tests.kit.lacking import give_up

ROOT: Final = Path(__file__).resolve().parents[2]
NOBODY: Final = 65534
USERS: Final = ("root", "ordinary")


@dataclass(frozen=True, slots=True)
class ProcessUser:
    """The user of a process."""

    id: int

    @property
    def is_root(self) -> bool:
        """Whether the user is root."""
        return self.id == 0

    @property
    def interpreter(self) -> str:
        """A Python that the user can start. The tests' own interpreter may be in root's home."""
        return sys.executable if self.id == os.geteuid() else "/usr/bin/python3"

    @property
    def options(self) -> dict[str, Any]:
        """Arguments of `subprocess.Popen` for a process of this user that can import the arena and the tests."""
        packages = Path(structlog.__file__).parents[1]
        is_other = self.id != os.geteuid()
        return {
            "user": self.id if is_other else None,
            "group": self.id if is_other else None,
            "extra_groups": [] if is_other else None,
            "cwd": "/",
            "env": {
                "PATH": os.environ["PATH"],
                "PYTHONPATH": f"{ROOT}:{packages}:{ROOT / 'tests' / 'kit' / 'older_python'}",
                "PYTHONDONTWRITEBYTECODE": "1",
                **{name: value for name, value in os.environ.items() if name == "ARENA_BWRAP"},
            },
        }


def process_user(name: str) -> ProcessUser:
    """Return one of `USERS`. Skip the test if this process cannot be that user."""
    if name == "root":
        if os.geteuid() != 0:
            give_up("the tests do not run as root, who alone has control groups")
        return ProcessUser(0)
    return ProcessUser(NOBODY if os.geteuid() == 0 else os.geteuid())
