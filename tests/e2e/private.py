"""Who can read what an arena writes."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def open_to_others(*roots: Path) -> list[str]:
    """Everything in and below these that its group or others may use in any way, sockets included."""
    found = [path for root in roots for path in (root, *root.rglob("*"))]
    assert len(found) > len(roots)
    return [f"{path} {stat.filemode(path.lstat().st_mode)}" for path in found if path.lstat().st_mode & 0o077]


def umask_of(pid: int) -> str:
    """The umask of a process, in octal."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(line.split()[1] for line in lines if line.startswith("Umask:"))


@contextmanager
def generous_umask() -> Iterator[None]:
    """What is written, and started, in this block is open to others unless it sees to it itself."""
    before = os.umask(0o022)
    try:
        yield
    finally:
        os.umask(before)


def make_open_folder(folder: Path) -> Path:
    """A folder for an arena, open as earlier versions left it."""
    (folder / "log").mkdir(parents=True)
    for part in (folder, folder / "log"):
        part.chmod(0o755)
    (folder / "log" / "gateway.log").touch()
    (folder / "log" / "gateway.log").chmod(0o644)
    return folder
