"""One seat of one match, played in a sandbox of this runner.

The seat begins with the first message for it. It waits for a place, and starts a sandbox, whose bot says hello at a
socket of its own. Messages for the bot are held back until then. From its hello on, the gateway's registry treats the
bot as one that has dialled in.

If the bot's program ends during the match, its stream is lost, and its clock runs. It is started again twice. If the
arena is to blame, nobody is charged: the start is repeated, or the match is returned to its worker, which asks again.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Executor
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

import structlog
from msgspec.structs import replace

from arena.bus import NO_ASK, OFFER_INDEX, Presence, ToBot, WireReason
from arena.gateway.connections import Connections
from arena.gateway.identity import Identity
from arena.gateway.notices import Notices
from arena.gateway.registry import SessionRegistry
from arena.gateway.seats import PendingAsk
from arena.gateway.session import BotSession
from arena.hosting.archives import BundleError
from arena.hosting.faults import HostingFault, fault_of
from arena.hosting.limits import HostingLimits, bot_limits
from arena.hosting.messages import HostedVersionInfo, SeatReport
from arena.hosting.runtime import BOT_ENVIRONMENT, resolve_command
from arena.runner import metrics
from arena.runner.desk import CallRefused
from arena.runner.door import SandboxDoor
from arena.runner.images import Images, bot_files
from arena.runner.stream import SandboxStream
from arena.runner.turns import SeatTurns, most_time_ms
from arena.sandbox.cores import CorePool, CoreUse
from arena.sandbox.limits import SandboxEnd, SandboxVerdict
from arena.sandbox.running import RunningSandbox, start
from arena.wire.v1.bot_pb2 import ServerMessage

log = structlog.get_logger(__name__)

STARTS: Final = 3
"""Number of times that a bot is started for one seat. The second and the third follow an end that is its own fault."""
MOST_HELD: Final = 32
"""Maximum number of messages that wait for the hello of a bot."""
LONGEST_START: Final = 5
"""A start is ended after this many times its limit, even if the bot did not sleep: it may use its core a little."""
GOODBYE_S: Final = 0.4
"""Charged seconds (`CoreUse`) that a bot has to read the end of its match."""
LONGEST_GOODBYE_S: Final = 10.0
"""Seconds with a core after which it is ended in any case, on a machine that is too busy to run it."""
RETRY_S: Final = 1.0
LONGEST_RETRY_S: Final = 30.0
"""First and longest pause after a start that failed because of the arena."""
EXCUSED: Final = 2
"""Number of times that a SIGKILL of unknown origin is not blamed on the bot, in one match."""


Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class SeatTools:
    """The parts of a runner that its seats share."""

    folder: Path
    """For sockets; other users may enter it."""
    registry: SessionRegistry
    connections: Connections
    notices: Notices
    pool: CorePool
    places: asyncio.Semaphore
    threads: Executor
    images: Images
    limits: HostingLimits
    report: Callable[[SeatReport], Awaitable[None]]
    withhold: Callable[[str], None]
    """Withdraws the session of a version whose files cannot be had here, so that another runner plays it."""


@dataclass(slots=True)
class SeatTally:
    """Counts of one seat of a match here. They go on when the match was returned to its worker and comes again."""

    seats: int = 0
    sandboxes: int = 0
    excused: int = 0
    """Ends that were not blamed on the bot, although nobody knows their cause."""


class SandboxedSeat:
    """One seat of one match. Its task is `play`; all other methods never wait."""

    def __init__(self, tools: SeatTools, version: HostedVersionInfo, first: ToBot, tally: SeatTally) -> None:
        self.session = first.session
        """The version's session at this runner, as workers know it."""
        self.match = first.match
        self.id = f"{first.session}/{first.match}/{tally.seats}"
        """The session of this seat in the runner's registry."""
        self._tools = tools
        self._version = version
        self._tally = tally
        self._seat = first.seat
        self._epoch = first.epoch
        self._held: list[ToBot] = []
        """Messages that wait for the bot's first hello."""
        self._is_fed = False
        """Whether messages go to the registry."""
        self._bot: BotSession | None = None
        """The bot's session, once the registry has it."""
        self._touched_ns = 0
        self._sandbox: RunningSandbox | None = None
        self._is_dead = False
        """Whether the bot has ended by its own fault too often."""
        self._over = asyncio.Event()
        self._has_stream = False
        self._is_greeted = False
        """Whether the bot has read its welcome, on its present stream."""
        self._has_failed_to_start = False
        self._decided: PendingAsk | None = None
        """The latest request that the referee has decided for the bot."""
        self._changed = asyncio.Event()
        """Set when `play` has to look what to do."""
        self._turns = SeatTurns(tools.pool, tools.registry.clock, tools.threads, self._look)

    @property
    def is_over(self) -> bool:
        """Whether the match is over for this runner: it ended, moved away, or was forgotten."""
        return self._over.is_set()

    # Messages

    def receive(self, envelope: ToBot) -> None:
        """Handle an envelope for this seat."""
        self._touched_ns = self._tools.registry.clock.now()
        if envelope.epoch < self._epoch:
            self._tools.notices.refuse(envelope, WireReason.STALE_EPOCH)
            return
        self._epoch = envelope.epoch
        if envelope.final and not envelope.payload:
            log.info("seat_taken_over", match=self.match, presence=self.session, epoch=self._epoch)
            self.finish()
            return
        if self._is_fed:
            self._feed(envelope)
            return
        if envelope.final:
            self.finish()
        elif envelope.ask:
            self._held = [held for held in self._held if not held.ask]
        self._held = [*self._held, envelope][-MOST_HELD:]

    def _feed(self, envelope: ToBot) -> None:
        registry = self._tools.registry
        registry.receive(replace(envelope, session=self.id))
        if envelope.ask:
            self._changed.set()
            return
        session = registry.get(self.id)
        if envelope.final and (session is None or session.stream is None):
            self.finish()
        elif ServerMessage.FromString(envelope.payload).WhichOneof("kind") == "fault":
            # The referee has decided for the bot, which must not think on.
            self._decided = self._ask()
            self._rest_soon()

    def probe(self, probe: ToBot) -> None:
        """Report which request is pending for the bot, and for how long it has had it."""
        if self._is_fed:
            self.settle()
            self._tools.registry.receive(replace(probe, session=probe.session.replace(self.session, self.id)))
        else:
            index = next((held.index for held in reversed(self._held) if held.ask), NO_ASK)
            self._tools.notices.answer_probe(probe, index, 0, 0)

    def refuse(self, reason: WireReason) -> None:
        """Notify the worker that messages that were held back do not reach the bot."""
        for envelope in [held for held in self._held if held.ask]:
            self._tools.notices.refuse(envelope, reason)
        self._held.clear()

    def settle(self) -> None:
        """Bring up to date what the bot is charged for its pending request."""
        if self._bot is not None and (seat := self._bot.seats.get(self.match)) is not None:
            self._turns.settle(seat.ask, self._tools.registry.clock.heard())

    def finish_if_idle(self, oldest_ns: int) -> None:
        """Return the match if no worker has sent anything since then. A worker that lives asks again."""
        if self._touched_ns < oldest_ns:
            log.warning("seat_forgotten", match=self.match, presence=self.session)
            self.finish()

    # Events of the registry

    def arrived(self) -> None:
        """Handle a hello: the bot has a stream."""
        if self.is_over:
            return
        self._is_greeted = False
        self._has_stream = True
        self._bot = self._bot_session()
        self._give_held()
        self._changed.set()

    def changed(self) -> None:
        """Look whether the bot still has its match and its stream."""
        session = self._bot_session()
        if session is None or (self._is_fed and self.match not in session.seats):
            self.finish()
        elif session.stream is None and self._has_stream:
            self._has_stream = False
            self._turns.lose_stream()
            self.settle()
        self._changed.set()

    def finish(self) -> None:
        """End the sandbox: the match is over for this runner."""
        self._over.set()
        if self._sandbox is not None:
            self._sandbox.kill()
        self._changed.set()

    def _greeted(self) -> None:
        self._is_greeted = True
        self._changed.set()

    def _give_held(self) -> None:
        if not self._is_fed:
            self._is_fed = True
            held, self._held = self._held, []
            for envelope in held:
                self._feed(envelope)

    def _bot_session(self) -> BotSession | None:
        return self._tools.registry.get(self.id)

    def _ask(self) -> PendingAsk | None:
        """Return the pending request, also if the bot has no stream."""
        session = self._bot_session()
        seat = session.seats.get(self.match) if session is not None else None
        return seat.ask if seat is not None else None

    def _rest_soon(self) -> None:
        self._resting = asyncio.create_task(self._turns.rest())

    def _look(self, use: CoreUse) -> None:
        """Look at the bot while it runs."""
        session = self._bot_session()
        seat = session.seats.get(self.match) if session is not None else None
        is_started = self._is_greeted and session is not None and session.stream is not None
        if seat is not None and seat.end is not None:
            if use.charged_s > GOODBYE_S or use.wall_s > LONGEST_GOODBYE_S:
                self.finish()
        elif not (is_started or self._has_failed_to_start) and (
            use.processor_s > self._tools.limits.start_processor_s
            or use.slept_s > self._tools.limits.start_wall_s
            or use.wall_s > LONGEST_START * self._tools.limits.start_wall_s
        ):
            self._has_failed_to_start = True
            if self._sandbox is not None:
                self._sandbox.kill()

    # The task

    async def play(self) -> None:
        """Play the seat until the match is over for this runner."""
        try:
            if not await self._take_place():
                return
            try:
                await self._play_here()
            finally:
                self._tools.places.release()
            if self._is_dead:
                # The bot is started no more. Its stream stays lost until the worker ends the match.
                await self._over.wait()
        finally:
            self._over.set()
            if (session := self._bot_session()) is not None:
                self._tools.registry.return_session(session)

    async def _take_place(self) -> bool:
        """Wait for a place. Return false if the match is over before, or the offer has expired."""
        offer = next((held for held in self._held if held.index == OFFER_INDEX and held.ask), None)
        with ExitStack() as stack:
            if offer is not None:
                seconds = most_time_ms(offer.payload) / 1000
                stack.callback(asyncio.get_running_loop().call_later(seconds, self._expire).cancel)
            return bool(await self._unless_over(self._tools.places.acquire()))

    def _expire(self) -> None:
        self.refuse(WireReason.TOO_MANY_MATCHES)
        self.finish()

    async def _unless_over(self, doing: Coroutine[Any, Any, Result]) -> Result | None:
        """Return the result of `doing`; `None` if the match is over before."""
        task, over = asyncio.create_task(doing), asyncio.create_task(self._over.wait())
        try:
            await asyncio.wait([task, over], return_when=asyncio.FIRST_COMPLETED)
            return task.result() if task.done() else None
        finally:
            task.cancel()
            over.cancel()

    async def _play_here(self) -> None:
        """Start the bot, again and again if it ends, at most `STARTS` times by its own fault."""
        failures, pause_s = 0, RETRY_S
        while failures < STARTS:
            started_at_ns = time.time_ns()
            try:
                verdict = await self._play_sandbox()
            except (BundleError, CallRefused) as error:
                log.error("image_not_available", match=self.match, image=self._version.image, why=str(error))
                self.finish()
                self._tools.withhold(self.session)
                self.refuse(WireReason.GOING_DOWN)
                return
            except Exception as error:
                log.exception("sandbox_not_started", match=self.match, error=str(error))
                verdict = None
            fault = await self._reported(verdict, started_at_ns) if verdict is not None else None
            if self.is_over:
                return
            if fault is not None:
                failures += 1
                self._lose_bot()
            elif self._is_fed:
                # Its worker asks again, here or elsewhere, and the bot is not charged.
                return
            else:
                await self._unless_over(asyncio.sleep(pause_s))
                pause_s = min(2 * pause_s, LONGEST_RETRY_S)
        self._is_dead = True
        log.info("bot_given_up", match=self.match, presence=self.session)

    def _lose_bot(self) -> None:
        """Charge a bot that has ended before its hello for its absence, like one whose stream is lost."""
        if self._bot_session() is None:
            self._tools.registry.expect(self._presence())
            self._bot = self._bot_session()
        self._give_held()

    async def _play_sandbox(self) -> SandboxVerdict | None:
        """Start one sandbox, and return the verdict on it; `None` if the match is over before it starts."""
        tools, version = self._tools, self._version
        identity = Identity(0, version.bot, version.bot_name, version.owner, version.is_house, version.version, self.id)
        stream_type = partial(SandboxStream, self.match, self._turns, self.settle, self._greeted)
        door = SandboxDoor(tools.folder, identity, tools.registry, tools.connections, stream_type)
        self._is_greeted = self._has_failed_to_start = False
        async with AsyncExitStack() as stack:
            files = await self._unless_over(stack.enter_async_context(bot_files(tools.images, version.image)))
            if files is None:
                return None
            stack.push_async_callback(self._turns.rest)
            stack.push_async_callback(door.close)
            await door.open()
            launch = partial(
                start, resolve_command(version.command), files.mounts(door.socket),
                bot_limits(version.memory_bytes), environment={**BOT_ENVIRONMENT, "ARENA_TOKEN": door.secret},
            )  # fmt: skip
            self._tally.sandboxes += 1
            begun = time.monotonic()
            sandbox = self._sandbox = await self._turns.start(launch)
            try:
                return await self._watch(sandbox, begun)
            finally:
                sandbox.kill()
                self._sandbox = None

    async def _watch(self, sandbox: RunningSandbox, begun: float) -> SandboxVerdict:
        """Let the bot run when it has something to do, until it ends."""
        ended = asyncio.get_running_loop().run_in_executor(self._tools.threads, sandbox.wait)
        was_greeted = False
        while not ended.done():
            self._changed.clear()
            if self.is_over:
                sandbox.kill()
            doing: asyncio.Task[None] | None = None
            session = self._bot_session()
            if self._is_greeted and not was_greeted:
                was_greeted = True
                metrics.START.observe(time.monotonic() - begun)
            is_lost, ask = session is not None and session.stream is None, self._ask()
            if is_lost and ask is not None and ask is not self._decided and not self.is_over:
                # It dials again while its absence is charged, and not in its opponent's time.
                doing = asyncio.create_task(self._turns.run())
            elif self._is_greeted:
                doing = asyncio.create_task(self._turns.rest(if_idle=True))
            change = asyncio.create_task(self._changed.wait())
            waiting: list[asyncio.Future[Any]] = [ended, change]
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            change.cancel()
            if doing is not None:
                doing.cancel()
                await asyncio.wait([doing])
        return await ended

    async def _reported(self, verdict: SandboxVerdict, started_at_ns: int) -> HostingFault | str | None:
        """Report the end of a sandbox. Return the fault of the bot, if it is to blame."""
        session = self._bot_session()
        seat = session.seats.get(self.match) if session is not None else None
        decision = seat.ask.index if seat is not None and seat.ask is not None and seat.ask.index >= 0 else None
        fault, words = self._fault(verdict, decision) or ("", "")
        metrics.ENDS.labels(fault).inc()
        log.info("sandbox_ended", match=self.match, presence=self.session, end=verdict.end, fault=fault)
        report = SeatReport(
            match=self.match,
            seat=self._seat,
            number=self._tally.sandboxes,
            version=self._version.version,
            started_at_ns=started_at_ns,
            ended_at_ns=time.time_ns(),
            end=verdict.end,
            limit=verdict.limit,
            exit_code=verdict.exit_code,
            signal=verdict.signal,
            fault=fault,
            fault_text=words,
            decision=decision,
            peak_memory_bytes=verdict.usage.peak_memory_bytes,
            processor_s=verdict.usage.processor_s,
            wall_s=verdict.wall_s,
            stdout=verdict.stdout.text(),
            stderr=verdict.stderr.text(),
            decisions=tuple(self._turns.costs.values()),
        )
        await self._tools.report(report)
        return fault or None

    def _fault(self, verdict: SandboxVerdict, decision: int | None) -> tuple[HostingFault, str] | None:
        """Return the fault of a bot whose sandbox has ended, and the fault in words; `None` if it is not to blame."""
        if self.is_over:
            return None
        limits = self._tools.limits
        if self._has_failed_to_start:
            return HostingFault.START_FAILED, (
                f"killed: it did not say hello within {limits.start_processor_s:g} s of processor time, or slept for"
                f" {limits.start_wall_s:g} s (the limits of this arena)"
            )
        if found := fault_of(verdict, bot_limits(self._version.memory_bytes), decision):
            return found
        if verdict.end is SandboxEnd.CRASHED:
            self._tally.excused += 1
            if self._tally.excused > EXCUSED:
                return HostingFault.CRASHED, "its program was killed by SIGKILL again and again"
        return None

    def _presence(self) -> Presence:
        version = self._version
        return Presence(
            self.id, self._tools.registry.gateway, version.bot, version.version, version.owner, process="hosted",
            is_house=version.is_house, wants_legal=version.wants_legal,
        )  # fmt: skip
