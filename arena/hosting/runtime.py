"""The runtime of hosted bots: what they find on the machine beside their own files.

It is the machine's `/usr`, and the Python packages of this installation: a Python file that imports `arena.bots`
runs as it is. Where the machine's Python is of another version than this one, these packages do not fit it, and the
interpreter of this process is part of the runtime, too.
"""

from __future__ import annotations

import os
import platform
import re
import stat
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.util import cache_from_source
from pathlib import Path, PurePosixPath
from typing import Final

import arena
from arena.hosting.archives import BundleError, shown
from arena.sandbox.bubblewrap import BASE_ENVIRONMENT, INTERPRETER
from arena.sandbox.limits import IMAGE_PATH, SOCKET_PATH, Mounts, RuntimeFolder, machine_runtime
from arena.sandbox.support import SandboxSupport, sandbox_support

PACKAGE: Final = "naqala-arena"
PACKAGES_PATH: Final = PurePosixPath("/opt/arena/python")
INTERPRETER_PATH: Final = PurePosixPath("/opt/arena/interpreter")
SEARCH_PATH: Final = (
    str(INTERPRETER_PATH / "bin"), *BASE_ENVIRONMENT["PATH"].split(":"), "/usr/local/go/bin",
)  # fmt: skip
BOT_ENVIRONMENT: Final = {
    "ARENA_PROCESS": "hosted",
    "ARENA_SERVER": f"unix:{SOCKET_PATH}",
    "PATH": ":".join(SEARCH_PATH),
    "PYTHONPATH": f"{IMAGE_PATH}/vendor:{PACKAGES_PATH}",
}
"""The environment of a hosted bot, besides that of every sandbox and its ARENA_TOKEN."""
TOOLS: Final = {
    "python3": "--version", "node": "--version", "ruby": "--version", "java": "--version", "javac": "--version",
    "mvn": "--version", "go": "version", "rustc": "--version", "cargo": "--version", "g++": "--version",
    "cmake": "--version", "make": "--version", "protoc": "--version",
}  # fmt: skip
"""Interpreters and compilers that are described, with the argument that makes them say their version."""
PYTHON_VERSION: Final = "{}.{}".format(*sys.version_info[:2])
"""Version of `python3` in the runtime: that of this process."""
PROGRAM_TIMEOUT_S: Final = 60.0
LINE_LENGTH: Final = 100
STYLES: Final = re.compile(r"\x1b\[[0-9;]*m")
"""Colours for a terminal."""


@dataclass(frozen=True, slots=True)
class BotFiles:
    """The unpacked files of a bot, which other users can read."""

    image: Path
    weights: Path | None = None

    def mounts(self, socket: Path) -> Mounts:
        """Return what a bot sees that dials this Unix socket."""
        return Mounts(image=self.image, weights=self.weights, socket=socket, runtime=bot_runtime())


@dataclass(frozen=True, slots=True, kw_only=True)
class RuntimeDescription:
    """The runtime in words, for authors."""

    machine: str
    """Kind of processor, such as "x86_64"."""
    processor: str
    """Name of the processor."""
    system: str
    """Name and version of the operating system."""
    tools: dict[str, str]
    """Interpreters and compilers that are there, and what each says of its version."""
    packages: dict[str, str]
    """Python packages that are there, with their versions."""
    python: str = ""
    """Version of `python3`, such as "3.11". Wheels are made for one."""
    libc: str = ""
    """Version of the GNU C library, such as "2.36". Empty if there is another one."""


def _own_distributions() -> list[Distribution]:
    """Return this package and everything that it needs, without extras."""
    found: dict[str, Distribution] = {}
    wanted = [PACKAGE]
    while wanted:
        name = wanted.pop()
        key = re.sub(r"[-_.]+", "-", name).lower()
        if key in found:
            continue
        try:
            found[key] = distribution(name)
        except PackageNotFoundError:  # needed on other machines only
            continue
        for requirement in found[key].requires or ():
            if "extra ==" not in requirement:
                wanted.append(re.split(r"[^\w.-]", requirement, maxsplit=1)[0])
    return list(found.values())


@cache
def bot_runtime() -> tuple[RuntimeFolder, ...]:
    """Return what every hosted bot may read, for `Mounts.runtime`."""
    sources: dict[str, Path] = {"arena": Path(arena.__path__[0])}
    for package in _own_distributions():
        for file in package.files or ():
            # `google` belongs to several packages, so its folders are mounted one by one.
            depth = 2 if file.parts[0] == "google" else 1
            name = "/".join(file.parts[:depth])
            if not name.startswith((".", "__editable__", "arena/")) and name != "__pycache__":
                sources.setdefault(name, Path(str(package.locate_file(name))))
    for name, source in list(sources.items()):
        if name.endswith(".py"):
            bytecode = Path(cache_from_source(str(source.resolve())))
            if bytecode.exists() and closed_folder(bytecode) is None:
                sources[f"__pycache__/{bytecode.name}"] = bytecode
    packages = [
        RuntimeFolder(Path(PACKAGES_PATH / name), source=source.resolve())
        for name, source in sorted(sources.items())
        if source.exists()
    ]
    # Programs look up the name of their host. Debian keeps files in /etc without which Java does not start.
    hosts = RuntimeFolder(Path("/etc/hosts"), source=Path(__file__).with_name("hosts"))
    settings = [hosts, *(RuntimeFolder(path, source=path) for path in sorted(Path("/etc").glob("java-*-openjdk")))]
    return (*machine_runtime(), *settings, *_interpreter(), *packages)


def closed_folder(path: Path) -> Path | None:
    """Return the part of a path that other users of this machine cannot read or enter; `None` if there is none."""
    for part in (path, *path.parents):
        wanted = stat.S_IROTH if part == path and not part.is_dir() else stat.S_IXOTH
        if not part.stat().st_mode & wanted:
            return part
    return None


@cache
def hosting_support() -> SandboxSupport:
    """Return what this machine allows hosted bots: sandboxes, and in them the runtime of this installation."""
    support = sandbox_support()
    if not support.is_possible or not support.has_own_users:
        return support
    for folder in bot_runtime():
        if folder.source is not None and (closed := closed_folder(folder.source)):
            reason = (
                f"bots cannot read {folder.source}, which is part of their runtime, because {closed} is closed to other"
                " users: install the arena and its Python in a folder that all users may enter, such as /opt"
            )
            return replace(support, is_possible=False, is_fit_for_strangers=False, reasons=(reason,))
    return support


def share_bytecode() -> None:
    """Let the users of sandboxes read the bytecode of the modules that this process has loaded.

    The processes of an arena make files for their own user alone (umask 077). Without bytecode, a bot in Python takes
    three times as long to start.
    """
    for module in list(sys.modules.values()):
        cached = getattr(getattr(module, "__spec__", None), "cached", None)
        if cached is not None and Path(cached).exists():
            for path, mode in ((Path(cached), 0o444), (Path(cached).parent, 0o555)):
                with suppress(OSError):  # it is another user's, who has made it for all
                    if path.stat().st_mode & mode != mode:
                        path.chmod(path.stat().st_mode | mode)


def _interpreter() -> list[RuntimeFolder]:
    """Return this process's interpreter, if the machine's is of another version."""
    program = "import sys; print('%d.%d' % sys.version_info[:2])"
    if _first_line([INTERPRETER, "-I", "-S", "-c", program]) == PYTHON_VERSION:
        return []
    return [RuntimeFolder(Path(INTERPRETER_PATH), source=Path(sys.base_prefix).resolve())]


def _first_line(command: Sequence[str]) -> str:
    """Return the first line that a program of this machine prints; empty if it does not run."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PROGRAM_TIMEOUT_S)  # noqa: S603 - our own
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return STYLES.sub("", done.stdout).split("\n", 1)[0].strip()[:LINE_LENGTH]


def _find(name: str) -> tuple[str, Path] | None:
    """Return the path of a program in the sandbox, and its file on this machine; `None` if there is none."""
    sources = [(folder.path, folder.source) for folder in bot_runtime() if folder.source is not None]
    for path in (Path(place) / name for place in SEARCH_PATH):
        for mount, source in sources:
            if not path.is_relative_to(mount):
                continue
            file = (source / path.relative_to(mount)).resolve()
            # A link may lead to a place of this machine that is no part of the runtime.
            is_there = any(file.is_relative_to(other) for _, other in sources)
            if is_there and file.is_file() and os.access(file, os.X_OK):
                return str(path), file
    return None


def resolve_command(command: Sequence[str]) -> tuple[str, ...]:
    """Return a command of a manifest as the sandbox starts it: with the path of its program.

    Raises `BundleError`, with one line that says what to do, if the runtime has no such program.
    """
    program, *arguments = command
    if program.startswith("/"):
        return tuple(command)
    if "/" in program:
        return (f"{IMAGE_PATH}/{program.removeprefix('./')}", *arguments)
    if found := _find(program):
        return (found[0], *arguments)
    advice = "write ./ before a program of the bot itself"
    if program == "python":
        advice = "write python3"
    elif there := [name for name in TOOLS if _find(name)]:
        advice = f"it has {', '.join(there)}; {advice}"
    raise BundleError(f"the runtime has no program {shown(program)}: {advice}")


def libc_version() -> str:
    """Return the version of this machine's GNU C library; empty if it has another one."""
    try:
        name, version = (os.confstr("CS_GNU_LIBC_VERSION") or "").split()
    except (ValueError, OSError):
        return ""
    return version if name == "glibc" else ""


@cache
def describe_runtime() -> RuntimeDescription:
    """Return the runtime of hosted bots on this machine in words. The first call starts each interpreter."""
    programs = {name: found[1] for name in TOOLS if (found := _find(name))}
    try:
        system = platform.freedesktop_os_release().get("PRETTY_NAME", platform.system())
    except OSError:
        system = platform.system()
    cpu = Path("/proc/cpuinfo")
    names = re.findall(r"^model name\s*: (.+)$", cpu.read_text(encoding="utf-8"), re.MULTILINE) if cpu.exists() else []
    return RuntimeDescription(
        machine=platform.machine(),
        processor=names[0] if names else platform.processor(),
        system=system,
        tools={name: _first_line([str(file), TOOLS[name]]) for name, file in programs.items()},
        python=PYTHON_VERSION,
        libc=libc_version(),
        packages={one.name: one.version for one in sorted(_own_distributions(), key=lambda one: one.name.lower())},
    )
