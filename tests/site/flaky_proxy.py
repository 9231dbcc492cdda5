"""A proxy in front of the site which a test breaks and mends, as nginx fails while the site restarts."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding"}


class FlakyProxy:
    """How the proxy answers from now on. It answers everything unless a test breaks it."""

    def __init__(self, site: str) -> None:
        where = urlsplit(site)
        self.site = where.hostname or "", where.port
        self.asked: list[str] = []
        """Path and query of each request, in order."""
        self._broken: tuple[int, Mapping[str, str]] | None = None
        """Status and headers of all answers. Status 0: connections are dropped without an answer."""
        self._stalls: str | None = None
        """Part of the paths that stall: connections are accepted, and nothing is sent."""
        self._ended = threading.Event()
        self._lines: set[socket.socket] = set()

    def answer_only(self, status: int, headers: Mapping[str, str] | None = None) -> None:
        """Cut the open lines, and answer every request with this status."""
        self._broken = status, headers or {}
        self.cut()

    def drop(self) -> None:
        """Cut the open lines, and drop every new connection without an answer."""
        self.answer_only(0)

    def stall(self, part: str = "") -> None:
        """Keep the open lines, and send nothing on those whose path contains `part`, old or new."""
        self._stalls = part

    def mend(self) -> None:
        """Answer everything again. Lines that stalled stay open, and nothing is ever sent on them."""
        self._broken = self._stalls = None

    def end(self) -> None:
        """Release every line, stalled ones too."""
        self.mend()
        self._ended.set()
        self.cut()

    def cut(self) -> None:
        """Close the open lines."""
        for line in list(self._lines):
            with suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)

    def serve(self, request: BaseHTTPRequestHandler) -> None:
        """Answer one request."""
        self.asked.append(request.path)
        line = request.connection
        self._lines.add(line)
        try:
            self._stall_if_asked(request)
            if self._broken is None:
                self._forward(request)
            elif status := self._broken[0]:
                request.send_response(status)
                for name, value in {"Content-Length": "0", **self._broken[1]}.items():
                    request.send_header(name, value)
                request.end_headers()
            else:
                line.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # the line was cut
        finally:
            self._lines.discard(line)
            request.close_connection = True

    def _stall_if_asked(self, request: BaseHTTPRequestHandler) -> None:
        if self._stalls is not None and self._stalls in request.path:
            self._ended.wait()

    def _forward(self, request: BaseHTTPRequestHandler) -> None:
        upstream = HTTPConnection(*self.site, timeout=120)
        try:
            upstream.request(request.command, request.path, headers=dict(request.headers))
            answer = upstream.getresponse()
            request.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in HOP_BY_HOP:
                    request.send_header(name, value)
            request.send_header("Connection", "close")
            request.end_headers()
            while piece := answer.read1(65_536):
                self._stall_if_asked(request)
                request.wfile.write(piece)
        finally:
            upstream.close()


@contextmanager
def flaky_proxy(site: str) -> Iterator[tuple[str, FlakyProxy]]:
    """Yield the address of a proxy in front of `site`, and the proxy."""
    proxy = FlakyProxy(site)

    class Request(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            proxy.serve(self)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Request)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", proxy
    finally:
        proxy.end()
        server.shutdown()
        server.server_close()
