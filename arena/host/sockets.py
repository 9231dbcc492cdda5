"""What servers need to know of the connections to them: how many there may be, and whose they are."""

from __future__ import annotations

import resource
from ipaddress import IPv6Address, ip_address
from typing import Final

MOST_FILES: Final = 65_536
"""More open files than that are of no use to a process of ours."""


def raise_file_limit() -> int:
    """Let this process open as many files and sockets as the system allows it; how many that are."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        return wanted
    return MOST_FILES if soft == resource.RLIM_INFINITY else soft


def network_of(host: str) -> str:
    """What limits count as one visitor: an IPv4 address, or the /64 of an IPv6 address, which is what one customer has.

    `host` is an address as `socket.getpeername` gives it; what is none comes back as it is.
    """
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if not isinstance(address, IPv6Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return f"{IPv6Address(int(address) >> 64 << 64)}/64"
