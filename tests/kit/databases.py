"""Tests on SQLite and on PostgreSQL, for folders whose `conftest.py` calls `both_databases`.

Each process of pytest has one PostgreSQL database, migrated once: on the server of ARENA_TEST_POSTGRES (the URL of a
superuser), or on a private server from Debian's packages.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from django.core.management.commands import flush
from django.db.backends.base.operations import BaseDatabaseOperations
from django.db.backends.postgresql.operations import DatabaseOperations as PostgresOperations
from django.db.backends.sqlite3.operations import DatabaseOperations as SqliteOperations

from tests.kit.arena.database import migrate, using
from tests.kit.postgres_server import PostgresServer, require_postgres

POSTGRES = pytest.param("postgres", marks=[pytest.mark.postgres, pytest.mark.slow])
POSTGRES_ONLY = pytest.param("postgres", marks=[*POSTGRES.marks, pytest.mark.database_specific])

FILLED_BY_MIGRATIONS = {"django_content_type", "auth_permission"}
"""Tables with the same rows in every database. Django fills them again each time it empties them."""


@pytest.fixture(scope="session", autouse=True)
def emptied_by_rows() -> Iterator[None]:
    """Change how Django empties a database between tests that commit.

    PostgreSQL's TRUNCATE makes new files for each table and index, and takes .24 s of processor time for a few rows.
    This deletes rows instead, and does not fill two tables again.
    """

    def rows(self: BaseDatabaseOperations, tables: Sequence[str]) -> list[str]:
        return [f"DELETE FROM {self.quote_name(table)}" for table in tables if table not in FILLED_BY_MIGRATIONS]

    def of_postgresql(self: PostgresOperations, style: Any, tables: Sequence[str], **options: Any) -> list[str]:
        return ["; ".join(["SET LOCAL session_replication_role = replica", *rows(self, tables)])]  # no trigger refuses

    def of_sqlite(self: SqliteOperations, style: Any, tables: Sequence[str], **options: Any) -> list[str]:
        return rows(self, tables)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(PostgresOperations, "sql_flush", of_postgresql)
        patched.setattr(SqliteOperations, "sql_flush", of_sqlite)
        patched.setattr(flush, "emit_post_migrate_signal", lambda *about: None)
        yield


@pytest.fixture(scope="session")
def postgres_url(worker_id: str, django_db_setup: None, django_db_blocker: Any) -> Iterator[str]:
    """Return a migrated database on PostgreSQL."""
    shared = os.environ.get("ARENA_TEST_POSTGRES")
    private_or_shared = _created(shared, f"arena_test_{worker_id}") if shared else _private()
    with django_db_blocker.unblock(), private_or_shared as url:
        yield url


@pytest.fixture(scope="module", autouse=True)
def database(request: pytest.FixtureRequest) -> Iterator[str]:
    """Return the name of the database that the tests of a module use."""
    name = getattr(request, "param", "sqlite")
    if name == "sqlite":
        yield name
        return
    url, blocker = request.getfixturevalue("postgres_url"), request.getfixturevalue("django_db_blocker")
    with blocker.unblock(), using(url):
        yield name


def both_databases(metafunc: pytest.Metafunc) -> None:
    """Use this as `pytest_generate_tests`: a test with a database runs on both, one after the other in each module.

    On PostgreSQL, only a test that is marked `database_specific` runs in CI; `make soak-databases` runs them all.
    """
    if metafunc.definition.get_closest_marker("django_db") is not None:
        metafunc.parametrize("database", ["sqlite", POSTGRES], indirect=True, scope="module")


@contextmanager
def _private() -> Iterator[str]:
    require_postgres()
    with PostgresServer(tables=True) as server:
        yield server.url


@contextmanager
def _created(server: str, name: str) -> Iterator[str]:
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
        connection.execute(f'CREATE DATABASE "{name}"')
        try:
            url = server.rpartition("/")[0] + f"/{name}"
            migrate(url)
            yield url
        finally:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
