"""`arena bot release`: name a version of a bot, and say what is new in it."""

import asyncio
from typing import Annotated

import grpc.aio
import typer

from arena.bots.channel import open_channel
from arena.cli.bot import NEAR, Server, Token, check_access
from arena.wire.service import release
from arena.wire.v1.bot_pb2 import ReleaseRequest, ReleaseResponse

WAIT_S = 20


def release_version(
    version: Annotated[str, typer.Argument(help="The version, as the bot will say it in its hello.")],
    note: Annotated[str, typer.Option(help="What is new in it; everybody can read it.")] = "",
    server: Server = NEAR,
    token: Token = "",
) -> None:
    """Name a version of your bot, and say what is new in it.

    The note stands beside the version on the bot's page; a later one replaces it. A version that is new
    begins with its first hello. A bot need not be released: its hello alone begins a version, too.
    """
    check_access(server, token)
    try:
        released = asyncio.run(_release(server, ReleaseRequest(token=token, version=version, note=note)))
    except grpc.aio.AioRpcError as error:
        typer.echo(f"The arena does not release this version: {error.details()}", err=True)
        raise typer.Exit(1) from None
    name = f"{released.bot} {released.version}"
    print(f"{name} is ready: it begins with its first hello." if released.is_ready else f"{name} has this note now.")


async def _release(server: str, request: ReleaseRequest) -> ReleaseResponse:
    async with open_channel(server) as channel:
        return await release(channel, request, WAIT_S)
