"""Ports for servers of tests."""

from __future__ import annotations

import random
import socket
from pathlib import Path


def free_port() -> int:
    """A port of this machine where nobody listens. It is none of those that the kernel gives to connections: so nobody
    gets it by chance before it is used, or while its server restarts."""
    first_of_kernel = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    while True:
        port = random.SystemRandom().randrange(10_000, max(first_of_kernel, 11_000))
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
