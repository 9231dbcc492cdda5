"""How much of the processor a process gets, as Linux counts it in /proc. Elsewhere nothing is known."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

PROC: Final = Path("/proc")
MICROSECOND: Final = 1e-6
TICK_S: Final = 1 / os.sysconf("SC_CLK_TCK")
STOPPED: Final = "T"
"""State of a process that SIGSTOP has stopped. A debugger's state is `t`."""
WAITING: Final = frozenset("RD")
"""States of a thread that waits for a processor, or has one, and of one that waits for the disk."""
MOST_PROCESSES: Final = 100
"""Maximum number of processes that are counted together."""


@dataclass(frozen=True, slots=True)
class ProcessorUse:
    """What a process and its descendants have had of the processors."""

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


def _fields(stat: Path) -> list[str]:
    """Return the fields after the name of the command, which is in parentheses and may contain anything."""
    return stat.read_text(errors="replace").rpartition(")")[2].split()


def _with_descendants(pid: int, proc: Path) -> list[int]:
    found = [pid]
    for one in found:  # grows meanwhile
        for file in (proc / str(one) / "task").glob("*/children"):
            with suppress(OSError, ValueError):
                found += map(int, file.read_text().split())
        if len(found) > MOST_PROCESSES:
            break
    return found


def _thread_states(tasks: Path) -> Iterator[str]:
    for file in tasks.glob("*/stat"):
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
