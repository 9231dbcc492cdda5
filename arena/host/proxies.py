"""Proxies in front of a server of ours: their addresses, and the clients that they name."""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv4Network, IPv6Network, ip_network

from arena.host.sockets import parse_address

LOOPBACK = ("127.0.0.1", "::1")
"""Addresses of a proxy on the same machine, the only one that is trusted by default."""


class Proxies:
    """The addresses and networks whose X-Forwarded-For is trusted.

    Nobody else is trusted, because a client may put anything into a header.
    """

    def __init__(self, networks: Iterable[str] = ()) -> None:
        self.networks = tuple(_network(text) for text in networks)

    def __contains__(self, host: str) -> bool:
        """Return whether this is a proxy; `host` is an address as `socket.getpeername` gives it."""
        address = parse_address(host)
        return address is not None and any(address in network for network in self.networks)

    def client(self, peer: str, forwarded: str) -> str:
        """Return the client behind a peer. `forwarded` is X-Forwarded-For, to which every proxy appends its own peer.

        The client is the last address that is not a proxy itself. A proxy that names nobody is the client.
        """
        host = peer
        for word in reversed(forwarded.split(",")):
            if host not in self:
                break
            named = _host(word.strip())
            if parse_address(named) is None:
                break
            host = named
        return host


def _network(text: str) -> IPv4Network | IPv6Network:
    try:
        return ip_network(text)
    except ValueError as error:
        raise ValueError(
            f"{text!r} is not an address or network of a proxy: write 10.1.2.3 or 10.1.2.0/24, or a list ({error})"
        ) from None


def _host(word: str) -> str:
    """Return the host without the port that some proxies add."""
    if word.startswith("["):
        return word[1:].partition("]")[0]
    return word.partition(":")[0] if word.count(":") == 1 else word
