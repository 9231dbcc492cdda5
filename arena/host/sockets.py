"""What processes need to know of connections: how many there may be, whose they are, when the other side is gone."""

from __future__ import annotations

import os
import resource
import socket
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from ipaddress import IPv4Address, IPv6Address, ip_address
from threading import Lock
from typing import Final

MOST_FILES: Final = 65_536
"""Our processes have no use for more open files than that."""

IDLE_S: Final = 3
"""A connection on which nothing has come for this long is probed, …"""
PROBE_EVERY_S: Final = 1
"""… once in so many seconds, …"""
PROBES: Final = 3
"""… and given up after so many probes without an answer."""
UNANSWERED_MS: Final = 6_000
"""The same for what was sent and is not acknowledged. A machine that is gone, or the link to it, says nothing: by
themselves connections to it last for a quarter of an hour, or for ever if only the other side has something to say. It
is the kernel that answers, however busy or paused the process is."""


def keepalive_options() -> dict[int, int]:
    """The options of a TCP socket (`socket.IPPROTO_TCP`) by which a peer that is gone is noticed within six seconds;
    with them goes `SO_KEEPALIVE`. Those that this system has: TCP_USER_TIMEOUT is of Linux."""
    wanted = {
        "TCP_KEEPIDLE": IDLE_S,
        "TCP_KEEPINTVL": PROBE_EVERY_S,
        "TCP_KEEPCNT": PROBES,
        "TCP_USER_TIMEOUT": UNANSWERED_MS,
    }
    return {getattr(socket, name): value for name, value in wanted.items() if hasattr(socket, name)}


def raise_file_limit() -> int:
    """Let this process open as many files and sockets as the system allows; returns the number."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return file_limit()


def file_limit() -> int:
    """How many files and sockets this process may open."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST_FILES if soft == resource.RLIM_INFINITY else soft


def most_connections(wanted: int, files: int) -> int:
    """How many connections a process accepts that may open so many files: a fifth of them is for everything else."""
    return min(wanted, files * 4 // 5)


def exact_address(host: str) -> str:
    """An address as `socket.getpeername` gives it, in one form; text that is not an address is returned unchanged."""
    address = parse_address(host)
    return host if address is None else str(address)


def network_of(host: str) -> str:
    """What limits count as one visitor: an IPv4 address, or the /64 of an IPv6 address, which is what one customer has.

    `host` is an address as `socket.getpeername` gives it; text that is not an address is returned
    unchanged.
    """
    address = parse_address(host)
    if isinstance(address, IPv6Address):
        return f"{IPv6Address(int(address) >> 64 << 64)}/64"
    return host if address is None else str(address)


def parse_address(host: str) -> IPv4Address | IPv6Address | None:
    """The address, for an IPv4 address in IPv6 form the IPv4 one; None if it is not one, as of a local socket."""
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


class SpareDescriptor:
    """A file descriptor that is kept, so that there is one for a moment's work where no other is left."""

    def __init__(self) -> None:
        self._descriptor: int | None = os.open(os.devnull, os.O_RDONLY)

    @contextmanager
    def lent(self) -> Iterator[None]:
        """Have it free while this lasts. Somebody else may take it; then it is back when one is free again."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
        try:
            yield
        finally:
            with suppress(OSError):
                self._descriptor = os.open(os.devnull, os.O_RDONLY)


class Slots:
    """How many of something there may be at a time, in all and by address."""

    def __init__(self, in_all: int, per_address: int) -> None:
        self._in_all = in_all
        self._per_address = per_address
        self._taken: Counter[str] = Counter()
        self._lock = Lock()

    @property
    def taken(self) -> int:
        """How many are held now."""
        return self._taken.total()

    @property
    def are_all_taken(self) -> bool:
        """Whether there is none left for anybody."""
        return self._taken.total() >= self._in_all

    def are_taken(self, address: str) -> bool:
        """Whether there is none left for this address."""
        return self.are_all_taken or self._taken[address] >= self._per_address

    @contextmanager
    def take(self, address: str) -> Iterator[bool]:
        """Hold a slot while this lasts; false if there was none."""
        with self._lock:
            if is_free := not self.are_taken(address):
                self._taken[address] += 1
        if not is_free:
            yield False
            return
        try:
            yield True
        finally:
            with self._lock:
                self._taken[address] -= 1
                if not self._taken[address]:
                    del self._taken[address]
