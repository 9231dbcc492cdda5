"""Programs in sandboxes, each started by root and by an ordinary user."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from arena.sandbox.bubblewrap import INTERPRETER
from arena.sandbox.limits import MIB
from tests.kit.lacking import require_sandboxes
from tests.kit.users import USERS, ProcessUser, process_user

CHILD = Path(__file__).with_name("child.py")
SMALL = {"memory_bytes": 64 * MIB, "processes": 24, "processor_s": 3.0}
"""Limits that a hostile program reaches soon."""

Run = Callable[..., dict[str, Any]]


@pytest.fixture(autouse=True)
def _sandboxes() -> None:
    require_sandboxes()


@pytest.fixture(params=USERS)
def runner_user(request: pytest.FixtureRequest) -> ProcessUser:
    """Return the user who starts the sandbox: root with control groups, or an ordinary user without them."""
    return process_user(request.param)


@pytest.fixture
def run(runner_user: ProcessUser) -> Run:
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
            "group": runner_user.is_root,
        }
        command = [runner_user.interpreter, str(CHILD)]
        done = subprocess.run(command, input=json.dumps(order), capture_output=True, text=True, **runner_user.options)
        assert done.returncode == 0, done.stderr
        reports: list[dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])
        assert [report["left"] for report in reports] == [[]] * times
        return reports[-1]

    return run
