"""An author's notes about versions, set with the bot's token."""

from __future__ import annotations

import asyncio

import grpc
import grpc.aio
import pytest

from arena.wire.service import release
from arena.wire.v1.bot_pb2 import ReleaseRequest
from tests.gateway.conftest import Arena
from tests.kit.command import arena as command
from webui.bots.models import BotVersion

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def refused(arena: Arena, address: str, **request: str) -> tuple[grpc.StatusCode, str]:
    async with grpc.aio.insecure_channel(address) as channel:
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await release(channel, ReleaseRequest(**{"token": arena.registered.token, "version": "7", **request}), 20)
    return error.value.code(), str(dict(error.value.trailing_metadata())["arena-reason"])


async def test_a_release_is_ready_until_its_first_hello(arena: Arena) -> None:
    gateway = await arena.gateway()
    address = f"127.0.0.1:{gateway.port}"
    bot = arena.bot(gateway, version="v7")
    done = await asyncio.to_thread(
        command, "bot", "release", " v7", "--note", "Bids with care.", "--server", address,
        ARENA_TOKEN=arena.registered.token,
    )  # fmt: skip
    assert (done.out, done.code) == ("Camel v7 is ready: it begins with its first hello.\n", 0), done.err
    row = await BotVersion.objects.aget()
    assert (row.bot_id, row.name, row.note, row.is_ready) == (arena.registered.bot, "v7", "Bids with care.", True)
    await bot.hello()
    row = await BotVersion.objects.aget()
    assert (row.note, row.is_ready) == ("Bids with care.", False)
    again = await release(bot.channel, ReleaseRequest(token=arena.registered.token, version="v7"), 20)
    assert (again.bot, again.version, again.is_ready) == ("Camel", "v7", False)
    assert (await BotVersion.objects.aget()).note is None


async def test_what_is_no_release_is_refused_with_a_reason(arena: Arena) -> None:
    gateway = await arena.gateway(hello_burst=25)
    address = f"127.0.0.1:{gateway.port}"
    assert await refused(arena, address, version="732d86a") == (grpc.StatusCode.INVALID_ARGUMENT, "BAD_RELEASE")
    assert await refused(arena, address, note="x" * 501) == (grpc.StatusCode.INVALID_ARGUMENT, "BAD_RELEASE")
    assert await refused(arena, address, token="arena_bot_guess") == (grpc.StatusCode.UNAUTHENTICATED, "BAD_TOKEN")
    done = await asyncio.to_thread(
        command, "bot", "release", "732d86a", "--server", address, ARENA_TOKEN=arena.registered.token
    )
    assert done.code == 2 and "is the hash of a commit" in done.err
    for _ in range(4):  # each failure costs as much as ten hellos
        status = await refused(arena, address, token="arena_bot_guess")
    assert status == (grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_MANY_HELLOS")
    assert not await BotVersion.objects.aexists()
