"""`arena admin backup` and `arena admin restore` on whichever database the tests run on.

Each command is run as a process once; what else it can say is asked of it in this process, on the other database, too.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread
from urllib.parse import quote

import pytest
from django.db import connection

from arena.referee import Entry
from tests.kit.arena.database import using
from tests.kit.command import Done, arena, arena_here, complaint, on_terminal
from tests.kit.ladder import Kit
from webui.core import errors
from webui.core.backups import BackupError, restore
from webui.matches import models as match_models
from webui.matches import ownership
from webui.matches import queries as match_queries

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database_specific]
OTHER = f"arena_elsewhere_{os.getpid()}"


def url_of(name: str) -> str:
    """The address of a database beside the one of the tests."""
    if connection.vendor == "sqlite":
        return f"sqlite:///{name}"
    settings = connection.settings_dict
    host, user, password = (quote(str(settings[key]), safe="") for key in ("HOST", "USER", "PASSWORD"))
    port = f":{settings['PORT']}" if settings["PORT"] else ""
    return f"postgresql://{user}:{password}@{host}{port}/{name}"


@pytest.fixture
def here() -> dict[str, str]:
    """The environment of a process on the database of the tests."""
    return {"DATABASE_URL": url_of(str(connection.settings_dict["NAME"]))}


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[dict[str, str]]:
    """The environment of a process on a database that has nothing in it, not even tables."""
    if connection.vendor == "sqlite":
        yield {"DATABASE_URL": url_of(str(tmp_path / "elsewhere.sqlite3"))}
        return
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {OTHER}")
    yield {"DATABASE_URL": url_of(OTHER)}
    with connection.cursor() as cursor:
        cursor.execute(f"DROP DATABASE {OTHER} WITH (FORCE)")


def fill(kit: Kit) -> tuple[str, str]:
    """A finished and a running match."""
    versions = kit.versions(2)
    finished = kit.finish(versions).match_id
    claim, _ = kit.ready_to_finish(versions)
    return finished, claim.match_id


def admin_on(environment: dict[str, str], *words: object) -> Done:
    """`arena admin` on that database, in this process."""
    with using(environment["DATABASE_URL"]):
        return arena_here("admin", *words)


def done(result: Done) -> str:
    assert (result.code, result.err) == (0, ""), result
    return result.out


@pytest.mark.slow
def test_a_backup_restores_into_an_empty_database(
    kit: Kit, tmp_path: Path, here: dict[str, str], elsewhere: dict[str, str]
) -> None:
    finished, running = fill(kit)
    file = tmp_path / "arena.backup"
    assert str(file) in done(arena("admin", "backup", file, **here))
    assert [path.name for path in tmp_path.glob("*arena.backup*")] == [file.name]
    assert file.stat().st_mode & 0o077 == 0
    assert done(arena("admin", "restore", file, **elsewhere)) == f"{file}: restored\n"
    assert done(arena("admin", "doctor", "--all", **elsewhere)).startswith("healthy: 2 matches, 1 ladders, 1 records")
    record = match_queries.match_record(finished)
    with using(elsewhere["DATABASE_URL"]):
        assert record is not None and match_queries.match_record(finished) == record
        assert match_models.Match.objects.get(pk=running).state == "RUNNING"

    # What is there already is not overwritten, neither a file nor a database.
    assert "choose another name" in complaint(arena_here("admin", "backup", file))
    assert "--force" in complaint(admin_on(elsewhere, "restore", file))


@pytest.mark.slow
def test_restoring_by_force_replaces_what_was_there(kit: Kit, tmp_path: Path, here: dict[str, str]) -> None:
    finished, _ = fill(kit)
    file = tmp_path / "arena.backup"
    done(arena_here("admin", "backup", file))
    later = kit.match()
    done(arena("admin", "restore", file, "--force", **here))
    assert match_queries.match_page(finished).line.state == "FINISHED"
    with pytest.raises(errors.NotFound):
        match_queries.match_page(later)
    kit.match()  # and it can be written again


def test_a_backup_of_an_arena_at_work_is_of_one_moment(kit: Kit, tmp_path: Path, elsewhere: dict[str, str]) -> None:
    claim = kit.claim(kit.match(), lease_s=3600)
    at_work, stop, failures = Event(), Event(), list[Exception]()

    def write() -> None:
        number = 0
        try:
            while not stop.is_set():
                entries = [Entry(number + i, "decision", 1, "x") for i in range(3)]
                ownership.append(claim.match_id, claim.epoch, number, entries, 3600)
                number += 3
                at_work.set()
        except Exception as error:  # noqa: BLE001 - shown below
            failures.append(error)
        finally:
            at_work.set()
            connection.close()

    writer = Thread(target=write)
    writer.start()
    try:
        at_work.wait()
        done(arena_here("admin", "backup", tmp_path / "arena.backup"))
    finally:
        stop.set()
        writer.join()
    assert not failures
    done(admin_on(elsewhere, "restore", tmp_path / "arena.backup"))
    done(admin_on(elsewhere, "doctor"))
    with using(elsewhere["DATABASE_URL"]):
        length = match_models.Match.objects.get().length
    assert 0 < length <= match_queries.match_page(claim.match_id).line.length and length % 3 == 0


def test_what_is_no_backup_changes_nothing(kit: Kit, tmp_path: Path) -> None:
    fill(kit)
    whole, file = tmp_path / "whole", tmp_path / "broken"
    done(arena_here("admin", "backup", whole))
    counts = match_queries.match_counts()
    content = whole.read_bytes()
    for broken in (b"", b"hello", content[: len(content) // 2]):
        file.write_bytes(broken)
        complaint(arena_here("admin", "restore", file, "--force"))
        assert match_queries.match_counts() == counts
    assert "there is no file" in complaint(arena_here("admin", "restore", tmp_path / "nowhere", "--force"))
    assert "cannot write" in complaint(arena_here("admin", "backup", tmp_path / "no" / "such" / "folder"))


def test_an_older_backup_asks_for_its_migrations(kit: Kit, tmp_path: Path, elsewhere: dict[str, str]) -> None:
    done(arena_here("admin", "backup", tmp_path / "new"))
    done(admin_on(elsewhere, "restore", tmp_path / "new"))
    with using(elsewhere["DATABASE_URL"]), connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = 'sessions'")
    done(admin_on(elsewhere, "backup", tmp_path / "old"))
    assert "migrate" in done(admin_on(elsewhere, "restore", tmp_path / "old"))


@pytest.mark.parametrize(("command", "tool"), [("backup", "pg_dump"), ("restore", "pg_restore")])
def test_without_postgresqls_tools_it_says_what_to_install(
    tmp_path: Path, command: str, tool: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    (tmp_path / "there").touch()
    arguments = ["new"] if command == "backup" else ["there", "--force"]
    away = {"DATABASE_URL": "postgresql://arena@127.0.0.1:1/arena"}
    said = complaint(admin_on(away, command, tmp_path / arguments[0], *arguments[1:]))
    assert f"no {tool} here: install Debian's package postgresql-client" in said
    assert not (tmp_path / "new").exists()


@pytest.mark.slow
def test_a_database_that_is_away_is_one_line(tmp_path: Path) -> None:
    away = {"DATABASE_URL": "postgresql://arena:hush@127.0.0.1:1/arena"}
    assert "hush" not in complaint(arena("admin", "doctor", **away))
    for words in (["backup", tmp_path / "new"], ["restore", __file__]):
        assert "hush" not in complaint(admin_on(away, *words))


@pytest.mark.slow
def test_a_terminal_sees_how_far_the_doctor_is(kit: Kit, here: dict[str, str]) -> None:
    fill(kit)
    shown = on_terminal("admin", "doctor", "--all", **here).decode()
    assert "records" in shown and "1/1" in shown and "healthy" in shown


def test_restore_asks_before_it_looks(kit: Kit, tmp_path: Path) -> None:
    kit.version()
    (tmp_path / "anything").touch()
    with pytest.raises(BackupError, match="not empty"):
        restore(tmp_path / "anything")
