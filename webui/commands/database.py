"""How commands reach the database: Django is loaded when one of them needs it, not before."""

from __future__ import annotations

import os

from arena.host.loading import loading
from arena.host.places import Places, state_directory


def use_settings() -> None:
    """Make `django.conf.settings` usable, and no more than that: models take half a second to load."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webui.settings")


def connect() -> None:
    """Make the tables usable, on the database that DATABASE_URL names (else the SQLite file of this checkout)."""
    import django  # when a command needs it: `--help` of a command does not
    from django.conf import settings

    use_settings()
    if not settings.configured:
        _use_redis_of_up()
    with loading():
        django.setup()


def _use_redis_of_up() -> None:
    """Beside an `arena up` with a Redis of its own, that is the one: it knows which versions are online."""
    places = Places(state_directory())
    if not os.environ.get("REDIS_URL") and places.lock.exists() and (socket := places.redis_socket()).is_socket():
        os.environ["REDIS_URL"] = f"unix://{socket}?db=0"
