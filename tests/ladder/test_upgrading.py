"""An arena of a former version, with all that was in it, is one of this version after `migrate`.

`former_arena.gz` is a backup that `arena admin backup` of that version has written (commit 7bde906, SQLite) while house
bots played: finished and running matches, ratings, an administrator and tokens.
"""

from __future__ import annotations

import gzip
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.kit.arena.process import ROOT
from tests.kit.command import ARENA

pytestmark = pytest.mark.slow

DJANGO = [sys.executable, "-m", "django"]
FORMER = Path(__file__).with_name("former_arena.gz")
KEPT = ("ladder_user", "ladder_bot", "ladder_botversion", "ladder_bottoken", "ladder_match", "ladder_logrow",
        "ladder_matchrecord", "ladder_ratingentry", "ladder_standing")  # fmt: skip


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return {
        **os.environ,
        "ARENA_VAR": str(tmp_path),
        "DATABASE_URL": f"sqlite:///{tmp_path / 'arena.sqlite3'}",
        "DJANGO_SETTINGS_MODULE": "webui.settings",
    }


def run(environment: dict[str, str], *command: str, codes: tuple[int, ...] = (0,)) -> str:
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode in codes, done.stdout + done.stderr
    return done.stdout


def counts(path: Path) -> dict[str, int]:
    with closing(sqlite3.connect(path)) as database:
        return {table: database.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in KEPT}


def test_a_backup_of_a_former_version_is_restored_migrated_and_healthy(
    environment: dict[str, str], tmp_path: Path
) -> None:
    backup = tmp_path / "former.backup"
    backup.write_bytes(gzip.decompress(FORMER.read_bytes()))
    before = counts(backup)
    assert all(before.values()), "there is something of everything"
    run(environment, *ARENA, "admin", "restore", str(backup))
    run(environment, *DJANGO, "migrate", "--noinput")
    assert counts(tmp_path / "arena.sqlite3") == before
    told = run(environment, *ARENA, "admin", "doctor", "--all", codes=(0, 1)).splitlines()
    findings, summary = [line.strip() for line in told[:-1]], told[-1]
    # What ran then waits for the sweeper, which is not here. All the rest is as it must be.
    assert findings and all(line.startswith("leases: ") and "nobody sweeps" in line for line in findings), told
    assert "14 matches" in summary and "7 records" in summary
