"""A receiver of webhooks on this machine: a real HTTP server that keeps its requests, and answers as a test says."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import SimpleQueue
from threading import Event, Thread
from types import TracebackType
from typing import Any, Self


@dataclass(frozen=True)
class Received:
    """A request."""

    path: str
    headers: Mapping[str, str]
    body: bytes


class Receiver:
    """Answers 204, or calls `answer` with the handler. It answers at once, or when the test allows it (`held`)."""

    def __init__(self, host: str = "127.0.0.1", port: int = 0, *, certificate: tuple[Path, Path] | None = None) -> None:
        self.received = SimpleQueue[Received]()
        self.answer: Callable[[BaseHTTPRequestHandler], None] = lambda handler: reply(handler, 204)
        self.held = Event()
        """Requests to `/held` are answered once this is set."""
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.received.put(Received(self.path, {k.lower(): v for k, v in self.headers.items()}, body))
                if self.path == "/held":
                    receiver.held.wait(60)
                with suppress(OSError):  # the sender may have read enough
                    receiver.answer(self)

            def log_message(self, *_: Any) -> None:
                """Log nothing."""

        self._server = ThreadingHTTPServer((host, port), Handler)
        self._server.daemon_threads = True
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self._server.handle_error = lambda *_: None  # type: ignore[method-assign]  # a closed connection is not an error here
        self.port: int = self._server.server_address[1]
        self.scheme = "https" if certificate else "http"
        Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def url(self, path: str = "/hook", host: str = "localhost") -> str:
        """Return its address."""
        return f"{self.scheme}://{host}:{self.port}{path}"

    def get(self) -> Received:
        """Return the next request."""
        return self.received.get(timeout=60)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.held.set()
        self._server.shutdown()
        self._server.server_close()


def reply(handler: BaseHTTPRequestHandler, status: int, body: bytes = b"", **headers: str) -> None:
    """Answer with this status and body."""
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name, value)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)
