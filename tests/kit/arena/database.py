"""Switches this process's Django to the database of an arena of the kit."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from django.db import DEFAULT_DB_ALIAS, Error, connection, connections

from tests.kit.templates import copy, template
from webui.settings import storage


def empty_sqlite(path: Path) -> None:
    """Make a database with all tables in this file, which must not exist."""
    copy(sqlite_template(), path)


def sqlite_template() -> Path:
    """Return a database with all tables, for copying."""
    return template("arena.sqlite3", lambda made: migrate(f"sqlite:///{made}"))


def migrate(url: str) -> None:
    """Make the missing tables of a database. This runs in a separate process, because tests may not use a database
    here."""
    environment = {**os.environ, "DATABASE_URL": url, "DJANGO_SETTINGS_MODULE": "webui.settings"}
    subprocess.run([sys.executable, "-m", "django", "migrate", "--verbosity", "0"], env=environment, check=True)


@contextmanager
def using(url: str) -> Iterator[None]:
    """Let everything in this thread use this database until the end of the block."""
    with patch.dict(os.environ, DATABASE_URL=url):
        configured = connections.configure_settings({DEFAULT_DB_ALIAS: storage.database()})
    before = connections.settings[DEFAULT_DB_ALIAS]
    _use(configured[DEFAULT_DB_ALIAS])
    try:
        yield
    finally:
        _use(before)


def is_connected() -> bool:
    """Return whether the database answers. A dead connection of this thread is replaced."""
    try:
        connection.ensure_connection()
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except Error:
        connection.close()
        return False
    return True


def _use(database: object) -> None:
    from django.contrib.contenttypes.models import ContentType  # needs Django to be set up

    connections[DEFAULT_DB_ALIAS].close()
    del connections[DEFAULT_DB_ALIAS]
    connections.settings[DEFAULT_DB_ALIAS] = database
    ContentType.objects.clear_cache()  # it caches the numbers of the other database
