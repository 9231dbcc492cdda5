"""Control groups: they count memory, processes and processor time of a sandbox, limit them, and freeze it.

Machines have version 1 (a folder for each controller), version 2 (one folder), or both beside each other. Version 1 has
the controllers then, and version 2 freezes. A group is made inside of the runner's own group, so limits on the runner
hold for its sandboxes, too.
"""

from __future__ import annotations

import os
import secrets
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

PREFIX: Final = "arena-sandbox-"
"""Beginning of the name of every group. The process id of the runner follows, and a random number."""
RUNNER_GROUP: Final = "arena-runner"
"""Group into which the runner moves itself in version 2."""
CONTROLLERS: Final = ("memory", "pids", "cpuacct", "cpu")
"""The controllers that are used where they can be written. In version 2, `cpu` counts the time, too."""
MOST_SHARES: Final = 262_144
MOST_WEIGHT: Final = 10_000
"""The greatest share of a core that each version gives to a group. A running bot gets the core that it was given."""
CHARGED_AHEAD_BYTES: Final = 1 << 20
"""Bytes below its limit at which a group can already be full, because the kernel counts memory in batches."""
REMOVE_TIMEOUT_S: Final = 10.0


class GroupFailure(Exception):
    """The kernel refused something of a control group."""


@dataclass(frozen=True, slots=True)
class GroupRoots:
    """The folders in which this process may make groups, by controller. Version 2 is `unified`."""

    v1: dict[str, Path]
    unified: Path | None
    v2_controllers: frozenset[str]
    reasons: tuple[str, ...]
    """Why something is missing, in words."""

    def has(self, controller: str) -> bool:
        """Return whether groups can use this controller."""
        return controller in self.v1 or controller in self.v2_controllers


def _own_folders() -> dict[str, Path]:
    """Return the folder of this process's own group for each mounted hierarchy; "" stands for version 2."""
    own: dict[str, str] = {}
    for line in Path("/proc/self/cgroup").read_text(encoding="ascii").splitlines():
        _, names, path = line.split(":", 2)
        own |= dict.fromkeys(names.split(","), path)
    folders: dict[str, Path] = {}
    for line in Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines():
        before, _, after = line.partition(" - ")
        root, mount_point = before.split()[3:5]
        kind, _, options = after.split()[:3]
        hierarchies = [""] if kind == "cgroup2" else options.split(",") if kind == "cgroup" else []
        for name in hierarchies:
            if name in own:
                # In a container, the mounted part of the hierarchy may begin below its root.
                path = own[name]
                inside = path[len(root) :] if root != "/" and path.startswith(root) else path
                folders.setdefault(name, Path(mount_point) / inside.strip("/"))
    return folders


def _can_make_groups(folder: Path) -> bool:
    probe = folder / f"{PREFIX}{os.getpid()}-probe-{secrets.token_hex(4)}"
    try:
        probe.mkdir()
        probe.rmdir()
    except OSError:
        return False
    return True


def _delegated_controllers(folder: Path) -> frozenset[str]:
    """Return the controllers of version 2 that groups inside of this folder have, after asking for them.

    A folder gives its controllers to groups only if no process is in it, except at the root of the machine. Therefore
    this process moves into a group of its own. In a container, its init and health checks move with it.
    """
    wanted = set(CONTROLLERS) & set((folder / "cgroup.controllers").read_text(encoding="ascii").split())
    given = folder / "cgroup.subtree_control"
    if wanted - set(given.read_text(encoding="ascii").split()):
        try:
            if (folder / "cgroup.events").exists():  # the root of the machine has no such file
                runner = folder / RUNNER_GROUP
                runner.mkdir(exist_ok=True)
                for process in _processes_to_move(folder):
                    with suppress(ProcessLookupError):
                        (runner / "cgroup.procs").write_text(process, encoding="ascii")
            given.write_text(" ".join(f"+{name}" for name in sorted(wanted)), encoding="ascii")
        except OSError:
            return frozenset()
    return frozenset(wanted)


def _processes_to_move(folder: Path) -> list[str]:
    """Return the processes in this process's own folder that a runner may move; "0" stands for this process."""
    if "0::/" not in Path("/proc/self/cgroup").read_text(encoding="ascii").splitlines():
        return ["0"]
    # This is the top of a container: all that is in it belongs to the runner.
    return (folder / "cgroup.procs").read_text(encoding="ascii").split()


def remove_abandoned_groups(folder: Path) -> None:
    """Remove the groups in this folder whose runner has ended without doing so. Their processes have ended with it."""
    for group in folder.glob(f"{PREFIX}*"):
        runner = group.name.removeprefix(PREFIX).partition("-")[0]
        if not Path("/proc", runner).exists():
            # Another runner may be at it, too, or the last processes are just ending.
            with suppress(OSError):
                group.rmdir()


def find_group_roots() -> GroupRoots:
    """Return where this process may make groups, by trying it. Remove groups of runners that were killed."""
    reasons = []
    v1: dict[str, Path] = {}
    folders = _own_folders()
    for name in CONTROLLERS:
        if name in folders:
            if _can_make_groups(folders[name]):
                v1[name] = folders[name]
            else:
                reasons.append(f"no group can be made in {folders[name]}")
    unified = folders.get("")
    if unified is not None and unified.name == RUNNER_GROUP:
        unified = unified.parent
    controllers: frozenset[str] = frozenset()
    if unified is not None and not _can_make_groups(unified):
        reasons.append(f"no group can be made in {unified}")
        unified = None
    if unified is not None:
        controllers = _delegated_controllers(unified)
    reasons += [
        f"the controller {name} of control groups is missing"
        for name in ("memory", "pids")
        if name not in v1 and name not in controllers and name not in folders
    ]
    for folder in [*v1.values(), *([unified] if unified else [])]:
        remove_abandoned_groups(folder)
    return GroupRoots(v1, unified, controllers, tuple(reasons))


class ControlGroup:
    """The groups of one sandbox, one folder for each hierarchy."""

    def __init__(self, roots: GroupRoots, *, memory_bytes: int, processes: int, comes_first: bool = True) -> None:
        """Make the groups. Raise `GroupFailure` if the kernel refuses.

        `memory_bytes` and `processes` hold for all processes in the group together. If the group `comes_first`, it has
        the greatest share of a core, and otherwise the usual one.
        """
        name = f"{PREFIX}{os.getpid()}-{secrets.token_hex(8)}"
        self._v1 = {controller: root / name for controller, root in roots.v1.items()}
        self._unified = roots.unified / name if roots.unified else None
        self._v2 = roots.v2_controllers
        self.counts_memory = roots.has("memory")
        self.counts_processor = "cpuacct" in self._v1 or "cpu" in self._v2
        self.counts_processes = roots.has("pids")
        self.counts_all = self.counts_memory and self.counts_processor and self.counts_processes
        self.can_freeze = self._unified is not None
        self._open: dict[Path, int] = {}
        """Descriptors of the files that are used in every turn of a bot."""
        try:
            for folder in self._folders():
                folder.mkdir()
            self._set_limits(memory_bytes, processes)
            if comes_first:
                self._set_greatest_share()
        except OSError as error:
            self.remove()
            raise GroupFailure(f"control group {name}: {error}") from error

    def _folders(self) -> list[Path]:
        return [*self._v1.values(), *([self._unified] if self._unified else [])]

    def _set_limits(self, memory_bytes: int, processes: int) -> None:
        tasks = str(processes + 1)  # the sandbox's own first process counts, too
        if memory := self._v1.get("memory"):
            _write(memory / "memory.limit_in_bytes", str(memory_bytes))
            if (memory / "memory.memsw.limit_in_bytes").exists():
                _write(memory / "memory.memsw.limit_in_bytes", str(memory_bytes))
            _write(memory / "memory.swappiness", "0")
        if pids := self._v1.get("pids"):
            _write(pids / "pids.max", tasks)
        if unified := self._unified:
            if "memory" in self._v2:
                _write(unified / "memory.max", str(memory_bytes))
                _write(unified / "memory.oom.group", "1")
                if (unified / "memory.swap.max").exists():
                    _write(unified / "memory.swap.max", "0")
            if "pids" in self._v2:
                _write(unified / "pids.max", tasks)

    def _set_greatest_share(self) -> None:
        if cpu := self._v1.get("cpu"):
            _write(cpu / "cpu.shares", str(MOST_SHARES))
        if self._unified and "cpu" in self._v2:
            _write(self._unified / "cpu.weight", str(MOST_WEIGHT))

    def add(self, pid: int) -> None:
        """Move a process into the groups. Its children are born there."""
        try:
            for folder in self._folders():
                _write(folder / "cgroup.procs", str(pid))
        except OSError as error:
            raise GroupFailure(f"process {pid} cannot be moved: {error}") from error

    def freeze(self) -> None:
        """Tell all processes to stop. `is_frozen` tells when they have."""
        assert self._unified is not None
        os.write(self._descriptor(self._unified / "cgroup.freeze", os.O_WRONLY), b"1")

    def is_frozen(self) -> bool:
        """Return whether all processes have stopped."""
        assert self._unified is not None
        return b"frozen 1" in self._read(self._unified / "cgroup.events")

    def thaw(self) -> None:
        """Let all processes run on."""
        assert self._unified is not None
        os.write(self._descriptor(self._unified / "cgroup.freeze", os.O_WRONLY), b"0")

    def _descriptor(self, path: Path, flags: int) -> int:
        if path not in self._open:
            self._open[path] = os.open(path, flags)
        return self._open[path]

    def _read(self, path: Path) -> bytes:
        return os.pread(self._descriptor(path, os.O_RDONLY), 4096, 0)

    def threads(self) -> list[int]:
        """Return the ids of all threads in the groups."""
        for folder in self._folders():
            text = (folder / ("cgroup.threads" if folder == self._unified else "tasks")).read_text(encoding="ascii")
            return [int(line) for line in text.split()]
        return []

    def processor_s(self) -> float:
        """Return the processor time of all processes that were ever in the group, in seconds."""
        if folder := self._v1.get("cpuacct"):
            return int(self._read(folder / "cpuacct.usage")) / 1e9
        assert self._unified is not None
        return _number_in(self._read(self._unified / "cpu.stat").decode("ascii"), "usage_usec") / 1e6

    def memory_bytes(self) -> tuple[int, int]:
        """Return the memory that is used now, and the most that was ever used."""
        if folder := self._v1.get("memory"):
            used, peak = "memory.usage_in_bytes", "memory.max_usage_in_bytes"
        else:
            assert self._unified is not None
            folder, used, peak = self._unified, "memory.current", "memory.peak"
        now = int((folder / used).read_text(encoding="ascii"))
        # Kernels before 5.19 do not keep the peak.
        return now, int((folder / peak).read_text(encoding="ascii")) if (folder / peak).exists() else now

    def has_exceeded_memory(self) -> bool:
        """Return whether the kernel has killed a process because of this group's limit on memory.

        If the machine itself runs out of memory, the limit was not reached, and the program is not to blame.
        """
        if folder := self._v1.get("memory"):
            # `memory.failcnt` stays 0 in newer kernels, although the limit is reached.
            limit = int((folder / "memory.limit_in_bytes").read_text(encoding="ascii"))
            return (
                self.memory_bytes()[1] > limit - CHARGED_AHEAD_BYTES
                and _number_of(folder / "memory.oom_control", "oom_kill") > 0
            )
        assert self._unified is not None
        events = self._unified / "memory.events"
        return _number_of(events, "oom") > 0 and _number_of(events, "oom_kill") > 0

    def has_refused_processes(self) -> bool:
        """Return whether a process could not be started because of the limit."""
        folder = self._v1.get("pids") or (self._unified if "pids" in self._v2 else None)
        return folder is not None and _number_of(folder / "pids.events", "max") > 0

    def remove(self) -> None:
        """Remove the groups, once their processes have gone.

        Raise `GroupFailure` if one stays for `REMOVE_TIMEOUT_S`.
        """
        while self._open:
            os.close(self._open.popitem()[1])
        end = time.monotonic() + REMOVE_TIMEOUT_S
        for folder in self._folders():
            while folder.exists():
                try:
                    folder.rmdir()
                except OSError as error:
                    if time.monotonic() > end:
                        raise GroupFailure(f"{folder} cannot be removed: {error}") from error
                    time.sleep(0.005)


def _write(path: Path, text: str) -> None:
    """Write to an existing file of the kernel, in one call."""
    descriptor = os.open(path, os.O_WRONLY)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)


def _number_of(path: Path, key: str) -> int:
    return _number_in(path.read_text(encoding="ascii"), key)


def _number_in(text: str, key: str) -> int:
    """Return the number behind this key in a list of keys and numbers, one a line; 0 if the key is missing."""
    for line in text.splitlines():
        name, _, number = line.partition(" ")
        if name == key:
            return int(number)
    return 0
