"""The TCP connections to the gateway's port. Connections that no bot uses are closed.

gRPC closes a connection that sends nothing (`grpc.server_handshake_timeout_ms`) or has no stream
(`grpc.max_connection_idle_ms`). It cannot end a stream whose client reads no data, and it cannot count connections by
address. This module does both on the sockets themselves.

A connection is *used* while a bot whose hello was accepted has a stream on it. A connection that stays unused for too
long, or exceeds a limit, is shut down; its streams end with it.
"""

from __future__ import annotations

import asyncio
import os
import socket
import stat
import struct
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Final
from urllib.parse import unquote

import grpc.aio
import structlog

from arena.gateway import metrics
from arena.gateway.limits import SECOND, GatewayLimits
from arena.gateway.stream import Context
from arena.host.sockets import Proxies, SpareDescriptor, exact_address, network_of

log = structlog.get_logger(__name__)

FORWARDED: Final = "x-forwarded-for"
DESCRIPTORS: Final = "/dev/fd"
SLICE: Final = 20
"""Number of connections that are shut down (in 3 ms) before other tasks run."""

MIN_RTT: Final = struct.Struct("=I")
MIN_RTT_AT: Final = 148
UNKNOWN_RTT: Final = 2**32 - 1

Peer = tuple[str, int]
"""Address and port of the other end."""


@dataclass(slots=True)
class Connection:
    """An accepted connection."""

    peer: Peer
    descriptor: int
    inode: int
    """Inode of its socket. Unlike a descriptor number, it is never reused for another connection."""
    unused_since_ns: int | None
    """Time at which it became unused; `None` while it is used."""
    network: str = field(init=False)
    """Network that its address is counted under."""

    def __post_init__(self) -> None:
        self.network = network_of(self.peer[0])


class Connections:
    """All connections to one port of this process."""

    def __init__(self, limits: GatewayLimits, proxies: Proxies) -> None:
        self.port = 0
        """Port of the server, set once it is known."""
        self.proxies = proxies
        self._limits = limits
        self._spare = SpareDescriptor()
        self._connections: dict[int, Connection] = {}
        """Connections by inode."""
        self._others: set[int] = set()
        """Inodes of sockets that are not connections to our port."""
        self._by_peer: dict[Peer, Connection] = {}
        self._uses: Counter[Peer] = Counter()
        self._ends: set[Peer] = set()
        """Peers whose connections the next sweep closes in any case."""

    @contextmanager
    def used(self, peer: str) -> Iterator[None]:
        """Count the connection of this peer (as gRPC names it) as used while the context lasts."""
        key = parse_peer(peer)
        self._uses[key] += 1
        try:
            yield
        finally:
            self._uses[key] -= 1
            if not self._uses[key]:
                del self._uses[key]
                if connection := self._by_peer.get(key):
                    # A use can be shorter than the time between two sweeps.
                    connection.unused_since_ns = time.monotonic_ns()

    def round_trip_ns(self, peer: str, forwarded: str) -> int:
        """Return the round trip to a bot as a kernel measured it. The bot's program cannot make it longer.

        On a connection of the bot it is the least round trip of the last minutes. Behind a trusted proxy it is the one
        that the proxy states in `forwarded` (X-Forwarded-For). Return 0 if nobody knows it: at the beginning of a
        connection, behind a proxy that does not state it, and where the kernel does not tell.
        """
        key = parse_peer(peer)
        if forwarded and key[0] in self.proxies:
            return 1000 * self.proxies.round_trip_us(key[0], forwarded)
        connection = self._by_peer.get(key)
        if connection is None:
            return 0
        with _duplicate(connection.descriptor, connection.inode) as ours:
            return _least_round_trip_ns(ours) if ours is not None else 0

    async def watch(self) -> None:
        """Close unused connections that are too old or too many, forever."""
        fails = False
        while True:
            await asyncio.sleep(self._limits.connection_check_s)
            try:
                await self.sweep(time.monotonic_ns())
                fails = False
            except OSError as error:
                # No descriptor is left. One becomes free as soon as gRPC closes an idle connection.
                if not fails:
                    log.error("connections_not_checked", error=str(error))
                fails = True

    async def sweep(self, now: int) -> None:
        """Check all connections. Close unused ones that are too old or too many, and those marked by `close`."""
        with self._spare.lent():
            await self._sweep(now)

    async def _sweep(self, now: int) -> None:
        # Run in a thread: with thousands of connections the system calls take tens of milliseconds.
        await asyncio.to_thread(self._scan, now)
        metrics.CONNECTIONS.set(len(self._connections))
        ends, self._ends = self._ends, set()
        closing = [connection for connection in self._connections.values() if connection.peer in ends]
        closing += to_close(
            (c for c in self._connections.values() if c.peer not in ends), self._limits, now, self.proxies
        )
        closed = 0
        for number, connection in enumerate(closing, start=1):
            if connection.peer in ends or connection.peer not in self._uses:  # a bot may have said hello meanwhile
                _shut_down(connection)
                closed += 1
            if number % SLICE == 0:
                await asyncio.sleep(0)
        if closed:
            log.info("connections_closed", closed=closed, open=len(self._connections) - closed)
            metrics.CONNECTIONS_CLOSED.inc(closed)

    def close(self, peer: str) -> None:
        """Mark the connection of this peer (as gRPC names it). The next sweep closes it with all of its streams."""
        self._ends.add(parse_peer(peer))

    @asynccontextmanager
    async def ending(self, context: Context) -> AsyncIterator[None]:
        """End a stream inside this context. If its client does not read the end in time, close the connection too."""
        try:
            async with asyncio.timeout(self._limits.refusal_timeout_s):
                yield
            return
        except TimeoutError:
            # a proxy's connection also carries the streams of others
            if parse_peer(context.peer())[0] not in self.proxies:
                log.info("connection_closed", peer=context.peer())
                self.close(context.peer())
        except grpc.aio.InternalError:
            log.debug("connection_lost", peer=context.peer())  # the connection broke while we wrote
        # gRPC cancels this task as soon as it notices. Until then this task would try to send a status and fail with a
        # logged error.
        with suppress(TimeoutError):
            async with asyncio.timeout(self._limits.refusal_timeout_s):
                await asyncio.Event().wait()

    def _scan(self, now: int) -> None:
        seen: set[int] = set()
        for name in os.listdir(DESCRIPTORS):
            descriptor = int(name)
            try:
                status = os.fstat(descriptor)
            except OSError:
                continue  # closed meanwhile
            if not stat.S_ISSOCK(status.st_mode):
                continue
            seen.add(status.st_ino)
            if status.st_ino in self._others:
                continue
            connection = self._connections.get(status.st_ino)
            if connection is None:
                peer = _peer_of(descriptor, status.st_ino, self.port)
                if peer is None:
                    self._others.add(status.st_ino)
                    continue
                connection = self._connections[status.st_ino] = Connection(peer, descriptor, status.st_ino, now)
            if connection.peer in self._uses:
                connection.unused_since_ns = None
            elif connection.unused_since_ns is None:
                connection.unused_since_ns = now
        self._others &= seen
        for inode in self._connections.keys() - seen:
            del self._connections[inode]
        self._by_peer = {connection.peer: connection for connection in self._connections.values()}


def to_close(connections: Iterable[Connection], limits: GatewayLimits, now: int, proxies: Proxies) -> list[Connection]:
    """Return the unused connections that are to be closed.

    These are the connections that have been unused for too long. From the rest, the oldest are closed until there are
    neither too many in all nor too many from one address. Proxies have no limit by address, because they have many
    clients.
    """
    unused = [(c.unused_since_ns, c) for c in connections if c.unused_since_ns is not None]
    kept = 0
    kept_by: Counter[str] = Counter()
    closing = []
    # The youngest first: it has had the least time to say hello.
    for since_ns, connection in sorted(unused, key=itemgetter(0), reverse=True):
        address = connection.network
        if (
            now - since_ns > limits.unused_connection_s * SECOND
            or kept >= limits.max_unused_connections
            or (kept_by[address] >= limits.max_unused_connections_per_address and connection.peer[0] not in proxies)
        ):
            closing.append(connection)
        else:
            kept += 1
            kept_by[address] += 1
    return closing


def parse_peer(peer: str) -> Peer:
    """Parse a peer as gRPC names it: `ipv4:10.0.0.1:55123` or `ipv6:%5B::1%5D:55123`."""
    kind, _, rest = peer.partition(":")
    host, _, port = unquote(rest).rpartition(":")
    if kind not in ("ipv4", "ipv6") or not port.isdecimal():
        return peer, 0
    return exact_address(host.strip("[]")), int(port)


def forwarded_for(context: Context) -> str:
    """Return X-Forwarded-For of a call; empty if it has none. Only that of a trusted proxy means anything."""
    return ",".join(str(value) for key, value in context.invocation_metadata() or () if key == FORWARDED)


def network_of_client(context: Context, proxies: Proxies) -> str:
    """Return the network under which limits count a visitor. If the peer is a proxy, it is that of the client behind
    it."""
    host, _ = parse_peer(context.peer())
    if host in proxies:
        host = proxies.client(host, forwarded_for(context))
    return network_of(host)


def _peer_of(descriptor: int, inode: int, port: int) -> Peer | None:
    """Return the other end of a connection that was made to this port; `None` if the socket is something else."""
    with _duplicate(descriptor, inode) as ours:
        if ours is None or ours.family not in (socket.AF_INET, socket.AF_INET6) or ours.getsockname()[1] != port:
            return None
        try:
            host, number = ours.getpeername()[:2]
        except OSError:
            return None  # it listens, or is closed already
        return exact_address(host), number


def _least_round_trip_ns(ours: socket.socket) -> int:
    """Return Linux's `tcpi_min_rtt` (`struct tcp_info`), which a program at the other end cannot make longer; 0 if it
    is unknown."""
    info = ours.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, MIN_RTT.size + MIN_RTT_AT)
    if len(info) < MIN_RTT.size + MIN_RTT_AT:
        return 0
    (microseconds,) = MIN_RTT.unpack_from(info, MIN_RTT_AT)
    return 0 if microseconds == UNKNOWN_RTT else max(1, microseconds) * 1000


def _shut_down(connection: Connection) -> None:
    with _duplicate(connection.descriptor, connection.inode) as ours, suppress(OSError):
        if ours is not None:
            ours.shutdown(socket.SHUT_RDWR)


@contextmanager
def _duplicate(descriptor: int, inode: int) -> Iterator[socket.socket | None]:
    """Yield a duplicate of gRPC's socket that gRPC cannot close meanwhile; `None` if the socket is gone."""
    try:
        ours = socket.socket(fileno=os.dup(descriptor))
    except OSError:
        yield None
        return
    with ours:
        yield ours if os.fstat(ours.fileno()).st_ino == inode else None
