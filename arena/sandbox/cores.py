"""A core for each bot whose request is pending, and a fair price for the time that it takes.

A bot runs only while a request to it is pending, on one core that no other bot has. Before and after, it is frozen: it
cannot think in its opponent's time, and it disturbs nobody.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Condition
from typing import Final

from arena.sandbox.running import RunningSandbox

ALLOWANCE_S: Final = 0.005
"""Seconds beyond its processor time that a bot can be charged for one request."""


@dataclass(slots=True)
class CoreTurn:
    """The time for which a bot had a core. All but `waited_s` are known when the turn is over."""

    core: int
    waited_s: float
    """Seconds that passed before a core was free. The arena charges them to nobody."""
    wall_s: float = 0.0
    processor_s: float = 0.0
    """Seconds of processor time of all processes of the bot together."""

    @property
    def charged_s(self) -> float:
        """Return the time that the bot is charged, in seconds.

        It is the processor time plus `ALLOWANCE_S`, but at most the time that has passed. Other work on the machine
        makes a turn longer, and it does not make it dearer.
        """
        return min(self.wall_s, self.processor_s + ALLOWANCE_S)


class CorePool:
    """The cores that a runner gives to its bots, each to one at a time."""

    def __init__(self, cores: Iterable[int]) -> None:
        """Manage these cores, by their numbers."""
        self._free = list(cores)
        self._waiting: deque[object] = deque()
        self._changed = Condition()

    @contextmanager
    def give(self, sandbox: RunningSandbox) -> Iterator[CoreTurn]:
        """Give a core to a frozen sandbox for the time of this context, which ends with its answer.

        Sandboxes that wait for a core get one in the order in which they asked. The sandbox is frozen again at the end.
        """
        asked = time.monotonic()
        core = self._take()
        turn = CoreTurn(core, waited_s=time.monotonic() - asked)
        try:
            sandbox.pin(core)
            before = sandbox.usage().processor_s
            begun = time.monotonic()
            sandbox.thaw()
            try:
                yield turn
            finally:
                turn.wall_s = time.monotonic() - begun
                sandbox.freeze()
                # The time of a process that runs is only known to the last tick; now none runs.
                turn.processor_s = sandbox.usage().processor_s - before
        finally:
            with self._changed:
                self._free.append(core)
                self._changed.notify_all()

    def _take(self) -> int:
        ticket = object()
        with self._changed:
            self._waiting.append(ticket)
            self._changed.wait_for(lambda: self._free and self._waiting[0] is ticket)
            self._waiting.popleft()
            core = self._free.pop(0)
            self._changed.notify_all()
            return core
