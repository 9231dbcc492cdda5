"""The command `arena` in tests: as a real process, or in this process for long tables of cases."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout, suppress
from typing import NamedTuple
from unittest.mock import patch

from arena.cli import main

ARENA = [sys.executable, "-c", "from arena.cli import main; main()"]


class Done(NamedTuple):
    code: int
    out: str
    err: str


def _plain() -> dict[str, str]:
    """Return the environment without settings for or against colour."""
    return {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}


def arena(*words: object, given: str = "", **environment: str) -> Done:
    """Run the command as a process; `given` is its standard input."""
    done = subprocess.run(
        [*ARENA, *map(str, words)],
        input=given,
        capture_output=True,
        encoding="utf-8",
        timeout=250,
        env={**_plain(), "COLUMNS": "200", "PYTHONUTF8": "1", **environment},
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def on_terminal(*words: object, **environment: str) -> bytes:
    """Return the command's output on a terminal."""
    terminal, its_side = os.openpty()
    with subprocess.Popen(
        [*ARENA, *map(str, words)],
        stdin=subprocess.DEVNULL,
        stdout=its_side,
        stderr=its_side,
        env={**_plain(), "COLUMNS": "120", "TERM": "xterm-256color", **environment},
    ) as process:
        os.close(its_side)
        shown = b""
        with suppress(OSError):  # the system's way to report that the other side has closed
            while part := os.read(terminal, 65536):
                shown += part
        os.close(terminal)
    assert process.returncode == 0, shown
    return shown


def arena_here(*words: object, given: str = "", **environment: str) -> Done:
    """Run the command in this process; otherwise as `arena`."""
    out, err = io.StringIO(), io.StringIO()
    code: object = 0
    argv = ["arena", *map(str, words)]
    with (
        patch.object(sys, "argv", argv),
        patch.object(sys, "stdin", io.StringIO(given)),
        patch.dict(os.environ, {**_plain(), "COLUMNS": "200", **environment}, clear=True),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as left:
            code = left.code or 0
    assert isinstance(code, int)
    return Done(code, out.getvalue(), err.getvalue())


def printed(done: Done) -> str:
    """Return the output of a successful run."""
    assert (done.code, done.err) == (0, "")
    return done.out


def complaint(done: Done) -> str:
    """Return the error of a run with bad input: exactly one line, exit code 2, and no output."""
    assert (done.code, done.out) == (2, ""), done
    assert done.err.startswith("arena: "), done.err
    assert done.err.endswith("\n") and done.err.count("\n") == 1, done.err
    return done.err.strip()
