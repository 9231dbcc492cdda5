"""Ports for servers of tests, reserved as long as the server may stop and start."""

from __future__ import annotations

import socket
from typing import Self


class ReservedPort:
    """A port of this machine for one server, which another process starts, and may kill and restart.

    The socket here is bound and never listens. The kernel therefore gives the port to no connection and to no other
    program that asks for any port (bind(2) and ip(7): such a port is in use). A server that binds it with SO_REUSEADDR,
    as all of ours do, may listen there. Linux only.
    """

    def __init__(self) -> None:
        self._socket = socket.socket()
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._socket.bind(("127.0.0.1", 0))
        self.number = int(self._socket.getsockname()[1])

    def close(self) -> None:
        """Release the port."""
        self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
