"""The client's connections: lost streams, refusals, restarts of either side, and leaving."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from arena.bots import Client, End, Refused, Settings, View
from arena.bots.client import AGAIN
from arena.bots.loading import load_bot
from tests.bots.first import First, Gate, playing
from tests.kit.scripted_server import TOKEN, WAIT_S, ScriptedServer
from tests.kit.until import soon

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_lost_stream_while_thinking(server: ScriptedServer) -> None:
    gate = Gate(at=3)
    async with playing(gate.bot(), server) as (_, process):
        match = asyncio.create_task(server.play("m1", [process, None]))
        await gate.reached()
        await process.drop()
        await server.process("p", streams=2)
        await process.ping(1)  # the pending request was sent again before this
        gate.open()
        game = await match
    assert game is not None
    assert len(gate.asked) == len(set(gate.asked)), "a request that is given again is not thought about again"
    assert not server.faults
    assert [kind for kind, _ in First.told] == ["started", "ended"]


async def test_a_helper_that_changes_while_the_bot_runs_changes_no_version(
    server: ScriptedServer, tmp_path: Path
) -> None:
    helper, file = tmp_path / "changing_plans.py", tmp_path / "planner.py"
    helper.write_text("X = 1\n")
    file.write_text(
        "import changing_plans\n"
        "from arena.bots import Bot\n"
        "class Planner(Bot):\n    def choose(self, view, legal):\n        return legal[0]\n"
    )
    async with playing(load_bot(str(file)), server) as (_, process):
        began_with = process.hello.version
        helper.write_text("X = 2\n")
        await process.drop()
        await server.process("p", streams=2)
        assert process.hello.version == began_with


async def test_an_answer_that_was_lost_is_given_again(server: ScriptedServer) -> None:
    asked: list[int] = []

    class Counting(First):
        def choose(self, view: View, legal: Sequence[str]) -> str | Sequence[str]:
            asked.append(self.ask.index)
            return super().choose(view, legal)

    async with playing(Counting, server) as (_, process):
        server.loses = {5}
        assert await server.play("m1", [process, None]) is not None
    assert process.answers[4] == process.answers[5]
    assert len(asked) == len(set(asked))


async def test_a_restarted_process_gets_its_matches_back(server: ScriptedServer) -> None:
    gate = Gate()
    crashed = Client(gate.bot(), Settings(server.address, TOKEN, "p", 4))
    task = asyncio.create_task(crashed.run())
    process = await server.process("p")
    match = asyncio.create_task(server.play("m1", [process, None]))
    await gate.reached()
    crashed.quit()
    await asyncio.wait_for(task, WAIT_S)

    class Second(First):
        def match_ended(self, end: End) -> None:
            self.told.append(("resumed", self.match))

    async with playing(Second, server) as (client, again):
        assert again is process
        game = await match
        assert game is not None
    gate.open()
    assert client.matches.finished == 1
    (resumed,) = [told for kind, told in First.told if kind == "resumed"]
    assert (resumed.id, resumed.nonce, resumed.ruleset["players"]) == ("m1", b"", 2)
    assert len(resumed.participants) == 2
    assert resumed.clock["cap_ms"] == 10_000


async def test_a_server_that_comes_back_on_the_same_address() -> None:
    async with ScriptedServer() as first, playing(First, first) as (client, process):
        address = first.address
        assert first._server is not None
        await first._server.stop(grace=0)
        second = ScriptedServer()
        second.address = address
        async with second:
            process = await second.process("p")
            assert await second.play("m1", [process, None]) is not None
            client.leave()
            await soon(lambda: process.has_left)


async def test_a_silent_server_is_left_and_dialled_again() -> None:
    async with ScriptedServer(ping_interval_ms=100) as server:
        client = Client(First, Settings(server.address, TOKEN, "p", 4))
        task = asyncio.create_task(client.run())
        await server.process("p", streams=2)  # no ping arrived for three intervals
        client.quit()
        await asyncio.wait_for(task, WAIT_S)


async def test_a_wrong_token_is_not_tried_again(server: ScriptedServer) -> None:
    client = Client(First, Settings(server.address, "wrong", "p", 4))
    with pytest.raises(Refused) as refused:
        await asyncio.wait_for(client.run(), WAIT_S)
    assert refused.value.reason == "BAD_TOKEN"
    assert "no such bot" in str(refused.value)


async def test_leaving_finishes_running_matches_and_takes_no_new_ones(server: ScriptedServer) -> None:
    gate = Gate()
    client = Client(gate.bot(), Settings(server.address, TOKEN, "p", 4))
    task = asyncio.create_task(client.run())
    process = await server.process("p")
    match = asyncio.create_task(server.play("m1", [process, None]))
    await gate.reached()
    client.leave()
    await process.ping(1)
    assert process.has_left
    assert await server.play("m2", [process, None]) is None
    await process.drop()  # even now it reconnects and sends Leave again
    process.has_left = False
    await server.process("p", streams=2)
    gate.open()
    assert await match is not None
    await asyncio.wait_for(task, WAIT_S)
    assert process.has_left
    assert [kind for kind, _ in First.told] == ["started", "ended"]


async def test_leaving_while_the_server_is_away() -> None:
    client = Client(First, Settings("127.0.0.1:1", TOKEN, "p", 4))
    with capture_logs() as logs:
        task = asyncio.create_task(client.run())
        await soon(lambda: logs)
        assert not task.done()
        client.leave()
        await asyncio.wait_for(task, WAIT_S)
    assert logs[0]["event"] == "not_connected" and "address for bots" in logs[0]["hint"]


async def test_leaving_from_a_match_whose_server_does_not_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.bots.client.FORGET_S", 0.1)
    gate = Gate()
    async with ScriptedServer() as server:
        client = Client(gate.bot(), Settings(server.address, TOKEN, "p", 4))
        task = asyncio.create_task(client.run())
        process = await server.process("p")
        match = asyncio.create_task(server.play("m1", [process, None]))
        await gate.reached()
        match.cancel()
    with capture_logs() as logs:
        client.leave()
        gate.open()
        await asyncio.wait_for(task, WAIT_S)
    assert [line["running"] for line in logs if line["event"] == "leaving_without_the_end"] == [1]


async def test_leaving_between_an_attempt_and_the_wait_for_the_next_one() -> None:
    client = Client(First, Settings("127.0.0.1:1", TOKEN, "p", 4))
    client.leave()
    await asyncio.wait_for(client._pause(600.0), WAIT_S)


async def test_what_fails_in_the_same_way_is_told_of_seldom(monkeypatch: pytest.MonkeyPatch) -> None:
    client = Client(First, Settings("127.0.0.1:1", TOKEN, "p", 4))
    pauses = 0

    async def pause(_: float) -> None:
        nonlocal pauses
        pauses += 1
        if pauses == 2 * AGAIN:
            client.quit()

    monkeypatch.setattr(client, "_pause", pause)
    with capture_logs() as logs:
        await asyncio.wait_for(client.run(), WAIT_S)
    assert [log["event"] for log in logs] == ["not_connected"] * 3 + ["quitting"], "the first, and two of forty"


async def test_an_address_without_tls_is_told_of_in_words(server: ScriptedServer) -> None:
    client = Client(First, Settings(f"https://{server.address}", TOKEN, "p", 4))
    with capture_logs() as logs:
        task = asyncio.create_task(client.run())
        await soon(lambda: logs)
        client.quit()
        await asyncio.wait_for(task, WAIT_S)
    assert logs[0]["event"] == "not_connected" and "write http://" in logs[0]["hint"]
