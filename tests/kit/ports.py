"""Ports for servers of tests, reserved for as long as the server may come and go."""

from __future__ import annotations

import socket
from typing import Self


class ReservedPort:
    """A port of this machine for one server, which another process starts, and perhaps kills and starts again.

    The socket here is bound and never listens. So the kernel gives the port to no connection and to nobody who asks for
    any port (bind(2) and ip(7): such a port is in use), while a server that binds it with SO_REUSEADDR, as all of ours
    do, may listen there. Linux only.
    """

    def __init__(self) -> None:
        self._socket = socket.socket()
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._socket.bind(("127.0.0.1", 0))
        self.number = int(self._socket.getsockname()[1])

    def close(self) -> None:
        """Give it back."""
        self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
