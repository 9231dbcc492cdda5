"""The allowed targets of a load test: this machine and private networks.

A public address is allowed only if its owner confirms it twice, in general and by the server's name. Against anybody
else's server it would be an attack. A name is resolved once and all its addresses are checked. Every connection goes to
one of them, even if the name resolves differently later.
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
    """Raised for a target that is not allowed; the message says what to do."""


@dataclass(frozen=True)
class ServerAddress:
    """A server, with the one address that is used."""

    host: str
    """Host as given; certificates are checked against it."""
    address: str
    """Numeric address."""
    port: int
    is_tls: bool
    path: str = ""
    """Path of the site, if it does not begin at the root; without a slash at its end."""

    @property
    def authority(self) -> str:
        """`host:port`, as a request names it."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def target(self) -> str:
        """The address for gRPC, which then resolves nothing."""
        return f"ipv6:[{self.address}]:{self.port}" if ":" in self.address else f"ipv4:{self.address}:{self.port}"


def find_site(url: str, owned: Collection[str] = ()) -> ServerAddress:
    """Return the site of an arena, given the address of its pages. `owned` are names of the user's public servers.

    Raises `AddressRefused`.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise AddressRefused(f"{url!r} is not the address of a site: write http://host:port or https://host")
    return _find(parts.hostname, _port(url, 443 if parts.scheme == "https" else 80), parts.scheme == "https", owned,
                 parts.path.rstrip("/"))  # fmt: skip


def find_gateway(server: str, owned: Collection[str] = ()) -> ServerAddress:
    """Return the gateway of an arena, given `host:port`, `http://host:port` or `https://host:port`.

    Raises `AddressRefused`.
    """
    is_tls = server.startswith("https://")
    server = server.removeprefix("http://")
    url = server if is_tls else f"http://{server}"
    parts = urlsplit(url)
    if not parts.hostname or parts.path or (not is_tls and ":" not in server.rpartition("]")[2]):
        raise AddressRefused(f"{server!r} is not an address for bots: write https://host:port for TLS, or host:port")
    return _find(parts.hostname, _port(url, 443), is_tls, owned)


def _port(url: str, usual: int) -> int:
    try:
        return urlsplit(url).port or usual
    except ValueError:
        raise AddressRefused(f"{url!r} has an invalid port") from None


def _find(host: str, port: int, is_tls: bool, owned: Collection[str], path: str = "") -> ServerAddress:
    try:
        infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise AddressRefused(f"{host} has no address: {getattr(error, 'strerror', None) or error}") from None
    addresses = list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in infos))
    strange = [address for address in addresses if not is_private(address)]
    if strange and host not in owned:
        raise AddressRefused(
            f"{host} ({strange[0]}) is neither on this machine nor in a private network. A load test of somebody"
            f" else's server is an attack. If it is yours, confirm it twice: --public --i-own {host}"
        )
    why = ""
    for address in addresses:
        try:
            socket.create_connection((address, port), CONNECT_S).close()
        except OSError as error:
            why = error.strerror or str(error)
        else:
            return ServerAddress(host, address, port, is_tls, path)
    raise AddressRefused(f"no answer at {host}:{port}: {why}")
