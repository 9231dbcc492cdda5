"""Access of commands to the database. Django is loaded only when a command needs it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from arena.cli.files import InputError
from arena.host.loading import loading
from arena.host.places import Places, state_directory

CHECK_S: Final = 5.0
"""Maximum time for the check of a database file. What it has not read then is not checked."""


def use_settings() -> None:
    """Make `django.conf.settings` usable, without the models: they take half a second to load."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webui.settings")


def connect() -> None:
    """Make the models usable, with the database of DATABASE_URL or by default the SQLite file of this checkout."""
    import django  # not at the top: `--help` does not need it
    from django.conf import settings

    use_settings()
    if not settings.configured:
        _use_redis_of_up()
    with loading():
        django.setup()


def check_file(limit_s: float = CHECK_S) -> None:
    """Raise `InputError` if SQLite finds damage in its file. After `limit_s` seconds the rest is not checked.

    Django must be set up. A process that meets a damaged page later can only log the error of each action.
    """
    from django.db import DatabaseError, OperationalError, connection

    if connection.vendor != "sqlite":
        return
    ends = time.monotonic() + limit_s
    try:
        with connection.cursor() as cursor:
            connection.connection.set_progress_handler(lambda: time.monotonic() > ends, 100_000)
            try:
                (finding,) = cursor.execute("PRAGMA quick_check(1)").fetchone()
            finally:
                connection.connection.set_progress_handler(None, 0)
    except OperationalError:
        return  # the time is over, or the database is locked
    except DatabaseError as error:  # the file is damaged so much that it cannot be checked, or it is another file
        finding = str(error)
    if finding != "ok":
        file = connection.settings_dict["NAME"]
        raise InputError(f"the database {file} is damaged: restore a backup (`arena admin restore`), or move it away")


@contextmanager
def connected() -> Iterator[None]:
    """Connect, and raise `InputError` for what actions and queries refuse. Commands use it as a decorator."""
    connect()
    from webui.core.errors import LadderError

    try:
        yield
    except LadderError as error:
        raise InputError(str(error)) from None


def _use_redis_of_up() -> None:
    """Use the Redis of a running `arena up`, if it has its own: that Redis knows which versions are online."""
    places = Places(state_directory())
    if not os.environ.get("REDIS_URL") and places.lock.exists() and (socket := places.redis_socket()).is_socket():
        os.environ["REDIS_URL"] = f"unix://{socket}?db=0"
