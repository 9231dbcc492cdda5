"""Checks who can read an arena's files."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def open_to_others(*roots: Path) -> list[str]:
    """Return everything in and below these paths that group or others may access in any way, including sockets."""
    found = [path for root in roots for path in (root, *root.rglob("*"))]
    assert len(found) > len(roots)
    return [f"{path} {stat.filemode(path.lstat().st_mode)}" for path in found if path.lstat().st_mode & 0o077]


def umask_of(pid: int) -> str:
    """Return the umask of a process, in octal; an empty text if it has ended."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return ""
    return next((line.split()[1] for line in lines if line.startswith("Umask:")), "")


@contextmanager
def generous_umask() -> Iterator[None]:
    """Make files and processes of this block open to others unless they restrict it themselves."""
    before = os.umask(0o022)
    try:
        yield
    finally:
        os.umask(before)


def make_open_folder(folder: Path) -> Path:
    """Make a folder for an arena, open to other users."""
    (folder / "log").mkdir(parents=True)
    for part in (folder, folder / "log"):
        part.chmod(0o755)
    (folder / "log" / "gateway.log").touch()
    (folder / "log" / "gateway.log").chmod(0o644)
    return folder
