"""What strangers do to the site's port: visitors come in meanwhile, and nothing of it stays."""

from __future__ import annotations

import asyncio
import http.client
import os
import resource
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest
import uvicorn

from arena.host.sockets import LOOPBACK, Proxies, network_of, raise_file_limit
from tests.kit.until import soon, until
from webui.commands import bodies, site
from webui.commands.connections import WAITING_BYTES, ConnectionLimits, Guard, guarded

LOCAL, NONE = Proxies(LOOPBACK), Proxies()
BIG = 50_000_000
being_served: list[Any] = []
is_busy = threading.Event()


async def application(scope: Any, receive: Any, send: Any) -> None:
    """An answer to a whole request: its length, or very much."""
    length = 0
    while True:
        message = await receive()
        length += len(message.get("body", b""))
        if not message.get("more_body"):
            break
    if scope["path"] == "/long":
        being_served.append(scope)
        await receive()  # until the client goes
    if scope["path"] == "/busy":
        is_busy.set()
        until(lambda: not is_busy.is_set())
    if scope["path"] == "/error":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise ConnectionError
    body = bytes(BIG) if scope["path"] == "/big" else str(length).encode()
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(body))]})
    await send({"type": "http.response.body", "body": body})


@contextmanager
def served(**limits: Any) -> Iterator[int]:
    """The port of a server with these limits."""
    config = site.config("127.0.0.1", 0, LOCAL, ConnectionLimits(**limits), lifespan="off", log_level="critical")
    config.app = application
    server = site.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    until(lambda: server.started)
    try:
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = server.force_exit = True
        thread.join(60)


def visit(port: int) -> None:
    """An honest visitor, who is answered long before what the others hold is taken from them."""
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    line.request("POST", "/", body=b"12345")
    assert line.getresponse().read() == b"5"
    line.close()


def is_closed(connection: socket.socket) -> bool:
    connection.setblocking(False)
    try:
        return not connection.recv(100)
    except BlockingIOError:
        return False
    except OSError:
        return True


SLOWLY = {
    "nothing": b"",
    "half a head": b"GET / HTTP/1.1\r\nHost: arena\r\n",
    "half a body": b"POST / HTTP/1.1\r\nHost: arena\r\nContent-Length: 100\r\n\r\nabc",
    "a second head": b"GET / HTTP/1.1\r\nHost: arena\r\n\r\nGET / HT",
}


@pytest.mark.parametrize("sent", SLOWLY.values(), ids=SLOWLY)
def test_idle_connections_keep_nobody_out(sent: bytes) -> None:
    with served(connections=50, request_s=600) as port, ExitStack() as stack:
        attackers = []
        for _ in range(120):
            attackers.append(stack.enter_context(socket.create_connection(("127.0.0.1", port))))
            attackers[-1].sendall(sent)
        visit(port)
        until(lambda: sum(map(is_closed, attackers)) >= 70)
        visit(port)


@pytest.mark.parametrize("sent", SLOWLY.values(), ids=SLOWLY)
def test_a_request_has_to_arrive_in_time(sent: bytes) -> None:
    with served(request_s=0.5) as port, socket.create_connection(("127.0.0.1", port)) as slow:
        slow.sendall(sent)
        # A byte now and then does not help.
        until(lambda: is_closed_after_more(slow))


def is_closed_after_more(connection: socket.socket) -> bool:
    try:
        connection.send(b"a")
    except OSError:
        return True
    return is_closed(connection)


HEAD = b"POST / HTTP/1.1\r\nHost: arena\r\n"


def response_to(line: socket.socket) -> http.client.HTTPResponse:
    response = http.client.HTTPResponse(line, method="POST")
    response.begin()
    return response


@pytest.mark.parametrize("is_chunked", [False, True], ids=["announced", "chunked"])
def test_a_body_has_a_limit(is_chunked: bool) -> None:
    def request(length: int) -> bytes:
        if is_chunked:
            return HEAD + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n" % (length, bytes(length))
        return HEAD + b"Content-Length: %d\r\n\r\n%s" % (length, bytes(length))

    with served(request_s=120) as port, socket.create_connection(("127.0.0.1", port), 60) as line:
        line.sendall(request(bodies.LONGEST))
        response = response_to(line)
        assert (response.status, response.read()) == (200, b"65536")
        line.sendall(request(bodies.LONGEST + 1))
        response = response_to(line)
        assert response.status == 413
        assert response.read() == b"The request is too large: its body may have 65536 bytes.\n"
        line.sendall(request(1_000_000))  # a refused request leaves the connection as it was
        response = response_to(line)
        assert (response.status, len(response.read()) > 0) == (413, True)
        line.sendall(request(5))
        assert response_to(line).read() == b"5"


def test_a_body_is_refused_before_it_is_sent_and_what_is_sent_all_the_same_is_dropped_for_a_time() -> None:
    with served(request_s=0.5) as port, socket.create_connection(("127.0.0.1", port), 60) as line:
        line.sendall(HEAD + b"Content-Length: 100000000000\r\n\r\n")
        response = response_to(line)
        assert (response.status, b"too large" in response.read()) == (413, True)
        until(lambda: is_closed_after_more(line))


def test_a_client_that_goes_within_its_body_reaches_no_page() -> None:
    being_served.clear()
    with served() as port:
        with socket.create_connection(("127.0.0.1", port), 60) as line:
            line.sendall(b"POST /long HTTP/1.1\r\nHost: arena\r\nContent-Length: 9\r\n\r\nabc")
        until(lambda: count_established(port) == 0)
        visit(port)
    assert not being_served


def test_a_client_that_takes_no_data_is_disconnected() -> None:
    with served(take_s=0.5) as port, socket.socket() as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.connect(("127.0.0.1", port))
        slow.sendall(b"GET /big HTTP/1.1\r\nHost: arena\r\n\r\n")
        until(lambda: count_established(port) == 0)


def count_established(port: int) -> int:
    """Connections to this port that its server has open."""
    with open("/proc/net/tcp") as table:
        rows = [line.split() for line in table.readlines()[1:]]
    return sum(int(row[1].partition(":")[2], 16) == port and row[3] == "01" for row in rows)


def test_where_all_are_being_served_the_next_is_refused() -> None:
    being_served.clear()
    with served(connections=3) as port, ExitStack() as stack:
        busy = [stack.enter_context(socket.create_connection(("127.0.0.1", port))) for _ in range(3)]
        for connection in busy:
            connection.sendall(b"GET /long HTTP/1.1\r\nHost: arena\r\n\r\n")
        until(lambda: len(being_served) == 3)
        assert is_refused(port)
        assert not any(map(is_closed, busy))
        busy[0].close()
        until(lambda: not is_refused(port))


def is_refused(port: int) -> bool:
    try:
        visit(port)
    except (OSError, http.client.HTTPException):
        return True
    return False


class Transport(asyncio.Transport):
    """A connection from some address."""

    def __init__(self, host: str) -> None:
        super().__init__()
        self.host = host
        self.aborted = False
        self.is_closed = False
        self.waiting_bytes: int | None = None

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return (self.host, 1) if name in ("peername", "sockname") else default

    def write(self, data: Any) -> None:
        """The client takes nothing."""

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        self.waiting_bytes = high

    def pause_reading(self) -> None:
        pass

    def close(self) -> None:
        self.is_closed = True

    def abort(self) -> None:
        self.aborted = True

    def is_closing(self) -> bool:
        return self.is_closed or self.aborted


def connected(protocol: Any, host: str) -> tuple[Any, Transport]:
    transport = Transport(host)
    config = uvicorn.Config(application, ws="none", lifespan="off", log_level="critical")
    config.load()
    made = protocol(config=config, server_state=uvicorn.server.ServerState(), app_state={})
    made.connection_made(transport)
    return made, transport


CLOSING = {
    "after the response": b"GET / HTTP/1.1\r\nHost: arena\r\nConnection: close\r\n\r\n",
    "after a bad request": b"\0\r\n\r\n",
    "after an error in a response": b"GET /error HTTP/1.1\r\nHost: arena\r\n\r\n",
}


@pytest.mark.parametrize("sent", CLOSING.values(), ids=CLOSING)
async def test_a_connection_that_closes_waits_for_its_client_to_take_the_rest(sent: bytes) -> None:
    protocol: Any = guarded(ConnectionLimits(connections=1, take_s=600), NONE)
    old, transport = connected(protocol, "8.8.8.8")
    old.data_received(sent)
    await soon(lambda: transport.is_closed)
    _, new = connected(protocol, "8.8.4.4")
    assert (transport.aborted, new.aborted) == (True, False), "it can be evicted"
    protocol.guard.connections.clear()


async def test_a_connection_that_closes_does_so_within_a_time() -> None:
    old, transport = connected(guarded(ConnectionLimits(request_s=600, take_s=0.05), NONE), "8.8.8.8")
    old.data_received(CLOSING["after the response"])
    await soon(lambda: transport.aborted)
    assert not old.guard.connections


async def test_more_requests_do_not_end_the_time_to_take() -> None:
    protocol, _ = connected(guarded(ConnectionLimits(), NONE), "8.8.8.8")
    protocol.pause_writing()
    since = protocol.waits_since
    protocol.data_received(b"GET /long HTTP/1.1\r\nHost: arena\r\n\r\n")
    assert since is not None
    assert protocol.waits_since == since
    protocol.resume_writing()
    assert protocol.waits_since is None, "our turn"
    protocol.connection_lost(None)


async def test_connections_are_limited_by_address() -> None:
    protocol: Any = guarded(ConnectionLimits(connections=100, connections_per_address=2), Proxies(["10.0.0.1"]))

    def connect(*hosts: str) -> list[bool]:
        transports = [connected(protocol, host)[1] for host in hosts]
        return [transport.aborted for transport in transports]

    assert connect("8.8.8.8", "8.8.8.8", "8.8.4.4", "8.8.8.8") == [True, False, False, False]
    assert connect("2600::1", "2600::2", "2600::3") == [True, False, False]
    assert connect(*["10.0.0.1"] * 10) == [False] * 10, "a proxy"
    assert connect(*["10.0.0.2"] * 3) == [True, False, False], "none"
    protocol.guard.connections.clear()


async def test_little_is_kept_for_a_client_that_takes_nothing() -> None:
    protocol: Any = guarded(ConnectionLimits(), NONE)
    _, transport = connected(protocol, "8.8.8.8")
    assert transport.waiting_bytes == WAITING_BYTES < 65_536
    protocol.guard.connections.clear()


def test_addresses() -> None:
    assert network_of("8.8.8.8") == network_of("::ffff:8.8.8.8") == "8.8.8.8"
    assert network_of("2600:1:2:3:4::5") == "2600:1:2:3::/64"


def test_the_file_limit_is_raised() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, 512), hard))
    try:
        assert raise_file_limit() == resource.getrlimit(resource.RLIMIT_NOFILE)[0] > 512
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_the_site_is_served_with_a_guard() -> None:
    assert site.config("127.0.0.1", 0, LOCAL).http.guard == Guard(ConnectionLimits(), LOCAL)


def test_without_descriptors_it_tries_once_a_second_and_comes_back(caplog: pytest.LogCaptureFixture) -> None:
    def lacking() -> list[str]:
        return [record.message for record in caplog.records if "out of system resource" in record.message]

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with served() as port, socket.socket() as visitor:
        visit(port)
        lowest_free = os.dup(0)
        os.close(lowest_free)
        resource.setrlimit(resource.RLIMIT_NOFILE, (lowest_free, hard))
        try:
            visitor.connect(("127.0.0.1", port))
            until(lacking)
            time.sleep(0.5)  # the fault itself
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        visitor.sendall(b"GET / HTTP/1.1\r\nHost: arena\r\n\r\n")
        visitor.settimeout(120)
        assert visitor.recv(100).startswith(b"HTTP/1.1 200")
    assert len(lacking()) < 20, "one try a second"


def test_many_may_connect_while_it_does_something_else() -> None:
    with served() as port, ExitStack() as stack:
        with socket.create_connection(("127.0.0.1", port), 60) as first:
            first.sendall(b"GET /busy HTTP/1.1\r\nHost: arena\r\n\r\n")
            until(is_busy.is_set)
            try:
                for _ in range(50):
                    stack.enter_context(socket.create_connection(("127.0.0.1", port), 60))
            finally:
                is_busy.clear()
        visit(port)
