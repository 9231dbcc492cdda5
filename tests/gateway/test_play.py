"""Asks and answers: times, several matches on a stream, repeated asks, and changes of the match's owner."""

from __future__ import annotations

import asyncio
import time

import pytest
from msgspec.structs import replace

from arena.bus import REVEAL_INDEX, ToBot
from arena.gateway.clock import PERIOD
from arena.host.sockets import Proxies
from arena.wire.service import open_play
from arena.wire.v1.bot_pb2 import BotMessage, Decline, Fault, Leave, Ping, Pong, Reveal, RevealRequest, ServerMessage
from tests.gateway.conftest import Arena, TestWorker, accept

pytestmark = pytest.mark.asyncio(loop_scope="session")

MS = 1_000_000
CLOCK_STEP_S = 0.005
"""The event loop may end a sleep this much early, because it counts in steps of its clock."""


async def test_an_answer_comes_with_its_times(arena: Arena) -> None:
    gateway = await arena.gateway()
    clock = gateway.registry.clock
    bot = arena.bot(gateway)
    await bot.hello()
    session = await arena.present()
    stalled_before_ns = clock.stalled_ns
    before, began = time.time_ns(), time.monotonic_ns()
    await arena.worker.ask(session, index=7, seat=3, epoch=5)
    request = (await bot.hear("request")).request
    assert (request.match_id, request.index) == ("m1", 7)
    await asyncio.sleep(0.1)  # the bot thinks
    await bot.answer("m1", 7, "pass")
    answer = await arena.worker.next("message")
    assert (answer.match, answer.seat, answer.session, answer.epoch, answer.index) == ("m1", 3, session.id, 5, 7)
    assert answer.is_answer
    assert list(BotMessage.FromString(answer.payload).answer.actions) == ["pass"]
    took = time.monotonic_ns() - began
    # A stall of the gateway is not charged. On a busy machine this process may stall.
    stalled_ns = clock.stalled_ns - stalled_before_ns
    least_ns = (0.1 - CLOCK_STEP_S) * 1e9 - (stalled_ns + PERIOD if stalled_ns else 0)
    assert answer.think_ns + answer.network_ns >= least_ns
    assert answer.think_ns <= took and answer.queue_ns <= took
    assert answer.network_ns <= 250 * MS
    assert before < answer.received_at_ns <= time.time_ns()


@pytest.mark.parametrize(
    ("proxies", "forwarded", "least_ms", "most_ms"),
    [
        ([], "", 0, 50),
        (["127.0.0.0/8"], "", 0, 50),
        (["127.0.0.0/8"], "203.0.113.7", 0, 0),
        (["127.0.0.0/8"], "203.0.113.7;rtt=70000", 70, 70),
        (["127.0.0.0/8"], "203.0.113.7;rtt=900000", 100, 250),
        ([], "203.0.113.7;rtt=70000", 0, 50),
    ],
    ids=["direct", "on a proxy's machine", "hidden", "stated", "stated too long", "forged"],
)
async def test_only_what_the_transport_tells_is_not_charged(
    arena: Arena, proxies: list[str], forwarded: str, least_ms: int, most_ms: int
) -> None:
    """The bot holds back its pongs and answers by 100 ms. Neither gains it anything beyond its true round trip."""
    gateway = await arena.gateway(ping_interval_s=0.05, proxies=Proxies(proxies))
    bot = arena.bot(gateway, forwarded=forwarded)
    bot.pong = False
    await bot.hello()
    session = await arena.present()
    delay = 0.1

    heard: asyncio.Queue[tuple[float, ServerMessage]] = asyncio.Queue()
    now = asyncio.get_running_loop().time

    async def hear() -> None:
        while True:
            message = await bot.call.read()
            heard.put_nowait((now(), message))

    async def say() -> None:
        """Delay everything that this bot sends by 100 ms."""
        while True:
            at, message = await heard.get()
            await asyncio.sleep(at + delay - now())
            if message.WhichOneof("kind") == "ping":
                await bot.say(pong=Pong(id=message.ping.id))
            else:
                await bot.answer("m1", message.request.index)

    async def measured() -> int:
        found = gateway.registry.get(session.id)
        assert found is not None and found.stream is not None
        return found.network_ns()

    delayed = [asyncio.create_task(hear()), asyncio.create_task(say())]
    if most_ms:
        await arena.until(measured, lambda network_ns: network_ns)
    began = time.monotonic_ns()
    await arena.worker.ask(session)
    answer = await arena.worker.next("message")
    took = time.monotonic_ns() - began
    credit_ns = await measured()
    for task in delayed:
        task.cancel()
    assert (least_ms - CLOCK_STEP_S * 1e3) * MS <= credit_ns <= most_ms * MS
    assert answer.network_ns <= most_ms * MS and answer.think_ns + answer.network_ns <= took


async def test_two_matches_on_one_stream(arena: Arena) -> None:
    bot = arena.bot(await arena.gateway())
    await bot.hello()
    session = await arena.present()
    other = TestWorker(arena.bus, "w2")
    await arena.worker.ask(session, "m1", 0)
    await other.ask(session, "m2", 4, seat=2)
    assert {(await bot.hear("request")).request.match_id for _ in range(2)} == {"m1", "m2"}
    await arena.present(lambda session: session.running == 2)
    await bot.answer("m2", 4)
    await bot.answer("m1", 0)
    assert (await other.next("message")).seat == 2
    assert (await arena.worker.next("message")).match == "m1"
    await arena.worker.finish(session, "m1")
    await bot.hear("match_end")
    await arena.present(lambda session: session.running == 1)


async def test_a_request_for_a_nonce_comes_again_after_a_reconnect_and_its_first_answer_counts(arena: Arena) -> None:
    gateway = await arena.gateway()
    bot = arena.bot(gateway)
    await bot.hello()
    session = await arena.present()
    request = ServerMessage(reveal_request=RevealRequest(match_id="m1", nonce_hashes=[bytes(32)] * 2))
    await arena.worker.send(session, request, ask=True, index=REVEAL_INDEX)
    await bot.hear("reveal_request")
    await bot.drop()
    again = arena.bot(gateway)
    await again.hello()
    assert (await again.hear("reveal_request")).reveal_request == request.reveal_request
    assert [(await arena.worker.next()).kind for _ in range(2)] == ["lost", "back"]
    for nonce in (b"1" * 16, b"2" * 16):
        await again.say(reveal=Reveal(match_id="m1", nonce=nonce))
    answers = [await arena.worker.next("message") for _ in range(2)]
    assert [(answer.index, answer.is_answer) for answer in answers] == [(REVEAL_INDEX, True), (REVEAL_INDEX, False)]
    await arena.worker.send(session, request, ask=True, index=REVEAL_INDEX)  # the next owner of the match asks
    kept = BotMessage.FromString((await arena.worker.next("message")).payload)
    assert kept.reveal.nonce == b"1" * 16


async def test_an_offer_is_accepted_or_declined(arena: Arena) -> None:
    bot = arena.bot(await arena.gateway())
    await bot.hello()
    session = await arena.present()
    for match in ("m1", "m2"):
        await arena.worker.offer(session, match)
        assert (await bot.hear("offer")).offer.match_id == match
    await bot.say(accept=accept("m1"))
    await bot.say(decline=Decline(match_id="m2", reason="tea"))
    answers = [await arena.worker.next("message") for _ in range(2)]
    assert [(a.match, a.index, a.is_answer) for a in answers] == [("m1", -1, True), ("m2", -1, True)]
    assert BotMessage.FromString(answers[1].payload).decline.reason == "tea"


async def test_a_late_answer_is_told_apart(arena: Arena) -> None:
    bot = arena.bot(await arena.gateway())
    await bot.hello()
    session = await arena.present()
    await arena.worker.ask(session, index=3)
    await arena.worker.ask(session, index=5)
    for _ in range(2):
        await bot.hear("request")
    await bot.answer("m1", 3)
    await bot.answer("m1", 5)
    await bot.answer("m1", 5)
    answers = [await arena.worker.next("message") for _ in range(3)]
    assert [(a.index, a.is_answer) for a in answers] == [(3, False), (5, True), (5, False)]


async def test_asking_again_gives_the_same_answer(arena: Arena) -> None:
    bot = arena.bot(await arena.gateway())
    await bot.hello()
    session = await arena.present()
    await arena.worker.ask(session, index=3)
    await arena.worker.ask(session, index=3)
    await bot.hear("request")
    await bot.answer("m1", 3)
    first = await arena.worker.next("message")
    await arena.worker.ask(session, index=3)
    again = await arena.worker.next("message")
    assert again.number > first.number, "said anew, not delivered twice"
    assert replace(again, number=first.number) == first
    await arena.worker.ask(session, index=4)
    assert (await bot.hear("request")).request.index == 4, "the bot saw index 3 only once"


async def test_the_next_owner_takes_over_and_the_old_one_is_turned_away(arena: Arena) -> None:
    bot = arena.bot(await arena.gateway())
    await bot.hello()
    session = await arena.present()
    heir = TestWorker(arena.bus, "heir")
    await arena.worker.ask(session, index=3, epoch=1)
    await bot.hear("request")
    await heir.ask(session, index=3, epoch=2)
    await arena.worker.ask(session, index=3, epoch=1)
    stale = await arena.worker.next("undeliverable")
    assert (stale.reason, stale.epoch) == ("STALE_EPOCH", 1)
    await bot.answer("m1", 3)
    assert (await heir.next("message")).epoch == 2
    await arena.worker.silence()


async def test_an_unknown_session_is_undeliverable(arena: Arena) -> None:
    gateway = await arena.gateway()
    await arena.bus.send_to_gateway(gateway.id, ToBot("nobody", "m1", 1, 1, "w1", b"", ask=True, index=2))
    notice = await arena.worker.next("undeliverable")
    assert (notice.match, notice.index, notice.reason) == ("m1", 2, "UNKNOWN_SESSION")


async def test_a_match_that_is_not_the_bots_is_an_error_for_the_bot(arena: Arena) -> None:
    bot = arena.bot(await arena.gateway())
    await bot.hello()
    await bot.answer("somebody-elses", 0)
    error = (await bot.hear("error")).error
    assert (error.reason, error.match_id, error.fatal) == ("MATCH_UNKNOWN", "somebody-elses", False)
    await bot.say(ping=Ping(id=99))
    assert (await bot.hear("pong")).pong.id == 99


async def test_notices_pass_through_unread(arena: Arena) -> None:
    bot = arena.bot(await arena.gateway())
    await bot.hello()
    session = await arena.present()
    fault = ServerMessage(fault=Fault(match_id="m1", reason="ILLEGAL"))
    await arena.worker.send(session, fault)
    assert await bot.hear("fault") == fault


async def test_leaving_ends_the_stream_after_the_last_match(arena: Arena) -> None:
    bot = arena.bot(await arena.gateway())
    await bot.hello()
    session = await arena.present()
    await arena.worker.ask(session)
    await bot.hear("request")
    await bot.say(leave=Leave())
    await arena.present(lambda session: session.leaving and not session.is_available)
    await bot.answer("m1", 0)
    await arena.worker.next("message")
    await arena.worker.finish(session)
    status, _, heard = await bot.end()
    assert (status.name, heard) == ("OK", ["match_end"])
    await arena.until(arena.bus.presences, lambda found: not found)


async def test_a_stream_full_of_pings_ends_well(arena: Arena) -> None:
    bot = arena.bot(await arena.gateway(ping_interval_s=0.001, silence_factor=100_000))
    for _ in range(10):
        await bot.hello()
        await bot.say(leave=Leave())
        status, _, _ = await bot.end()
        assert status.name == "OK"
        bot.call = open_play(bot.channel)


async def test_a_bot_that_leaves_is_offered_nothing_more(arena: Arena) -> None:
    bot = arena.bot(await arena.gateway())
    await bot.hello()
    session = await arena.present()
    await arena.worker.ask(session, match="m1")
    await bot.hear("request")
    await arena.worker.offer(session, match="m2")
    await bot.hear("offer")
    await bot.say(leave=Leave())
    taken_back = await arena.worker.next("undeliverable")
    assert (taken_back.match, taken_back.reason) == ("m2", "LEFT")
    await arena.worker.offer(session, match="m3")
    refused = await arena.worker.next("undeliverable")
    assert (refused.match, refused.reason) == ("m3", "LEAVING")
    await bot.answer("m1", 0)  # it finishes its running match
    assert (await arena.worker.next("message")).match == "m1"
