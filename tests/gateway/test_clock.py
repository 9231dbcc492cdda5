"""The clock that stops while the gateway is stalled: most tests set the time by hand, one uses real time."""

from __future__ import annotations

import asyncio
import time

from arena.gateway.clock import MILLISECOND, PERIOD, POLLS, ListeningClock, ListeningLoop, running_clock

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
    assert hand.clock.now() == 10 * MS + PERIOD
    hand.look(10 * MS)
    assert hand.clock.now() == 20 * MS + PERIOD
    assert hand.clock.long_stall_at == 10 * MS + PERIOD


def test_what_is_found_after_a_standstill_may_have_been_there_before_it() -> None:
    hand = Hand()
    hand.look(10 * MS)
    hand.look(90_000 * MS)  # stopped during a poll
    assert hand.clock.heard() == 10 * MS
    assert hand.clock.now() == 10 * MS + PERIOD
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
