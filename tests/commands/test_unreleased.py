"""Tests that what an unreleased version of the arena has made is refused: its database, and the folder of `arena up`.

Its records are in `tests/cli/test_verify.py`.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from arena.cli.files import InputError
from tests.kit.arena.database import using
from tests.kit.command import arena
from webui.commands.services.accounts import read_secrets

DATABASE = "this database was made by an unreleased version of the arena: move it away, or start with an empty one"


@pytest.fixture
def unreleased(tmp_path: Path) -> Path:
    """Return a database with the first migration of an unreleased version."""
    path = tmp_path / "arena.sqlite3"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE django_migrations (id integer PRIMARY KEY, app text, name text, applied text)")
        database.execute("INSERT INTO django_migrations VALUES (1, 'ladder', '0001_initial', '2026-11-01')")
        database.commit()
    return path


@pytest.mark.parametrize("option", ["--noinput", "--check"])
def test_migrate_refuses_the_database_of_an_unreleased_version(
    unreleased: Path, option: str, django_db_blocker: Any
) -> None:
    with django_db_blocker.unblock(), using(f"sqlite:///{unreleased}"), pytest.raises(CommandError) as error:
        call_command("migrate", option)
    assert str(error.value) == DATABASE


@pytest.mark.slow
def test_arena_up_refuses_the_database_of_an_unreleased_version(unreleased: Path) -> None:
    done = arena("up", "--json", ARENA_VAR=str(unreleased.parent), REDIS_URL="", DATABASE_URL="")
    assert done.code == 2 and done.err.splitlines()[-1] == f"arena: {DATABASE}" and "Traceback" not in done.err


@pytest.mark.slow
def test_arena_up_refuses_the_folder_of_an_unreleased_version(tmp_path: Path) -> None:
    (tmp_path / "up.json").write_text(json.dumps({":/var/arena.sqlite3": {"password": "secret"}}))
    done = arena("up", "--json", ARENA_VAR=str(tmp_path))
    why = "was made by an unreleased or a newer version of the arena: move it away, or set ARENA_VAR to an empty folder"
    assert (done.code, done.err) == (2, f"arena: {tmp_path} {why}\n")


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": "naqala/up/9", "databases": {}}'])
def test_a_folder_of_another_version_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "up.json").write_text(text)
    with pytest.raises(InputError, match="unreleased or a newer version"):
        read_secrets(tmp_path / "up.json")
