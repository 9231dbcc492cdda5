"""The turns of one seat: its bot runs on a core of its own while it has something to do, and is frozen otherwise.

A bot has something to do while it starts, while a request is pending, and for a moment after the end of its match. Only
the time of its requests is charged. A bot that has lost its stream dials again while a request is pending.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor
from typing import Final, TypeVar

from arena.bus import OFFER_INDEX, REVEAL_INDEX
from arena.gateway.clock import ListeningClock
from arena.gateway.seats import PendingAsk
from arena.hosting.messages import DecisionCost
from arena.referee import MAX_NONCE
from arena.runner import metrics
from arena.sandbox.cores import WORKING_SHARE, CorePool, CoreTurn, CoreUse
from arena.sandbox.running import RunningSandbox
from arena.wire.v1.bot_pb2 import BotMessage, ServerMessage

SAMPLE_S: Final = 1.0
"""Seconds between two looks at a bot whose request is pending."""
QUICK_SAMPLE_S: Final = 0.25
"""Seconds between two looks at a bot that has a core and no request: it starts, or reads the end of its match."""
FIRST_SAMPLE_S: Final = 0.05
"""Seconds until the first one. Most turns are over by then."""
LAST_SAMPLE_S: Final = 0.1
"""Seconds since the latest one after which there is another one at the end of a turn."""
SLICE_S: Final = 2.0
"""Seconds after which a bot that does not work gives its core to one that waits. It goes on when it is its turn again.
"""
LATE_S: Final = 0.1
"""A look that comes later than this says nothing about the bot: this process was stalled, too."""
SPARE_MS: Final = 1_000
"""Milliseconds that a bot may use beyond its time before it is frozen. By then its worker knows that it is late."""
UNTIMED_MS: Final = 60_000
"""The time for a request that states none."""
LONGEST: Final = 10
"""A request that takes this many times the bot's time, and `UNTIMED_MS`, is charged in full. No bot can hold a match
for longer, whatever its processor time seems to be."""

Result = TypeVar("Result")


def most_time_ms(request: bytes) -> int:
    """Return the most time that a bot can have for this request (a `ServerMessage`)."""
    message = ServerMessage.FromString(request)
    match message.WhichOneof("kind"):
        case "request":
            return message.request.bank_ms + message.request.cap_ms
        case "offer":
            return message.offer.answer_within_ms
        case "reveal_request":
            return message.reveal_request.answer_within_ms
    return UNTIMED_MS


class SeatTurns:
    """The turns of the sandboxes of one seat, one sandbox after the other."""

    def __init__(
        self, pool: CorePool, clock: ListeningClock, threads: Executor, look: Callable[[CoreUse], None]
    ) -> None:
        """`look` is called with what the bot has used since its turn or its request began.

        While the bot runs, it is called every `SAMPLE_S` or `QUICK_SAMPLE_S`.
        """
        self._pool = pool
        self._clock = clock
        self._threads = threads
        self._look = look
        self._sandbox: RunningSandbox | None = None
        self._changing = asyncio.Lock()
        """Held while a turn begins or ends."""
        self._core: int | None = None
        self._waited_s = 0.0
        self._turn: CoreTurn | None = None
        """The turn, while the sandbox runs."""
        self._sampling: asyncio.TimerHandle | None = None
        self._sampled_ns = 0
        """Time of the latest sample, by the clock of the runner."""
        self._ask: PendingAsk | None = None
        """The latest request."""
        self._is_asked = False
        """Whether the bot has the request, a stream to answer it on, and a core."""
        self._has_message = False
        """Whether the bot runs because of a message: its request, or the end of its match."""
        self._most_ms = 0
        self._charged_s = 0.0
        """Seconds charged for earlier turns of this request."""
        self._held_s = 0.0
        """Seconds that those turns lasted."""
        self._slice = 0.0, 0.0
        """When the bot got its core (monotonic), and its processor time by then."""
        self._resting: asyncio.Task[None] | None = None
        """The latest task that freezes the bot. It is held here, because a loop holds its tasks only weakly."""
        self.costs: dict[int, DecisionCost] = {}
        """The costs of each decision since the sandbox was started."""

    @property
    def pending_index(self) -> int | None:
        """Index of the pending request, if the bot has it."""
        return self._ask.index if self._ask is not None and self._is_asked else None

    # Turns

    async def start(self, launch: Callable[[], RunningSandbox]) -> RunningSandbox:
        """Start a sandbox on a core. It runs when this returns, or its verdict says why it does not."""
        async with self._changing:
            await self._take(is_request=False)
            self.costs = {}
            sandbox = self._sandbox = await self._call(launch)
            await self._call(sandbox.freeze)
            self._begin()
            return sandbox

    async def run(self) -> None:
        """Let a bot that has lost its stream run, so that it can dial again. Its absence is charged."""
        async with self._changing:
            if self._turn is None and self._sandbox is not None:
                await self._take(is_request=False)
                self._begin()

    async def ask(self, ask: PendingAsk | None, write: Callable[[], Awaitable[None]]) -> None:
        """Write a message to the bot once it has a core, and let it run. `ask` is the request that this message is."""
        async with self._changing:
            await self._take(is_request=ask is not None)
            if self._turn is not None:
                self._split(self._turn)
                if ask is None:
                    self._sample_in(QUICK_SAMPLE_S, self._turn)
            # Before the bot can answer: its answer may be read before this returns.
            self._has_message = True
            if ask is not None:
                if ask is not self._ask:
                    self._ask, self._most_ms = ask, most_time_ms(ask.payload)
                    self._charged_s = self._held_s = 0.0
                self._is_asked = True
            try:
                await write()
            finally:
                if self._turn is None:
                    self._begin()

    async def rest(self, *, if_idle: bool = False) -> None:
        """Freeze the bot, and give its core to another one. `if_idle`: only if no message let it run (`ask`)."""
        # Whoever waits for it may be cancelled. The core must be given back all the same.
        self._resting = asyncio.create_task(self._rest(if_idle=if_idle))
        await asyncio.shield(self._resting)

    async def _rest(self, *, if_idle: bool) -> None:
        async with self._changing:
            if not (if_idle and self._has_message):
                await self._end()

    def lose_stream(self) -> None:
        """Charge the bot until now. From now on its absence is charged, and it runs on to dial again."""
        self._has_message = False
        if self._turn is not None:
            self._split(self._turn)

    def settle(self, ask: PendingAsk | None, now: int) -> None:
        """Bring up to date what the bot is charged for this request, if it has it."""
        if ask is not None and ask.started_ns is not None and ask is self._ask:
            charged_s = self._charged_s
            if self._is_asked and self._turn is not None:
                charged_s += self._turn.use().charged_s
            # The clock leaves out stalls of this process, in which the bot has used its core: this may be negative.
            ask.uncharged_ns = now - ask.started_ns - int(charged_s * 1e9) - ask.gone_ns(now)

    def is_answer(self, match: str, data: bytes) -> bool:
        """Return whether these bytes of the bot answer its request."""
        try:
            message = BotMessage.FromString(data)
        except Exception:  # noqa: BLE001 - hostile bytes; the service says what is wrong with them
            return False
        kind = message.WhichOneof("kind")
        index = {"accept": OFFER_INDEX, "decline": OFFER_INDEX, "reveal": REVEAL_INDEX}.get(kind or "")
        if kind == "answer":
            index = message.answer.index
        elif kind == "reveal" and len(message.reveal.nonce) > MAX_NONCE:
            return False  # it is refused, and the request stays open
        return index is not None and index == self.pending_index and getattr(message, str(kind)).match_id == match

    # Parts of a turn. The lock is held.

    async def _take(self, *, is_request: bool) -> None:
        if self._core is None:
            asked = time.monotonic()
            self._core = await self._pool.take(is_request=is_request)
            self._waited_s = time.monotonic() - asked
            metrics.WAITED.observe(self._waited_s)

    def _begin(self) -> None:
        assert self._sandbox is not None and self._core is not None
        turn = self._turn = CoreTurn(self._sandbox, self._core, self._waited_s)
        turn.begin()
        self._begin_slice(turn)

    def _begin_slice(self, turn: CoreTurn) -> None:
        assert self._sandbox is not None
        self._slice = time.monotonic(), self._sandbox.processor_s()
        self._sample_in(FIRST_SAMPLE_S, turn)

    def _has_to_yield(self) -> bool:
        """Return whether somebody waits for a core, and the bot has had its own for some time without working."""
        assert self._sandbox is not None
        passed_s = time.monotonic() - self._slice[0]
        if not self._pool.is_wanted or passed_s < SLICE_S:
            return False
        return self._sandbox.processor_s() - self._slice[1] < WORKING_SHARE * passed_s

    def _split(self, turn: CoreTurn) -> None:
        """Book what the bot has used so far, and measure from now on."""
        self._sample_last(turn)
        self._book(turn.use())
        turn.restart()

    async def _end(self) -> None:
        self._has_message = False
        turn, self._turn = self._turn, None
        if turn is not None:
            await self._freeze(turn)
            self._book(turn.end())
        if self._core is not None:
            self._pool.put_back(self._core)
            self._core = None

    async def _freeze(self, turn: CoreTurn) -> None:
        """Freeze the bot, and look at it a last time."""
        if self._sampling is not None:
            self._sampling.cancel()
            self._sampling = None
        now = self._clock.heard()
        await turn.freeze()
        self._sample_last(turn, now)

    async def _yield(self, turn: CoreTurn) -> None:
        """Give the core of a bot that does not work to another one, and let the bot run on when it gets one again."""
        async with self._changing:
            # It may have waited for the lock until the bot had given its core away already, and got one again.
            if self._turn is not turn or self._core is None or not self._has_to_yield():
                return
            await self._freeze(turn)
            turn.pause()
            self._pool.put_back(self._core)
            self._core = None
            self._core = await self._pool.take(is_request=self._is_asked)
            turn.resume(self._core)
            self._begin_slice(turn)

    def _book(self, use: CoreUse) -> None:
        """Charge the bot for what it has used, if it has a request."""
        if not self._is_asked or self._ask is None:
            return
        self._is_asked = False
        self._charged_s += use.charged_s
        self._held_s += use.wall_s
        metrics.CHARGED.inc(use.charged_s)
        index, waited_ms = self._ask.index, round(1000 * use.waited_s)
        before = self.costs.get(index, DecisionCost(index, 0, 0, 0))
        self.costs[index] = DecisionCost(
            index,
            before.charged_ms + round(1000 * use.charged_s),
            before.processor_ms + round(1000 * use.processor_s),
            before.waited_ms + waited_ms,
        )

    def _sample_in(self, seconds: float, turn: CoreTurn) -> None:
        if self._sampling is not None:
            self._sampling.cancel()
        latest = time.monotonic() + seconds + LATE_S
        self._sampling = asyncio.get_running_loop().call_later(seconds, self._sample, turn, latest)

    def _sample(self, turn: CoreTurn, latest: float) -> None:
        """Look at what the bot has done since the latest sample, unless it is later than `latest`."""
        now = self._clock.now()
        turn.sample(0.0 if time.monotonic() > latest else (now - self._sampled_ns) / 1e9)
        self._sampled_ns = now
        use = turn.use()
        self._look(use)
        if self._is_asked and 1000 * (self._held_s + use.wall_s) > LONGEST * self._most_ms + UNTIMED_MS:
            turn.charge_in_full()
            use = turn.use()
        if self._is_asked and 1000 * (self._charged_s + use.charged_s) > self._most_ms + SPARE_MS:
            self._resting = asyncio.create_task(self._rest(if_idle=False))
            return
        self._sample_in(SAMPLE_S if self._is_asked else QUICK_SAMPLE_S, turn)
        if self._has_to_yield():
            self._resting = asyncio.create_task(self._yield(turn))

    def _sample_last(self, turn: CoreTurn, now: int | None = None) -> None:
        """Look at what the bot has done since the latest sample, if there was one and it was some time ago."""
        now = self._clock.heard() if now is None else now
        if turn.is_sampled and (passed_s := (now - self._sampled_ns) / 1e9) > LAST_SAMPLE_S:
            turn.sample(passed_s)
            self._sampled_ns = now

    async def _call(self, function: Callable[[], Result]) -> Result:
        """Call a function that may block. A call that has begun is not interrupted."""
        call = asyncio.get_running_loop().run_in_executor(self._threads, function)
        try:
            return await asyncio.shield(call)
        except asyncio.CancelledError:
            await asyncio.wait([call])
            raise
