"""One flood, as a process of its own: `python -m tests.bench.flooding` reads its terms from standard input.

It has a low priority, because a flood comes from other machines. Otherwise it would take processor time from the site
and the visitor.
"""

from __future__ import annotations

import http.client
import itertools
import json
import os
import socket
import sys
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from arena.wire.service import PROTOCOL, SERVICE
from arena.wire.v1.bot_pb2 import BotMessage, Hello
from tests.kit.raw_http2 import RawHttp2

ANSWER_S = 10.0
"""Seconds that a connection of a flood waits for an answer."""


@dataclass(frozen=True)
class Flood:
    """What a flood does."""

    kind: str
    """`requests`, `idle` (connections that send nothing), `slow` (one byte a second) or `hellos`."""
    port: int
    address: str
    """Address that the flood comes from, as a proxy would name it."""
    connections: int
    paths: tuple[str, ...] = ()
    """Paths that are requested in turn. `{n}` is replaced by the number of the request."""
    cookie: str = ""
    body_bytes: int = 0
    """Size of the body. If there is one, requests are POST."""


class Flooding:
    """The connections of a flood, and the answers that they got."""

    def __init__(self, flood: Flood) -> None:
        self._flood = flood
        self._numbers = itertools.count()
        self._lock = threading.Lock()
        self.answers = Counter[str]()
        """Number of answers by status, or of connections that were refused or closed."""

    def start(self) -> None:
        """Start the connections, each in a thread."""
        kinds: dict[str, Callable[[], str]] = {"requests": self._ask_on, "hellos": self._say_hello}
        act = kinds.get(self._flood.kind, self._hold)
        for _ in range(self._flood.connections):
            threading.Thread(target=self._repeat, args=(act,), daemon=True).start()

    def _repeat(self, act: Callable[[], str]) -> None:
        while True:
            try:
                self._count(act())
            except (OSError, http.client.HTTPException) as error:
                self._count(type(error).__name__)

    def _count(self, what: str) -> None:
        with self._lock:
            self.answers[what] += 1

    def _ask_on(self) -> str:
        """Ask over one connection until it is closed."""
        connection = http.client.HTTPConnection("127.0.0.1", self._flood.port, timeout=ANSWER_S)
        headers = {"X-Forwarded-For": self._flood.address, "Accept-Encoding": "gzip", "Cookie": self._flood.cookie}
        method, body = ("POST", b"x" * self._flood.body_bytes) if self._flood.body_bytes else ("GET", None)
        try:
            while True:
                number = next(self._numbers)
                path = self._flood.paths[number % len(self._flood.paths)].replace("{n}", str(number))
                connection.request(method, path, body, headers)
                answer = connection.getresponse()
                if answer.getheader("Content-Type", "").startswith("text/event-stream"):
                    return self._read(answer)
                answer.read()
                self._count(str(answer.status))
        finally:
            connection.close()

    def _read(self, answer: http.client.HTTPResponse) -> str:
        with suppress(OSError):
            while answer.read1():
                pass
        return f"{answer.status}, live"

    def _say_hello(self) -> str:
        """Open a connection with a hello that has a wrong token."""
        hello = Hello(
            token=f"arena_{next(self._numbers)}", process="guess", version="1", protocol=PROTOCOL, max_matches=1
        )
        attacker = RawHttp2(self._flood.port)
        attacker.socket.settimeout(ANSWER_S)
        try:
            path, message = f"/{SERVICE}/Play", BotMessage(hello=hello).SerializeToString()
            attacker.open(path, message, {"x-forwarded-for": self._flood.address})
            answer = b""
            while b"grpc-status" not in answer:
                if not (more := attacker.socket.recv(65536)):
                    return "closed"
                answer += more
            return "refused"
        finally:
            attacker.close()

    def _hold(self) -> str:
        """Hold a connection that sends nothing, or one byte of a request a second."""
        with socket.create_connection(("127.0.0.1", self._flood.port), timeout=1) as line:
            while True:
                if self._flood.kind == "slow":
                    line.send(b"G")
                with suppress(TimeoutError):
                    if not line.recv(1024):
                        return "closed"


def main() -> None:
    """Flood until standard input ends, then print the answers."""
    os.nice(5)
    flooding = Flooding(Flood(**json.loads(sys.stdin.readline())))
    flooding.start()
    sys.stdin.read()
    sys.stdout.write(json.dumps(flooding.answers))
    sys.stdout.flush()
    os._exit(0)  # its threads wait for answers


if __name__ == "__main__":
    main()
