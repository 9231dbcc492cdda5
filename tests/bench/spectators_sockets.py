"""The readers of `tests.bench.spectators`, in a process of their own: `python -m tests.bench.spectators_sockets PORT`.

A line of its input names the addresses to follow and how many readers there are; they are shared out in turn. When all
are there it answers with the seconds that this took. The next line names the last event of each address; when
everybody has it, the answer is when each event came to each reader (`time.monotonic`, the same clock in all processes).

The sockets are read in one loop over epoll without anything around it: the readers must not be slower than the site.
"""

from __future__ import annotations

import json
import re
import select
import socket
import sys
import time
from collections import defaultdict

from arena.host.sockets import raise_file_limit

AT_ONCE = 16
"""So many readers come at a time: a crowd of visitors, and no flood, which the site refuses."""
ID = re.compile(rb"^id: (\d+)\n", re.MULTILINE)


class Refused(Exception):
    """The site does not take a reader; the message has its answer."""


class Reader:
    """A connection that follows a match."""

    def __init__(self, port: int, address: str, number: int) -> None:
        self.address = address
        self.socket = socket.create_connection(("127.0.0.1", port))
        # As behind a proxy, for the readers of one address are limited.
        client = f"X-Forwarded-For: 10.{number >> 16}.{number >> 8 & 255}.{number & 255}"
        head = f"GET {address} HTTP/1.1\r\nHost: 127.0.0.1\r\n{client}\r\nAccept: text/event-stream\r\n\r\n"
        self.socket.sendall(head.encode())
        self.socket.setblocking(False)
        self.number = number
        self.last = -1
        self.is_there = False
        self._rest = b""

    def read(self, came: dict[int, list[float]]) -> None:
        """Take what has come, and note the events that it completes."""
        data = self.socket.recv(1 << 18)
        now = time.monotonic()
        if not data:
            raise Refused(f"the site has closed the connection of reader {self.number + 1}")
        data = self._rest + data
        if not self.is_there and b"retry: " in data:
            if not data.startswith(b"HTTP/1.1 200"):
                raise Refused(f"the site refused reader {self.number + 1}: {data[:400]!r}")
            self.is_there = True
        elif not self.is_there and b"\r\n\r\n" in data and not data.startswith(b"HTTP/1.1 200"):
            raise Refused(f"the site refused reader {self.number + 1}: {data[:400]!r}")
        end = data.rfind(b"\n\n") + 1
        for found in ID.finditer(data, 0, end):
            self.last = int(found[1])
            came[self.last].append(now)
        self._rest = data[end:]


def main(port: int) -> None:
    raise_file_limit()
    asked = json.loads(sys.stdin.readline())
    addresses, many = asked["addresses"], asked["readers"]
    came: dict[str, dict[int, list[float]]] = {address: defaultdict(list) for address in addresses}
    readers: dict[int, Reader] = {}
    waiting = select.epoll()
    began, there = time.monotonic(), 0
    last: dict[str, int] = {}
    while not last or any(reader.last < last[reader.address] for reader in readers.values()):
        while len(readers) < min(many, there + AT_ONCE):
            number = len(readers)
            reader = Reader(port, addresses[number % len(addresses)], number)
            readers[reader.socket.fileno()] = reader
            waiting.register(reader.socket, select.EPOLLIN)
        for file, _ in waiting.poll():
            if file == sys.stdin.fileno():
                last = json.loads(sys.stdin.readline())
                waiting.unregister(file)
                continue
            reader = readers[file]
            was_there = reader.is_there
            reader.read(came[reader.address])
            there += reader.is_there and not was_there
            if there == many and not was_there:
                print(json.dumps(time.monotonic() - began), flush=True)
                waiting.register(sys.stdin, select.EPOLLIN)
    print(json.dumps(came), flush=True)


if __name__ == "__main__":
    try:
        main(int(sys.argv[1]))
    except Refused as refused:
        sys.exit(str(refused))
