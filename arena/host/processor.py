"""Use of the processor by processes, as Linux counts it in /proc. Elsewhere nothing is known."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import structlog

log = structlog.get_logger(__name__)

PROC: Final = Path("/proc")
NANOSECOND: Final = 1e-9
MICROSECOND: Final = 1e-6
TICK_S: Final = 1 / os.sysconf("SC_CLK_TCK")
STOPPED: Final = "T"
"""State of a process that SIGSTOP has stopped. A debugger's state is `t`."""
WAITING: Final = frozenset("RD")
"""States of a thread that waits for a processor, or has one, and of one that waits for the disk."""
SWITCH_S: Final = 0.0005
"""Time after which a thread of a process with busy threads lets others run (`sys.setswitchinterval`).

A short task gives up the interpreter a dozen times, and gets it back after this time for each thread that computes.
Python's own value is ten times as long.
"""
MOST_PROCESSES: Final = 100
"""Maximum number of processes that are counted together."""
MEASURED_S: Final = 5.0
"""Minimum length of a measurement. In less time, a start looks like starvation."""
STARVED_RATIO: Final = 10.0
"""A process is starved if its threads wait for a processor for this many times as long as they work ..."""
STARVED_SHARE: Final = 0.2
"""... and for this share of the time. Below it a process wakes so rarely that its waits do no harm."""


@dataclass(frozen=True, slots=True)
class ProcessorUse:
    """Use of the processors by a process and its descendants."""

    worked_s: float
    """Processor time that they used since they started."""
    is_waiting: bool = False
    """Whether one of their threads now waits for a processor or the disk, or has a processor."""
    is_stopped: bool = False
    """Whether a signal has stopped the process."""


def processor_use(pid: int, proc: Path = PROC) -> ProcessorUse | None:
    """Return what this process and its descendants have used. Return None if that is not known, or if it has ended."""
    worked_s, is_waiting, is_stopped = 0.0, False, False
    for one in _with_descendants(pid, proc):
        try:
            fields = _fields(proc / str(one) / "stat")
            worked_s += TICK_S * sum(map(int, fields[11:15]))
        except (OSError, ValueError, IndexError):
            if one == pid:
                return None
            continue  # a descendant has just ended
        is_stopped |= one == pid and fields[0] == STOPPED
        is_waiting = is_waiting or any(state in WAITING for state in _thread_states(proc / str(one) / "task"))
    return ProcessorUse(worked_s, is_waiting, is_stopped)


def process_age_s(pid: int, proc: Path = PROC) -> float | None:
    """Return the seconds since this process was started. Return None if that is not known."""
    try:
        since_boot_s = TICK_S * int(_fields(proc / str(pid) / "stat")[19])
    except (OSError, ValueError, IndexError):
        return None
    return time.clock_gettime(time.CLOCK_BOOTTIME) - since_boot_s


def _fields(stat: Path) -> list[str]:
    """Return the fields after the name of the command, which is in parentheses and may contain anything."""
    return stat.read_text(errors="replace").rpartition(")")[2].split()


def _with_descendants(pid: int, proc: Path) -> list[int]:
    found = [pid]
    for one in found:  # grows meanwhile
        for file in _files_of_threads(proc / str(one) / "task", "children"):
            with suppress(OSError, ValueError):
                found += map(int, file.read_text().split())
        if len(found) > MOST_PROCESSES:
            break
    return found


def _files_of_threads(tasks: Path, name: str) -> list[Path]:
    """Return the file of this name of each thread; nothing if the process has just ended."""
    try:
        return [thread / name for thread in tasks.iterdir()]
    except OSError:
        return []


def _thread_states(tasks: Path) -> Iterator[str]:
    for file in _files_of_threads(tasks, "stat"):
        with suppress(OSError, IndexError):
            yield _fields(file)[0]


def stalls_s(proc: Path = PROC) -> tuple[float, ...]:
    """Return for how long some process of this machine has waited for a processor, for the disk, and for memory.

    The times count since the machine started. The tuple is empty where Linux does not count them.
    """
    totals = []
    for resource in ("cpu", "io", "memory"):
        with suppress(OSError, ValueError, IndexError):
            line = (proc / "pressure" / resource).read_text().splitlines()[0]
            totals.append(MICROSECOND * int(line.rpartition("total=")[2]))
    return tuple(totals)


def is_starved(worked_s: float, waited_s: float, passed_s: float) -> bool:
    """Return whether a process gets too little of the processor.

    `worked_s` is the processor time that it got in `passed_s` seconds, and `waited_s` the time for which its threads
    were able to run and waited.
    """
    return passed_s >= MEASURED_S and waited_s >= max(STARVED_SHARE * passed_s, STARVED_RATIO * worked_s)


class OwnShare:
    """This process's share of the processor, from one call to the next."""

    def __init__(self) -> None:
        self._last = self._read()
        self._is_starved = False

    def is_starved(self) -> bool:
        """Return whether this process was starved since the last call. Log it when that changes.

        A call within `MEASURED_S` of the last one returns False.
        """
        (began, worked_before_s, before), self._last = self._last, self._read()
        ended, worked_after_s, after = self._last
        passed_s, worked_s = ended - began, worked_after_s - worked_before_s
        waited_s = sum(_grown(before.get(thread, 0.0), wait_s) for thread, wait_s in after.items())
        was_starved, self._is_starved = self._is_starved, is_starved(worked_s, waited_s, passed_s)
        if was_starved != self._is_starved:
            state = "processor_scarce" if self._is_starved else "processor_no_longer_scarce"
            log.warning(state, worked_s=round(worked_s, 1), waited_s=round(waited_s, 1), of_s=round(passed_s, 1))
        return self._is_starved

    @staticmethod
    def _read() -> tuple[float, float, dict[str, float]]:
        return time.monotonic(), time.process_time(), _waits_s(PROC / "self" / "task")


def _grown(before_s: float, after_s: float) -> float:
    """Return by how much the wait of a thread has grown. A new thread may have the id of one that has ended."""
    return after_s - before_s if after_s >= before_s else after_s


def _waits_s(tasks: Path) -> dict[str, float]:
    """Return the time for which each thread has waited for a processor. The time of a thread that ends is lost."""
    waits = {}
    for file in _files_of_threads(tasks, "schedstat"):
        with suppress(OSError, ValueError, IndexError):
            waits[file.parent.name] = NANOSECOND * int(file.read_text().split()[1])
    return waits
