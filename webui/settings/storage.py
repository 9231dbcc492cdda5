"""Where the server keeps things: the database, Redis, the caches; and how long a worker's lease holds."""

import os
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import dj_database_url

from webui.settings.environment import PLACES


def database() -> dict[str, Any]:
    """What the environment says of the database, for Django."""
    url = os.environ.get("DATABASE_URL") or f"sqlite:///{PLACES.database}"
    config: dict[str, Any] = dict(dj_database_url.parse(url, conn_max_age=60, conn_health_checks=True))
    if config["ENGINE"] != "django.db.backends.sqlite3":
        return config
    if config["NAME"] != ":memory:":
        Path(config["NAME"]).parent.mkdir(parents=True, exist_ok=True)
    synchronous = os.environ.get("ARENA_SQLITE_SYNCHRONOUS", "NORMAL").upper()
    if synchronous not in {"NORMAL", "FULL"}:
        raise ValueError(f"ARENA_SQLITE_SYNCHRONOUS is {synchronous!r}; use NORMAL or FULL")
    config["OPTIONS"] = {
        # A deferred transaction that reads and then writes cannot wait for its lock and fails with "database is
        # locked"; an immediate one waits its turn, up to `timeout` seconds.
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        # WAL: readers never wait for the writer. With it, NORMAL is safe against the death of any process, which is
        # what the arena promises; the last transactions may be lost when the machine loses power. FULL survives that
        # too and costs one fsync a transaction.
        "init_command": f"PRAGMA journal_mode=WAL; PRAGMA synchronous={synchronous};",
    }
    return config


DATABASES = {"default": database()}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

REDIS_URL = os.environ.get("REDIS_URL") or "redis://127.0.0.1:6379/0"
try:
    urlsplit(REDIS_URL).port  # noqa: B018 - raises
except ValueError:  # whose message quotes a part of the password
    raise ValueError("REDIS_URL is not an address: a password in it is written as in an address (%2F for /)") from None


def broker_url(url: str) -> str:
    """Celery's name for a Redis: as redis-py's, but for a unix socket."""
    if not url.startswith("unix://"):
        return url
    path, _, query = url.removeprefix("unix://").partition("?")
    return f"redis+socket://{path}" + (f"?{query.replace('db=', 'virtual_host=')}" if query else "")


BROKER_URL = broker_url(REDIS_URL)

BROKER_TRANSPORT_OPTIONS = {"visibility_timeout": 24 * 3600}
"""The broker delivers again what is not acknowledged within this time, and the shortest time of all its clients holds
for all: so every Celery application on this Redis must have these."""

LEASE_SECONDS = float(os.environ.get("ARENA_LEASE_SECONDS", "5"))
"""A worker that has not renewed its lease for this long has lost the match."""

CACHES: dict[str, dict[str, Any]] = {
    # What the limits count in: one count for all web processes, and there whenever the accounts are.
    "default": {
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "cache",
        # Else it keeps 300 counts, and whoever makes more of them makes it forget.
        "OPTIONS": {"MAX_ENTRIES": 20_000},
    },
    # Pages of events as strangers see them; what changes in an event changes their keys.
    "pages": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "LOCATION": "pages",
        "OPTIONS": {"MAX_ENTRIES": 100},
        "TIMEOUT": 20,
    },
    # Frames of replays, a third of a second's work each: files of this machine, shared by its processes.
    "frames": {
        "BACKEND": "webui.caches.OptionalFileCache",
        "LOCATION": PLACES.frames,
        "OPTIONS": {"MAX_ENTRIES": 2000},
        "TIMEOUT": 24 * 3600,
    },
    # Those of running matches, until the next decision.
    "live-frames": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "OPTIONS": {"MAX_ENTRIES": 100},
        "TIMEOUT": 60,
    },
}
