"""How commands reach the database: Django is loaded when one of them needs it, not before."""

from __future__ import annotations

import os


def use_settings() -> None:
    """Make `django.conf.settings` usable, and no more than that: models take half a second to load."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webui.settings")


def connect() -> None:
    """Make `webui.ladder` usable, on the database that DATABASE_URL names (else the SQLite file of this checkout)."""
    import django  # when a command needs it: `--help` of a command does not

    use_settings()
    django.setup()
