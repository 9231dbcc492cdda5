"""The consequences of wrong answers and of failing bot code."""

import asyncio
import re
from collections.abc import Sequence

import pytest
from structlog.testing import capture_logs

from arena.bots import View
from arena.bots.match_runner import actions_of
from tests.bots.first import First, Gate, playing
from tests.kit.scripted_server import ScriptedServer
from tests.kit.until import soon

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_an_answer_to_an_old_index_is_not_sent() -> None:
    gate = Gate()
    async with ScriptedServer(cap_s=0.5) as server, playing(gate.bot(), server) as (_, process):
        match = asyncio.create_task(server.play("m1", [process, None]))
        await soon(lambda: server.faults)
        await process.ping(1)  # the next request was sent right after the fault
        gate.open()
        assert await match is not None
    assert server.faults[0].reason == "LATE"
    assert server.faults[0].index not in {answer.index for answer in server.late + process.answers}
    faults = [told for kind, told in First.told if kind == "fault"]
    assert (faults[0].reason, faults[0].strikes, faults[0].forfeited) == ("LATE", 1, False)


@pytest.mark.parametrize("wrong", ["bid 99", "fly to the moon"])
async def test_an_illegal_action_is_a_fault(server: ScriptedServer, wrong: str) -> None:
    class Wrong(First):
        def choose(self, view: View, legal: Sequence[str]) -> str | Sequence[str]:
            return wrong if view.phase == "bid" else legal[0]

    async with playing(Wrong, server) as (_, process):
        assert await server.play("m1", [process, None]) is not None
    assert {fault.reason for fault in server.faults} == {"ILLEGAL"}
    assert ("fault", "ILLEGAL") in [(kind, getattr(told, "reason", "")) for kind, told in First.told]


async def test_bot_code_that_fails_costs_a_fault_at_once_and_plays_on(server: ScriptedServer) -> None:
    class Broken(First):
        def choose(self, view: View, legal: Sequence[str]) -> str | Sequence[str]:
            if view.phase == "bid":
                self.note = "I looked at " + "é" * 2000
                raise RuntimeError("my bot\nhas a bug")
            return 7 if view.phase == "move" else legal[0]

        def match_started(self) -> None:
            raise RuntimeError("this one too")

    with capture_logs() as logs:
        async with playing(Broken, server) as (client, process):
            assert await server.play("m1", [process, None]) is not None
    notes = {answer.note for answer in process.answers if not answer.actions and "looked" in answer.note}
    (note,) = notes
    assert (
        note.startswith("I looked at éé")
        and re.search(r"é\nRuntimeError: my bot\nhas a bug\n  in choose \(test_faults\.py:\d+\)$", note)
        and 1020 < len(note.encode()) <= 1024
    )
    assert {"bot_failed", "bot_hook_failed"} <= {entry["event"] for entry in logs}
    assert {fault.reason for fault in server.faults} == {"MALFORMED"}
    assert client.matches.finished == 1


@pytest.mark.parametrize("choice", [None, 7, [["take A1"]], b"pass"])
async def test_what_is_no_action_is_named(choice: object) -> None:
    with pytest.raises(TypeError, match=re.escape(f"choose returned {choice!r}: return one of the legal actions")):
        actions_of(choice)


async def test_a_bot_that_cannot_be_made_costs_faults_and_nothing_else(server: ScriptedServer) -> None:
    class Unmade(First):
        def __init__(self) -> None:
            raise FileNotFoundError("the weights are missing")

    with capture_logs() as logs:
        async with playing(Unmade, server) as (client, process):
            assert await server.play("m1", [process, None]) is not None
    assert "bot_failed" in {entry["event"] for entry in logs}
    assert {fault.reason for fault in server.faults} == {"MALFORMED"}
    assert client.matches.finished == 1
