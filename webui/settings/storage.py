"""Where the server stores data: the database, Redis and the caches. Also the duration of a worker's lease."""

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
"""Connection timeout in seconds if there are several hosts; the next host is tried after it."""
BROKER_CONNECT_S = 2
BROKER_ANSWER_S = 5
"""Timeout in seconds for an answer of the broker. It must exceed the one second for which Celery's reads block."""


def database() -> dict[str, Any]:
    """Return Django's configuration of the database, from the environment."""
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
        # A deferred transaction that reads and then writes cannot wait for its lock. It fails with "database is
        # locked". An immediate one waits for up to `timeout` seconds.
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        # With WAL, readers never wait for the writer. NORMAL is then safe when any process dies, which is what the
        # arena promises. The last transactions may be lost when the machine loses power. FULL survives that too, and
        # costs one fsync for each transaction.
        "init_command": f"PRAGMA journal_mode=WAL; PRAGMA synchronous={synchronous};",
    }
    return config


def _apart(url: str) -> tuple[str, dict[str, str]]:
    """Split a database URL that names several hosts. Return a URL with one host, and the hosts and ports for libpq.

    The second value is empty if the URL names one host.
    """
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
    """Return connection options with which both sides notice that the other one is gone.

    Options in the database URL (`said`) take precedence. The server's side matters as much: until the server notices, a
    lost client holds locks on the rows that it was changing.
    """
    ours: dict[str, Any] = {
        "connect_timeout": NEXT_HOST_S if has_several else CONNECT_S,
        "keepalives_idle": sockets.IDLE_S,
        "keepalives_interval": sockets.PROBE_EVERY_S,
        "keepalives_count": sockets.PROBES,
        "tcp_user_timeout": sockets.UNANSWERED_MS,
    }
    if has_several:  # one host is the primary, and the others are its standbys
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
    SentinelAddress.parse(REDIS_URL) if REDIS_URL.startswith(SENTINEL) else urlsplit(REDIS_URL).port  # may raise
except ValueError:  # whose message may quote a part of the password
    raise ValueError(
        "REDIS_URL is not an address: write it as redis://:password@host:port/0 or"
        " sentinel://:password@host:port,host:port/master-name; a password in it as in an address (%2F for /)"
    ) from None


def broker_url(url: str) -> str:
    """Return Celery's URL for a Redis. It differs from redis-py's for a unix socket and for Sentinels."""
    if url.startswith(SENTINEL):
        return SentinelAddress.parse(url).broker_url()
    if not url.startswith("unix://"):
        return url
    path, _, query = url.removeprefix("unix://").partition("?")
    return f"redis+socket://{path}" + (f"?{query.replace('db=', 'virtual_host=')}" if query else "")


def broker_options(url: str) -> dict[str, Any]:
    """Return Celery's options for this Redis.

    The broker delivers a message again if it is not acknowledged within `visibility_timeout`. The shortest timeout of
    all clients applies to all of them, so every Celery application on this Redis must use these options.
    """
    options: dict[str, Any] = {"visibility_timeout": 24 * 3600}
    if url.startswith("unix://"):
        return options
    times = {"socket_connect_timeout": BROKER_CONNECT_S, "socket_timeout": BROKER_ANSWER_S}
    options |= times | {"socket_keepalive": True, "socket_keepalive_options": sockets.keepalive_options()}
    if url.startswith(SENTINEL):
        address = SentinelAddress.parse(url)
        options["master_name"] = address.master
        # Without `retry`, redis-py asks an unreachable Sentinel ten times, with pauses, before it asks the next one.
        options["sentinel_kwargs"] = {**times, "retry": None, "password": address.sentinel_password or None}
    return options


BROKER_URL = broker_url(REDIS_URL)
BROKER_TRANSPORT_OPTIONS = broker_options(REDIS_URL)


def records_address(address: str) -> str:
    """Return the address of a record store, which may be empty. Raise `ValueError` if it is invalid."""
    parts = urlsplit(address)
    options = {name for name, _ in parse_qsl(parts.query, keep_blank_values=True)}
    is_known = parts.scheme == "s3" and bool(parts.netloc) and not parts.fragment and "@" not in parts.netloc
    if address and not (is_known and options <= {"endpoint_url", "region_name"}):
        raise ValueError("ARENA_RECORDS: write it as s3://BUCKET/PREFIX?endpoint_url=https://…&region_name=…")
    return address


RECORDS = records_address(os.environ.get("ARENA_RECORDS", ""))
"""Address of the store of match records and files of bots (`webui.core.object_store`). Empty: the database has all."""

LEASE_SECONDS = float(os.environ.get("ARENA_LEASE_SECONDS", "5"))
"""Seconds after which a worker that has not renewed its lease loses the match."""


def story_seconds(value: str) -> float:
    """Return the value of ARENA_STORY_SECONDS. Raise `ValueError` if it is invalid."""
    try:
        seconds = float(value)
    except ValueError:
        seconds = -1
    if not 0 <= seconds <= 10:  # rejects NaN too
        raise ValueError(f"ARENA_STORY_SECONDS is {value!r}: write a number of seconds from 0 to 10")
    return seconds


MATCHES_IN_FLIGHT = int(os.environ.get("ARENA_MATCHES", "8"))
"""Number of rated matches that the matchmaker keeps scheduled or running."""
EVENT_MATCHES_IN_FLIGHT = int(os.environ.get("ARENA_EVENT_MATCHES", "8"))
"""Number of events' matches that are scheduled or running, in addition to those of the ladders."""

STORY_SECONDS = story_seconds(os.environ.get("ARENA_STORY_SECONDS", "3"))
"""Seconds of every ten that the upkeep worker may spend on stories of matches. With 0 no stories are made."""

CACHES: dict[str, dict[str, Any]] = {
    # Counts of the rate limits. All web processes share them, and they are available whenever the accounts are.
    "default": {
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "cache",
        # By default 300 counts are kept. A visitor could evict the others by causing more.
        "OPTIONS": {"MAX_ENTRIES": 20_000},
    },
    # The TV programme, and parts of the status page.
    "pages": {
        "BACKEND": "webui.core.backends.MemoryCache",
        "LOCATION": "pages",
        "OPTIONS": {"MAX_ENTRIES": 100},
        "TIMEOUT": 20,
    },
    # Preview pictures of pages for other sites, about 40 KB each.
    "pictures": {
        "BACKEND": "webui.core.backends.MemoryCache",
        "LOCATION": "pictures",
        "OPTIONS": {"MAX_ENTRIES": 200},
        "TIMEOUT": 3600,
    },
    # Frames of replays, each the work of a third of a second. They are files that all processes of this machine share.
    "frames": {
        "BACKEND": "webui.core.backends.OptionalFileCache",
        "LOCATION": PLACES.frames,
        "OPTIONS": {"MAX_ENTRIES": 2000},
        "TIMEOUT": 24 * 3600,
    },
    # Frames of running matches, valid until the next decision.
    "live-frames": {
        "BACKEND": "webui.core.backends.MemoryCache",
        "OPTIONS": {"MAX_ENTRIES": 100},
        "TIMEOUT": 60,
    },
}
