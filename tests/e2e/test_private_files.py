"""Nobody but its user can read what an arena writes."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path

import pytest

from tests.e2e.processes import descendants
from tests.e2e.running import COMMAND, FEW_MATCHES, ROOT, RunningArena, environment

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]


def open_to_others(*roots: Path) -> list[str]:
    """Everything in and below these that its group or others may use in any way, sockets included."""
    found = [path for root in roots for path in (root, *root.rglob("*"))]
    assert len(found) > len(roots)
    return [f"{path} {stat.filemode(path.lstat().st_mode)}" for path in found if path.lstat().st_mode & 0o077]


def umask_of(pid: int) -> str:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(line.split()[1] for line in lines if line.startswith("Umask:"))


def test_what_an_arena_writes_is_for_its_user_alone(tmp_path: Path) -> None:
    # A long name, so that Redis' socket is elsewhere; open, as earlier versions left it; under a generous umask.
    var = tmp_path / ("var" * 40)
    (var / "log").mkdir(parents=True)
    for folder in (var, var / "log"):
        folder.chmod(0o755)
    (var / "log" / "gateway.log").touch()
    (var / "log" / "gateway.log").chmod(0o644)
    before = os.umask(0o022)
    try:
        arena = RunningArena(var, "--house", XDG_RUNTIME_DIR="", **FEW_MATCHES)
        arena.__enter__()
    finally:
        os.umask(before)
    try:
        arena.wait_ready()
        arena.wait_for("matches", finished=lambda count: count >= 1)
        socket = Path(arena.state("redis")["address"].removeprefix("unix://").partition("?")[0])
        assert socket.is_socket() and not socket.is_relative_to(var)
        assert open_to_others(var, socket.parent) == []
        processes = descendants(arena.process.pid)
        assert len(processes) >= 7
        assert {umask_of(process.pid) for process in processes} == {"0077"}
        notes = [event["text"] for event in arena.events if event["event"] == "note"]
        assert f"{var} was open to other users (mode 755); now it is not" in notes
        backup = tmp_path / "arena.backup"
        subprocess.run([*COMMAND, "admin", "backup", str(backup)], cwd=ROOT, env=environment(var), check=True)
        assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    finally:
        arena.__exit__()
    assert open_to_others(var) == []
