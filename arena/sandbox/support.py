"""Find out whether this machine allows sandboxes, and how strong their walls are.

Nothing is believed. A sandbox is started whose program looks at its own walls, and control groups are made and removed.
"""

from __future__ import annotations

import ctypes
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from arena.sandbox.bubblewrap import BWRAP_VARIABLE, INTERPRETER, bubblewrap_program
from arena.sandbox.limits import Mounts, SandboxEnd, SandboxLimits, SandboxVerdict
from arena.sandbox.running import group_roots, has_own_users, start
from arena.sandbox.syscalls import UnknownArchitecture, machine_architecture

PROBE_TIMEOUT_S: Final = 120.0
PROBE: Final = """
import os
status = dict(line.split(":", 1) for line in open("/proc/self/status") if ":" in line)
walls = [status["CapEff"].strip().strip("0"), status["NoNewPrivs"].strip(), status["Seccomp"].strip()]
assert walls == ["", "1", "2"], walls
assert os.getpid() < 10, "no PID namespace"
"""
"""Program that fails if it has capabilities, can gain any, or has no filter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxSupport:
    """The result of trying what this machine allows."""

    is_possible: bool
    """Whether programs can be run in a sandbox. If not, none may be run at all."""
    is_fit_for_strangers: bool
    """Whether the kernel itself counts and limits memory, processes and processor time, and freezes."""
    landlock_version: int
    """Version of Landlock in this kernel; 0 if it has none."""
    has_own_users: bool
    """Whether each sandbox gets a user of its own."""
    reasons: tuple[str, ...]
    """Everything that is missing, and what to do about it, in words for the operator."""


def landlock_version() -> int:
    """Return the version of Landlock in this kernel; 0 if it has none."""
    return max(0, int(ctypes.CDLL(None).syscall(444, None, 0, 1)))


def _probe() -> SandboxVerdict:
    with tempfile.TemporaryDirectory(prefix="arena-sandbox-probe-") as folder:
        Path(folder).chmod(0o755)
        command = [INTERPRETER, "-I", "-S", "-c", PROBE]
        sandbox = start(command, Mounts(image=Path(folder)), SandboxLimits(processor_s=PROBE_TIMEOUT_S))
        try:
            return sandbox.wait(PROBE_TIMEOUT_S)
        except TimeoutError:
            sandbox.kill()
            return sandbox.wait()


def _obstacles() -> list[str]:
    """Return why no sandbox can be made here; nothing if one has just been made."""
    if sys.platform != "linux":
        return [f"sandboxes need Linux, and this is {sys.platform}"]
    try:
        machine_architecture()
    except UnknownArchitecture as error:
        return [str(error)]
    program = bubblewrap_program()
    if program is None or not program.exists():
        return [f"bubblewrap is missing: install the package bubblewrap, or set {BWRAP_VARIABLE} to its program"]
    if not Path(INTERPRETER).exists():
        return [f"{INTERPRETER} is missing, which starts the programs in the sandbox"]
    verdict = _probe()
    if verdict.end is SandboxEnd.EXITED and verdict.exit_code == 0:
        return []
    words = verdict.reason or verdict.stderr.text() or f"the test program ended with {verdict.end}"
    reasons = [f"a sandbox cannot be made: {words.strip()}"]
    limit = Path("/proc/sys/user/max_user_namespaces")
    if limit.exists() and limit.read_text(encoding="ascii").strip() == "0":
        reasons.append("user namespaces are off (sysctl user.max_user_namespaces)")
    apparmor = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
    if apparmor.exists() and apparmor.read_text(encoding="ascii").strip() == "1":
        reasons.append("AppArmor restricts user namespaces (sysctl kernel.apparmor_restrict_unprivileged_userns)")
    return reasons


@cache
def sandbox_support() -> SandboxSupport:
    """Return what this machine allows. The first call starts a sandbox, which takes about 0.2 s."""
    obstacles = _obstacles()
    reasons = list(obstacles)
    roots = group_roots() if sys.platform == "linux" else None
    counted = roots is not None and (
        roots.has("memory") and roots.has("pids") and (roots.has("cpuacct") or "cpu" in roots.v2_controllers)
    )
    if roots is not None:
        reasons += roots.reasons
        if roots.unified is None:
            reasons.append(
                "bots are stopped by signals, because control groups of version 2 cannot be used to freeze them"
            )
    version = landlock_version() if sys.platform == "linux" else 0
    if version == 0:
        reasons.append("the kernel has no Landlock, so mounts alone protect files")
    own_users = sys.platform == "linux" and has_own_users()
    if not own_users:
        reasons.append("the runner is not root of the machine, so all sandboxes have its user")
    return SandboxSupport(
        is_possible=not obstacles,
        is_fit_for_strangers=not obstacles and counted and roots is not None and roots.unified is not None,
        landlock_version=version,
        has_own_users=own_users,
        reasons=tuple(reasons),
    )
