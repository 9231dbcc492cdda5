"""`arena up` that is stopped while it starts, and one whose database or Redis is damaged or away.

The end of an arena at work is in `test_demo.py`.
"""

from __future__ import annotations

import signal
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from arena.host.places import Places
from tests.e2e.processes import descendants, living
from tests.e2e.running import COMMAND, ROOT, RunningArena, environment
from tests.kit.arena.database import empty_sqlite

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(1200)]


def test_interrupted_while_it_starts(tmp_path: Path) -> None:
    with RunningArena(tmp_path) as arena:
        arena.wait_for("process", name="site", state="starting")
        started = descendants(arena.process.pid)
        assert arena.stop(signal.SIGINT) == 0
    assert not living(started)


def test_a_damaged_database_is_said_in_one_line(tmp_path: Path) -> None:
    file = Places(tmp_path).database
    empty_sqlite(file)
    with closing(sqlite3.connect(file)) as database:
        (size,) = database.execute("PRAGMA page_size").fetchone()
        (page,) = database.execute("SELECT rootpage FROM sqlite_master WHERE name = 'matches_match'").fetchone()
    with file.open("r+b") as opened:
        opened.seek(size * (page - 1))
        opened.write(b"\x07" * size)
    ended = subprocess.run(
        [*COMMAND, "up", "--json"], cwd=ROOT, env=environment(tmp_path),
        capture_output=True, text=True, timeout=180, check=False,
    )  # fmt: skip
    assert ended.returncode == 2, ended.stdout + ended.stderr
    assert f"the database {file} is damaged: restore a backup" in ended.stderr and "Traceback" not in ended.stderr


def test_a_damaged_file_of_another_redis_is_left_alone(tmp_path: Path) -> None:
    damaged = tmp_path / "var" / "dump.rdb"
    damaged.parent.mkdir(mode=0o700)
    content = b"REDIS0009 and then nothing that it knows"
    damaged.write_bytes(content)
    with RunningArena(damaged.parent) as arena:
        arena.wait_for("process", name="redis", state="ready")
    assert damaged.read_bytes() == content


@pytest.mark.parametrize(
    ("variable", "value", "complaint"),
    [
        ("DATABASE_URL", "postgresql://nobody@127.0.0.1:1/none", "the database cannot be used"),
        ("REDIS_URL", "redis://127.0.0.1:1/0", "Redis"),
    ],
)
def test_what_is_not_there_is_said_in_one_line(tmp_path: Path, variable: str, value: str, complaint: str) -> None:
    ended = subprocess.run(
        [*COMMAND, "up", "--json"], cwd=ROOT, env=environment(tmp_path, **{variable: value}),
        capture_output=True, text=True, timeout=180, check=False,
    )  # fmt: skip
    assert ended.returncode == 2, ended.stdout + ended.stderr
    assert complaint in ended.stderr
    assert "Traceback" not in ended.stderr
