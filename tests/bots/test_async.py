"""Bots with `async def` methods: they run concurrently, are cancelled when their answer is not needed, and may fail."""

import asyncio
import threading
from collections.abc import Sequence
from typing import ClassVar

import pytest
from structlog.testing import capture_logs

from arena.bots import Bot, End, View
from arena.wire.v1.bot_pb2 import MatchAborted, ServerMessage
from tests.bots.first import playing
from tests.kit.scripted_server import WAIT_S, ScriptedServer

pytestmark = pytest.mark.asyncio(loop_scope="session")
MATCHES = 3


class Awaited(Bot):
    """Plays the first legal action after an await, and stores its calls."""

    version = "7"
    told: ClassVar[list[str]] = []

    async def match_started(self) -> None:
        await asyncio.sleep(0)
        self.loop = asyncio.get_running_loop()

    async def choose(self, view: View, legal: Sequence[str]) -> str | Sequence[str]:
        await asyncio.sleep(0)
        assert asyncio.get_running_loop() is self.loop
        return legal[0]

    async def match_ended(self, end: End) -> None:
        await asyncio.sleep(0)
        self.told.append("ended")

    async def match_aborted(self, reason: str, message: str) -> None:
        self.told.append(f"aborted {reason}")


@pytest.fixture(autouse=True)
def forget_told() -> None:
    Awaited.told.clear()


class Endless(Awaited):
    """Never answers by itself."""

    async def choose(self, view: View, legal: Sequence[str]) -> str | Sequence[str]:
        self.told.append("asked")
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)  # closing may await something, too
            self.told.append("cancelled")
        raise AssertionError("nobody sets it")


async def test_matches_await_beside_each_other(server: ScriptedServer) -> None:
    together = threading.Barrier(MATCHES)

    class Meeting(Awaited):
        has_met = False

        async def choose(self, view: View, legal: Sequence[str]) -> str | Sequence[str]:
            if not self.has_met:  # continues only when every match waits here
                await asyncio.to_thread(together.wait, WAIT_S)
                self.has_met = True
            return await super().choose(view, legal)

    async with playing(Meeting, server) as (client, process):
        games = await asyncio.gather(*(server.play(f"m{i}", [process, None]) for i in range(MATCHES)))
    assert all(game is not None and game.state.is_over for game in games)
    assert client.matches.finished == MATCHES
    assert Awaited.told == ["ended"] * MATCHES
    assert not server.faults


async def test_a_decision_is_cancelled_when_its_time_is_up() -> None:
    async with ScriptedServer(cap_s=0.02) as server, playing(Endless, server) as (client, process):
        assert await server.play("m1", [process, None]) is not None
    assert {fault.reason for fault in server.faults} == {"LATE"}
    assert process.answers == server.late == []
    asked = Awaited.told.count("asked")
    assert asked > 1
    assert Awaited.told == ["asked", "cancelled"] * asked + ["ended"]
    assert client.matches.finished == 1


async def test_a_decision_is_cancelled_at_the_end_of_its_match(server: ScriptedServer) -> None:
    async with playing(Endless, server) as (_, process):
        match = asyncio.create_task(server.play("m1", [process, None]))
        while "asked" not in Awaited.told:
            await process.ping(1)
        process.send(ServerMessage(match_aborted=MatchAborted(match_id="m1", reason="VOID")))
        await process.ping(2)
        match.cancel()
    assert Awaited.told == ["asked", "cancelled", "aborted VOID"]


async def test_what_is_left_running_ends_with_the_match(server: ScriptedServer) -> None:
    class Pondering(Awaited):
        async def match_started(self) -> None:
            await super().match_started()
            self.pondering = asyncio.create_task(self.ponder())

        async def ponder(self) -> None:
            try:
                await asyncio.Event().wait()
            finally:
                self.told.append("pondered")

    async with playing(Pondering, server) as (_, process):
        assert await server.play("m1", [process, None]) is not None
    for thread in threading.enumerate():
        if thread.name == "match m1":
            await asyncio.to_thread(thread.join, WAIT_S)
    assert Awaited.told == ["ended", "pondered"]


@pytest.mark.parametrize("error", [RuntimeError("a bug"), asyncio.CancelledError()], ids=["error", "cancelled"])
async def test_what_it_raises_is_a_fault_at_once(server: ScriptedServer, error: BaseException) -> None:
    class Broken(Awaited):
        async def match_started(self) -> None:
            await super().match_started()
            raise error

        async def choose(self, view: View, legal: Sequence[str]) -> str | Sequence[str]:
            if view.phase == "bid":
                await asyncio.sleep(0)
                raise error
            return await super().choose(view, legal)

    with capture_logs() as logs:
        async with playing(Broken, server) as (client, process):
            assert await server.play("m1", [process, None]) is not None
    assert {"bot_failed", "bot_hook_failed"} <= {entry["event"] for entry in logs}
    assert {fault.reason for fault in server.faults} == {"MALFORMED"}
    assert client.matches.finished == 1
