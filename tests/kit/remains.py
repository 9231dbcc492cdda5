"""Checks for what sandboxes have left on this machine, which all tests of sandboxes share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from arena.sandbox.cgroups import PREFIX
from arena.sandbox.running import group_roots


def groups_of(*starters: int) -> list[Path]:
    """Return the control groups of the sandboxes that these processes have started."""
    roots = group_roots()
    folders = [*roots.v1.values(), *([roots.unified] if roots.unified else [])]
    return [path for starter in starters for folder in folders for path in folder.glob(f"{PREFIX}{starter}-*")]


def processes_that_use(folder: Path) -> list[str]:
    """Return the processes of this machine that have something of this folder mounted or in their command lines.

    The sandboxes of a runner have their images from its folder.
    """
    return [f"{process.name} {_text(process / 'comm').strip()}" for process in _processes() if _uses(process, folder)]


def _uses(process: Path, folder: Path) -> bool:
    return str(folder) in _text(process / "cmdline") or str(folder) in _text(process / "mountinfo")


def _processes() -> Iterator[Path]:
    return (path for path in Path("/proc").iterdir() if path.name.isdigit())


def _text(path: Path) -> str:
    with suppress(OSError):  # the process may just have ended
        return path.read_text(errors="replace")
    return ""
