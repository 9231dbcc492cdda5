"""Files of an arena are readable only by its user: they hold seeds of running matches, sessions and logs."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import NamedTemporaryFile

UMASK = 0o077
OTHERS = 0o077
"""Permissions that neither the group nor others may have."""


def restrict_umask() -> None:
    """Make the later files of this process and its children private to their user."""
    os.umask(UMASK)


def make_private_directory(path: Path) -> None:
    """Make a private directory where others may write, or accept the existing one.

    Raises PermissionError if the existing one is not this user's directory, or is open to others.
    """
    try:
        path.mkdir(mode=0o700)
    except FileExistsError:
        status = path.lstat()
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & OTHERS:
            raise PermissionError(
                f"{path} is not a directory of this user alone: remove it, or set ARENA_VAR to a shorter path"
            ) from None


def make_once(path: Path, text: str) -> None:
    """Make a file with this text, unless it exists. If several processes call this at once, one makes it, as a
    whole."""
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile("w", dir=path.parent, prefix=f"{path.name}-", delete=False) as draft:
        draft.write(text)
        draft.flush()
        os.fsync(draft.fileno())
    try:
        os.link(draft.name, path)
    except FileExistsError:
        pass
    finally:
        os.unlink(draft.name)


def keep_private(paths: Iterable[Path]) -> Iterator[str]:
    """Close files and directories that other users may read or write. Yield a sentence for each that was open."""
    for path in paths:
        try:
            status = path.lstat()
        except OSError:  # it no longer exists, or cannot be reached: there is nothing to close
            continue
        if status.st_mode & OTHERS and not stat.S_ISLNK(status.st_mode):
            yield _close(path, status)


def _close(path: Path, status: os.stat_result) -> str:
    mode = stat.S_IMODE(status.st_mode)
    open_to = f"{path} was open to other users (mode {mode:o})"
    if mode & stat.S_ISVTX:
        return f"{open_to} and is shared by all of them: set ARENA_VAR to a directory that only the arena uses"
    if status.st_uid != os.geteuid():
        return f"{open_to} and belongs to user {status.st_uid}: chmod go= {path}, or set ARENA_VAR to another directory"
    try:
        path.chmod(mode & ~OTHERS)
    except OSError as error:
        return f"{open_to} and cannot be changed ({error.strerror}): chmod go= {path}"
    return f"{open_to}; now it is not"
