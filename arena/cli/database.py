"""How commands reach the database: Django is loaded when one of them needs it, not before."""

from __future__ import annotations

import os

from arena.cli.files import InputError


def connect() -> None:
    """Make `webui.ladder` usable, on the database that DATABASE_URL names (else the SQLite file of this checkout)."""
    try:
        import django
    except ImportError:
        raise InputError("this command needs the server's parts: pip install 'naqala-arena[server]'") from None
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webui.settings")
    django.setup()
