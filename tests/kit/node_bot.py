"""The Node starter, ready to run: its packages installed once into var/, from its lock file."""

import fcntl
import hashlib
import os
import shutil
import subprocess
from pathlib import Path
from typing import NoReturn

import pytest

ROOT = Path(__file__).resolve().parents[2]
STARTER = ROOT / "arena" / "starters" / "node"


def node_command() -> list[str]:
    """The command that runs the bot, its packages in place. Without Node or a way to its packages the test is skipped,
    with ARENA_REQUIRE_ALL=1 it fails."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        _give_up("node and npm are not installed")
    lock = (STARTER / "package-lock.json").read_bytes()
    folder = ROOT / "var" / f"node-starter-{hashlib.sha256(lock).hexdigest()[:12]}"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as guard:
        fcntl.flock(guard, fcntl.LOCK_EX)  # tests run in several processes
        for name in ("package.json", "package-lock.json", "bot.js"):
            # A node that starts meanwhile finds the old or the new file, never half of one.
            shutil.copy(STARTER / name, folder / f"{name}.new")
            (folder / f"{name}.new").rename(folder / name)
        if not (folder / "installed").exists():
            run = subprocess.run(
                [npm, "ci", "--no-audit", "--no-fund", "--ignore-scripts"],
                cwd=folder, capture_output=True, text=True, check=False, timeout=250,
            )  # fmt: skip
            if run.returncode != 0:
                _give_up(f"npm ci failed in arena/starters/node: {run.stderr.strip()[-400:]}")
            (folder / "installed").touch()
    return [node, str(folder / "bot.js")]


def _give_up(missing: str) -> NoReturn:
    if os.environ.get("ARENA_REQUIRE_ALL") == "1":
        pytest.fail(missing)
    pytest.skip(missing)


def node_environment(server: str, token: str, process: str) -> dict[str, str]:
    """What the bot reads from its environment."""
    return {
        **os.environ,
        "ARENA_SERVER": server,
        "ARENA_TOKEN": token,
        "ARENA_PROCESS": process,
        "ARENA_PROTO": str(ROOT / "proto"),
    }
