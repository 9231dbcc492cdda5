"""Match ends are written until the bot has them, and at hello both sides compare the running matches."""

from __future__ import annotations

import asyncio

import grpc
import pytest

from arena.referee import Clock, Policy
from arena.rules import Ruleset
from arena.wire.v1.bot_pb2 import Ping
from tests.gateway.conftest import Arena, Registered, TestBot
from webui.bots import actions as bot_actions
from webui.matches import ending, ownership

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def prove_that_all_is_read(bot: TestBot) -> None:
    await bot.say(ping=Ping(id=77))
    assert (await bot.hear("pong")).pong.id == 77


async def test_an_end_that_comes_while_the_stream_is_away_waits_for_it(arena: Arena) -> None:
    gateway = await arena.gateway()
    bot = arena.bot(gateway)
    await bot.hello()
    session = await arena.present()
    await arena.worker.ask(session)
    await bot.hear("request")
    await bot.drop()
    await arena.worker.next("lost")
    await arena.worker.finish(session)
    await arena.present(lambda session: not session.connected and session.running == 0)
    again = arena.bot(gateway)
    assert not (await again.hello()).running
    assert (await again.hear("match_end")).match_end.match_id == "m1"


async def test_an_end_is_written_again_until_a_pong_shows_that_the_bot_has_it(arena: Arena) -> None:
    gateway = await arena.gateway()
    bot = arena.bot(gateway)
    await bot.hello()
    bot.pong = False
    session = await arena.present()
    await arena.worker.ask(session)
    await bot.hear("request")
    await arena.worker.finish(session)
    await bot.hear("match_end")  # perhaps the bot died with it
    await arena.present(lambda session: session.running == 0)
    second = arena.bot(gateway)
    await second.hello()
    await second.hear("match_end")
    answered = asyncio.create_task(second.next())  # it answers pings in the meantime
    found = gateway.registry.get(session.id)
    assert found is not None
    await arena.until(lambda: asyncio.sleep(0, found.seats), lambda seats: not seats)
    third = arena.bot(gateway)
    await third.hello()
    await prove_that_all_is_read(third)
    answered.cancel()


@pytest.fixture
def known(registered: Registered) -> dict[str, str]:
    """Matches by name: a running and an ended one of the bot, and one of others."""
    others = [bot_actions.register_bot(registered.owner, name) for name in ("Vizier", "Djinn")]
    versions = [bot_actions.register_version(bot, "1") for bot in (registered.bot, *others)]
    runs, ended, foreign = (
        ownership.schedule_match(Ruleset(2), seats, Clock(), Policy(), False)
        for seats in (versions[:2], versions[:2], versions[1:])
    )
    claim = ownership.claim_match(ended, "w", 60)
    assert claim is not None
    ending.abort_match(ended, claim.epoch, "NO_PLACE")
    return {"runs": runs, "ended": ended, "foreign": foreign}


async def test_at_hello_both_sides_compare_what_runs(known: dict[str, str], arena: Arena) -> None:
    runs, ended, foreign = known.values()
    bot = arena.bot(await arena.gateway(), running=[runs, ended, foreign, "nowhere"])
    welcome = await bot.hello()
    assert list(welcome.running) == [runs]
    assert list(welcome.over) == [ended, foreign, "nowhere"]
    session = await arena.present()
    assert session.running == 1
    assert set(session.matches) == {runs, ended}, "the end of what is over is sent to whoever announces it"
    await arena.worker.finish(session, ended)
    assert (await bot.hear("match_end")).match_end.match_id == ended
    await arena.present(lambda session: session.matches == (runs,))


async def test_a_bot_without_a_free_place_is_not_offered_a_match(arena: Arena) -> None:
    bot = arena.bot(await arena.gateway(), max_matches=1)
    await bot.hello()
    session = await arena.present()
    await arena.worker.ask(session, "m1")
    await bot.hear("request")
    await arena.worker.offer(session, "m2")
    refused = await arena.worker.next("undeliverable")
    assert (refused.match, refused.reason) == ("m2", "TOO_MANY_MATCHES")
    await arena.worker.finish(session, "m1")
    await arena.worker.offer(session, "m3")
    await bot.hear("match_end")
    assert (await bot.hear("offer")).offer.match_id == "m3"


async def test_a_bot_that_still_writes_learns_why_its_stream_ends(arena: Arena) -> None:
    gateway = await arena.gateway()
    bot = arena.bot(gateway)
    await bot.hello()
    await arena.bot(gateway).hello()
    await bot.hear("error")
    await bot.say(ping=Ping(id=1))
    await bot.call.done_writing()
    status, reason, _ = await bot.end()
    assert (status, reason) == (grpc.StatusCode.ABORTED, "TAKEN_OVER")
