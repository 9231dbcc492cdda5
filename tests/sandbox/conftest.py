"""Programs in sandboxes, each started by root and by an ordinary user."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import structlog

from arena.sandbox.bubblewrap import INTERPRETER
from arena.sandbox.limits import MIB
from tests.kit.lacking import give_up, require_sandboxes

ROOT = Path(__file__).resolve().parents[2]
CHILD = Path(__file__).with_name("child.py")
NOBODY = 65534
SMALL = {"memory_bytes": 64 * MIB, "processes": 24, "processor_s": 3.0}
"""Limits that a hostile program reaches soon."""

Run = Callable[..., dict[str, Any]]


@pytest.fixture(autouse=True)
def _sandboxes() -> None:
    require_sandboxes()


@pytest.fixture(params=["root", "ordinary"])
def runner_user(request: pytest.FixtureRequest) -> int:
    """Return the user who starts the sandbox: root with control groups, or an ordinary user without them."""
    is_root = os.geteuid() == 0
    if request.param == "root":
        if not is_root:
            give_up("the tests do not run as root, who alone has control groups")
        return 0
    return NOBODY if is_root else os.geteuid()


@pytest.fixture
def run(runner_user: int) -> Run:
    """Return a function that runs a program in a sandbox of its own process, and returns the verdict on it.

    Nothing of the sandbox may be left one second after its end.
    """

    def run(
        program: str | Sequence[str],
        *,
        limits: Mapping[str, float] | None = None,
        environment: Mapping[str, str] | None = None,
        files: Mapping[str, str] | None = None,
        links: Mapping[str, str] | None = None,
        setuid: Sequence[str] = (),
        action: str = "",
        times: int = 1,
    ) -> dict[str, Any]:
        order = {
            "command": [INTERPRETER, "-I", "-c", program] if isinstance(program, str) else list(program),
            "limits": {**SMALL, **(limits or {})},
            "environment": dict(environment or {}),
            "files": dict(files or {}),
            "links": dict(links or {}),
            "setuid": list(setuid),
            "action": action,
            "times": times,
            "group": runner_user == 0,
        }
        packages = Path(structlog.__file__).parents[1]
        # The tests' own interpreter may be in root's home, which an ordinary user cannot read.
        interpreter = sys.executable if runner_user == os.geteuid() else "/usr/bin/python3"
        done = subprocess.run(
            [interpreter, str(CHILD)],
            input=json.dumps(order),
            capture_output=True,
            text=True,
            user=runner_user if os.geteuid() == 0 else None,
            group=runner_user if os.geteuid() == 0 else None,
            extra_groups=[] if os.geteuid() == 0 else None,
            cwd="/",
            env={
                "PATH": os.environ["PATH"],
                "PYTHONPATH": f"{ROOT}:{packages}",
                "PYTHONDONTWRITEBYTECODE": "1",
                **{name: value for name, value in os.environ.items() if name == "ARENA_BWRAP"},
            },
        )
        assert done.returncode == 0, done.stderr
        reports: list[dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])
        assert [report["left"] for report in reports] == [[]] * times
        return reports[-1]

    return run
