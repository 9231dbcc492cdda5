"""The processes of a sandbox as /proc shows them, for machines whose control groups cannot be used.

It needs no privilege, and it is less exact: what a process does between two looks is missed.
"""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

TICKS_PER_SECOND: Final = os.sysconf("SC_CLK_TCK")
PAGE_BYTES: Final = os.sysconf("SC_PAGE_SIZE")
MOST_ROUNDS: Final = 50
"""Maximum number of times that `stop` looks for processes that were born meanwhile."""


def sandbox_processes(first: int) -> list[int]:
    """Return the ids of all processes in the PID namespace of this process, which is its first one."""
    try:
        namespace = os.readlink(f"/proc/{first}/ns/pid")
    except OSError:
        return []
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            with suppress(OSError):
                if os.readlink(f"/proc/{name}/ns/pid") == namespace:
                    found.append(int(name))
    return found


def process_threads(pid: int) -> list[int]:
    """Return the ids of the threads of a process; none if it has ended."""
    with suppress(OSError):
        return [int(name) for name in os.listdir(f"/proc/{pid}/task")]
    return []


def queued_s(thread: int) -> float:
    """Return for how long a thread has waited for a core, in seconds; 0 if it has ended or the kernel does not tell."""
    with suppress(OSError, ValueError, IndexError):
        return int(Path(f"/proc/{thread}/schedstat").read_text(encoding="ascii").split()[1]) / 1e9
    return 0.0


def waits_for_disk(thread: int) -> bool:
    """Return whether a thread waits for a disk; false if it has ended."""
    with suppress(OSError):
        stat = Path(f"/proc/{thread}/stat").read_text(encoding="utf-8", errors="replace")
        return stat.rpartition(") ")[2].startswith("D")
    return False


@dataclass(frozen=True, slots=True)
class ProcessTotals:
    """The sums over several processes. Memory that they share counts for each of them."""

    processor_s: float
    memory_bytes: int
    threads: int


def process_totals(pids: list[int]) -> ProcessTotals:
    """Return what these processes use, including the processor time of their children that have ended."""
    ticks = pages = threads = 0
    for pid in pids:
        with suppress(OSError, ValueError, IndexError):
            # The name in parentheses may contain anything.
            fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
            ticks += sum(map(int, fields[11:15]))
            threads += int(fields[17])
            pages += int(fields[21])
    return ProcessTotals(ticks / TICKS_PER_SECOND, pages * PAGE_BYTES, threads)


def proportional_memory(pids: list[int]) -> int:
    """Return the memory of these processes in bytes. Memory that they share counts once. It takes some milliseconds."""
    kilobytes = 0
    for pid in pids:
        with suppress(OSError):
            for line in Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines():
                if line.startswith("Pss:"):
                    kilobytes += int(line.split()[1])
    return kilobytes * 1024


def stop(first: int) -> None:
    """Stop all processes of a sandbox. Look again until no new ones are found."""
    stopped: set[int] = set()
    for _ in range(MOST_ROUNDS):
        new = set(sandbox_processes(first)) - stopped
        if not new:
            return
        for pid in new:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGSTOP)
        stopped |= new


def resume(first: int) -> None:
    """Let all processes of a sandbox run on."""
    for pid in sandbox_processes(first):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)
