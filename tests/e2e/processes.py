"""Facts about processes from the kernel: ancestry, and which are alive."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class Known(NamedTuple):
    """A process with its start, which distinguishes it from a later one with the same number."""

    pid: int
    started: str
    command: str


def descendants(pid: int) -> set[Known]:
    """Return all living descendants of this process."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (stat := _stat(int(entry.name))):
            children.setdefault(int(stat[1]), []).append(int(entry.name))
    found: set[Known] = set()
    waiting = list(children.get(pid, []))
    while waiting:
        child = waiting.pop()
        waiting += children.get(child, [])
        if stat := _stat(child):
            found.add(Known(child, stat[19], _command(child)))
    return found


def living(known: set[Known]) -> set[Known]:
    """Return those that have not ended. A zombie has ended."""
    return {
        process
        for process in known
        if (stat := _stat(process.pid)) and stat[19] == process.started and stat[0] not in "ZX"
    }


def _stat(pid: int) -> list[str]:
    """Return the fields from the state on: 0 the state, 1 the parent, 19 the start."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ").strip()
    except OSError:
        return ""
