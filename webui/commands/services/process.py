"""One child process: it is started, checked while it runs, restarted when it crashes or hangs, and stopped."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import IO

import structlog

from arena.host.heartbeat import HANG_LIMIT_S
from arena.host.processor import ProcessorUse, processor_use
from webui.commands.services import launch
from webui.commands.services.liveness import Judgement, judge, silence_s

log = structlog.get_logger(__name__)

FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 30.0
MOST_LOG_BYTES = 20_000_000
"""Maximum size of a log. A larger log is moved to `NAME.1.log`, which replaces the previous one."""
STEADY_S = 60.0
"""Seconds after which a working process counts as stable. If it then crashes or hangs, the backoff begins anew."""
CHECK_EVERY_S = min(2.0, HANG_LIMIT_S / 10)
"""Seconds between two checks of a process that is ready."""
SILENT_AFTER = 1 / 3
"""Share of HANG_LIMIT_S after which a process counts as silent."""
START_LIMIT_S = 120.0
"""Seconds until a process must be ready, as `silence_s` counts them. Otherwise it hangs, or the start has failed."""
JUDGE_EVERY_S = 1.0
"""Seconds between two readings of what a silent process did. Reading a hundred threads takes 10 ms."""
JUDGE_AFTER_S = 5.0
"""Seconds of silence that count in full, so that nothing is read of processes that work."""


class ProcessState(StrEnum):
    """The lifecycle of a process."""

    WAITING = "waiting"
    """It waits until its dependencies are ready."""
    STARTING = "starting"
    READY = "ready"
    SILENT = "silent"
    """It was ready, and has not shown recently that it works. If that lasts, it is killed and restarted."""
    PAUSING = "pausing"
    """It crashed or was killed, and is restarted after a pause."""
    STOPPED = "stopped"


Check = Callable[[], bool]
"""A check takes a few seconds at most, in a thread of its own. An exception counts as a failed check."""


@dataclass(frozen=True)
class ServiceSpec:
    """A command, and the checks of its process."""

    name: str
    command: tuple[str, ...]
    """Command line. Empty for a service that others run: it is checked, but neither started nor stopped."""
    address: str
    is_ready: Check
    """Check that is repeated until it returns True."""
    is_alive: Check | None = None
    """Check whether the process still works once it is ready. The default is `is_ready`.

    It must not depend on other services, such as the database. A process waits for a missing dependency, and a restart
    would not help.
    """
    needs: tuple[str, ...] = ()
    """Names of dependencies. This service is started when they are ready, and stopped before them."""
    environment: Mapping[str, str] = field(default_factory=dict)
    heartbeat: Path | None = None
    """Heartbeat file of a process that answers no requests."""


class Process:
    """A service and the process that runs it, if there is one.

    Use it from the main thread only: Linux kills the children of a thread when the thread ends.
    """

    def __init__(self, service: ServiceSpec, logs: Path) -> None:
        self.service = service
        self.log = logs / f"{service.name}.log"
        self.state = ProcessState.WAITING
        self.restarts = 0
        self.was_ready = False
        self.silent_s = 0.0
        """Seconds without a sign of work, as `silence_s` counts them."""
        self._child: subprocess.Popen[bytes] | None = None
        self._since = 0.0
        """Time of the last start, or of the last end while it pauses."""
        self._ready_at = self._worked_at = 0.0
        """Times of the first and of the last check that it passed after its last start."""
        self._failures = 0
        self._hangs = 0
        self._unjudged_s = 0.0
        self._use: ProcessorUse | None = None
        self._checked_at = 0.0
        self._check: _Check | None = None

    @property
    def pid(self) -> int | None:
        """Process id, or None while no process runs."""
        return self._child.pid if self._child else None

    def start(self, now: float) -> None:
        """Start the process, and append its output to its log. If the machine has no resources for it, retry after a
        pause.

        The process has its own process group, so that Ctrl-C reaches only `arena up`.
        """
        self._since, self._ready_at, self._worked_at, self._check = now, 0.0, 0.0, None
        self._show_work()
        self.state = ProcessState.STARTING
        if self.service.command:
            try:
                self._spawn()
            except OSError as error:
                log.error("process_not_started", process=self.service.name, error=str(error))
                self._pause_from(now)

    def _spawn(self) -> None:
        launcher = [sys.executable, "-I", "-S", launch.__file__, str(os.getpid())]
        environment = {**os.environ, **self.service.environment}
        if self.service.heartbeat is not None:
            self.service.heartbeat.parent.mkdir(parents=True, exist_ok=True)
            self.service.heartbeat.unlink(missing_ok=True)
            environment["ARENA_HEARTBEAT"] = str(self.service.heartbeat)
        with self._open_log() as file:
            self._child = subprocess.Popen(  # noqa: S603 - the command is ours
                [*launcher, *self.service.command],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
                start_new_session=True,
            )

    def update(self, now: float, judged_s: float, pressure: float, *, may_restart: bool) -> bool:
        """Update the state, restart a crashed process after its pause, and rotate a long log.

        `judged_s` is the number of seconds since the last update in which the process could have shown that it works,
        and `pressure` that of the machine (`liveness`). Return whether the process was killed because it hangs, which
        needs `may_restart`.
        """
        self._rotate_log()
        is_killed = False
        if self._child is not None and self._child.poll() is not None:
            self._ended(now)
        if self.state in (ProcessState.STARTING, ProcessState.READY, ProcessState.SILENT):
            self._update_check(now)
            self._count_silence(judged_s if self._can_show() else 0.0, pressure)
            is_killed = self._act(now, may_restart=may_restart)
        if self.state is ProcessState.PAUSING and now - self._since >= self._pause():
            self.restarts += 1
            self.start(now)
        return is_killed

    def _count_silence(self, judged_s: float, pressure: float) -> None:
        """Count the silence since the last judgement."""
        self._unjudged_s += judged_s
        if self._unjudged_s >= JUDGE_EVERY_S:
            use = processor_use(self.pid) if self.pid and self.silent_s >= JUDGE_AFTER_S else None
            self.silent_s += silence_s(self._use, use, self._unjudged_s, pressure)
            self._use, self._unjudged_s = use, 0.0

    def _act(self, now: float, *, may_restart: bool) -> bool:
        """Continue or kill a process that has been silent for too long. Return whether it was killed."""
        is_stopped = self._use is not None and self._use.is_stopped
        judged = judge(self.silent_s, self._limit_s(), hangs=self._hangs, is_stopped=is_stopped)
        if self._child is None or judged is Judgement.WAIT:
            if self.state is ProcessState.READY and self.silent_s > HANG_LIMIT_S * SILENT_AFTER:
                self.state = ProcessState.SILENT
        elif judged is Judgement.CONTINUE:
            log.warning("process_continued", process=self.service.name, pid=self.pid, silent_s=round(self.silent_s))
            _signal_group(self._child.pid, signal.SIGCONT)
            self._show_work()
        elif may_restart:
            log.error("process_hangs", process=self.service.name, pid=self.pid, silent_s=round(self.silent_s))
            self._ended(now)
            self._hangs += 1
            return True
        return False

    def _show_work(self) -> None:
        """Begin to count anew."""
        self.silent_s = self._unjudged_s = 0.0
        self._use = None

    def _can_show(self) -> bool:
        """Return whether a heartbeat can be written. A disk may be read-only for a while."""
        return self.service.heartbeat is None or os.access(self.service.heartbeat.parent, os.W_OK)

    def _limit_s(self) -> float:
        return START_LIMIT_S if self.state is ProcessState.STARTING else HANG_LIMIT_S

    def _update_check(self, now: float) -> None:
        if self._check is not None and self._check.is_passed is not None:
            if self._check.is_passed:
                self._show_work()
                self.state = ProcessState.READY
                self.was_ready = True
                self._ready_at, self._worked_at = self._ready_at or now, now
            self._check = None
        is_due = self.state is not ProcessState.READY or now - self._checked_at >= CHECK_EVERY_S
        if self._check is None and is_due:
            self._checked_at = now
            is_alive = self.service.is_alive or self.service.is_ready
            self._check = _Check(self.service.is_ready if self.state is ProcessState.STARTING else is_alive)

    def _ended(self, now: float) -> None:
        self._end_group()
        if self._worked_at - self._ready_at >= STEADY_S:
            self._failures = self._hangs = 0
        self._pause_from(now)

    def _pause_from(self, now: float) -> None:
        self._failures += 1
        self.state = ProcessState.PAUSING
        self._since = now

    def _pause(self) -> float:
        return min(FIRST_PAUSE_S * 2.0 ** min(self._failures - 1, 10), LONGEST_PAUSE_S)

    def terminate(self) -> None:
        """Send SIGTERM."""
        if self._child is not None and self._child.poll() is None:
            self._child.terminate()

    def has_ended(self) -> bool:
        """Return whether the process and its children have ended."""
        if self._child is None:
            self.state = ProcessState.STOPPED
        elif self._child.poll() is not None:
            self._end_group()
            self.state = ProcessState.STOPPED
        return self.state is ProcessState.STOPPED

    def kill(self) -> None:
        """Kill the process and its children, and wait until they have ended."""
        if self._child is not None:
            _signal_group(self._child.pid, signal.SIGKILL)
            self._child.wait()
            self._child = None
        self.state = ProcessState.STOPPED

    def _end_group(self) -> None:
        if self._child is not None:
            _signal_group(self._child.pid, signal.SIGKILL)  # the process, or children that it left behind
            self._child.wait()
            self._child = None

    def log_tail(self, lines: int = 15) -> str:
        """Return the last lines of the log. Empty if it cannot be read."""
        try:
            return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])
        except OSError:
            return ""

    def _open_log(self) -> IO[bytes]:
        self.log.parent.mkdir(parents=True, exist_ok=True)
        if self.restarts == 0 and self.log.exists():
            self.log.replace(self.log.with_suffix(".old.log"))  # log of the previous arena
        return self.log.open("ab")

    def _rotate_log(self) -> None:
        """Copy the log and truncate it. The process has it open for appending, and continues at its new end."""
        try:
            if self.log.stat().st_size > MOST_LOG_BYTES:
                shutil.copyfile(self.log, self.log.with_suffix(".1.log"))
                os.truncate(self.log, 0)
        except OSError:
            pass  # the disk is full or the log was removed; the next update retries


class _Check:
    """One run of a check in a thread. It may be slow, and the supervisor must not wait for it."""

    def __init__(self, check: Check) -> None:
        self.is_passed: bool | None = None
        """Result of the check, or None while it runs."""
        self._call = check
        try:
            threading.Thread(target=self._run, daemon=True).start()
        except RuntimeError:  # no thread can be started now
            self.is_passed = False

    def _run(self) -> None:
        try:
            self.is_passed = self._call()
        except Exception:
            log.debug("check_failed", exc_info=True)
            self.is_passed = False


def _signal_group(group: int, number: signal.Signals) -> None:
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        return
