"""The client against a real server of the same service, playing real games."""

import asyncio
import re
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, ClassVar

import pytest
import pytest_asyncio
from structlog.testing import capture_logs

from arena.bots import Bot, Client, End, Fault, Match, Refused, Settings, View
from arena.bots.match_runner import actions_of
from arena.rules import match_seed, view
from arena.wire.v1.bot_pb2 import ServerMessage
from tests.kit.scripted_server import TOKEN, WAIT_S, Process, ScriptedServer

pytestmark = pytest.mark.asyncio(loop_scope="session")


class First(Bot):
    """Plays the first legal action, and remembers what it was told."""

    version = "7"
    told: ClassVar[list[tuple[str, Any]]] = []

    def choose(self, view: View, legal: Sequence[str]) -> str | Sequence[str]:
        return legal[0]

    def match_started(self) -> None:
        self.told.append(("started", self.match))

    def match_ended(self, end: End) -> None:
        self.told.append(("ended", end))

    def match_aborted(self, reason: str, message: str) -> None:
        self.told.append(("aborted", reason))

    def fault(self, fault: Fault) -> None:
        self.told.append(("fault", fault))


@pytest.fixture(autouse=True)
def forget() -> None:
    First.told.clear()


@pytest_asyncio.fixture(loop_scope="session")  # grpc.aio wants one loop a process
async def server() -> AsyncIterator[ScriptedServer]:
    async with ScriptedServer() as running:
        yield running


@asynccontextmanager
async def playing(
    bot: type[Bot], server: ScriptedServer, name: str = "p", matches: int = 100
) -> AsyncIterator[tuple[Client, Process]]:
    """A client that has said hello; it leaves at the end, which must end it."""
    client = Client(bot, Settings(server.address, TOKEN, name, matches))
    task = asyncio.create_task(client.run())
    try:
        streams = server.processes[name].streams if name in server.processes else 0
        yield client, await server.process(name, streams=streams + 1)
        client.leave()
        await asyncio.wait_for(task, WAIT_S)
    finally:
        task.cancel()


async def test_plays_a_match_and_is_told_about_it(server: ScriptedServer) -> None:
    class Noting(First):
        def choose(self, view: View, legal: Sequence[str]) -> str | Sequence[str]:
            self.note = f"{view.phase} ä" * 300
            return super().choose(view, legal)

    async with playing(Noting, server) as (client, process):
        game = await server.play("m1", [process, None, None])
    assert game is not None
    assert game.state.is_over
    assert (process.hello.version, process.hello.max_matches, process.hello.wants_legal) == ("7", 100, True)
    (started, match), (ended, end) = First.told
    assert (started, ended) == ("started", "ended")
    assert isinstance(match, Match)
    assert isinstance(end, End)
    assert (match.id, match.seat, match.ruleset) == ("m1", 1, {"players": 3, "expansions": []})
    assert len(match.nonce) == 16
    assert end.nonces == (match.nonce, b"", b"")
    assert match_seed(end.server_seed, end.nonces) == game.seed
    assert end.result is not None
    assert end.verdict["placements"] == end.result["ranks"]
    assert client.matches.finished == 1
    assert process.has_left
    assert not server.faults
    assert all(0 < len(answer.note.encode()) <= 1024 for answer in process.answers)


async def test_every_match_has_its_own_nonce_and_its_own_bot(server: ScriptedServer) -> None:
    async with playing(First, server) as (_, process):
        await asyncio.gather(*(server.play(f"m{i}", [process, None]) for i in range(10)))
    nonces = {match.nonce for kind, match in First.told if kind == "started"}
    assert len(nonces) == 10


async def test_many_matches_on_one_stream(server: ScriptedServer) -> None:
    async with playing(First, server) as (client, process):
        games = await asyncio.gather(*(server.play(f"m{i}", [None, process]) for i in range(40)))
    assert server.most_concurrent == 40
    assert all(game is not None and game.state.is_over for game in games)
    assert client.matches.finished == 40
    assert process.streams == 1
    assert not server.faults


async def test_no_more_matches_than_wanted(server: ScriptedServer) -> None:
    release = threading.Event()

    class Slow(First):
        def choose(self, view: View, legal: Sequence[str]) -> str | Sequence[str]:
            release.wait(2 * WAIT_S)
            return super().choose(view, legal)

    async with playing(Slow, server, matches=1) as (_, process):
        first = asyncio.create_task(server.play("m1", [process, None]))
        while not server.concurrent:
            await asyncio.sleep(0.01)
        assert await server.play("m2", [process, None]) is None  # declined
        release.set()
        assert await first is not None


async def test_several_actions_in_one_answer(server: ScriptedServer) -> None:
    class Hurried(First):
        def choose(self, view: View, legal: Sequence[str]) -> str | Sequence[str]:
            return ["pass", "end"] if "pass" in legal else legal[0]

    async with playing(Hurried, server) as (_, process):
        game = await server.play("m1", [process, None])
    assert game is not None
    assert any(len(answer.actions) == 2 for answer in process.answers)
    assert not server.faults


async def test_the_view_is_the_one_of_the_rules(server: ScriptedServer) -> None:
    seen: list[tuple[int, View, tuple[str, ...]]] = []

    class Watching(First):
        def choose(self, view: View, legal: Sequence[str]) -> str | Sequence[str]:
            seen.append((self.ask.index, view, tuple(legal)))
            assert self.ask.events == () or self.ask.events[-1].index == self.ask.index - 1
            assert self.ask.last_round_trip == {"network_ns": 10**6, "queue_ns": 2 * 10**6, "thinking_ns": 3 * 10**6}
            return super().choose(view, legal)

    async with playing(Watching, server) as (_, process):
        game = await server.play("m1", [None, process])
    assert game is not None
    again = type(game)(game.ruleset, game.seed)
    expected = {index: (shown, legal) for index, shown, legal in seen}
    assert len(expected) == len(seen)
    for index, event in enumerate(game.events):
        if index in expected:
            assert expected[index] == (view(again.state, 2), tuple(map(str, again.state.legal)))
        if event.seat:
            again.play(event.text)


async def test_slow_bot_code_keeps_no_ping_waiting(server: ScriptedServer) -> None:
    thinking, release = threading.Event(), threading.Event()

    class Slow(First):
        def choose(self, view: View, legal: Sequence[str]) -> str | Sequence[str]:
            thinking.set()
            release.wait(2 * WAIT_S)
            return super().choose(view, legal)

    async with playing(Slow, server) as (_, process):
        match = asyncio.create_task(server.play("m1", [process, None]))
        assert await asyncio.to_thread(thinking.wait, WAIT_S)
        for number in range(5):
            await process.ping(number)
        assert not process.answers
        release.set()
        assert await match is not None


async def test_a_lost_stream_while_thinking(server: ScriptedServer) -> None:
    asked: list[int] = []
    thinking, release = threading.Event(), threading.Event()

    class Slow(First):
        def choose(self, view: View, legal: Sequence[str]) -> str | Sequence[str]:
            asked.append(self.ask.index)
            if len(asked) == 3:
                thinking.set()
                release.wait(2 * WAIT_S)
            return super().choose(view, legal)

    async with playing(Slow, server) as (_, process):
        match = asyncio.create_task(server.play("m1", [process, None]))
        assert await asyncio.to_thread(thinking.wait, WAIT_S)
        await process.drop()
        await server.process("p", streams=2)
        await process.ping(1)  # the pending request was sent again before this
        release.set()
        game = await match
    assert game is not None
    assert len(asked) == len(set(asked)), "a request that is given again is not thought about again"
    assert not server.faults
    assert [kind for kind, _ in First.told] == ["started", "ended"]


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
    thinking, release = threading.Event(), threading.Event()

    class Stuck(First):
        def choose(self, view: View, legal: Sequence[str]) -> str | Sequence[str]:
            thinking.set()
            release.wait(2 * WAIT_S)
            return super().choose(view, legal)

    crashed = Client(Stuck, Settings(server.address, TOKEN, "p", 4))
    task = asyncio.create_task(crashed.run())
    process = await server.process("p")
    match = asyncio.create_task(server.play("m1", [process, None]))
    assert await asyncio.to_thread(thinking.wait, WAIT_S)
    crashed.quit()
    await asyncio.wait_for(task, WAIT_S)

    class Second(First):
        def match_ended(self, end: End) -> None:
            self.told.append(("resumed", self.match))

    async with playing(Second, server) as (client, again):
        assert again is process
        game = await match
        assert game is not None
    release.set()
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
            while not process.has_left:
                await asyncio.sleep(0.01)


async def test_a_silent_server_is_left_and_dialled_again() -> None:
    async with ScriptedServer(ping_interval_ms=100) as server:
        client = Client(First, Settings(server.address, TOKEN, "p", 4))
        task = asyncio.create_task(client.run())
        await server.process("p", streams=2)  # no ping came for three intervals
        client.quit()
        await asyncio.wait_for(task, WAIT_S)


async def test_an_answer_to_an_old_index_is_not_sent() -> None:
    release = threading.Event()

    class Late(First):
        def choose(self, view: View, legal: Sequence[str]) -> str | Sequence[str]:
            release.wait(2 * WAIT_S)
            return super().choose(view, legal)

    async with ScriptedServer(cap_s=0.5) as server, playing(Late, server) as (_, process):
        match = asyncio.create_task(server.play("m1", [process, None]))
        while not server.faults:
            await asyncio.sleep(0.01)
        await process.ping(1)  # the next request was sent right after the fault
        release.set()
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
                raise RuntimeError("my bot has a bug")
            return 7 if view.phase == "move" else legal[0]  # type: ignore[return-value]

        def match_started(self) -> None:
            raise RuntimeError("this one too")

    with capture_logs() as logs:
        async with playing(Broken, server) as (client, process):
            assert await server.play("m1", [process, None]) is not None
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


async def test_a_wrong_token_is_not_tried_again(server: ScriptedServer) -> None:
    client = Client(First, Settings(server.address, "wrong", "p", 4))
    with pytest.raises(Refused) as refused:
        await asyncio.wait_for(client.run(), WAIT_S)
    assert refused.value.reason == "BAD_TOKEN"
    assert "no such bot" in str(refused.value)


async def test_leaving_finishes_running_matches_and_takes_no_new_ones(server: ScriptedServer) -> None:
    thinking, release = threading.Event(), threading.Event()

    class Slow(First):
        def choose(self, view: View, legal: Sequence[str]) -> str | Sequence[str]:
            thinking.set()
            release.wait(2 * WAIT_S)
            return super().choose(view, legal)

    client = Client(Slow, Settings(server.address, TOKEN, "p", 4))
    task = asyncio.create_task(client.run())
    process = await server.process("p")
    match = asyncio.create_task(server.play("m1", [process, None]))
    assert await asyncio.to_thread(thinking.wait, WAIT_S)
    client.leave()
    await process.ping(1)
    assert process.has_left
    assert await server.play("m2", [process, None]) is None
    await process.drop()  # even now the way back is found, and the farewell said again
    process.has_left = False
    await server.process("p", streams=2)
    release.set()
    assert await match is not None
    await asyncio.wait_for(task, WAIT_S)
    assert process.has_left
    assert [kind for kind, _ in First.told] == ["started", "ended"]


async def test_leaving_while_the_server_is_away() -> None:
    client = Client(First, Settings("127.0.0.1:1", TOKEN, "p", 4))
    with capture_logs() as logs:
        task = asyncio.create_task(client.run())
        async with asyncio.timeout(WAIT_S):
            while not logs:
                await asyncio.sleep(0.02)
        assert not task.done()
        client.leave()
        await asyncio.wait_for(task, WAIT_S)
    assert logs[0]["event"] == "not_connected" and "address for bots" in logs[0]["hint"]


async def test_an_aborted_match_and_messages_of_a_later_version(server: ScriptedServer) -> None:
    async with playing(First, server) as (client, process):
        assert await server.play("m0", [process, None]) is not None
        process.send(ServerMessage.FromString(b"\xfa\x3f\x02hi"))  # field 1023: not known yet
        process.send(ServerMessage())
        await process.ping(1)
        release = First.told.copy()
        process.send(ServerMessage.FromString(_offer("m1")))
        await process.ping(2)
        assert len(client.matches) == 1
        aborted = ServerMessage()
        aborted.match_aborted.match_id = "m1"
        aborted.match_aborted.reason = "NO_ANSWER"
        process.send(aborted)
        await process.ping(3)
        assert len(client.matches) == 0
    assert First.told[len(release) :][1:] == [("aborted", "NO_ANSWER")]


def _offer(match: str) -> bytes:
    message = ServerMessage()
    message.offer.match_id = match
    message.offer.terms.seat = 1
    message.offer.terms.ruleset.players = 2
    return message.SerializeToString()
