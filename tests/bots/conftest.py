"""A server of the bot service that plays real games, and a bot without any messages yet."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.bots.first import First
from tests.kit.scripted_server import ScriptedServer


@pytest.fixture(autouse=True)
def forget() -> None:
    First.told.clear()


@pytest_asyncio.fixture(loop_scope="session")  # grpc.aio needs one loop in a process
async def server() -> AsyncIterator[ScriptedServer]:
    async with ScriptedServer() as running:
        yield running
