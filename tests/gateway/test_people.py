"""People at tables: a gateway speaks for them, with a real database and the worker's end of a real bus."""

from __future__ import annotations

from hashlib import sha256

import pytest
from asgiref.sync import sync_to_async

from arena.bus import Presence, person_session
from arena.bus.keys import PEOPLE
from arena.gateway.server import Gateway, GatewayConfig
from arena.referee import Clock, Policy
from arena.rules import Ruleset
from arena.wire.v1.bot_pb2 import BotMessage, Fault, RevealRequest, ServerMessage
from tests.gateway.conftest import Arena
from webui.bots import actions as bot_actions
from webui.challenges.models import Challenge
from webui.commands.identities import DatabaseIdentities
from webui.commands.people import DatabasePeople
from webui.matches.models import Match, Participant
from webui.people import actions as people_actions
from webui.people.models import Person, PersonAnswer
from webui.people.values import Visitor

pytestmark = pytest.mark.asyncio(loop_scope="session")

GUEST = Visitor(None, sha256(b"secret").hexdigest())


@sync_to_async
def sit_down() -> Person:
    """Let a guest sit down against a house bot, which need not be there."""
    owner = people_actions.owner_id()
    rival = bot_actions.register_bot(owner, "Rival", is_house=True)
    people_actions.sit_down(GUEST, [rival], (), "none")
    return Person.objects.select_related("version").get()


@sync_to_async
def answered(person: Person, index: int, action: str) -> None:
    """Store an answer to the match m1 as the site does."""
    terms = {"ruleset": Ruleset(2), "clock": Clock(), "policy": Policy()}
    match = Match(id="m1", state="SCHEDULED", rules="", commitment="", rated=False, **terms)
    if not Match.objects.filter(pk="m1").exists():
        match.save(force_insert=True)
    PersonAnswer.objects.create(match_id="m1", index=index, seat=1, action=action)


async def gateway_with_people(arena: Arena) -> Gateway:
    config = GatewayConfig("127.0.0.1:0", arena.redis.url)
    gateway = Gateway(config, DatabaseIdentities(), None, DatabasePeople())
    await gateway.start()
    arena.push(gateway.kill)
    return gateway


async def seated(arena: Arena, person: Person, gateway: Gateway) -> Presence:
    """Return the person's presence at this gateway, once it is announced."""
    session = await arena.until(
        lambda: arena.bus.presence(person_session(person.version_id)),
        lambda found: found is not None and found.gateway == gateway.id,
    )
    assert isinstance(session, Presence)
    return session


async def nonce_of(arena: Arena, session: Presence) -> bytes:
    """Return the nonce that a seat reveals, after its hash was given."""
    await arena.worker.offer(session)
    accept = BotMessage.FromString((await arena.worker.next("message")).payload).accept
    reveal = ServerMessage(reveal_request=RevealRequest(match_id="m1", nonce_hashes=[accept.nonce_hash]))
    await arena.worker.send(session, reveal, ask=True, index=-3)
    nonce = BotMessage.FromString((await arena.worker.next("message")).payload).reveal.nonce
    assert sha256(nonce).digest() == accept.nonce_hash
    return nonce


async def test_who_sits_down_is_announced_and_who_stands_up_is_not(arena: Arena) -> None:
    gateway = await gateway_with_people(arena)
    person = await sit_down()
    session = await seated(arena, person, gateway)
    assert (session.capacity, session.player_counts, session.bot_version) == (1, (2, 3, 4, 5), person.version_id)
    table = await Challenge.objects.aget()
    assert await sync_to_async(people_actions.stand_up)(GUEST, table.pk)
    await arena.until(lambda: arena.bus.presence(session.id), lambda found: found is None)


async def test_an_answer_comes_through_the_database_whether_it_is_early_or_late(arena: Arena) -> None:
    gateway = await gateway_with_people(arena)
    person = await sit_down()
    session = await seated(arena, person, gateway)
    await nonce_of(arena, session)
    await arena.worker.ask(session, index=3)
    await arena.worker.silence()
    await answered(person, 3, "bid 2")
    await arena.bus.wake(PEOPLE)
    late = BotMessage.FromString((await arena.worker.next("message")).payload).answer
    assert (late.match_id, late.index, list(late.actions)) == ("m1", 3, ["bid 2"])
    await answered(person, 7, "end")
    await arena.worker.ask(session, index=7)
    early = BotMessage.FromString((await arena.worker.next("message")).payload).answer
    assert (early.index, list(early.actions)) == (7, ["end"])


async def test_a_forfeit_is_noted_so_that_the_site_knows_it(arena: Arena) -> None:
    gateway = await gateway_with_people(arena)
    person = await sit_down()
    session = await seated(arena, person, gateway)
    for forfeited, left in ((False, ""), (True, "m1")):
        await arena.worker.send(session, ServerMessage(fault=Fault(match_id="m1", index=3, forfeited=forfeited)))
        await arena.until(lambda: Person.objects.aget(pk=person.pk), lambda found, left=left: found.left == left)


async def test_who_has_left_gives_up_each_decision_until_the_seat_forfeits(arena: Arena) -> None:
    gateway = await gateway_with_people(arena)
    person = await sit_down()
    session = await seated(arena, person, gateway)
    await nonce_of(arena, session)
    await answered(person, 3, "bid 2")
    await Participant.objects.acreate(match_id="m1", seat=1, version_id=person.version_id)
    await Person.objects.filter(pk=person.pk).aupdate(left="m1")
    given = []
    for index in (3, 7, 8):
        await arena.worker.ask(session, index=index)
        answer = BotMessage.FromString((await arena.worker.next("message")).payload).answer
        given.append((answer.index, list(answer.actions)))
    assert given == [(3, ["bid 2"]), (7, []), (8, [])], "what was decided before is played"


async def test_another_gateway_takes_over_with_the_same_nonce_and_is_asked_again(arena: Arena) -> None:
    first = await gateway_with_people(arena)
    person = await sit_down()
    session = await seated(arena, person, first)
    nonce = await nonce_of(arena, session)
    await arena.worker.ask(session, index=3)
    second = await gateway_with_people(arena)
    await first.drain()
    moved = await arena.worker.next("moved")
    assert moved.index == 3
    session = await seated(arena, person, second)
    assert await nonce_of(arena, session) == nonce
    await arena.worker.ask(session, index=3)
    await answered(person, 3, "bid 1")
    await arena.bus.wake(PEOPLE)
    answer = await arena.worker.next("message")
    assert answer.gateway == second.id
    assert list(BotMessage.FromString(answer.payload).answer.actions) == ["bid 1"]


async def test_a_killed_gateway_loses_the_person_after_its_time(arena: Arena) -> None:
    first = await gateway_with_people(arena)
    person = await sit_down()
    await seated(arena, person, first)
    second = await gateway_with_people(arena)
    await first.kill()
    await seated(arena, person, second)


async def test_the_end_is_confirmed_and_the_seat_is_free(arena: Arena) -> None:
    gateway = await gateway_with_people(arena)
    person = await sit_down()
    session = await seated(arena, person, gateway)
    await nonce_of(arena, session)
    await arena.worker.finish(session)
    await arena.until(lambda: arena.bus.presence(session.id), lambda found: found is not None and not found.matches)
