"""The gateway's clock for bots: it stands still while the gateway does, so that no bot is charged for that.

An event loop looks at its sockets again and again. Two looks that are further apart than `PERIOD` mean that the gateway
stood still: it was stopped, or something held up its loop. And what a look finds may have arrived at any time since the
look before. So there are two questions: what time it is (`now`), for what is sent; and since when at the earliest what
is handled now has been there (`heard`), for what bots have sent.

`ListeningLoop` looks with this clock. On any other loop `beat` alone marks that the loop runs, and `heard` is `now`.
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
"""A loop marks at least this often that it runs (`beat`, twice as often). A longer gap is a standstill."""
WAITED: Final = MILLISECOND // 5
"""A look that takes this long has waited: there was nothing left to do."""
LOOKS: Final = 4
"""A message is handled at most this many looks after its arrival: gRPC hands it on twice."""
LONG: Final = 2_000 * MILLISECOND
"""A standstill after which bots may have given their streams up."""


class ListeningClock:
    """Nanoseconds of the monotonic clock without the gateway's standstills; it never goes back."""

    def __init__(self, time_ns: Callable[[], int] = time.monotonic_ns) -> None:
        self._time_ns = time_ns
        self._stalled = 0
        self._marked = time_ns()
        self._looks: deque[int] = deque(maxlen=LOOKS)
        """When the last looks began to be handled, from the last one on that had waited."""
        self.long_standstill_at = -(1 << 62)
        """When the latest long standstill was, by this clock."""

    @property
    def stood_still(self) -> int:
        """For how long the gateway has stood still, in all."""
        return self._stalled

    def now(self) -> int:
        """The time."""
        at = self._time_ns()
        return at - self._stalled - self._overdue(at)

    def heard(self) -> int:
        """The earliest time at which what is handled now can have arrived."""
        return self._looks[0] if self._looks else self.now()

    def mark(self) -> int:
        """The gateway runs; returns the time."""
        at = self._time_ns()
        overdue = self._overdue(at)
        self._stalled += overdue
        self._marked = at
        if overdue > LONG:
            self.long_standstill_at = at - self._stalled
        return at - self._stalled

    def looked(self, began: int, took: int) -> None:
        """A look at the sockets is over, that began then and took so long on any clock. Between two `mark`s."""
        if WAITED <= took <= PERIOD:
            self._looks.clear()
            self._looks.append(self.now())
        else:
            # It found at once what had been there before, or the gateway was stopped in the middle of it.
            self._looks.append(began)

    def _overdue(self, at: int) -> int:
        return max(0, at - self._marked - PERIOD)


class _Selector(selectors.DefaultSelector):
    """Tells a clock of every look."""

    def __init__(self, clock: ListeningClock) -> None:
        super().__init__()
        self._clock = clock

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        began, at = self._clock.mark(), time.monotonic_ns()
        found = super().select(timeout)
        self._clock.looked(began, time.monotonic_ns() - at)
        self._clock.mark()
        return found


class ListeningLoop(asyncio.SelectorEventLoop):
    """An event loop with a clock of its own."""

    def __init__(self) -> None:
        self.clock = ListeningClock()
        super().__init__(_Selector(self.clock))


def running_clock() -> ListeningClock:
    """The clock of the running loop."""
    loop = asyncio.get_running_loop()
    return loop.clock if isinstance(loop, ListeningLoop) else ListeningClock()


async def beat(clock: ListeningClock) -> None:
    """Mark that the loop runs, for ever."""
    while True:
        clock.mark()
        await asyncio.sleep(PERIOD / 2 / 1e9)
