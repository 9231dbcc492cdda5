"""The gateway's clock for bots. It stops while the gateway is stalled, so that no bot is charged for a stall.

An event loop polls its sockets again and again. If two polls are further apart than `PERIOD`, the gateway was stalled:
the process was stopped, or a task blocked the loop. Whatever a poll returns may have arrived at any time since the
previous poll.

The clock therefore answers two questions. `now` is the current time; use it to stamp what the gateway sends. `heard` is
the earliest time at which the message being handled can have arrived; use it to charge a bot's answer.

`ListeningLoop` reports its polls to this clock. On any other loop only `beat` shows that the loop runs, and `heard` is
the same as `now`.
"""

from __future__ import annotations

import asyncio
import selectors
import time
from collections import deque
from collections.abc import Callable
from typing import Final

MILLISECOND: Final = 1_000_000
PERIOD: Final = 50 * MILLISECOND
"""Longest gap between two marks of a running loop (`beat` marks twice as often). A longer gap is a stall."""
COUNTED: Final = PERIOD // 10
"""The part of a stall that counts as time. In a gateway that stalls all the time, the clock must not stand still for
good. But its stalls may be hardly longer than `PERIOD`, so the part must be small."""
WAITED: Final = MILLISECOND // 5
"""A poll that takes at least this long has waited: no message was left to handle."""
POLLS: Final = 4
"""Maximum number of polls between the arrival of a message and its handling: gRPC passes it on twice."""
LONG: Final = 2_000 * MILLISECOND
"""Length of a stall after which bots may have given up their streams."""


class ListeningClock:
    """Monotonic clock in nanoseconds that leaves out the gateway's stalls; it never goes back."""

    def __init__(self, time_ns: Callable[[], int] = time.monotonic_ns) -> None:
        self._time_ns = time_ns
        self._stalled = 0
        self._marked = time_ns()
        self._latest = self._marked
        """The latest time that was read. The clock stands still until it is reached again."""
        self._polls: deque[int] = deque(maxlen=POLLS)
        """Times at which the results of the latest polls began to be handled, starting with the last poll that waited.
        """
        self.long_stall_at = -(1 << 62)
        """Time of the latest long stall, by this clock."""

    @property
    def stalled_ns(self) -> int:
        """Total time for which the gateway was stalled."""
        return self._stalled

    def now(self) -> int:
        """Return the current time."""
        at = min(self._time_ns(), self._marked + PERIOD)
        self._latest = max(self._latest, at - self._stalled)
        return self._latest

    def heard(self) -> int:
        """Return the earliest time at which the message being handled can have arrived."""
        return self._polls[0] if self._polls else self.now()

    def mark(self) -> int:
        """Record that the gateway runs, and return the time."""
        at = self._time_ns()
        gap, self._marked = at - self._marked, at
        if gap > PERIOD:
            self._stalled += gap - COUNTED
        if gap > LONG:
            self.long_stall_at = self.now()
        return self.now()

    def polled(self, began: int, took: int) -> None:
        """Record a poll of the sockets. Call it between two `mark`s.

        `began` is the time at which the poll began, by this clock. `took` is its duration by any clock.
        """
        if WAITED <= took <= PERIOD:
            self._polls.clear()
            self._polls.append(self.now())
        else:
            # The poll found messages that had arrived earlier, or the gateway was stopped during the poll.
            self._polls.append(began)


class _Selector(selectors.DefaultSelector):
    """Selector that reports every poll to a clock."""

    def __init__(self, clock: ListeningClock) -> None:
        super().__init__()
        self._clock = clock

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        began, at = self._clock.mark(), time.monotonic_ns()
        events = super().select(timeout)
        self._clock.polled(began, time.monotonic_ns() - at)
        self._clock.mark()
        return events


class ListeningLoop(asyncio.SelectorEventLoop):
    """Event loop with its own `ListeningClock`."""

    def __init__(self) -> None:
        self.clock = ListeningClock()
        super().__init__(_Selector(self.clock))


def running_clock() -> ListeningClock:
    """Return the clock of the running loop."""
    loop = asyncio.get_running_loop()
    return loop.clock if isinstance(loop, ListeningLoop) else ListeningClock()


async def beat(clock: ListeningClock) -> None:
    """Mark forever that the loop runs."""
    while True:
        clock.mark()
        await asyncio.sleep(PERIOD / 2 / 1e9)
