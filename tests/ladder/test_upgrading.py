"""An arena of a former version, with all that was in it, is one of this version after `migrate`.

`former_arena.gz` is a backup that `arena admin backup` of that version has written (commit 7bde906, SQLite) while house
bots played: finished and running matches, ratings, an administrator and tokens.

`migrate` is a process, as an administrator starts it; the commands that test_backups.py starts as processes run in this
one.
"""

from __future__ import annotations

import gzip
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.kit.arena.database import migrate, using
from tests.kit.command import arena_here, printed

pytestmark = pytest.mark.slow

FORMER = Path(__file__).with_name("former_arena.gz")
KEPT = ("ladder_user", "ladder_bot", "ladder_botversion", "ladder_bottoken", "ladder_match", "ladder_logrow",
        "ladder_matchrecord", "ladder_ratingentry", "ladder_standing")  # fmt: skip


@pytest.fixture
def url(tmp_path: Path, django_db_blocker: Any) -> Iterator[str]:
    """The database of the arena, which has no tables yet, and is the one of this process."""
    url = f"sqlite:///{tmp_path / 'arena.sqlite3'}"
    with django_db_blocker.unblock(), using(url):
        yield url


def counts(path: Path) -> dict[str, int]:
    with closing(sqlite3.connect(path)) as database:
        return {table: database.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in KEPT}


def test_a_backup_of_a_former_version_is_restored_migrated_and_healthy(url: str, tmp_path: Path) -> None:
    backup = tmp_path / "former.backup"
    backup.write_bytes(gzip.decompress(FORMER.read_bytes()))
    before = counts(backup)
    assert all(before.values()), "there is something of everything"
    assert "migrate" in printed(arena_here("admin", "restore", backup))
    migrate(url)
    assert counts(tmp_path / "arena.sqlite3") == before
    done = arena_here("admin", "doctor", "--all")
    assert done.code in (0, 1), done
    told = done.out.splitlines()
    findings, summary = [line.strip() for line in told[:-1]], told[-1]
    # What ran then waits for the sweeper, which is not here. All the rest is as it must be.
    assert findings and all(line.startswith("leases: ") and "nobody sweeps" in line for line in findings), told
    assert "14 matches" in summary and "7 records" in summary
