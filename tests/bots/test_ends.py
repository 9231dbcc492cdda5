"""Match ends that the client missed, and a stream that ends while the client writes."""

import asyncio
from typing import Any

import grpc
import pytest
from structlog.testing import capture_logs

from arena.bots import Bot, Client, Refused, Settings
from arena.wire.v1.bot_pb2 import Error, ServerMessage
from tests.bots.first import Gate
from tests.kit.scripted_server import TOKEN, WAIT_S, ScriptedServer

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_place_is_free_as_soon_as_the_server_says_that_its_match_is_over() -> None:
    gate = Gate()
    async with ScriptedServer() as server:
        client = Client(gate.bot(), Settings(server.address, TOKEN, "p", 1))
        task = asyncio.create_task(client.run())
        process = await server.process("p")
        lost = asyncio.create_task(server.play("m1", [process, None]))
        await gate.reached()
        lost.cancel()
        del process.running["m1"]  # it has ended, and the end was lost
        gate.open()
        await process.drop()
        process = await server.process("p", streams=2)
        assert list(process.hello.running) == ["m1"]
        assert await server.play("m2", [process, None]) is not None, "there is a free place"
        client.leave()
        await asyncio.wait_for(task, WAIT_S)


@pytest.mark.parametrize(
    ("code", "reason"), [(grpc.StatusCode.ABORTED, "TAKEN_OVER"), (grpc.StatusCode.UNAUTHENTICATED, "BAD_TOKEN")]
)
async def test_a_refusal_is_one_although_a_pong_met_the_end_of_the_stream(code: grpc.StatusCode, reason: str) -> None:
    """grpc.aio makes a status INTERNAL when a write meets it."""

    class Call:
        told = False

        async def read(self) -> ServerMessage:
            if not self.told:
                self.told = True
                return ServerMessage(error=Error(code=code.value[0], reason=reason, message="go", fatal=True))
            none = grpc.aio.Metadata()
            raise grpc.aio.AioRpcError(grpc.StatusCode.INTERNAL, none, none, "a write met the end")

    call: Any = Call()
    client = Client(Bot, Settings("127.0.0.1:1", TOKEN, "p", 1))
    with pytest.raises(Refused) as refused:
        await client._read(call)
    assert refused.value.reason == reason


async def test_why_there_are_no_new_matches_is_logged_and_the_stream_goes_on() -> None:
    client = Client(Bot, Settings("127.0.0.1:1", TOKEN, "p", 1))
    told = Error(code=grpc.StatusCode.FAILED_PRECONDITION.value[0], reason="LOCKED", message="It was locked.")
    with capture_logs() as logs:
        client._handle(ServerMessage(error=told))
    (line,) = logs
    assert (line["log_level"], line["reason"], line["message"]) == ("warning", "LOCKED", "It was locked.")
