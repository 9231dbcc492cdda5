"""Where a load test may go: to this machine and to private networks. To a public address only if its owner says so
twice, in general and by the server's name: of anybody else's server it would be an attack.

A name is resolved once. All its addresses are looked at, and every connection goes to one of those, wherever the name
leads later.
"""

from __future__ import annotations

import socket
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from arena.host.public import is_private

CONNECT_S: Final = 5.0


class AddressRefused(Exception):
    """No load goes there; the message says what to do."""


@dataclass(frozen=True)
class Place:
    """A server, by the one address that is used."""

    host: str
    """As it was given: certificates are checked against it."""
    address: str
    """Numeric."""
    port: int
    is_tls: bool
    path: str = ""
    """Of the site, if it does not begin at the root; without a slash at its end."""

    @property
    def authority(self) -> str:
        """`host:port`, as a request names it."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def target(self) -> str:
        """The address as gRPC takes it, which then resolves nothing."""
        return f"ipv6:[{self.address}]:{self.port}" if ":" in self.address else f"ipv4:{self.address}:{self.port}"


def find_site(url: str, owned: Collection[str] = ()) -> Place:
    """The site of an arena, from the address of its pages. `owned`: the names of public servers that are one's own.
    `AddressRefused`."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise AddressRefused(f"{url!r} is no address of a site: write http://host:port or https://host")
    return _find(parts.hostname, _port(url, 443 if parts.scheme == "https" else 80), parts.scheme == "https", owned,
                 parts.path.rstrip("/"))  # fmt: skip


def find_gateway(server: str, owned: Collection[str] = ()) -> Place:
    """The gateway of an arena, from its address for bots: `host:port`, or `https://host:port`. `AddressRefused`."""
    is_tls = server.startswith("https://")
    url = server if is_tls else f"http://{server}"
    parts = urlsplit(url)
    if not parts.hostname or parts.path or (not is_tls and ":" not in server.rpartition("]")[2]):
        raise AddressRefused(f"{server!r} is no address for bots: write host:port, or https://host:port for TLS")
    return _find(parts.hostname, _port(url, 443), is_tls, owned)


def _port(url: str, usual: int) -> int:
    try:
        return urlsplit(url).port or usual
    except ValueError:
        raise AddressRefused(f"{url!r} has no port that there can be") from None


def _find(host: str, port: int, is_tls: bool, owned: Collection[str], path: str = "") -> Place:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise AddressRefused(f"{host} has no address: {getattr(error, 'strerror', None) or error}") from None
    addresses = list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in found))
    strange = [address for address in addresses if not is_private(address)]
    if strange and host not in owned:
        raise AddressRefused(
            f"{host} ({strange[0]}) is neither this machine nor in a private network. A load test of somebody else's"
            f" server is an attack: if it is yours, say so twice, --public --i-own {host}"
        )
    why = ""
    for address in addresses:
        try:
            socket.create_connection((address, port), CONNECT_S).close()
        except OSError as error:
            why = error.strerror or str(error)
        else:
            return Place(host, address, port, is_tls, path)
    raise AddressRefused(f"nobody answers at {host}:{port}: {why}")
