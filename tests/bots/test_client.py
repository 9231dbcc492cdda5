"""The client against a real server of the same service, playing real games."""

import asyncio
from collections.abc import Sequence

import pytest

from arena.bots import End, MatchInfo, View
from arena.rules import match_seed, view
from arena.wire.v1.bot_pb2 import ServerMessage
from tests.bots.first import First, Gate, playing
from tests.kit.scripted_server import ScriptedServer
from tests.kit.until import soon

pytestmark = pytest.mark.asyncio(loop_scope="session")


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
    assert isinstance(match, MatchInfo)
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


@pytest.mark.slow
async def test_many_matches_on_one_stream(server: ScriptedServer) -> None:
    async with playing(First, server) as (client, process):
        games = await asyncio.gather(*(server.play(f"m{i}", [None, process]) for i in range(16)))
    assert server.most_concurrent == 16
    assert all(game is not None and game.state.is_over for game in games)
    assert client.matches.finished == 16
    assert process.streams == 1
    assert not server.faults


async def test_no_more_matches_than_wanted(server: ScriptedServer) -> None:
    gate = Gate()
    async with playing(gate.bot(), server, matches=1) as (_, process):
        first = asyncio.create_task(server.play("m1", [process, None]))
        await soon(lambda: server.concurrent)
        assert await server.play("m2", [process, None]) is None  # declined
        gate.open()
        assert await first is not None


async def test_several_actions_in_one_answer(server: ScriptedServer) -> None:
    class Hurried(First):
        def choose(self, view: View, legal: Sequence[str]) -> str | Sequence[str]:
            return ["pass", "end"] if "pass" in legal else legal[0]

    async with playing(Hurried, server) as (_, process):
        # One game in 600 has no turn in which something can be passed.
        games = await asyncio.gather(*(server.play(f"m{i}", [process, None]) for i in range(6)))
    assert None not in games
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
    assert all(type(shown) is View for shown, _ in expected.values())  # it is drawn only when it is printed
    for index, event in enumerate(game.events):
        if index in expected:
            assert expected[index] == (View.of(view(again.state, 2)), tuple(map(str, again.state.legal)))
        if event.seat:
            again.play(event.text)


async def test_slow_bot_code_keeps_no_ping_waiting(server: ScriptedServer) -> None:
    gate = Gate()
    async with playing(gate.bot(), server) as (_, process):
        match = asyncio.create_task(server.play("m1", [process, None]))
        await gate.reached()
        for number in range(5):
            await process.ping(number)
        assert not process.answers
        gate.open()
        assert await match is not None


async def test_an_aborted_match_and_messages_of_a_later_version(server: ScriptedServer) -> None:
    async with playing(First, server) as (client, process):
        assert await server.play("m0", [process, None]) is not None
        process.send(ServerMessage.FromString(b"\xfa\x3f\x02hi"))  # field 1023: unknown
        process.send(ServerMessage())
        await process.ping(1)
        process.send(ServerMessage.FromString(_offer("m1")))
        await process.ping(2)
        assert len(client.matches) == 1
        aborted = ServerMessage()
        aborted.match_aborted.match_id = "m1"
        aborted.match_aborted.reason = "NO_ANSWER"
        process.send(aborted)
        await process.ping(3)
        assert len(client.matches) == 0
    # The methods of the two matches run concurrently.
    assert sorted(kind for kind, _ in First.told) == ["aborted", "ended", "started", "started"]
    assert ("aborted", "NO_ANSWER") in First.told


def _offer(match: str) -> bytes:
    message = ServerMessage()
    message.offer.match_id = match
    message.offer.terms.seat = 1
    message.offer.terms.ruleset.players = 2
    return message.SerializeToString()
