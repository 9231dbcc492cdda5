"""Values of the sandbox: the limits of a program, its view of the machine, and the verdict on it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

MIB: Final = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxLimits:
    """Limits of one sandbox, over all its processes together."""

    memory_bytes: int = 256 * MIB
    """Memory, including its files in `/tmp`. There is no swap. Past it, everything is killed."""
    processes: int = 64
    """Processes and threads at the same time. Past it, no new one starts."""
    processor_s: float = 600.0
    """Seconds of processor time. Past them, everything is killed."""
    scratch_bytes: int = 64 * MIB
    """Size of `/tmp`, which is the only place to write. Past it, the disk is full."""
    scratch_files: int = 4096
    """Number of files and directories in `/tmp`."""
    output_bytes: int = 16 * MIB
    """Bytes of standard output and standard error together. Past them, everything is killed."""
    may_lock: bool = False
    """Whether `flock` works, which compilers need. Two bots could signal to each other by locks on shared files."""
    comes_first: bool = True
    """Whether it gets a core before all other processes of the machine. Otherwise it is one of them."""


@dataclass(frozen=True, slots=True)
class RuntimeFolder:
    """A file or folder of this machine that every bot may read, with its path in the sandbox.

    A `link` is made as a symbolic link to that path instead.
    """

    path: Path
    source: Path | None = None
    link: str | None = None


RUNTIME_PATHS: Final = (
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc/alternatives", "/etc/ld.so.cache",
)  # fmt: skip
"""Where interpreters, compilers and libraries are, as far as a machine has these paths."""


def machine_runtime() -> tuple[RuntimeFolder, ...]:
    """Return the interpreters and libraries of this machine, as the runtime of its bots."""
    folders = []
    for path in map(Path, RUNTIME_PATHS):
        if path.is_symlink():
            folders.append(RuntimeFolder(path, link=str(path.readlink())))
        elif path.exists():
            folders.append(RuntimeFolder(path, source=path))
    return tuple(folders)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mounts:
    """The parts of this machine that a program in the sandbox sees.

    The user of the sandbox must be able to read `image` and `runtime`, and to write to `socket`. Where the runner is
    root, this user is another one.
    """

    image: Path
    """Folder of the bot, read-only at `IMAGE_PATH`."""
    socket: Path | None = None
    """Unix socket that the bot may dial, at `SOCKET_PATH`."""
    weights: Path | None = None
    """Folder of large files, read-only at `WEIGHTS_PATH`. `image` has a folder there, too."""
    runtime: tuple[RuntimeFolder, ...] | None = None
    """Interpreters and libraries, read-only. `None` stands for `machine_runtime()`."""


IMAGE_PATH: Final = "/bot"
WEIGHTS_PATH: Final = "/bot/weights"
SOCKET_PATH: Final = "/run/arena.sock"


class SandboxLimit(StrEnum):
    """A limit that a program reached."""

    MEMORY = "MEMORY"
    PROCESSES = "PROCESSES"
    PROCESSOR = "PROCESSOR"
    DISK = "DISK"
    OUTPUT = "OUTPUT"


class SandboxEnd(StrEnum):
    """The kinds of end of a program."""

    EXITED = "EXITED"
    """It ended by itself, with an exit code."""
    CRASHED = "CRASHED"
    """A signal ended it that the sandbox did not send."""
    KILLED = "KILLED"
    """The caller ended it."""
    LIMIT = "LIMIT"
    """The sandbox ended it because of a limit."""
    START_FAILED = "START_FAILED"
    """It was never started."""


CONTROL_PICTURES: Final = {
    code: 0x2400 + code if code < 0x20 else 0xFFFD
    for code in [*range(0x20), *range(0x7F, 0xA0)]
    if chr(code) not in "\n\t"
}
"""Visible characters in place of those that control a terminal."""


@dataclass(frozen=True, slots=True)
class KeptOutput:
    """The beginning and the end of an output, and its length in bytes. A short output has no `tail`."""

    head: bytes = b""
    tail: bytes = b""
    length: int = 0

    def text(self) -> str:
        """Return the output for readers.

        A line says how much is missing in the middle. Control characters are shown as pictures, so that a terminal does
        not obey them.
        """
        missing = self.length - len(self.head) - len(self.tail)
        middle = f"\n… {missing} bytes are left out …\n".encode() if missing else b""
        return (self.head + middle + self.tail).decode("utf-8", "replace").translate(CONTROL_PICTURES)

    def between(self, start: int, end: int) -> KeptOutput:
        """Return the part from byte `start` up to byte `end`, as far as it was kept."""
        tail_at = self.length - len(self.tail)
        head, tail = self.head[start:end], self.tail[max(0, start - tail_at) : max(0, end - tail_at)]
        return KeptOutput(head, tail, max(0, min(end, self.length) - start))


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxUsage:
    """Processor time and memory that the processes of a sandbox have used so far."""

    processor_s: float
    memory_bytes: int
    peak_memory_bytes: int
    processes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxVerdict:
    """The end of a program, and what it used and wrote until then."""

    end: SandboxEnd
    exit_code: int | None = None
    """Exit code of a program that has `EXITED`."""
    signal: int | None = None
    """Number of the signal that ended a program that has `CRASHED`."""
    limit: SandboxLimit | None = None
    """The limit for which it was killed."""
    reached: frozenset[SandboxLimit] = frozenset()
    """All limits that were reached, including those that only refuse more: processes and disk."""
    usage: SandboxUsage
    wall_s: float
    """Seconds from its start to its end."""
    stdout: KeptOutput
    stderr: KeptOutput
    reason: str = ""
    """Why it was not started, in words for the operator."""
