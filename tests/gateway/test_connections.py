"""The gateway's connection guard by itself: without descriptors, and with very many connections to close."""

from __future__ import annotations

import asyncio
import os
import resource
import socket
from contextlib import ExitStack, suppress
from typing import Any

import pytest
import structlog
from grpc_health.v1 import health_pb2
from structlog.testing import capture_logs

from arena.gateway.connections import Connections
from arena.gateway.limits import GatewayLimits
from arena.gateway.watches import Health
from arena.host.limiters import Slots
from arena.host.sockets import Proxies, most_connections
from tests.kit.until import soon


async def test_without_descriptors_the_guard_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    real, calls = os.listdir, 0

    def listdir(path: str) -> list[str]:
        nonlocal calls
        calls += 1
        if calls <= 5:
            raise OSError(24, "Too many open files")
        return real(path)

    monkeypatch.setattr("arena.gateway.connections.os.listdir", listdir)
    # A logger that was used before keeps its earlier configuration.
    monkeypatch.setattr("arena.gateway.connections.log", structlog.get_logger())
    with capture_logs() as logs:
        watch = asyncio.create_task(Connections(GatewayLimits(connection_check_s=0), Proxies()).watch())
        await soon(lambda: calls >= 8)
        assert not watch.done()
        watch.cancel()
        with suppress(asyncio.CancelledError):
            await watch
    assert [line["event"] for line in logs] == ["connections_not_checked"], "once"


def test_a_process_keeps_descriptors_for_other_things() -> None:
    assert most_connections(8_000, 65_536) == 8_000
    assert most_connections(8_000, 1_000) == 800


async def test_without_descriptors_unused_connections_are_closed() -> None:
    connections, clients = Connections(GatewayLimits(max_unused_connections_per_address=10), Proxies()), 20
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with ExitStack() as stack:
        server = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=clients))
        connections.port = server.getsockname()[1]
        ours = [stack.enter_context(socket.create_connection(server.getsockname())) for _ in range(clients)]
        accepted = [stack.enter_context(server.accept()[0]) for _ in ours]
        await asyncio.to_thread(int)  # the thread that polls has its own descriptors by now
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(map(int, os.listdir("/dev/fd"))) + 3, hard))
        stack.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        with suppress(OSError):
            while True:
                stack.callback(os.close, os.open(os.devnull, os.O_RDONLY))
        with pytest.raises(OSError, match="Too many open files"):
            os.listdir("/dev/fd")
        for _ in range(2):
            await connections.sweep(0)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        assert sum(map(_is_closed, ours)) == len(accepted) - 10


async def test_other_tasks_run_while_connections_are_looked_at_and_closed() -> None:
    connections, clients = Connections(GatewayLimits(max_unused_connections_per_address=10), Proxies()), 200
    with ExitStack() as stack:
        server = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=clients))
        connections.port = server.getsockname()[1]
        ours: list[Any] = []
        accepted: list[Any] = []
        for _ in range(clients):
            ours.append(stack.enter_context(socket.create_connection(server.getsockname())))
            accepted.append(stack.enter_context(server.accept()[0]))
        sweep = asyncio.create_task(connections.sweep(0))
        turns = 0
        while not sweep.done():
            turns += 1
            await asyncio.sleep(0)
        await sweep
        assert turns >= 10
        assert sum(_is_closed(one) for one in ours) == clients - 10


async def test_a_connection_that_is_to_end_is_closed_even_if_it_is_used() -> None:
    connections = Connections(GatewayLimits(), Proxies())
    with ExitStack() as stack:
        server = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        connections.port = server.getsockname()[1]
        ours = [stack.enter_context(socket.create_connection(server.getsockname())) for _ in range(2)]
        accepted = [stack.enter_context(server.accept()[0]) for _ in ours]
        peer = f"ipv4:127.0.0.1:{ours[0].getsockname()[1]}"
        with connections.used(peer):
            connections.close(peer)
            await connections.sweep(0)
        assert [_is_closed(one) for one in ours] == [True, False]
        assert len(accepted) == 2


class StuckContext:
    """A stream whose client reads no data: not even its end can be sent."""

    def peer(self) -> str:
        return "ipv4:127.0.0.1:7"

    async def write(self, message: Any) -> None:
        await asyncio.Event().wait()

    async def abort(self, code: Any, details: str) -> None:
        await asyncio.Event().wait()


async def test_a_watch_that_cannot_be_ended_gives_its_slot_back() -> None:
    connections, slots = Connections(GatewayLimits(refusal_timeout_s=0.02), Proxies()), Slots(1, 1)
    stuck: Any = StuckContext()
    async with asyncio.timeout(60):
        await Health(connections, slots, 0.02).Watch(health_pb2.HealthCheckRequest(), stuck)
    assert not slots.are_taken("127.0.0.1")
    assert connections._ends == {("127.0.0.1", 7)}, "and the connection is to be closed"


def _is_closed(connection: socket.socket) -> bool:
    connection.setblocking(False)
    try:
        return not connection.recv(1)
    except BlockingIOError:
        return False
