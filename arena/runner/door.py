"""The gateway of one sandbox: a Unix socket that only this sandbox has, and the only secret that it accepts."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from typing import Final

import grpc.aio

from arena.gateway import errors
from arena.gateway.connections import Connections
from arena.gateway.errors import GatewayRefusal, HelloRefused
from arena.gateway.identity import Identity, ReleaseToken
from arena.gateway.limits import ONE_BOT_OPTIONS, GatewayLimits
from arena.gateway.registry import SessionRegistry
from arena.gateway.service import Service, StreamType

DAY_S: Final = 86_400.0
NEVER: Final = 2**31 - 1
"""Milliseconds that gRPC takes for no limit."""
MOST_STREAMS: Final = 4
OPTIONS: Final = (
    # A frozen bot answers nothing. Its sandbox shows whether it lives, so nothing may time out.
    ("grpc.keepalive_time_ms", NEVER),
    ("grpc.http2.ping_timeout_ms", NEVER),
    ("grpc.http2.bdp_probe", 0),
    *ONE_BOT_OPTIONS,
)


def sandbox_limits(limits: GatewayLimits) -> GatewayLimits:
    """Return the limits of a gateway for one bot, which is frozen most of the time."""
    return replace(
        limits,
        # Clients take this interval for the longest silence of their server.
        ping_interval_s=DAY_S,
        max_streams_per_token=MOST_STREAMS,
        hello_burst=100,
    )


class SandboxIdentities:
    """The only bot that may say hello: the one in this sandbox, with its secret."""

    def __init__(self, secret: str, identity: Identity) -> None:
        self._secret = secret
        self._identity = identity

    async def identify(
        self, token: str, bot: str, version: str, address: str, still_plays: Callable[[int], int | None]
    ) -> Identity:
        """Return the bot's identity. Raises `HelloRefused` for another token."""
        if not await self.is_known(token):
            raise HelloRefused(errors.BAD_TOKEN)
        return self._identity

    async def release(self, token: str, version: str, note: str) -> ReleaseToken:
        """Raise `HelloRefused`: a version is released with its submission."""
        raise HelloRefused(errors.BAD_TOKEN)

    async def is_known(self, token: str) -> bool:
        """Return whether this is the sandbox's secret."""
        return secrets.compare_digest(token.encode(), self._secret.encode())

    async def matches(self, bot_id: int, match_ids: Collection[str]) -> dict[str, bool]:
        """Return nothing: the sandbox has one match, and the runner knows whether it runs."""
        return {}

    async def revoked(self, token_ids: Collection[int]) -> set[int]:
        """Return nothing: the secret ends with the sandbox."""
        return set()

    async def resting(self, token_ids: Collection[int]) -> dict[int, GatewayRefusal] | None:
        """Return nothing: the bot is not told about its rests in a match."""
        return {}

    def close(self) -> None:
        """Do nothing."""


class SandboxDoor:
    """The listening socket of one sandbox."""

    def __init__(
        self,
        folder: Path,
        identity: Identity,
        registry: SessionRegistry,
        connections: Connections,
        stream_type: StreamType,
    ) -> None:
        """Listen in this folder, which others may enter but not list."""
        self.secret = secrets.token_hex(16)
        self.socket = folder / f"{secrets.token_hex(8)}.sock"
        self._server = grpc.aio.server(
            options=(*OPTIONS, ("grpc.max_receive_message_length", registry.limits.transport_message_bytes))
        )
        identities = SandboxIdentities(self.secret, identity)
        service = Service(registry, identities, connections, registry.limits, stream_type)
        self._server.add_generic_rpc_handlers(service.handlers())

    async def open(self) -> None:
        """Listen."""
        self._server.add_insecure_port(f"unix:{self.socket}")
        await self._server.start()
        # The user of the sandbox is another one.
        self.socket.chmod(0o666)

    async def close(self) -> None:
        """End all streams, and remove the socket."""
        await self._server.stop(None)
        self.socket.unlink(missing_ok=True)
