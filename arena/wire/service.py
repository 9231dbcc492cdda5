"""The bot service with types: the stubs that grpcio generates have none."""

from collections.abc import AsyncIterator, Awaitable
from pathlib import Path
from typing import Any, Protocol

import grpc.aio

from arena.host.certificates import name_in
from arena.wire.v1 import bot_pb2_grpc
from arena.wire.v1.bot_pb2 import DESCRIPTOR, BotMessage, ReleaseRequest, ReleaseResponse, ServerMessage

PROTOCOL = "arena.wire/2"
SERVICE: str = DESCRIPTOR.services_by_name["BotService"].full_name
AUTHOR_SERVICE: str = DESCRIPTOR.services_by_name["AuthorService"].full_name

PlayCall = grpc.aio.StreamStreamCall[BotMessage, ServerMessage]


class BotServicer(Protocol):
    """The interface of a server of the bot service."""

    def Play(
        self,
        request_iterator: AsyncIterator[BotMessage],
        context: grpc.aio.ServicerContext[BotMessage, ServerMessage],
    ) -> AsyncIterator[ServerMessage] | Awaitable[None]:
        """Serve one stream: yield the messages, or be a coroutine that writes them to the context."""


def add_bot_service(servicer: BotServicer, server: grpc.aio.Server) -> None:
    """Add the bot service to a server."""
    bot_pb2_grpc.add_BotServiceServicer_to_server(servicer, server)


def trust(chain: Path) -> tuple[grpc.ChannelCredentials, list[tuple[str, Any]]]:
    """Return credentials and channel options that trust the server with this certificate chain, whatever its address.

    `chain` is a PEM file. Raise OSError or ValueError if it is not a certificate chain.
    """
    shown = chain.read_bytes()
    return grpc.ssl_channel_credentials(shown), [("grpc.ssl_target_name_override", name_in(shown))]


def open_play(channel: grpc.aio.Channel, **options: Any) -> PlayCall:
    """Open the one stream of a bot process."""
    stub = bot_pb2_grpc.BotServiceStub(channel)
    call: PlayCall = stub.Play(**options)
    return call


def release(channel: grpc.aio.Channel, request: ReleaseRequest, timeout_s: float) -> Awaitable[ReleaseResponse]:
    """Release a version. Raise `grpc.aio.AioRpcError` if the server refuses it."""
    stub = bot_pb2_grpc.AuthorServiceStub(channel)
    response: Awaitable[ReleaseResponse] = stub.Release(request, timeout=timeout_s)
    return response
