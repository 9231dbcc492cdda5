"""A core for each bot whose request is pending, and a fair price for the time that it takes.

A bot runs only while a request to it is pending, on one core that no other bot has. Before and after, it is frozen: it
cannot think in its opponent's time, and it disturbs nobody.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import structlog

from arena.sandbox.running import FREEZE_POLL_S, FREEZE_TIMEOUT_S, RunningSandbox

log = structlog.get_logger(__name__)

ALLOWANCE_S: Final = 0.005
"""Seconds beyond its processor time that a bot can be charged for one request."""
QUICK_TRIES: Final = 10
"""Number of looks at a bot that should freeze, before the first pause."""
MOST_DISK_S: Final = 1.0
"""Seconds of waiting for a disk that one turn of a bot is not charged. A bot can look as if it waited for one."""
WORKING_SHARE: Final = 0.5
"""A bot works if it uses this part of the time for which its core was its own. Less than all of it, because a virtual
machine loses time that nobody counts. A bot that uses less of it is charged all of it."""


class CorePool:
    """The cores that a runner gives to its bots, each to one at a time. It belongs to one event loop."""

    def __init__(self, cores: Iterable[int]) -> None:
        """Manage these cores, by their numbers."""
        self._free = list(cores)
        self._requests: deque[asyncio.Future[int]] = deque()
        self._starts: deque[asyncio.Future[int]] = deque()

    async def take(self, *, is_request: bool = True) -> int:
        """Wait for a free core, and take it.

        Bots with a request come before bots that start. Otherwise the first to ask gets a core first.
        """
        if self._free:
            return self._free.pop(0)
        waiting = self._requests if is_request else self._starts
        core: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        waiting.append(core)
        try:
            return await core
        except asyncio.CancelledError:
            if core.done() and not core.cancelled():
                self.put_back(core.result())
            raise

    @property
    def is_wanted(self) -> bool:
        """Return whether anybody waits for a core."""
        return any(not taker.done() for waiting in (self._requests, self._starts) for taker in waiting)

    def put_back(self, core: int) -> None:
        """Give a core to the next bot that waits for one."""
        for waiting in (self._requests, self._starts):
            while waiting:
                if not (taker := waiting.popleft()).done():
                    taker.set_result(core)
                    return
        self._free.append(core)


@dataclass(frozen=True, slots=True, kw_only=True)
class CoreUse:
    """The times of a bot with a core, in seconds."""

    waited_s: float = 0.0
    """Time until a core was free. The arena charges it to nobody."""
    wall_s: float = 0.0
    processor_s: float = 0.0
    """Processor time of all processes of the bot together."""
    slept_s: float = 0.0
    """Part of `wall_s` in which the bot neither used its core nor waited for it."""

    @property
    def charged_s(self) -> float:
        """Return the time that the bot is charged.

        It is the processor time plus `ALLOWANCE_S` and the time slept, but at most the time that has passed. Other work
        on the machine makes a turn longer, and it does not make it dearer.
        """
        return min(self.wall_s, self.processor_s + ALLOWANCE_S + self.slept_s)


class CoreTurn:
    """The time for which a sandbox has a core. No method blocks for longer than about a millisecond."""

    def __init__(self, sandbox: RunningSandbox, core: int, waited_s: float = 0.0) -> None:
        self._sandbox = sandbox
        self._core = core
        self._waited_s = waited_s
        self._begun = self._before = 0.0
        self._stopped: float | None = None
        """When the sandbox was told to freeze."""
        self._slept_s = 0.0
        self._sampled: tuple[float, float] | None = None
        """Processor time and waiting time at the last sample."""
        self._disk_s = 0.0
        """Time of the samples in which the bot waited for a disk."""
        self._end: CoreUse | None = None

    @property
    def is_sampled(self) -> bool:
        """Return whether there was a sample since the sandbox began to run, or to run on."""
        return self._sampled is not None

    def restart(self) -> None:
        """Measure from now on. If the sandbox was told to freeze, measure from then on."""
        self._begun = self._stopped or time.monotonic()
        self._before = self._sandbox.processor_s()
        self._slept_s = 0.0

    def begin(self) -> None:
        """Let the frozen sandbox run on its core, and measure from now on."""
        self._sandbox.pin(self._core)
        self.restart()
        self._sandbox.thaw()

    def pause(self) -> None:
        """Take no samples until `resume`. Call it when the sandbox is frozen, before its core is given away."""
        self._sampled = None

    def resume(self, core: int) -> None:
        """Let the sandbox run on after `stop` and `pause`, on this core. The time between does not count."""
        assert self._stopped is not None
        self._core = core
        self._sandbox.pin(core)
        self._begun += time.monotonic() - self._stopped
        self._stopped = None
        self._sandbox.thaw()

    def sample(self, passed_s: float) -> None:
        """Find out for how long the bot has slept since the last sample, `passed_s` seconds ago.

        The shares of times below a quarter of a second mean little. The first sample of a turn, and the first one after
        a pause, only read the counters, which takes too long for a turn of some milliseconds.
        """
        processor_s, queued_s = self._sandbox.processor_s(), self._sandbox.queued_s()
        if self._sampled is not None:
            used_s = processor_s - self._sampled[0]
            own_s = passed_s - max(0.0, queued_s - self._sampled[1])
            if used_s < WORKING_SHARE * own_s:
                if self._disk_s < MOST_DISK_S and self._sandbox.waits_for_disk():
                    self._disk_s += own_s
                else:
                    self._slept_s += own_s - used_s
        self._sampled = processor_s, queued_s

    def charge_in_full(self) -> None:
        """Charge all time that has passed, whatever the bot has done."""
        self._slept_s = time.monotonic() - self._begun

    def use(self) -> CoreUse:
        """Return what the bot has done so far, or until it was stopped."""
        return self._end or self._use_until(self._stopped or time.monotonic())

    def stop(self) -> None:
        """Tell the sandbox to freeze. The bot is not charged for what follows."""
        self._stopped = time.monotonic()
        self._sandbox.begin_freeze()

    def has_stopped(self) -> bool:
        """Return whether the sandbox is frozen, after `stop`."""
        return self._sandbox.is_frozen()

    async def freeze(self) -> None:
        """Stop the sandbox, and wait until it is frozen."""
        self.stop()
        end, tries = time.monotonic() + FREEZE_TIMEOUT_S, 0
        while not self.has_stopped():
            if time.monotonic() > end:
                log.error("bot_not_frozen")
                break
            tries += 1
            # Most bots stop within a tenth of a millisecond, and no timer of the loop is shorter than a whole one.
            await asyncio.sleep(0 if tries < QUICK_TRIES else FREEZE_POLL_S)

    def end(self) -> CoreUse:
        """Return what the bot has done. Call it when the sandbox is frozen.

        Before, the processor time of a process that runs is only known to the last tick.
        """
        self._end = self.use()
        return self._end

    def _use_until(self, ended: float) -> CoreUse:
        return CoreUse(
            waited_s=self._waited_s,
            wall_s=ended - self._begun,
            processor_s=self._sandbox.processor_s() - self._before,
            slept_s=self._slept_s,
        )
