"""Backup and restore of the whole database while the arena runs. A backup is one file.

With SQLite, the file is itself a SQLite database. With PostgreSQL, it is an archive of `pg_dump`, for `pg_restore`.
Everything that must outlive a machine is in the database. Redis holds only what is rebuilt by itself.
"""

import os
import shutil
import sqlite3
import subprocess
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.utils import OperationalError
from psycopg import pq
from psycopg.conninfo import make_conninfo

from webui.core.subjects import own_models

CLIENT_PACKAGE = "postgresql-client"
"""Debian package with `pg_dump` and `pg_restore`."""

LOCK_WAIT = "10s"
"""Maximum time that a restore waits for a table in use, before it gives up."""


class BackupError(Exception):
    """A backup or restore failed. The message is one line with the reason."""


def backup(path: Path) -> None:
    """Write a consistent copy of the database to a new file. The file appears only when it is complete."""
    if path.exists():
        raise BackupError(f"{path} exists: choose another name")
    try:
        # In the same folder, so that the final rename is atomic. Only its owner can read it, as it contains the seeds
        # of running matches.
        folder = tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}-")
    except OSError as error:
        raise BackupError(f"cannot write in {path.parent}: {error.strerror}") from None
    draft = Path(folder, path.name)
    try:
        if connection.vendor == "sqlite":
            _dump_sqlite(draft)
        else:
            _postgres_tool("pg_dump", "--format=custom", "--no-owner", "--no-privileges", f"--file={draft}")
        draft.chmod(0o600)
        with draft.open("rb") as written:
            os.fsync(written.fileno())
        draft.rename(path)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def restore(path: Path, *, force: bool = False) -> bool:
    """Replace the database with a backup, completely or not at all. Return whether `migrate` must be run afterwards.

    Without `force`, the database must have no users, bots and matches yet. Matches that were running at the time of the
    backup continue from there.
    """
    if not path.is_file():
        raise BackupError(f"there is no file {path}")
    if not force and not is_empty():
        raise BackupError("the database is not empty: --force replaces all that is in it")
    if connection.vendor == "sqlite":
        _load_sqlite(path)
    else:
        connection.close()
        _postgres_tool(
            *("pg_restore", "--clean", "--if-exists", "--no-owner", "--no-privileges"),
            *("--single-transaction", "--exit-on-error", str(path)),
        )
    connection.close()  # the connection may have cached values of the old database
    executor = MigrationExecutor(connection)
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def is_empty() -> bool:
    """Return whether this database has no users, bots or matches yet. Empty tables do not count."""
    tables = set(connection.introspection.table_names())
    return not any(model._default_manager.exists() for model in own_models() if model._meta.db_table in tables)


def _dump_sqlite(draft: Path) -> None:
    with connection.cursor() as cursor:
        try:
            cursor.execute("VACUUM INTO %s", [str(draft)])
        except OperationalError as error:
            raise BackupError(f"SQLite could not write the backup: {error}") from None
    with closing(sqlite3.connect(draft)) as copy:
        _check_sqlite(copy, draft)


def _load_sqlite(path: Path) -> None:
    connection.ensure_connection()
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as source:
        _check_sqlite(source, path)
        # Copy in one transaction on the file that all processes have open: they see all of it or nothing.
        target: Any = connection.connection
        try:
            source.backup(target)
        except sqlite3.Error as error:
            raise BackupError(f"SQLite could not restore the backup: {error}") from None


def _check_sqlite(database: sqlite3.Connection, path: Path) -> None:
    """Raise `BackupError` if a file is damaged, or is not the backup of an arena."""
    try:
        (answer,) = database.execute("PRAGMA integrity_check").fetchone()
        if answer != "ok":
            raise BackupError(f"{path} is damaged: {answer}")
        database.execute("SELECT 1 FROM matches_match LIMIT 1")
    except sqlite3.Error as error:
        raise BackupError(f"{path} is not the backup of an arena on SQLite: {error}") from None


def _postgres_tool(program: str, *arguments: str) -> None:
    """Run a program on our database. The password is in its environment, because everybody can read command lines."""
    path = shutil.which(program)
    if path is None:
        raise BackupError(f"there is no {program} here: install Debian's package {CLIENT_PACKAGE}")
    parameters = connection.get_connection_params()
    known = {option.keyword.decode() for option in pq.Conninfo.get_defaults()}
    address = {key: value for key, value in parameters.items() if key in known and key != "password"}
    environment = {**os.environ, "PGOPTIONS": f"-c lock_timeout={LOCK_WAIT}"}
    if password := parameters.get("password"):
        environment["PGPASSWORD"] = str(password)
    run = subprocess.run(  # noqa: S603 - the command is ours
        [path, f"--dbname={make_conninfo(**address)}", *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode:
        lines = [line for line in run.stderr.splitlines() if line.strip()] or [f"exit code {run.returncode}"]
        # The first line with an error says what happened. The lines after it are the statement that failed.
        message = next((line for line in lines if "error" in line.lower()), lines[0])
        raise BackupError(f"{program} failed: {message.removeprefix(f'{program}: ')}")
