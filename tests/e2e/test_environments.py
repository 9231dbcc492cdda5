"""Machines of real people: behind a proxy, without a network, with little of everything, with names of any language.

A bot that dials in plays a game under each of these, and a whole arena plays under all of them together.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from arena.host.places import Places
from tests.e2e.running import COMMAND, ROOT, RunningArena
from tests.kit.lacking import require_machines

pytestmark = pytest.mark.e2e

BOT: Final = ROOT / "arena" / "starters" / "python" / "mybot.py"
NOBODY: Final = "http://user:secret@127.0.0.1:9"
"""Address of a proxy at which nobody answers."""
PROXIES: Final = {
    name: NOBODY for word in ("grpc", "http", "https", "all") for name in (f"{word}_proxy", f"{word}_PROXY".upper())
}
FOREIGN: Final = {"LANG": "C", "LC_ALL": "C", "TZ": "Nowhere/Odd", "HOME": "/proc/nobody", "PYTHONUTF8": ""}
SCARCE: Final = ("bash", "-c", 'ulimit -n 256; ulimit -s 256; umask 077; exec "$@"', "_")


class Surroundings(NamedTuple):
    """The environment of a command."""

    variables: dict[str, str]
    before: tuple[str, ...] = ()
    """Words before the command."""
    python: tuple[str, ...] = ()
    """Options of Python."""


KINDS: Final = {
    "proxy": Surroundings(PROXIES),
    "foreign": Surroundings(FOREIGN),
    "scarce": Surroundings({}, SCARCE),
    "offline": Surroundings({}, ("unshare", "--net", "bash", "-c", 'ip link set lo up; exec "$@"', "_")),
    "ipv6": Surroundings(
        {}, ("unshare", "--net", "bash", "-c", 'ip link set lo up; ip address del 127.0.0.1/8 dev lo; exec "$@"', "_")
    ),
    "isolated": Surroundings({}, python=("-I",)),
    "optimised": Surroundings({}, python=("-O",)),
}


def plain_environment() -> dict[str, str]:
    """Return the environment of this process without its proxies."""
    return {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}


@pytest.mark.parametrize("kind", KINDS)
def test_a_bot_dials_in_and_plays(kind: str, tmp_path: Path) -> None:
    around = KINDS[kind]
    if "unshare" in around.before:
        require_machines()
    folder = tmp_path / "räume für спiele"
    folder.mkdir()
    (folder / "mein bot.py").write_bytes(BOT.read_bytes())
    arena = [sys.executable, *around.python, *COMMAND]
    bot = shlex.join([*arena, "bot", "run", "mein bot.py"])
    environment = {**plain_environment(), **around.variables}
    done = subprocess.run(
        [*around.before, *arena, "play", "random", bot, "--json"], cwd=folder, env=environment,
        capture_output=True, encoding="utf-8", errors="replace", timeout=250, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert [player["faults"] for player in json.loads(done.stdout)["players"]] == [{}, {}]
    assert "secret" not in done.stderr


@pytest.mark.soak
@pytest.mark.timeout(1200)
def test_a_whole_arena_plays_under_all_of_it(tmp_path: Path) -> None:
    folder = tmp_path / "räume für спiele"
    folder.mkdir(mode=0o700)
    with RunningArena(folder / "var", "--house", before=SCARCE, **PROXIES, **FOREIGN) as arena:
        arena.wait_ready()
        arena.wait_for("matches", finished=lambda finished: finished >= 1)
    logs = "\n".join(log.read_text(errors="replace") for log in Places(arena.var).logs.glob("*.log"))
    assert "Traceback" not in logs and "secret" not in logs
