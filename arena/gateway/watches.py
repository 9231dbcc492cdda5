"""The health and reflection services. Anybody may open their streams, so these are limited in number and time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator
from typing import Any, Final

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection, reflection_pb2, reflection_pb2_grpc

from arena.gateway.connections import Connections, network_of_client
from arena.gateway.limits import GatewayLimits
from arena.gateway.stream import Context
from arena.host.limiters import Slots

LOOK_EVERY_S: Final = 0.5
"""Seconds between two checks for a change of the state."""
TOO_MANY: Final = "too many of these streams are open: close some, or use Check"


class Health(health.aio.HealthServicer):  # type: ignore[name-defined,misc]  # made at run time
    """`grpc.health.v1.Health`: `Check` for everybody, and `Watch` while a slot is free."""

    def __init__(self, connections: Connections, slots: Slots, watch_s: float) -> None:
        super().__init__()
        self._connections = connections
        self._slots = slots
        self._watch_s = watch_s

    async def Watch(self, request: health_pb2.HealthCheckRequest, context: Context) -> None:
        """Send every change of the state. The stream ends after a while, and the client must watch again."""
        with self._slots.take(network_of_client(context, self._connections.proxies)) as is_taken:
            if not is_taken:
                await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, TOO_MANY)
            try:
                async with asyncio.timeout(self._watch_s):
                    await self._watch(request.service, context)
            except TimeoutError:
                async with self._connections.ending(context):
                    await context.abort(
                        grpc.StatusCode.UNAVAILABLE, "the time limit of this stream is over: watch again"
                    )

    async def _watch(self, service: str, context: Context) -> None:
        # The library's own Watch holds a lock while it writes: a client that reads no data would block all others and
        # the shutdown.
        last = None
        while True:
            state = self._server_status.get(service, health_pb2.HealthCheckResponse.SERVICE_UNKNOWN)
            if state != last:
                await context.write(health_pb2.HealthCheckResponse(status=state))
                last = state
            await asyncio.sleep(LOOK_EVERY_S)


class Reflection(reflection.aio.ReflectionServicer):  # type: ignore[name-defined,misc]  # made at run time
    """`grpc.reflection.v1alpha.ServerReflection`, while a slot is free."""

    def __init__(self, names: tuple[str, ...], connections: Connections, slots: Slots, watch_s: float) -> None:
        super().__init__(names)
        self._connections = connections
        self._slots = slots
        self._watch_s = watch_s

    async def ServerReflectionInfo(
        self, requests: AsyncIterable[reflection_pb2.ServerReflectionRequest], context: Context
    ) -> AsyncIterator[reflection_pb2.ServerReflectionResponse]:
        """Answer questions about the services."""
        with self._slots.take(network_of_client(context, self._connections.proxies)) as is_taken:
            if not is_taken:
                await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, TOO_MANY)
            try:
                async with asyncio.timeout(self._watch_s):
                    async for response in super().ServerReflectionInfo(requests, context):
                        yield response
            except TimeoutError:
                async with self._connections.ending(context):
                    await context.abort(
                        grpc.StatusCode.UNAVAILABLE, "the time limit of this stream is over: open another one"
                    )


def add_watches(
    server: grpc.aio.Server, names: tuple[str, ...], connections: Connections, limits: GatewayLimits
) -> Any:
    """Serve health and reflection for these services. Return the health servicer."""
    slots = Slots(limits.max_watches, limits.max_watches_per_address)
    servicer = Health(connections, slots, limits.watch_s)
    health_pb2_grpc.add_HealthServicer_to_server(servicer, server)
    names = (*names, health.SERVICE_NAME, reflection.SERVICE_NAME)
    reflection_pb2_grpc.add_ServerReflectionServicer_to_server(
        Reflection(names, connections, slots, limits.watch_s), server
    )
    return servicer
