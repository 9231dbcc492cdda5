"""The gateway process: the gRPC server and its tasks, from start to drain."""

from __future__ import annotations

import asyncio
import gc
import secrets
import signal
from dataclasses import dataclass, field
from typing import Any, Final

import grpc
import grpc.aio
import structlog
from grpc_health.v1 import health_pb2

from arena.bus import AsyncBus, BusUnavailable
from arena.gateway.buslink import BusLink
from arena.gateway.clock import beat, running_clock
from arena.gateway.connections import Connections
from arena.gateway.identity import Identities
from arena.gateway.limits import GatewayLimits, RunnerServiceLimits
from arena.gateway.people import People, PeopleDesk
from arena.gateway.registry import SessionRegistry
from arena.gateway.runners import Hosting, RunnerService
from arena.gateway.service import Service
from arena.gateway.tls import Certificate
from arena.gateway.watches import add_watches
from arena.host.sockets import Proxies
from arena.wire.service import AUTHOR_SERVICE, SERVICE

log = structlog.get_logger(__name__)

DRAIN_FLUSH_S: Final = 1.0
DRAIN_GRACE_S: Final = 1.5
"""Twice the flush plus the grace must stay below the five seconds that a process has to shut down."""


@dataclass(frozen=True, slots=True)
class GatewayConfig:
    """Where a gateway listens and what it connects to."""

    listen: str
    redis_url: str
    certificate: Certificate | None = None
    """Without a certificate the port is unencrypted."""
    proxies: Proxies = field(default_factory=Proxies)
    limits: GatewayLimits = field(default_factory=GatewayLimits)
    runner_limits: RunnerServiceLimits = field(default_factory=RunnerServiceLimits)


class Gateway:
    """One gateway. Create it on its event loop, which should be a `ListeningLoop` for exact times.

    Call `start`, then `wait` (or use it for a while), then `drain`. Without `hosting` it serves no runners, and without
    `people` no people who play on the site.
    """

    def __init__(
        self,
        config: GatewayConfig,
        identities: Identities,
        hosting: Hosting | None = None,
        people: People | None = None,
    ) -> None:
        self.id = f"gw-{secrets.token_hex(8)}"
        """New for every process, so that a session at a restarted gateway counts as moved."""
        self.port = 0
        self._config = config
        self._bus = AsyncBus(config.redis_url)
        self._buslink = BusLink(self._bus, self.id, config.limits)
        self.registry = SessionRegistry(self.id, self._buslink, config.limits, running_clock())
        self._identities = identities
        self._connections = Connections(config.limits, config.proxies)
        self._runners = (
            RunnerService(hosting, self._connections, config.limits, config.runner_limits) if hosting else None
        )
        self._desk = PeopleDesk(self.registry, people) if people else None
        self._health: Any = None
        self._server: grpc.aio.Server | None = None
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Listen and serve."""
        server = grpc.aio.server(options=_options(self._config.limits))
        service = Service(self.registry, self._identities, self._connections, self._config.limits)
        server.add_generic_rpc_handlers(service.handlers())
        if self._runners is not None:
            server.add_generic_rpc_handlers(self._runners.handlers())
        self._health = add_watches(server, (SERVICE, AUTHOR_SERVICE), self._connections, self._config.limits)
        self.port = self._connections.port = self._bind(server)
        self._tasks = [
            asyncio.create_task(self._buslink.fetch(self.registry), name="fetch"),
            asyncio.create_task(self._buslink.forward(), name="forward"),
            asyncio.create_task(self._buslink.announce(self.registry), name="announce"),
            asyncio.create_task(service.watch_tokens(), name="tokens"),
            asyncio.create_task(self._connections.watch(), name="connections"),
            asyncio.create_task(beat(self.registry.clock), name="beat"),
        ]
        if self._desk is not None:
            self._tasks.append(asyncio.create_task(self._desk.run(self._bus), name="people"))
        await server.start()
        self._server = server
        for name in ("", SERVICE):
            await self._health.set(name, health_pb2.HealthCheckResponse.SERVING)
        log.info("gateway_listens", gateway=self.id, address=self._config.listen, port=self.port)

    async def drain(self) -> None:
        """Shut down within five seconds: refuse new bots, and send the bots here and their asks to another gateway."""
        log.info("gateway_drains", gateway=self.id, sessions=len(self.registry.ids()))
        await self._health.enter_graceful_shutdown()
        self.registry.withdraw()
        try:
            async with asyncio.timeout(DRAIN_FLUSH_S):
                # Withdraw presences first, so that a worker that receives `moved` does not find the session here again.
                await self._buslink.publish_news(self.registry)
        except (BusUnavailable, TimeoutError) as error:
            log.warning("drain_not_announced", error=repr(error))
        self.registry.dismiss()
        if self._desk is not None:
            await self._desk.leave(self._bus)
        try:
            async with asyncio.timeout(DRAIN_FLUSH_S):
                await self._buslink.flush()
        except TimeoutError:
            log.warning("drain_not_flushed")
        await self._stop_server(DRAIN_GRACE_S)
        await self._stop_tasks()
        log.info("gateway_left", gateway=self.id)

    async def kill(self) -> None:
        """Stop at once without notifying anyone (tests use it to simulate a crash)."""
        await self._stop_tasks()
        await self._stop_server(None)

    async def wait(self) -> None:
        """Wait until one of the gateway's own tasks fails; none of them should."""
        done, _ = await asyncio.wait(self._tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()

    async def _stop_server(self, grace: float | None) -> None:
        server, self._server = self._server, None
        if server is not None:
            await server.stop(grace)

    async def _stop_tasks(self) -> None:
        tasks = set(self._tasks)
        while tasks:
            for task in tasks:
                task.cancel()
            # Cancel repeatedly: redis-py swallows a cancellation that coincides with its own timeout.
            _, tasks = await asyncio.wait(tasks, timeout=0.1)
        self._identities.close()
        if self._desk is not None:
            self._desk.close()
        if self._runners is not None:
            self._runners.close()
        await self._bus.close()

    def _bind(self, server: grpc.aio.Server) -> int:
        if self._config.certificate is None:
            return server.add_insecure_port(self._config.listen)
        return server.add_secure_port(self._config.listen, self._config.certificate.credentials())


def _options(limits: GatewayLimits) -> list[tuple[str, Any]]:
    return [
        ("grpc.max_receive_message_length", limits.transport_message_bytes),
        # With SO_REUSEPORT a second gateway on the same port would silently get half of the bots. It must fail instead.
        ("grpc.so_reuseport", 0),
        # Our own keep-alive finds dead peers within 30 s.
        ("grpc.keepalive_time_ms", 20_000),
        ("grpc.keepalive_timeout_ms", 10_000),
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.max_pings_without_data", 0),
        # Clients may ping as often as every five seconds, with or without a stream.
        ("grpc.http2.min_ping_interval_without_data_ms", 5_000),
        ("grpc.http2.min_recv_ping_interval_without_data_ms", 5_000),
        ("grpc.http2.max_ping_strikes", 0),
        # Close connections that send nothing or have no stream. `connections` handles those with idle streams.
        ("grpc.server_handshake_timeout_ms", 10_000),
        ("grpc.max_connection_idle_ms", 15_000),
        ("grpc.max_allowed_incoming_connections", limits.max_connections),
        ("grpc.max_concurrent_streams", limits.max_streams_per_connection),
    ]


async def run(
    config: GatewayConfig, identities: Identities, hosting: Hosting | None = None, people: People | None = None
) -> None:
    """Run a gateway until SIGTERM or SIGINT."""
    gateway = Gateway(config, identities, hosting, people)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    gc.collect()
    gc.freeze()  # exempt all loaded objects: collecting them again and again would delay every bot
    await gateway.start()
    print(f"gateway {gateway.id} listens on port {gateway.port}", flush=True)
    waits = [asyncio.create_task(stop.wait()), asyncio.create_task(gateway.wait())]
    await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    failure = waits[1].exception() if waits[1].done() else None
    if failure is not None:
        log.error("gateway_failed", exc_info=failure)
    await gateway.drain()
    for task in waits:
        task.cancel()
    if failure is not None:
        raise failure
