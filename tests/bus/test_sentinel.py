"""The bus follows the master of Redis, which Sentinels know. Its connections notice a dead peer."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
import redis

from arena.bus import AsyncBus, Bus, BusUnavailable, Evict
from arena.bus.exchanges import AsyncExchange, Exchange
from arena.host.sockets import keepalive_options
from tests.kit.ports import ReservedPort
from tests.kit.redis_server import RedisServer, redis_executable
from tests.kit.until import until

EVICT = Evict("s1", "g2", 7)


class Replicas:
    """A master, a replica and a Sentinel, which is enough for a failover."""

    def __init__(self, stack: ExitStack) -> None:
        self.servers = [stack.enter_context(RedisServer(tcp=True)) for _ in range(2)]
        self.master, self.replica = self.servers
        with self.replica.client() as client:
            client.replicaof("127.0.0.1", self.master.port)
        self.port = stack.enter_context(ReservedPort()).number
        silent = stack.enter_context(ReservedPort()).number
        self.url = f"sentinel://127.0.0.1:{silent},127.0.0.1:{self.port}/arena"
        """The first Sentinel is unavailable."""
        self._start_sentinel(stack)

    def _start_sentinel(self, stack: ExitStack) -> None:
        file = self.master.directory / "sentinel.conf"
        file.write_text(
            f"port {self.port}\nbind 127.0.0.1\nprotected-mode no\n"
            f"sentinel monitor arena 127.0.0.1 {self.master.port} 1\n"
        )
        executable = redis_executable()
        assert executable is not None
        with (self.master.directory / "sentinel.log").open("wb") as log:
            process = subprocess.Popen([executable, str(file), "--sentinel"], stdout=log, stderr=log)
        stack.callback(process.wait, 10)
        stack.callback(process.kill)
        self.sentinel = stack.enter_context(redis.Redis(port=self.port))
        until(self._knows_the_replica, "that the Sentinel knows both")

    def _knows_the_replica(self) -> bool:
        try:
            found = self.sentinel.sentinel_slaves("arena")
        except (redis.RedisError, OSError):
            return False
        return any(one["master-link-status"] == "ok" for one in found)

    def hand_over(self) -> None:
        """Make the replica the master, and the master its replica."""

        def has_begun() -> bool:
            try:
                return bool(self.sentinel.sentinel_failover("arena"))
            except redis.ResponseError:  # no good replica yet
                return False

        until(has_begun, "a hand-over")
        self.master, self.replica = self.replica, self.master
        until(lambda: self._role(self.replica) == "slave", "that the former master is a replica")

    def _role(self, server: RedisServer) -> str:
        try:
            with server.client() as client:
                return str(client.info("replication")["role"])
        except redis.ConnectionError:  # the Sentinel closes all connections of a former master
            return ""


@pytest.fixture(scope="module")
def replicas() -> Iterator[Replicas]:
    with ExitStack() as stack:
        yield Replicas(stack)


def sends(bus: Bus) -> bool:
    """Return whether a message reaches Redis."""
    try:
        bus.send_to_gateway("g1", EVICT)
    except BusUnavailable:
        return False
    return True


@pytest.mark.slow
async def test_the_bus_follows_the_master(replicas: Replicas) -> None:
    with Bus(replicas.url) as blocking:
        async with AsyncBus(replicas.url) as bus:
            for _ in range(2):
                until(lambda: sends(blocking), "that a message is taken")
                received = []
                while not received:
                    received = await bus.receive_for_gateway("g1", timeout=5.0)
                assert set(received) == {EVICT}
                with replicas.master.client() as client:
                    client.flushall()
                replicas.hand_over()
            assert sends(blocking)


def test_a_connection_to_a_former_master_is_not_used_again(replicas: Replicas) -> None:
    """Use a connection that the Sentinel has not closed.

    If a replica refuses, a new one is made by asking the Sentinel.
    """
    with Bus(replicas.url) as bus:
        until(lambda: sends(bus), "that a message is taken")
        before = sockets_of(bus)
        with replicas.master.client() as client:
            client.config_set("min-replicas-to-write", 5)  # as if it were cut off
            try:
                with pytest.raises(BusUnavailable, match="NOREPLICAS"):
                    bus.send_to_gateway("g1", EVICT)
                assert before and not before & sockets_of(bus)
            finally:
                client.config_set("min-replicas-to-write", 0)
        until(lambda: sends(bus), "that a message is taken again")


def sockets_of(bus: Bus) -> set[socket.socket]:
    """Return the sockets of the connections for commands."""
    return {connection._sock for connection in connections(bus._redis, bus._exchange) if connection._sock is not None}


def connections(client: Any, exchange: Exchange | AsyncExchange) -> list[Any]:
    """Return the connections of a client's pool, and the one kept for exchanges."""
    pool = client.connection_pool
    idle = pool.pool.queue if isinstance(exchange, Exchange) else pool._available_connections
    return [connection for connection in (*idle, *exchange._kept) if connection is not None]


async def test_connections_notice_that_the_other_side_is_gone() -> None:
    """Check the options of the kernel for it; `tests/cluster` checks that they work."""
    with RedisServer(tcp=True) as server, Bus(server.url) as blocking:
        blocking.ping()
        assert not blocking.receive_for_worker("w1", 0.01)
        own = connections(blocking._redis, blocking._exchange) + connections(blocking.reading, blocking._read)
        sockets = [connection._sock for connection in own if connection._sock is not None]
        async with AsyncBus(server.url) as bus:
            await bus.ping()
            await bus.receive_for_gateway("g1", 0.01)
            others = connections(bus._redis, bus._exchange) + connections(bus.reading, bus._read)
            sockets += [one._writer.transport.get_extra_info("socket") for one in others if one._writer is not None]
            assert len(sockets) == 4
            for one in sockets:
                assert one.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
                options = keepalive_options()
                assert {name: one.getsockopt(socket.IPPROTO_TCP, name) for name in options} == options
