"""Accepted and refused hellos, and the errors of refused ones."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest
from django.contrib.auth import get_user_model
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from arena.bus import session_id
from arena.gateway import errors
from arena.host.sockets import Proxies
from arena.hosting.bundle import pack
from arena.hosting.limits import DEFAULT_LIMITS
from arena.rules import RULES
from arena.wire.service import PROTOCOL, SERVICE
from arena.wire.v1.bot_pb2 import BotMessage, Hello
from tests.gateway.conftest import Arena
from tests.kit.ladder import Kit
from tests.ladder.online import later
from webui.accounts import values as account_values
from webui.bots import actions as bot_actions
from webui.bots import retirement, token_actions
from webui.bots.models import BotVersion
from webui.hosting import actions as hosting_actions
from webui.hosting.values import SubmissionValue
from webui.matches import ending
from webui.pairing.models import Exclusion
from webui.staff import locks

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_good_token_is_welcome(arena: Arena) -> None:
    gateway = await arena.gateway()
    bot = arena.bot(
        gateway, bot="Camel", max_matches=1000, player_counts=[2, 4], expansions=["whims", "artisans"],
        wants_legal=True, sdk="t/1",
    )  # fmt: skip
    welcome = await bot.hello()
    assert (welcome.bot, welcome.protocol, welcome.rules) == ("Camel", PROTOCOL, RULES)
    assert welcome.limits.max_matches == 100
    assert list(welcome.running) == []
    session = await arena.present()
    assert session.id == welcome.session == session_id(arena.registered.token_id, "p1")
    assert (session.gateway, session.bot, session.owner) == (gateway.id, arena.registered.bot, arena.registered.owner)
    assert (session.player_counts, session.wants_legal, session.is_available) == ((2, 4), True, True)
    assert session.expansions == ("artisans", "whims")


REFUSED: list[tuple[dict[str, Any], grpc.StatusCode, str]] = [
    ({"token": "naqala_wrong"}, grpc.StatusCode.UNAUTHENTICATED, "BAD_TOKEN"),
    ({"token": ""}, grpc.StatusCode.UNAUTHENTICATED, "BAD_TOKEN"),
    ({"bot": "Mule"}, grpc.StatusCode.UNAUTHENTICATED, "TOKEN_OF_ANOTHER_BOT"),
    ({"protocol": "arena.wire/99"}, grpc.StatusCode.FAILED_PRECONDITION, "PROTOCOL_UNKNOWN"),
    ({"process": ""}, grpc.StatusCode.INVALID_ARGUMENT, "BAD_HELLO"),
    ({"process": "p\x1b[2J"}, grpc.StatusCode.INVALID_ARGUMENT, "BAD_HELLO"),
    ({"version": ""}, grpc.StatusCode.INVALID_ARGUMENT, "BAD_HELLO"),
    ({"version": "v" * 41}, grpc.StatusCode.INVALID_ARGUMENT, "BAD_HELLO"),
    ({"version": "732d86a"}, grpc.StatusCode.INVALID_ARGUMENT, "BAD_HELLO"),
    ({"player_counts": [17]}, grpc.StatusCode.INVALID_ARGUMENT, "BAD_HELLO"),
    ({"player_counts": [5]}, grpc.StatusCode.INVALID_ARGUMENT, "BAD_HELLO"),
    ({"expansions": ["whims", "artisan"]}, grpc.StatusCode.INVALID_ARGUMENT, "BAD_HELLO"),
    ({"max_matches": 0}, grpc.StatusCode.INVALID_ARGUMENT, "BAD_HELLO"),
]


@pytest.mark.parametrize(("hello", "status", "reason"), REFUSED)
async def test_a_bad_hello_is_told_why(
    arena: Arena, hello: dict[str, Any], status: grpc.StatusCode, reason: str
) -> None:
    bot = arena.bot(await arena.gateway(), **hello)
    await bot.say(hello=bot._hello)
    assert await bot.end() == (status, reason, [reason])
    assert await arena.bus.presences() == []


async def test_a_submitted_version_cannot_also_play_from_home(arena: Arena, tmp_path: Path) -> None:
    gateway = await arena.gateway()

    def submit() -> SubmissionValue:
        source = tmp_path / "bot.py"
        source.write_text("print('hello')")
        bundle = pack(source, "bot.py", tmp_path / "bundle", DEFAULT_LIMITS)
        actor = account_values.Actor(arena.registered.owner)
        return hosting_actions.submit(actor, arena.registered.bot, "7", "", bundle)

    submitted = await asyncio.to_thread(submit)
    bot = arena.bot(gateway, version="7")
    await bot.say(hello=bot._hello)
    assert (await bot.end())[:2] == (grpc.StatusCode.FAILED_PRECONDITION, "HOSTED_VERSION")
    await arena.bot(gateway, version="8").hello()
    await asyncio.to_thread(hosting_actions.withdraw_submission, arena.registered.bot, submitted.id)
    await arena.bot(gateway, process="p2", version="7").hello()


async def test_a_client_of_the_former_protocol_is_told_what_to_do(arena: Arena) -> None:
    bot = arena.bot(await arena.gateway(), protocol="arena.wire/1")
    await bot.say(hello=bot._hello)
    told = (await bot.hear("error")).error.message
    assert "upgrade naqala-arena" in told and "/docs/protocol/" in told
    assert all(step in told for step in ("arena.wire/2", "Accept", "SHA-256", "RevealRequest", "Reveal"))


async def test_a_revoked_token_is_bad(arena: Arena) -> None:
    await asyncio.to_thread(token_actions.revoke_token, arena.registered.token_id)
    bot = arena.bot(await arena.gateway())
    await bot.say(hello=bot._hello)
    assert (await bot.end())[1] == "BAD_TOKEN"


async def test_a_bot_that_is_given_no_new_matches_is_told_why_once(arena: Arena) -> None:
    gateway = await arena.gateway(token_check_s=0.05)
    bot = arena.bot(gateway)
    await bot.hello()
    await asyncio.to_thread(bot_actions.set_bot_state, arena.registered.bot, "PAUSED")
    told = (await bot.hear("error")).error
    assert (told.reason, told.code, told.fatal) == ("PAUSED", grpc.StatusCode.FAILED_PRECONDITION.value[0], False)
    await asyncio.to_thread(retirement.retire_bot, arena.registered.bot)
    told = (await bot.hear("error")).error
    assert told.reason == "RETIRED" and "Bring it back" in told.message, "and nothing twice in between"
    await asyncio.to_thread(locks.lock_bot, arena.registered.bot, "It floods", by=account_values.OPERATOR)
    assert (await bot.hear("error")).error.reason == "LOCKED"
    late = arena.bot(gateway, process="p2")
    await late.hello()
    assert (await late.hear("error")).error.reason == "LOCKED"


async def test_a_version_that_was_taken_off_rated_matches_is_told_why(arena: Arena) -> None:
    gateway = await arena.gateway(token_check_s=0.05)
    bot, repaired = arena.bot(gateway), arena.bot(gateway, version="2", process="p2")
    await bot.hello()
    version = await BotVersion.objects.aget(bot=arena.registered.bot, name="1")
    await Exclusion.objects.acreate(version=version, matches=["last", "second", "first"])
    told = (await bot.hear("error")).error
    assert (told.reason, told.fatal) == ("TAKEN_OFF", False)
    assert (
        "Version 1 plays no rated matches" in told.message and "3 in a row, the last one in match last." in told.message
    )
    await repaired.hello()
    await asyncio.to_thread(bot_actions.set_bot_state, arena.registered.bot, "PAUSED")
    for each in (bot, repaired):
        assert (await each.hear("error")).error.reason == "PAUSED", "and nothing in between"


async def test_a_bot_that_rests_is_told_how_long_and_for_which_bots(arena: Arena) -> None:
    def miss_offers() -> None:
        kit = Kit()
        bots = [bot_actions.register_bot(arena.registered.owner, name) for name in ("Mule", "Oryx")]
        versions = [bot_actions.register_version(bot, "1") for bot in bots]
        for version in 4 * versions:
            later(11)
            match = kit.match([version, kit.version()])
            ending.abort_match(match, kit.claim(match, match).epoch, "NO_ANSWER", [1])

    await asyncio.to_thread(miss_offers)
    bot = arena.bot(await arena.gateway(token_check_s=0.05))
    await bot.hello()
    told = (await bot.hear("error")).error
    assert (told.reason, told.fatal) == ("LEFT_OUT", False)
    assert "In the last day, Mule and Oryx declined, missed or did not answer 8 offers." in told.message
    assert "shares this rest" in told.message
    await asyncio.to_thread(bot_actions.set_bot_state, arena.registered.bot, "PAUSED")
    assert (await bot.hear("error")).error.reason == "PAUSED", "and nothing twice in between"


@pytest.mark.parametrize(
    ("count", "failures", "expected"),
    [
        pytest.param(1, 1, "day, B1 declined, missed or did not answer 1 offer.", id="one"),
        pytest.param(5, 9, "day, B1, B2, B3, B4 and B5 declined,", id="all"),
        pytest.param(8, 9, "day, B1, B2, B3, B4, B5 and 3 more declined,", id="more"),
    ],
)
async def test_a_rest_names_a_few_bots(count: int, failures: int, expected: str) -> None:
    bots = [f"B{number}" for number in range(1, count + 1)]
    assert expected in errors.left_out(datetime(2026, 1, 1, 14, 32, 5, tzinfo=UTC), failures, bots).message


async def test_revoking_a_token_ends_its_open_streams_and_no_others(arena: Arena) -> None:
    gateway = await arena.gateway(token_check_s=0.05)
    other = await asyncio.to_thread(token_actions.issue_token, arena.registered.bot)
    bots = [arena.bot(gateway, process="p1"), arena.bot(gateway, process="p2")]
    stays = arena.bot(gateway, process="p1", token=other.token)
    for bot in (*bots, stays):
        await bot.hello()
    await asyncio.to_thread(token_actions.revoke_token, arena.registered.token_id)
    for bot in bots:
        bot.pong = False  # a write to an ended stream would hide its status
        assert await bot.end() == (grpc.StatusCode.UNAUTHENTICATED, "BAD_TOKEN", ["BAD_TOKEN"])
    (session,) = await arena.until(arena.bus.presences, lambda found: len(found) == 1)
    await arena.worker.ask(session)
    assert (await stays.hear("request")).request.match_id == "m1"


async def test_who_is_shut_out_loses_open_streams(arena: Arena) -> None:
    gateway = await arena.gateway(token_check_s=0.05)
    bot = arena.bot(gateway)
    await bot.hello()
    bot.pong = False
    await asyncio.to_thread(get_user_model().objects.filter(pk=arena.registered.owner).update, is_active=False)
    assert (await bot.end())[1] == "BAD_TOKEN"


async def test_anything_else_first_is_refused(arena: Arena) -> None:
    gateway = await arena.gateway()
    bot = arena.bot(gateway)
    await bot.answer("m1", 0)
    assert await bot.end() == (grpc.StatusCode.INVALID_ARGUMENT, "HELLO_EXPECTED", ["HELLO_EXPECTED"])


async def test_a_stream_that_says_nothing_is_closed(arena: Arena) -> None:
    bot = arena.bot(await arena.gateway(hello_timeout_s=0.1))
    await bot.channel.channel_ready()
    assert (await bot.end())[1] == "HELLO_EXPECTED"


async def test_bytes_that_are_no_message_are_refused(arena: Arena) -> None:
    gateway = await arena.gateway()
    async with grpc.aio.insecure_channel(f"127.0.0.1:{gateway.port}") as channel:
        call: Any = channel.stream_stream(f"/{SERVICE}/Play")()
        await call.write(b"\xff\xff\xff")
        assert b"HELLO_EXPECTED" in await call.read()
        assert await call.code() == grpc.StatusCode.INVALID_ARGUMENT


async def test_guessing_tokens_gets_slow(arena: Arena) -> None:
    gateway = await arena.gateway(hello_burst=25, hello_per_second=0)
    reasons = []
    for _ in range(4):
        bot = arena.bot(gateway, token="naqala_guess")
        await bot.say(hello=bot._hello)
        reasons.append((await bot.end())[1])
    assert reasons == ["BAD_TOKEN", "BAD_TOKEN", "BAD_TOKEN", "TOO_MANY_HELLOS"]


async def test_who_says_hello_too_often_is_refused_late(arena: Arena) -> None:
    """Only as many streams as allowed are delayed; one more is refused at once."""
    gateway = await arena.gateway(hello_burst=5, hello_per_second=0, late_refusal_s=3600, max_late_refusals=1)

    async def guess() -> str:
        bot = arena.bot(gateway, token="naqala_guess")
        await bot.say(hello=bot._hello)
        return (await bot.end())[1]

    assert await guess() == "BAD_TOKEN"
    guesses = [asyncio.create_task(guess()) for _ in range(2)]
    done, late = await asyncio.wait(guesses, return_when=asyncio.FIRST_COMPLETED)
    assert [one.result() for one in done] == ["TOO_MANY_HELLOS"] and len(late) == 1
    late.pop().cancel()


async def test_guesses_of_a_neighbour_keep_no_good_bot_out(arena: Arena) -> None:
    gateway = await arena.gateway(hello_burst=15, hello_per_second=0)
    reasons = []
    for _ in range(3):
        guess = arena.bot(gateway, token="naqala_guess")
        await guess.say(hello=guess._hello)
        reasons.append((await guess.end())[1])
    assert reasons == ["BAD_TOKEN", "BAD_TOKEN", "TOO_MANY_HELLOS"]
    for number in range(10):
        bot = arena.bot(gateway, process=f"p{number}")
        await bot.hello()
        await bot.drop()


async def test_what_a_good_token_does_wrong_is_charged_to_it_alone(arena: Arena) -> None:
    gateway = await arena.gateway(hello_burst=15, hello_per_second=0)
    other = await asyncio.to_thread(token_actions.issue_token, arena.registered.bot)
    reasons = []
    for _ in range(3):
        wrong = arena.bot(gateway, bot="Mule")
        await wrong.say(hello=wrong._hello)
        reasons.append((await wrong.end())[1])
    assert reasons == ["TOKEN_OF_ANOTHER_BOT", "TOKEN_OF_ANOTHER_BOT", "TOO_MANY_HELLOS"]
    await arena.bot(gateway, token=other.token).hello()


async def test_clients_of_a_proxy_do_not_pay_for_each_other(arena: Arena) -> None:
    gateway = await arena.gateway(hello_burst=5, hello_per_second=0, proxies=Proxies(["127.0.0.1"]))

    async def guess(address: str) -> str:
        bot = arena.bot(gateway, token="naqala_guess", forwarded=address)
        await bot.say(hello=bot._hello)
        return (await bot.end())[1]

    addresses = ("8.8.8.8", "8.8.8.8", "8.8.4.4")
    assert [await guess(address) for address in addresses] == ["BAD_TOKEN", "TOO_MANY_HELLOS", "BAD_TOKEN"]


async def test_a_token_has_only_so_many_streams(arena: Arena) -> None:
    gateway = await arena.gateway(max_streams_per_token=2)
    bots = [arena.bot(gateway, process=f"p{number}") for number in range(3)]
    for bot in bots[:2]:
        await bot.hello()
    await bots[2].say(hello=bots[2]._hello)
    assert (await bots[2].end())[1] == "TOO_MANY_STREAMS"
    await bots[0].drop()
    await arena.until(arena.bus.presences, lambda found: len(found) == 1)
    await arena.bot(gateway, process="p3").hello()


async def test_health_and_reflection_answer(arena: Arena) -> None:
    gateway = await arena.gateway()
    async with grpc.aio.insecure_channel(f"127.0.0.1:{gateway.port}") as channel:
        health: Any = health_pb2_grpc.HealthStub(channel)
        answer = await health.Check(health_pb2.HealthCheckRequest(service=SERVICE))
        assert answer.status == health_pb2.HealthCheckResponse.SERVING
        reflection: Any = reflection_pb2_grpc.ServerReflectionStub(channel)
        call = reflection.ServerReflectionInfo()
        await call.write(reflection_pb2.ServerReflectionRequest(list_services=""))
        names = [service.name for service in (await call.read()).list_services_response.service]
        assert SERVICE in names
        await call.done_writing()


async def test_unknown_fields_in_hello_are_ignored(arena: Arena) -> None:
    gateway = await arena.gateway()
    bot = arena.bot(gateway)
    hello = BotMessage(hello=bot._hello).hello.SerializeToString() + b"\xaa\x3f\x02hi"  # field 1013, a string
    await bot.say(hello=Hello.FromString(hello))
    await bot.hear("welcome")
