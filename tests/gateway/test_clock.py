"""The clock that stops while the gateway is stalled: most tests set the time by hand, one uses real time."""

from __future__ import annotations

import asyncio
import time
from typing import Any, cast

from arena.gateway.clock import COUNTED, MILLISECOND, PERIOD, POLLS, ListeningClock, ListeningLoop, running_clock
from arena.gateway.limits import GatewayLimits
from arena.gateway.stream import BotStream

MS = MILLISECOND


class Hand:
    """A time that tests set by hand."""

    def __init__(self) -> None:
        self.now = 0
        self.clock = ListeningClock(lambda: self.now)

    def look(self, took: int) -> None:
        """Let the loop poll its sockets for `took` nanoseconds."""
        began = self.clock.mark()
        self.now += took
        self.clock.polled(began, took)
        self.clock.mark()


def test_it_goes_on_while_the_gateway_looks() -> None:
    hand = Hand()
    for _ in range(100):
        hand.look(PERIOD // 2)
        hand.now += 5 * MS
    assert hand.clock.now() == hand.now


def test_it_stands_still_while_nothing_looks_and_goes_on_afterwards() -> None:
    hand = Hand()
    hand.look(10 * MS)
    hand.now += 5_000 * MS
    assert hand.clock.mark() == 10 * MS + COUNTED
    assert hand.clock.long_stall_at == 10 * MS + COUNTED
    hand.look(10 * MS)
    assert hand.clock.now() == 20 * MS + COUNTED


def test_a_time_that_was_read_during_a_stall_is_not_undone() -> None:
    hand = Hand()
    hand.now += 5_000 * MS
    assert hand.clock.now() == PERIOD, "it is not known yet whether this is a stall"
    assert hand.clock.mark() == PERIOD
    hand.look(PERIOD - COUNTED)
    assert hand.clock.now() == PERIOD, "it stands still until it is right again"
    hand.look(MS)
    assert hand.clock.now() == PERIOD + MS


def test_many_short_stalls_hardly_count() -> None:
    """A starved gateway gets the processor for an instant, every 80 ms."""
    hand = Hand()
    for _ in range(100):
        hand.look(80 * MS)
    assert hand.clock.now() == 100 * COUNTED < 0.1 * hand.now


def test_what_is_found_after_a_standstill_may_have_been_there_before_it() -> None:
    hand = Hand()
    hand.look(10 * MS)
    hand.look(90_000 * MS)  # stopped during a poll
    assert hand.clock.heard() == 10 * MS
    assert hand.clock.now() == 10 * MS + COUNTED
    hand.look(10 * MS)
    assert hand.clock.heard() == hand.clock.now(), "what came later came then"


def test_what_was_waited_for_has_come_just_now() -> None:
    hand = Hand()
    hand.look(30 * MS)
    hand.now += 3 * MS  # work was done
    assert hand.clock.heard() == 30 * MS
    hand.look(0)
    assert hand.clock.heard() == 30 * MS, "it may be what that look has found, handed on"


def test_in_a_busy_loop_nothing_is_older_than_a_few_looks() -> None:
    hand = Hand()
    for _ in range(100):
        hand.look(0)
        hand.now += 4 * MS
    assert hand.clock.heard() == hand.clock.now() - POLLS * 4 * MS


def test_it_never_goes_back() -> None:
    hand = Hand()
    seen = []
    for step in range(200):
        hand.now += (step % 7) * 11 * MS
        seen.append(hand.clock.now())
        if step % 3:
            hand.look((step % 5) * 20 * MS)
        seen.append(hand.clock.now())
    assert seen == sorted(seen)


async def _ponged_after(seconds: float, clock: ListeningClock) -> int:
    """Answer a ping after some seconds. Return the network's share of the round trip."""

    written = asyncio.Event()

    class Context:
        async def write(self, payload: bytes) -> None:
            written.set()

    stream = BotStream(cast(Any, Context()), GatewayLimits(), 1, clock, lambda: 250 * MS)
    ping, writer = stream.ask_sign(), asyncio.create_task(stream.write())
    await written.wait()
    await asyncio.sleep(seconds)
    assert stream.was_ponged(ping)
    writer.cancel()
    return stream.network_ns()


def test_a_stall_makes_no_round_trip_shorter() -> None:
    stopped = ListeningClock(lambda: 0)
    assert asyncio.run(_ponged_after(0.04, stopped)) >= 30 * MS


def test_a_loop_of_its_own_notices_that_it_was_held_up() -> None:
    async def stand_still() -> tuple[int, int]:
        clock = running_clock()
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        writer.write(b"x")
        await writer.drain()
        began, at = clock.now(), time.monotonic_ns()
        time.sleep(0.5)  # an answer waits during this time
        await reader.readexactly(1)
        writer.close()
        return clock.heard() - began, time.monotonic_ns() - at

    async def main() -> tuple[int, int]:
        nonlocal server
        server = await asyncio.start_server(echo, "127.0.0.1", 0)
        async with server:
            return await stand_still()

    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(await reader.readexactly(1))
        writer.close()

    server: asyncio.Server
    with asyncio.Runner(loop_factory=ListeningLoop) as runner:
        charged, took = runner.run(main())
    assert took >= 500 * MS
    assert charged <= took - 400 * MS
