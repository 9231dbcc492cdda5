"""The supervisor of all processes.

It starts them in the order of their dependencies, restarts those that crash or hang, and stops them in reverse order.

A process hangs if it has shown no sign of work for HANG_LIMIT_S. Some time is not counted, because a slow machine or a
missing Redis is no reason to restart anything:

- Time for which the process got no processor (`liveness`).
- Time in which the supervisor itself is suspended. The whole machine may be.
- Most of the time in which the supervisor is slow.
- Time in which a dependency of the process is unavailable.

One process is restarted for its silence at a time. The next one is judged when the first is ready again, or has had
some seconds to become ready.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from arena.host.processor import stalls_s
from webui.commands.services.liveness import pressure
from webui.commands.services.process import JUDGE_EVERY_S, START_LIMIT_S, Process, ProcessState, ServiceSpec

TRIES = 3
"""Number of crashes of a process that was never ready after which the start has failed."""
LEAVE_LIMIT_S = 10.0
"""Seconds until a process that does not end is killed. Normally every process ends within five seconds of SIGTERM."""
TURN_S = 30.0
"""Seconds, as `silence_s` counts them, until other processes may be restarted while one does not become ready."""
LONGEST_STEP_S = 0.5
"""Maximum number of seconds that count between two looks. Looks are 0.2 s apart on an idle machine."""


class StartFailed(Exception):
    """A process does not become ready. The message names it and shows the end of its log."""


class Fleet:
    """The processes of one arena. Call `update` every few tenths of a second, and `stop` once."""

    def __init__(self, services: Sequence[ServiceSpec], logs: Path, pause: Callable[[float], object]) -> None:
        self.processes = [Process(service, logs) for service in services]
        self._by_name = {process.service.name: process for process in self.processes}
        self._pause = pause
        self._updated_at = time.monotonic()
        self._pressure = _Pressure(self._updated_at)
        self._turn: tuple[Process, int] | None = None
        """The last process that was restarted for its silence, and its restarts at that time."""

    @property
    def is_ready(self) -> bool:
        """Return whether all processes have been ready at least once."""
        return all(process.was_ready for process in self.processes)

    def update(self) -> None:
        """Start the processes whose dependencies are ready, and update the state of the others. Raise `StartFailed`."""
        now = time.monotonic()
        step_s, self._updated_at = min(now - self._updated_at, LONGEST_STEP_S), now
        pressure = self._pressure.update(now)
        for process in self.processes:
            has_needs = self._has_needs(process)
            now = time.monotonic()
            if process.state is ProcessState.WAITING:
                if has_needs:
                    process.start(now)
            elif process.update(now, step_s if has_needs else 0.0, pressure, may_restart=not self._is_restarting()):
                self._turn = process, process.restarts
        if not self.is_ready:
            self._check_start()

    def _is_restarting(self) -> bool:
        if self._turn is None:
            return False
        process, restarts = self._turn
        if process.restarts == restarts:
            return process.state is ProcessState.PAUSING
        is_first_try = process.restarts == restarts + 1
        return is_first_try and process.state is ProcessState.STARTING and process.silent_s < TURN_S

    def _has_needs(self, process: Process) -> bool:
        return all(self._by_name[name].state is ProcessState.READY for name in process.service.needs)

    def _check_start(self) -> None:
        for process in self.processes:
            if process.was_ready or process.state is ProcessState.WAITING:
                continue
            why = ""
            if process.restarts >= TRIES - 1 and process.state is ProcessState.PAUSING:
                why = f"died {TRIES} times"
            elif process.silent_s > START_LIMIT_S:
                why = f"is not ready after {START_LIMIT_S:.0f} s"
            if why:
                log = process.log
                raise StartFailed(f"{process.service.name} {why}; the end of {log}:\n{process.log_tail()}")

    def stop(self, is_urgent: Callable[[], bool]) -> None:
        """Stop all processes, starting with those that no other process needs.

        A process that does not end in time is killed. If `is_urgent` returns true, processes are killed at once.
        """
        while left := [process for process in self.processes if not process.has_ended()]:
            needed = {name for process in left for name in process.service.needs}
            going = [process for process in left if process.service.name not in needed]
            for process in going:
                process.terminate()
            deadline = time.monotonic() + LEAVE_LIMIT_S
            while [process for process in going if not process.has_ended()]:
                if is_urgent() or time.monotonic() > deadline:
                    for process in going:
                        process.kill()
                self._pause(0.05)

    def kill(self) -> None:
        """Kill all processes at once, for when `stop` has failed."""
        for process in self.processes:
            process.kill()


class _Pressure:
    """The pressure on this machine (`liveness.pressure`), measured once a second."""

    def __init__(self, now: float) -> None:
        self._at = now
        self._stalls = stalls_s()
        self._share = 0.0

    def update(self, now: float) -> float:
        """Return the share of the last second or more for which some process waited."""
        if now - self._at >= JUDGE_EVERY_S:
            stalls = stalls_s()
            self._share = pressure(self._stalls, stalls, now - self._at)
            self._at, self._stalls = now, stalls
        return self._share
