"""Real processes within milliseconds: a forge has imported everything once, and each process is a fork of it.

A child runs the code of production (the worker's driver, the gateway, a bot's client). Only the start of the
interpreter is saved, so that a process can be killed at each of hundreds of places in a game.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Self

from tests.kit.until import PATIENCE_S, until

ROOT = Path(__file__).parents[3]


class Process:
    """A process that a forge has started. The forge reaps it; here it is known only by its id."""

    def __init__(self, pid: int, log: Path, spec: dict[str, Any]) -> None:
        self.pid = pid
        self.log = log
        self.spec = spec

    @property
    def is_alive(self) -> bool:
        """Return whether it runs; a zombie does not. Its other threads may outlive its first one and still hold its
        ports."""
        place = Path(f"/proc/{self.pid}")
        try:
            is_corpse = (place / "stat").read_text().rpartition(")")[2].split()[0] in "ZX"
            return not is_corpse or len(os.listdir(place / "task")) > 1
        except (OSError, IndexError):
            return False

    def signal(self, number: int) -> None:
        """Send it a signal, if it exists."""
        if self.is_alive:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """Send SIGKILL, and wait for its death."""
        self.signal(signal.SIGKILL)
        self.wait()

    def terminate(self) -> float:
        """Send SIGTERM. Return how many seconds it took to end."""
        begin = time.monotonic()
        self.signal(signal.SIGTERM)
        self.wait()
        return time.monotonic() - begin

    def wait(self, timeout: float = PATIENCE_S) -> None:
        """Wait until it has ended."""
        until(lambda: not self.is_alive, f"the end of {self.spec['role']} {self.pid}", timeout)

    def said(self, word: str) -> bool:
        """Return whether this word is in its log."""
        return word in self.log.read_text(errors="replace")


class Forge:
    """Makes processes. It is a context manager, and kills all of them at its end."""

    def __init__(self, directory: Path, *modules: str, **environment: str) -> None:
        """Import these modules in addition to those that all roles need."""
        self.directory = directory
        self._count = 0
        self._forge = subprocess.Popen(
            [sys.executable, "-m", "tests.kit.arena.forge", *modules],
            cwd=ROOT,
            env={**os.environ, "ARENA_LOG_FORMAT": "json", "PYTHONPATH": str(ROOT), **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def start(self, role: str, **spec: Any) -> Process:
        """Start a process of this role (a function of `tests.kit.arena.roles`); with a `namespace`, on that machine."""
        assert self._forge.stdin is not None and self._forge.stdout is not None
        self._count += 1
        log = self.directory / f"{self._count:04}-{role}.log"
        log.touch()
        spec = {"role": role, "log": str(log), **spec}
        self._forge.stdin.write(json.dumps(spec) + "\n")
        self._forge.stdin.flush()
        answer = self._forge.stdout.readline()
        assert answer, "the forge is dead: see what it wrote above"
        return Process(int(answer), log, spec)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._forge.stdin is not None and self._forge.stdout is not None
        self._forge.stdin.close()
        self._forge.stdout.close()
        try:
            self._forge.wait(10)  # it ends its children first
        except subprocess.TimeoutExpired:
            self._forge.kill()  # the kernel then ends them
            self._forge.wait(10)
