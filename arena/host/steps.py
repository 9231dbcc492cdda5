"""The matches that a process is working on, readable after its death.

A referee writes the name of a match into its step file before it runs code for that match, and clears it afterwards.
The file is shared memory: a write costs less than a microsecond, and the kernel keeps it however the process dies.
The process locks its file for as long as it lives, and the kernel releases the lock at its death. So a process that is
stopped, or that gets no processor time, is never taken for a dead one.
"""

from __future__ import annotations

import fcntl
import mmap
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Final

import structlog

log = structlog.get_logger(__name__)

SLOT_SIZE: Final = 64
"""Bytes for the name of one step."""
SLOTS: Final = 64
"""Number of steps that a process can be at, at the same time. The first one is that of the matches' thread."""
SIZE: Final = SLOT_SIZE * SLOTS
IDLE: Final = bytes(SLOT_SIZE)
"""Content of a slot without a step."""


def encode_step(match_id: str, epoch: int) -> bytes:
    """Return the content of a slot for a step of this match, played by the owner of this epoch."""
    return f"{match_id} {epoch}".encode().ljust(SLOT_SIZE, b"\0")[:SLOT_SIZE]


class StepFile:
    """The step file of this process. Until it is opened, what is written goes nowhere."""

    def __init__(self) -> None:
        self._memory: mmap.mmap | bytearray = bytearray(SIZE)
        self._path: Path | None = None
        self._lock = Lock()
        self._is_open = False
        """Whether it was opened, even if that failed."""
        self._descriptor = -1
        self._free = list(range(SLOTS - 1, 0, -1))

    def open(self, directory: Path) -> None:
        """Make and lock the file in this directory, unless it is open.

        Without a file, this process can die without any match being suspected.
        """
        with self._lock:
            if self._is_open:
                return
            self._is_open = True
            path = directory / secrets.token_hex(8)
            try:
                directory.mkdir(parents=True, exist_ok=True)
                self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
                # The lock comes before the content: readers leave empty files alone.
                fcntl.flock(self._descriptor, fcntl.LOCK_EX)
                os.ftruncate(self._descriptor, SIZE)
                self._memory = mmap.mmap(self._descriptor, SIZE)
            except OSError as error:
                log.warning("no_step_file", directory=str(directory), error=str(error))
            else:
                self._path = path

    def close(self) -> None:
        """Remove the file: this process ends as it should."""
        with self._lock:
            self._is_open = False
            if self._path is not None:
                self._path.unlink(missing_ok=True)
                os.close(self._descriptor)
                self._memory, self._path = bytearray(SIZE), None

    def write(self, step: bytes) -> None:
        """Write which match the matches' thread works on: `encode_step`, or `IDLE`."""
        self._memory[:SLOT_SIZE] = step

    @contextmanager
    def doing(self, step: bytes) -> Iterator[None]:
        """Write for the duration of a block that another thread works on a match."""
        try:
            slot = self._free.pop()
        except IndexError:  # far more threads than expected: this one leaves no trace
            yield
            return
        place = slice(slot * SLOT_SIZE, (slot + 1) * SLOT_SIZE)
        self._memory[place] = step
        try:
            yield
        finally:
            self._memory[place] = IDLE
            self._free.append(slot)


steps: Final = StepFile()
"""The step file of this process."""


@contextmanager
def dead_steps(directory: Path) -> Iterator[list[tuple[str, int]]]:
    """Yield the match and epoch of every step at which a process with a file in this directory has died.

    The files of dead processes are removed at the end of the block, unless it raises.
    """
    found: list[tuple[str, int]] = []
    read: list[tuple[Path, int]] = []
    try:
        for path in sorted(directory.iterdir()) if directory.is_dir() else ():
            if (descriptor := _lock_dead(path)) is not None:
                read.append((path, descriptor))
                found.extend(_decode(os.pread(descriptor, SIZE, 0)))
        yield found
        for path, _ in read:
            path.unlink(missing_ok=True)
    finally:
        for _, descriptor in read:
            os.close(descriptor)


def _lock_dead(path: Path) -> int | None:
    """Open and lock a file whose process has died. Return None if the process lives, or another reader has the file."""
    try:
        descriptor = os.open(path, os.O_RDWR)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(descriptor).st_size == SIZE:
            return descriptor
    except OSError:
        pass
    os.close(descriptor)
    return None


def _decode(content: bytes) -> Iterator[tuple[str, int]]:
    for start in range(0, len(content), SLOT_SIZE):
        match_id, _, epoch = content[start : start + SLOT_SIZE].rstrip(b"\0").decode(errors="replace").partition(" ")
        if match_id and epoch.isdecimal():
            yield match_id, int(epoch)
