"""The part of HTTP/2 that an attacker needs: streams by hand that read nothing, with a window of any size."""

from __future__ import annotations

import socket
import struct
from collections.abc import Mapping

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, SETTINGS = 0, 1, 4
END_STREAM, END_HEADERS = 1, 4
INITIAL_WINDOW_SIZE = 4


class RawHttp2:
    """One connection, which may accept no data at all (`window=0`)."""

    def __init__(self, port: int, *, window: int | None = None, host: str = "127.0.0.1") -> None:
        self.socket = socket.create_connection((host, port), timeout=30)
        self._next = 1
        settings = b"" if window is None else struct.pack(">HI", INITIAL_WINDOW_SIZE, window)
        self.socket.sendall(PREFACE + _frame(SETTINGS, 0, 0, settings))

    def open(self, path: str, message: bytes | None = None, metadata: Mapping[str, str] | None = None) -> None:
        """Open a stream, with or without a message."""
        headers = {
            ":method": "POST",
            ":scheme": "http",
            ":path": path,
            ":authority": "arena",
            "content-type": "application/grpc",
            "te": "trailers",
            **(metadata or {}),
        }
        # Literal fields without indexing, so that there is no compression state.
        block = b"".join(
            b"\x00" + bytes([len(name)]) + name.encode() + bytes([len(value)]) + value.encode()
            for name, value in headers.items()
        )
        frames = _frame(HEADERS, END_HEADERS, self._next, block)
        if message is not None:
            frames += _frame(DATA, 0, self._next, b"\x00" + struct.pack(">I", len(message)) + message)
        self.socket.sendall(frames)
        self._next += 2

    def is_closed(self) -> bool:
        """Return whether the server has closed the connection."""
        self.socket.setblocking(False)
        try:
            while self.socket.recv(65536):
                pass
        except BlockingIOError:
            return False
        except OSError:
            return True
        return True

    def close(self) -> None:
        """Close the connection."""
        self.socket.close()


def _frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload
