"""Proxies in front of a server of ours: who they are, and which client they name."""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv4Network, IPv6Network, ip_network

from arena.host.sockets import parse_address

LOOPBACK = ("127.0.0.1", "::1")
"""Where a proxy of the same machine is: the only one that is believed without being asked for."""


class Proxies:
    """The addresses and networks whose word for a client's address is taken (X-Forwarded-For). Nobody else is believed:
    a client may write into a header what it likes."""

    def __init__(self, networks: Iterable[str] = ()) -> None:
        self.networks = tuple(_network(text) for text in networks)

    def __contains__(self, host: str) -> bool:
        """Whether this is a proxy; `host` is an address as `socket.getpeername` gives it."""
        address = parse_address(host)
        return address is not None and any(address in network for network in self.networks)

    def client(self, peer: str, forwarded: str) -> str:
        """The client behind a peer; `forwarded` is what X-Forwarded-For says: every proxy adds whom it heard.

        It is the last one that is not a proxy itself. A proxy that names nobody is the client.
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
            f"{text!r} is not an address or network of a proxy: write 10.1.2.3 or 10.1.2.0/24, or several ({error})"
        ) from None


def _host(word: str) -> str:
    """Without the port that some proxies add."""
    if word.startswith("["):
        return word[1:].partition("]")[0]
    return word.partition(":")[0] if word.count(":") == 1 else word
