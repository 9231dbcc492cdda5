"""Access of commands to the database. Django is loaded only when a command needs it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from arena.cli.files import InputError
from arena.host.loading import loading
from arena.host.places import Places, state_directory


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
