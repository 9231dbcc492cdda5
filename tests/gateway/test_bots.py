"""The client and the Node bot at the real gateway; the test plays the worker's end of the bus."""

import asyncio
from collections.abc import Sequence
from hashlib import sha256

import pytest

from arena.bots import Bot, Client, Settings, View
from arena.bus import OFFER_INDEX, REVEAL_INDEX, Presence
from arena.gateway.server import Gateway, GatewayConfig
from arena.rules import Game, Ruleset, view
from arena.wire import codec
from arena.wire.v1.bot_pb2 import (
    BotMessage,
    DecisionRequest,
    MatchEnd,
    MatchTerms,
    Offer,
    RevealRequest,
    ServerMessage,
)
from tests.gateway.conftest import WAIT_S, Arena
from tests.kit.kits import bot_environment, kit_command
from webui.commands.identities import DatabaseIdentities

pytestmark = pytest.mark.asyncio(loop_scope="session")


class First(Bot):
    """Plays the first legal action."""

    name = "Camel"
    version = "7"

    def choose(self, view: View, legal: Sequence[str]) -> str:
        return legal[0]


async def play(arena: Arena, session: Presence, match: str) -> Game:
    """Play a whole game in which the session decides for both seats, over gateway and bus."""
    game = Game(Ruleset(2), match.encode().ljust(32))
    terms = MatchTerms(ruleset=codec.encode_ruleset({"players": 2, "expansions": []}), seat=1)
    offer = ServerMessage(offer=Offer(match_id=match, terms=terms, answer_within_ms=10_000))
    await arena.worker.send(session, offer, match, ask=True, index=OFFER_INDEX)
    reply = BotMessage.FromString((await arena.worker.next("message")).payload)
    hashes = [reply.accept.nonce_hash, bytes(32)]
    request = ServerMessage(reveal_request=RevealRequest(match_id=match, nonce_hashes=hashes))
    await arena.worker.send(session, request, match, ask=True, index=REVEAL_INDEX)
    reply = BotMessage.FromString((await arena.worker.next("message")).payload)
    assert len(reply.reveal.nonce) == 16 and sha256(reply.reveal.nonce).digest() == hashes[0]
    while not game.state.is_over:
        index, seat = len(game.events), game.state.to_act
        request = DecisionRequest(
            match_id=match,
            index=index,
            seat=seat,
            view=codec.encode_view(view(game.state, seat)),
            legal=[str(action) for action in game.state.legal],
        )
        await arena.worker.send(session, ServerMessage(request=request), match, ask=True, index=index, seat=seat)
        reply = BotMessage.FromString((await arena.worker.next("message")).payload)
        assert reply.answer.index == index
        game.play(reply.answer.actions[0])
    verdict = codec.encode_verdict({"kind": "completed", "placements": [1, 2], "forfeits": []})
    await arena.worker.send(
        session, ServerMessage(match_end=MatchEnd(match_id=match, verdict=verdict)), match, final=True
    )
    return game


async def test_the_client_plays_leaves_and_is_gone(arena: Arena) -> None:
    gateway: Gateway = await arena.gateway()
    client = Client(First, Settings(f"127.0.0.1:{gateway.port}", arena.registered.token, "p", 4))
    task = asyncio.create_task(client.run())
    session = await arena.present()
    assert (session.process, session.capacity, session.wants_legal) == ("p", 4, True)
    await play(arena, session, "m1")
    client.leave()
    await asyncio.wait_for(task, WAIT_S)
    assert client.matches.finished == 1
    await arena.until(lambda: arena.bus.presences(), lambda found: not found)


@pytest.mark.slow
async def test_the_client_finds_the_way_from_a_gateway_that_goes_to_the_next(arena: Arena) -> None:
    gateway: Gateway = await arena.gateway()
    address = f"127.0.0.1:{gateway.port}"
    client = Client(First, Settings(address, arena.registered.token, "p", 4))
    task = asyncio.create_task(client.run())
    before = await arena.present()
    await gateway.drain()
    config = GatewayConfig(address, arena.redis.url)
    after = Gateway(config, DatabaseIdentities())
    await after.start()
    try:
        session = await arena.present(lambda session: session.gateway != before.gateway)
        assert session.id == before.id
        await play(arena, session, "m1")
        client.leave()
        await asyncio.wait_for(task, WAIT_S)
        assert client.matches.finished == 1
    finally:
        await after.kill()


@pytest.mark.slow
async def test_the_typescript_bot_plays(arena: Arena) -> None:
    command = kit_command("typescript")
    gateway: Gateway = await arena.gateway()
    child = await asyncio.create_subprocess_exec(
        *command, env=bot_environment(f"127.0.0.1:{gateway.port}", arena.registered.token, "n")
    )
    try:
        session = await arena.present()
        await play(arena, session, "m1")
        child.terminate()
        assert await asyncio.wait_for(child.wait(), WAIT_S) == 0
    finally:
        if child.returncode is None:
            child.kill()
