"""The release of a version: its name and its author's note."""

import asyncio
from typing import Any, NamedTuple

import grpc
import grpc.aio

from arena.bots.channel import Refused, connection_advice, open_channel
from arena.wire.service import release
from arena.wire.v1.bot_pb2 import ReleaseRequest

WAIT_S = 20


class ReleasedVersion(NamedTuple):
    """A version that was released."""

    bot: str
    version: str
    is_ready: bool
    """Whether the version still waits for its first hello, with which it begins."""


def release_version(server: str, token: str, version: str, note: str) -> ReleasedVersion:
    """Release a version of the bot of this token.

    Raises `Refused` if the arena refuses the release or cannot be reached.
    """
    return asyncio.run(_release(server, ReleaseRequest(token=token, version=version, note=note)))


async def _release(server: str, request: ReleaseRequest) -> ReleasedVersion:
    async with open_channel(server) as channel:
        try:
            response = await release(channel, request, WAIT_S)
        except grpc.aio.AioRpcError as error:
            why = error.details() or error.code().name
            is_away = error.code() is grpc.StatusCode.UNAVAILABLE and not _has_reason(error)
            raise Refused("", f"{why}; {connection_advice(why)}" if is_away else why) from error
    return ReleasedVersion(response.bot, response.version, response.is_ready)


def _has_reason(error: grpc.aio.AioRpcError) -> bool:
    """Return whether the error comes from a gateway, not from gRPC in this process."""
    metadata: Any = error.trailing_metadata()  # pairs; the stubs do not say so
    return "arena-reason" in dict(metadata or ())
