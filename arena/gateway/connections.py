"""The TCP connections to the gateway's port, and the end of those that nobody plays through.

gRPC closes a connection that sends nothing (`grpc.server_handshake_timeout_ms`) or has no stream
(`grpc.max_connection_idle_ms`). It cannot end a stream whose client takes no data, nor count connections by address.
Both are done here, on the sockets themselves: a connection is *used* while a bot that said a good hello has a stream on
it; one that is unused for too long, or is one of too many, is shut down, and its streams end with it.
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
from arena.host.proxies import Proxies
from arena.host.sockets import SpareDescriptor, exact_address, network_of

log = structlog.get_logger(__name__)

FORWARDED: Final = "x-forwarded-for"
DESCRIPTORS: Final = "/dev/fd"
SLICE: Final = 20
"""Connections that are shut down at once (3 ms) before other tasks run."""

MIN_RTT: Final = struct.Struct("=I")
MIN_RTT_AT: Final = 148
UNKNOWN_RTT: Final = 2**32 - 1

Peer = tuple[str, int]
"""Address and port at the other end."""


@dataclass(slots=True)
class Connection:
    """An accepted connection."""

    peer: Peer
    descriptor: int
    inode: int
    """Of its socket: unlike the number of the descriptor it is never that of another connection."""
    unused_since_ns: int | None
    """None while it is used."""
    network: str = field(init=False)
    """What its address counts for."""

    def __post_init__(self) -> None:
        self.network = network_of(self.peer[0])


class Connections:
    """All connections to one port of this process."""

    def __init__(self, limits: GatewayLimits, proxies: Proxies) -> None:
        self.port = 0
        """Set when the port is known."""
        self.proxies = proxies
        self._limits = limits
        self._spare = SpareDescriptor()
        self._connections: dict[int, Connection] = {}
        """By inode."""
        self._others: set[int] = set()
        """Inodes of sockets that are not connections to our port."""
        self._by_peer: dict[Peer, Connection] = {}
        self._uses: Counter[Peer] = Counter()
        self._ends: set[Peer] = set()
        """Whose connections the next sweep closes in any case."""

    @contextmanager
    def used(self, peer: str) -> Iterator[None]:
        """While this lasts, a bot plays through the connection of this peer (as gRPC names it)."""
        key = parse_peer(peer)
        self._uses[key] += 1
        try:
            yield
        finally:
            self._uses[key] -= 1
            if not self._uses[key]:
                del self._uses[key]

    def round_trip_ns(self, peer: str) -> int | None:
        """The least round trip that the kernel has seen on a connection within some minutes; 0 while it is not known
        yet, None if it says nothing about the bot: there is a proxy between, or no TCP."""
        key = parse_peer(peer)
        if not key[1] or key[0] in self.proxies:
            return None
        connection = self._by_peer.get(key)
        if connection is None:
            return 0
        with _duplicate(connection.descriptor, connection.inode) as ours:
            return _least_round_trip_ns(ours) if ours is not None else 0

    async def watch(self) -> None:
        """Close unused connections that are too old or too many, for ever."""
        fails = False
        while True:
            await asyncio.sleep(self._limits.connection_check_s)
            try:
                await self.sweep(time.monotonic_ns())
                fails = False
            except OSError as error:
                # No descriptor is left: there is one again as soon as gRPC has closed an idle connection.
                if not fails:
                    log.error("connections_not_checked", error=str(error))
                fails = True

    async def sweep(self, now: int) -> None:
        """Look at all connections; close the unused ones that are too old or too many, and those that are to end."""
        with self._spare.lent():
            await self._sweep(now)

    async def _sweep(self, now: int) -> None:
        # In a thread: with thousands of connections the system calls take tens of milliseconds.
        await asyncio.to_thread(self._look, now)
        metrics.CONNECTIONS.set(len(self._connections))
        ends, self._ends = self._ends, set()
        closing = [connection for connection in self._connections.values() if connection.peer in ends]
        closing += to_close(
            (c for c in self._connections.values() if c.peer not in ends), self._limits, now, self.proxies
        )
        closed = 0
        for number, connection in enumerate(closing, start=1):
            if connection.peer in ends or connection.peer not in self._uses:  # a bot may have come meanwhile
                _shut_down(connection)
                closed += 1
            if number % SLICE == 0:
                await asyncio.sleep(0)
        if closed:
            log.info("connections_closed", closed=closed, open=len(self._connections) - closed)
            metrics.CONNECTIONS_CLOSED.inc(closed)

    def close(self, peer: str) -> None:
        """Let the next sweep close the connection of this peer (as gRPC names it), and with it all of its streams."""
        self._ends.add(parse_peer(peer))

    @asynccontextmanager
    async def ending(self, context: Context) -> AsyncIterator[None]:
        """The end of a stream; if its client does not take that within a while, the connection ends as well."""
        try:
            async with asyncio.timeout(self._limits.refusal_timeout_s):
                yield
            return
        except TimeoutError:
            if parse_peer(context.peer())[0] not in self.proxies:  # whose connection carries others' streams, too
                log.info("connection_closed", peer=context.peer())
                self.close(context.peer())
        except grpc.aio.InternalError:
            log.debug("connection_lost", peer=context.peer())  # while we wrote
        # gRPC cancels this task as soon as it has noticed; until then it would try to send a status, and fail loudly.
        with suppress(TimeoutError):
            async with asyncio.timeout(self._limits.refusal_timeout_s):
                await asyncio.Event().wait()

    def _look(self, now: int) -> None:
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
    """The unused connections that are too old; of the others the oldest of those that are too many, by address (but for
    proxies, which have many clients) and in all."""
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
    """`ipv4:10.0.0.1:55123` or `ipv6:%5B::1%5D:55123`, as gRPC names a peer."""
    kind, _, rest = peer.partition(":")
    host, _, port = unquote(rest).rpartition(":")
    if kind not in ("ipv4", "ipv6") or not port.isdecimal():
        return peer, 0
    return exact_address(host.strip("[]")), int(port)


def network_of_client(context: Context, proxies: Proxies) -> str:
    """What limits count as one visitor: of the client behind the proxies, if the peer is one of these."""
    host, _ = parse_peer(context.peer())
    if host in proxies:
        named = [value for key, value in context.invocation_metadata() or () if key == FORWARDED]
        host = proxies.client(host, ",".join(map(str, named)))
    return network_of(host)


def _peer_of(descriptor: int, inode: int, port: int) -> Peer | None:
    """Who is at the other end of a connection that was made to this port; None if it is something else."""
    with _duplicate(descriptor, inode) as ours:
        if ours is None or ours.family not in (socket.AF_INET, socket.AF_INET6) or ours.getsockname()[1] != port:
            return None
        try:
            host, number = ours.getpeername()[:2]
        except OSError:
            return None  # it listens, or is closed already
        return exact_address(host), number


def _least_round_trip_ns(ours: socket.socket) -> int | None:
    """`tcpi_min_rtt` of Linux (`struct tcp_info`), which a program at the other end cannot make longer."""
    info = ours.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, MIN_RTT.size + MIN_RTT_AT)
    if len(info) < MIN_RTT.size + MIN_RTT_AT:
        return None
    (microseconds,) = MIN_RTT.unpack_from(info, MIN_RTT_AT)
    return 0 if microseconds == UNKNOWN_RTT else max(1, microseconds) * 1000


def _shut_down(connection: Connection) -> None:
    with _duplicate(connection.descriptor, connection.inode) as ours, suppress(OSError):
        if ours is not None:
            ours.shutdown(socket.SHUT_RDWR)


@contextmanager
def _duplicate(descriptor: int, inode: int) -> Iterator[socket.socket | None]:
    """A socket of gRPC under a descriptor of our own, which gRPC does not close meanwhile; None if it is gone."""
    try:
        ours = socket.socket(fileno=os.dup(descriptor))
    except OSError:
        yield None
        return
    with ours:
        yield ours if os.fstat(ours.fileno()).st_ino == inode else None
