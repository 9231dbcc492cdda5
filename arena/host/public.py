"""Classification of addresses. A server connects to an address given by a stranger only if it is public.

The networks are those of IANA's registries of special addresses. They are listed here because the tables of Python's
`ipaddress` differ between releases.
"""

from __future__ import annotations

import socket
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final

_SPECIAL: Final = tuple(
    IPv4Network(network)
    for network in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # shared, behind a provider's NAT
        "127.0.0.0/8",  # loopback
        "169.254.0.0/16",  # link-local, and the metadata of clouds
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocols
        "192.0.2.0/24",  # documentation
        "192.88.99.0/24",  # relays of 6to4
        "192.168.0.0/16",  # private
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, broadcast
    )
)
_GLOBAL: Final = IPv6Network("2000::/3")
"""The assigned part of IPv6, without loopback, private, link-local, multicast and mapped addresses."""
_SPECIAL_IN_GLOBAL: Final = tuple(
    IPv6Network(network)
    for network in (
        "2001::/23",  # protocols: Teredo, benchmarks, ORCHID
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4, which leads to IPv4 addresses
        "3fff::/20",  # documentation
    )
)
_PRIVATE: Final = tuple(
    ip_network(network)
    for network in ("127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "::1/128", "fc00::/7")
)
"""Loopback, RFC 1918, RFC 4193."""
_NAT64: Final = IPv6Network("64:ff9b::/96")
"""Prefix under which a network without IPv4 has IPv4 addresses."""


def is_public(address: str) -> bool:
    """Return whether a numeric address, as `socket.getaddrinfo` gives it, is on the public internet."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    if isinstance(parsed, IPv6Address) and parsed in _NAT64:
        parsed = IPv4Address(int(parsed) & 0xFFFFFFFF)
    if isinstance(parsed, IPv4Address):
        return not any(parsed in network for network in _SPECIAL)
    return parsed in _GLOBAL and not any(parsed in network for network in _SPECIAL_IN_GLOBAL)


def is_private(address: str) -> bool:
    """Return whether a numeric address is loopback or private. Some addresses are neither private nor public:
    multicast."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(parsed, IPv6Address) and parsed.ipv4_mapped is not None:
        parsed = parsed.ipv4_mapped
    return any(parsed in network for network in _PRIVATE)


def is_of_this_machine(address: str) -> bool:
    """Return whether a numeric address belongs to this machine. Nothing is sent."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((address, 9))  # UDP: this only selects the source address
            return bool(probe.getsockname()[0] == address)
    except OSError:
        return False  # there is no route to it
