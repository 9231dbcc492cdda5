"""One child process: it is started, checked until it is ready, restarted when it dies, and stopped."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import IO

from webui.commands.services import launch

FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 30.0
MOST_LOG_BYTES = 20_000_000
"""A longer log becomes `NAME.1.log`, in place of the one before it."""
STEADY_S = 60.0
"""If a process dies after it has run for this long, it is restarted after the first, short pause."""


class ProcessState(StrEnum):
    """The lifecycle of a process."""

    WAITING = "waiting"
    """Until the processes that it needs are ready."""
    STARTING = "starting"
    READY = "ready"
    PAUSING = "pausing"
    """It died, and is restarted after a pause."""
    STOPPED = "stopped"


@dataclass(frozen=True)
class ServiceSpec:
    """A command, and the check that its process is ready."""

    name: str
    command: tuple[str, ...]
    address: str
    is_ready: Callable[[], bool]
    """Called until it returns True; each call takes about a second at most."""
    needs: tuple[str, ...] = ()
    """Names of services: this one is started when they are ready, and stopped before them."""
    environment: Mapping[str, str] = field(default_factory=dict)


class Process:
    """A service and the process that runs it, if one does. To be used from the main thread only: Linux ends the
    children of a thread with it."""

    def __init__(self, service: ServiceSpec, logs: Path) -> None:
        self.service = service
        self.log = logs / f"{service.name}.log"
        self.state = ProcessState.WAITING
        self.restarts = 0
        self.was_ready = False
        self._child: subprocess.Popen[bytes] | None = None
        self._since = 0.0
        self._failures = 0

    @property
    def pid(self) -> int | None:
        """Process id; None while no process runs."""
        return self._child.pid if self._child else None

    def start(self, now: float) -> None:
        """Start the process. Output is appended to its log. It has a process group of its own, so that Ctrl-C reaches
        `arena up` alone."""
        launcher = [sys.executable, "-I", "-S", launch.__file__, str(os.getpid())]
        with self._open_log() as log:
            self._child = subprocess.Popen(
                [*launcher, *self.service.command],
                env={**os.environ, **self.service.environment},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.state = ProcessState.STARTING
        self._since = now

    def look(self, now: float) -> None:
        """Update the state; a process that died is restarted when its pause is over. A log that is too long is cut."""
        self._rotate_log()
        if self._child is not None and self._child.poll() is not None:
            self._died(now)
        if self.state is ProcessState.STARTING and self.service.is_ready():
            self.state = ProcessState.READY
            self.was_ready = True
        if self.state is ProcessState.PAUSING and now - self._since >= self._pause():
            self.restarts += 1
            self.start(now)

    def _died(self, now: float) -> None:
        self._end_group()
        self._failures = 1 if now - self._since >= STEADY_S else self._failures + 1
        self.state = ProcessState.PAUSING
        self._since = now

    def _pause(self) -> float:
        return min(FIRST_PAUSE_S * 2.0 ** min(self._failures - 1, 10), LONGEST_PAUSE_S)

    def terminate(self) -> None:
        """Send SIGTERM."""
        if self._child is not None and self._child.poll() is None:
            self._child.terminate()

    def has_ended(self) -> bool:
        """Whether the process and its children have ended."""
        if self._child is None:
            self.state = ProcessState.STOPPED
        elif self._child.poll() is not None:
            self._end_group()
            self.state = ProcessState.STOPPED
        return self.state is ProcessState.STOPPED

    def kill(self) -> None:
        """Kill the process and its children, and wait for its end."""
        if self._child is not None:
            _kill_group(self._child.pid)
            self._child.wait()
            self._child = None
        self.state = ProcessState.STOPPED

    def _end_group(self) -> None:
        if self._child is not None:
            _kill_group(self._child.pid)  # what it may have left behind
            self._child = None

    def log_tail(self, lines: int = 15) -> str:
        """The last lines of its log; empty if it cannot be read."""
        try:
            return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])
        except OSError:
            return ""

    def _open_log(self) -> IO[bytes]:
        self.log.parent.mkdir(parents=True, exist_ok=True)
        if self.restarts == 0 and self.log.exists():
            self.log.replace(self.log.with_suffix(".old.log"))  # of the arena that ran before this one
        return self.log.open("ab")

    def _rotate_log(self) -> None:
        """Copy the log and empty it: the process has it open for appending, and goes on at its new end."""
        try:
            if self.log.stat().st_size > MOST_LOG_BYTES:
                shutil.copyfile(self.log, self.log.with_suffix(".1.log"))
                os.truncate(self.log, 0)
        except OSError:
            pass  # a disk that is full or a log that is gone: the next look tries again


def _kill_group(group: int) -> None:
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        return
