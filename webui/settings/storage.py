"""Where the server keeps things: the database, Redis, the caches; and how long a worker's lease holds."""

import os
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import dj_database_url

from arena.host import sockets
from arena.host.redis_address import SENTINEL, SentinelAddress, authority_of, host_and_port
from webui.settings.environment import PLACES

POSTGRES = "django.db.backends.postgresql"
POSTGRES_PORT = 5432
CONNECT_S = 10
NEXT_HOST_S = 3
"""Where there are several hosts, one that says nothing for this long is passed over."""
BROKER_CONNECT_S = 2
BROKER_ANSWER_S = 5
"""Longer than the second for which Celery's blocking reads wait."""


def database() -> dict[str, Any]:
    """What the environment says of the database, for Django."""
    url = os.environ.get("DATABASE_URL") or f"sqlite:///{PLACES.database}"
    url, hosts = _apart(url)
    config: dict[str, Any] = dict(dj_database_url.parse(url, conn_max_age=60, conn_health_checks=True))
    if config["ENGINE"] == POSTGRES:
        return config | hosts | {"OPTIONS": _postgres_options(config.get("OPTIONS", {}), has_several=bool(hosts))}
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


def _apart(url: str) -> tuple[str, dict[str, str]]:
    """An address with one host, and the several that it names, if it does, as libpq wants them: host,host."""
    authority, parts = authority_of(url)
    account, at, places = authority.rpartition("@")
    if "," not in places:
        return url, {}
    try:
        hosts = [host_and_port(place, POSTGRES_PORT) for place in places.split(",")]
    except ValueError:
        raise dj_database_url.ParseError from None
    one = parts._replace(netloc=f"{account}{at}localhost").geturl()
    return one, {"HOST": ",".join(host for host, _ in hosts), "PORT": ",".join(str(port) for _, port in hosts)}


def _postgres_options(said: dict[str, Any], *, has_several: bool) -> dict[str, Any]:
    """How a connection to PostgreSQL notices, on both sides, that the other one is gone: what the address says of it
    goes first. The server's side matters as much: until it notices, whoever is gone holds the rows it was changing."""
    ours: dict[str, Any] = {
        "connect_timeout": NEXT_HOST_S if has_several else CONNECT_S,
        "keepalives_idle": sockets.IDLE_S,
        "keepalives_interval": sockets.PROBE_EVERY_S,
        "keepalives_count": sockets.PROBES,
        "tcp_user_timeout": sockets.UNANSWERED_MS,
    }
    if has_several:  # one of them is the primary, and the others are its standbys
        ours["target_session_attrs"] = "read-write"
    server = {
        "tcp_keepalives_idle": sockets.IDLE_S,
        "tcp_keepalives_interval": sockets.PROBE_EVERY_S,
        "tcp_keepalives_count": sockets.PROBES,
        "tcp_user_timeout": sockets.UNANSWERED_MS,
    }
    options = " ".join(f"-c {name}={value}" for name, value in server.items())
    return {**ours, **said, "options": f"{options} {said.get('options', '')}".rstrip()}


DATABASES = {"default": database()}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

REDIS_URL = os.environ.get("REDIS_URL") or "redis://127.0.0.1:6379/0"
try:
    SentinelAddress.parse(REDIS_URL) if REDIS_URL.startswith(SENTINEL) else urlsplit(REDIS_URL).port  # which raise
except ValueError:  # whose message may quote a part of the password
    raise ValueError(
        "REDIS_URL is not an address: write it as redis://:password@host:port/0 or"
        " sentinel://:password@host:port,host:port/master-name; a password in it as in an address (%2F for /)"
    ) from None


def broker_url(url: str) -> str:
    """Celery's name for a Redis: as redis-py's, but for a unix socket and for Sentinels."""
    if url.startswith(SENTINEL):
        return SentinelAddress.parse(url).broker_url()
    if not url.startswith("unix://"):
        return url
    path, _, query = url.removeprefix("unix://").partition("?")
    return f"redis+socket://{path}" + (f"?{query.replace('db=', 'virtual_host=')}" if query else "")


def broker_options(url: str) -> dict[str, Any]:
    """Celery's options for this Redis.

    The broker delivers again what is not acknowledged within `visibility_timeout`, and the shortest time of all its
    clients holds for all: so every Celery application on this Redis must have these.
    """
    options: dict[str, Any] = {"visibility_timeout": 24 * 3600}
    if url.startswith("unix://"):
        return options
    times = {"socket_connect_timeout": BROKER_CONNECT_S, "socket_timeout": BROKER_ANSWER_S}
    options |= times | {"socket_keepalive": True, "socket_keepalive_options": sockets.keepalive_options()}
    if url.startswith(SENTINEL):
        address = SentinelAddress.parse(url)
        options["master_name"] = address.master
        # Without `retry` redis-py asks a Sentinel that is away ten times, with pauses, before it asks the next one.
        options["sentinel_kwargs"] = {**times, "retry": None, "password": address.sentinel_password or None}
    return options


BROKER_URL = broker_url(REDIS_URL)
BROKER_TRANSPORT_OPTIONS = broker_options(REDIS_URL)


def records_address(address: str) -> str:
    """The address of a store of records, if it is one, or empty. `ValueError` says what is wrong."""
    parts = urlsplit(address)
    options = {name for name, _ in parse_qsl(parts.query, keep_blank_values=True)}
    is_known = parts.scheme == "s3" and bool(parts.netloc) and not parts.fragment and "@" not in parts.netloc
    if address and not (is_known and options <= {"endpoint_url", "region_name"}):
        raise ValueError("ARENA_RECORDS: write it as s3://BUCKET/PREFIX?endpoint_url=https://…&region_name=…")
    return address


RECORDS = records_address(os.environ.get("ARENA_RECORDS", ""))
"""The store of the records of matches, as `webui.matches.record_store` says; empty: the database."""

LEASE_SECONDS = float(os.environ.get("ARENA_LEASE_SECONDS", "5"))
"""A worker that has not renewed its lease for this long has lost the match."""


def story_seconds(value: str) -> float:
    """The value of ARENA_STORY_SECONDS. `ValueError` says what is wrong."""
    try:
        seconds = float(value)
    except ValueError:
        seconds = -1
    if not 0 <= seconds <= 10:  # and no NaN
        raise ValueError(f"ARENA_STORY_SECONDS is {value!r}: write a number of seconds from 0 to 10")
    return seconds


STORY_SECONDS = story_seconds(os.environ.get("ARENA_STORY_SECONDS", "3"))
"""Of every ten, how many the upkeep worker may spend on stories of matches; none are made with 0."""

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
    # What a link to a page shows elsewhere, some 40 KB each.
    "pictures": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "LOCATION": "pictures",
        "OPTIONS": {"MAX_ENTRIES": 200},
        "TIMEOUT": 3600,
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
