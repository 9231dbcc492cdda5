"""Sockets of our servers, and the proxies in front of them."""

from __future__ import annotations

import os
import resource
import socket
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final

LOOPBACK = ("127.0.0.1", "::1")
"""Addresses of a proxy on the same machine, the only one that is trusted by default."""


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine itself: `localhost` or a loopback address, IPv6 with or without brackets.

    >>> is_loopback("127.0.0.2"), is_loopback("[::1]"), is_loopback("localhost.example.org")
    (True, True, False)
    """
    address = parse_address(host.strip("[]"))
    return host == "localhost" if address is None else address.is_loopback


def proxy_advice(host: str, variables: Iterable[str]) -> str:
    """Return advice for a failed connection that goes through a proxy; empty if it does not go through one.

    `variables` are the environment variables that choose the proxy, the most important first. The value is not shown,
    because it may hold a password.
    """
    from urllib.request import proxy_bypass  # slow to load, and rarely needed

    name = next((name for name in variables if os.environ.get(name)), "")
    if not name or is_loopback(host) or proxy_bypass(host):
        return ""
    return f"the variable {name} sends this connection through a proxy; to connect without it, set no_proxy={host}"


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
        return self._client(peer, forwarded)[0]

    def round_trip_us(self, peer: str, forwarded: str) -> int:
        """Return the round trip to the client behind a peer, in microseconds, as its proxy measured it.

        The proxy writes it behind the client's address: `203.0.113.7;rtt=30500`. Return 0 if it does not.
        """
        name, _, value = self._client(peer, forwarded)[1].partition("=")
        return int(value) if name.strip() == "rtt" and len(value) < 10 and value.isascii() and value.isdigit() else 0

    def _client(self, peer: str, forwarded: str) -> tuple[str, str]:
        """Return the client's address, and what its proxy wrote behind it."""
        host, more = peer, ""
        for word in reversed(forwarded.split(",")):
            if host not in self:
                break
            address, _, behind = word.strip().partition(";")
            named = _host(address.strip())
            if parse_address(named) is None:
                break
            host, more = named, behind
        return host, more


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


MOST_FILES: Final = 65_536
"""Our processes need no more open files than this."""

IDLE_S: Final = 3
"""Seconds without data after which a connection is probed."""
PROBE_EVERY_S: Final = 1
"""Seconds between two probes."""
PROBES: Final = 3
"""Number of unanswered probes after which a connection is given up."""
UNANSWERED_MS: Final = 6_000
"""The same limit for sent data that is not acknowledged.

A lost machine or link sends nothing. Without this limit, connections to it last for a quarter of an hour, or forever if
only the other side would send. The kernel acknowledges, however busy or paused the process is.
"""


def keepalive_options() -> dict[int, int]:
    """Return the TCP socket options (`socket.IPPROTO_TCP`) that detect a lost peer within six seconds.

    Use them with `SO_KEEPALIVE`. Options that this system lacks are left out: TCP_USER_TIMEOUT exists only on Linux.
    """
    wanted = {
        "TCP_KEEPIDLE": IDLE_S,
        "TCP_KEEPINTVL": PROBE_EVERY_S,
        "TCP_KEEPCNT": PROBES,
        "TCP_USER_TIMEOUT": UNANSWERED_MS,
    }
    return {getattr(socket, name): value for name, value in wanted.items() if hasattr(socket, name)}


def raise_file_limit() -> int:
    """Raise the limit of open files and sockets to the system's maximum. Return the limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return file_limit()


def file_limit() -> int:
    """Return how many files and sockets this process may open."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST_FILES if soft == resource.RLIM_INFINITY else soft


def most_connections(wanted: int, files: int) -> int:
    """Return how many connections a process accepts if it may open `files` files: a fifth is for everything else."""
    return min(wanted, files * 4 // 5)


def exact_address(host: str) -> str:
    """Return an address of `socket.getpeername` in one form. Text that is not an address is returned unchanged."""
    address = parse_address(host)
    return host if address is None else str(address)


def network_of(host: str) -> str:
    """Return the network under which limits count a visitor: an IPv4 address, or the /64 of an IPv6 address.

    One customer usually has a /64. `host` is an address of `socket.getpeername`; text that is not an address is
    returned unchanged.
    """
    address = parse_address(host)
    if isinstance(address, IPv6Address):
        return f"{IPv6Address(int(address) >> 64 << 64)}/64"
    return host if address is None else str(address)


def is_of_this_machine(network: str) -> bool:
    """Return whether `network_of` returned this for an address of this machine, which a proxy may have, too.

    >>> [is_of_this_machine(network_of(host)) for host in ("127.0.0.1", "::1", "2001:db8::1")]
    [True, True, False]
    """
    return is_loopback(network) or network == network_of("::1")


def site_of(network: str) -> str:
    """Return the /48 of an IPv6 network that `network_of` returned. Return any other text unchanged.

    A customer may have a /56 or a /48, so one customer can use many networks.
    """
    if not network.endswith("/64"):
        return network
    return str(IPv6Network(network).supernet(new_prefix=48))


def parse_address(host: str) -> IPv4Address | IPv6Address | None:
    """Return the parsed address; `None` if it is not one, as for a local socket. A mapped IPv4 address becomes IPv4."""
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


class SpareDescriptor:
    """A reserved file descriptor, for a moment's work when no other is left."""

    def __init__(self) -> None:
        self._descriptor: int | None = os.open(os.devnull, os.O_RDONLY)

    @contextmanager
    def lent(self) -> Iterator[None]:
        """Free the descriptor while the context lasts.

        If another task takes it meanwhile, it is reserved again when one becomes free.
        """
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
        try:
            yield
        finally:
            with suppress(OSError):
                self._descriptor = os.open(os.devnull, os.O_RDONLY)
