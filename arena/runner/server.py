"""The runner process: its mailbox, its seats and its tasks, from start to drain."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Awaitable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol

import structlog

from arena.bus import AsyncBus, BusUnavailable
from arena.gateway.buslink import BusLink
from arena.gateway.clock import beat, running_clock
from arena.gateway.connections import Connections
from arena.gateway.limits import GatewayLimits
from arena.host.heartbeat import Heartbeat
from arena.host.sockets import Proxies
from arena.hosting.limits import DEFAULT_LIMITS, HostingLimits
from arena.hosting.messages import HostedVersions, SeatReport
from arena.hosting.runtime import bot_runtime
from arena.runner.hosted import HostedSeats
from arena.runner.images import Images
from arena.runner.seat import SeatTools
from arena.sandbox.cores import CorePool

log = structlog.get_logger(__name__)

REFRESH_S: Final = 2.0
"""Seconds between two requests for the hosted versions."""
HEARTBEAT_S: Final = 1.0
DRAIN_FLUSH_S: Final = 1.0
DRAIN_GRACE_S: Final = 1.5
"""Twice the flush plus the grace must stay below the five seconds that a process has to shut down."""
SPARE_THREADS: Final = 8


class Desk(Protocol):
    """Calls to a gateway. `RunnerDesk` makes them."""

    async def hosted(self) -> HostedVersions:
        """Return the versions that runners host now, and whether this runner is paused."""

    async def report_seat(self, report: SeatReport) -> None:
        """Report the end of a sandbox."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunnerConfig:
    """The machine of a runner, and its limits."""

    id: str
    """Its id on the bus, new for every process."""
    redis_url: str
    places: int
    """Number of sandboxes at the same time."""
    limits: GatewayLimits = field(default_factory=GatewayLimits)
    hosting: HostingLimits = DEFAULT_LIMITS
    folder: Path
    """Folder of this runner alone, which other users may enter."""
    heartbeat: Path | None = None


class SandboxRunner:
    """One runner. Create it on its event loop, which should be a `ListeningLoop` for exact times.

    Call `start`, then `wait` (or use it for a while), then `drain`.
    """

    def __init__(self, config: RunnerConfig, desk: Desk, images: Images, pool: CorePool) -> None:
        self.id = config.id
        self._config = config
        self._desk = desk
        self._images = images
        self._pool = pool
        self._bus = AsyncBus(config.redis_url)
        self._buslink = BusLink(self._bus, self.id, config.limits)
        self.seats = HostedSeats(self.id, self._buslink, config.limits, running_clock(), config.places)
        self._folder = config.folder / "sockets"
        self._threads = ThreadPoolExecutor(2 * config.places + SPARE_THREADS, thread_name_prefix="sandboxes")
        self._heartbeat = Heartbeat(config.heartbeat)
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Announce the hosted versions, and play their seats."""
        shutil.rmtree(self._folder, ignore_errors=True)  # left by a runner that was killed
        self._folder.mkdir()
        self._folder.chmod(0o711)  # the users of sandboxes find their own sockets, and list no others
        await asyncio.to_thread(bot_runtime)  # it takes a moment, once
        tools = SeatTools(
            folder=self._folder,
            registry=self.seats.registry,
            connections=Connections(self._config.limits, Proxies()),
            notices=self.seats.notices,
            pool=self._pool,
            places=asyncio.Semaphore(self._config.places),
            threads=self._threads,
            images=self._images,
            limits=self._config.hosting,
            report=self._desk.report_seat,
            withhold=self.seats.withhold,
        )
        self.seats.begin(tools)
        self._tasks = [
            asyncio.create_task(self._refresh(), name="refresh"),
            asyncio.create_task(self._buslink.fetch(self.seats), name="fetch"),
            asyncio.create_task(self._buslink.forward(), name="forward"),
            asyncio.create_task(self._buslink.announce(self.seats), name="announce"),
            asyncio.create_task(beat(self.seats.registry.clock), name="beat"),
            asyncio.create_task(self._show_life(), name="heartbeat"),
        ]
        log.info("runner_started", runner=self.id, places=self._config.places)

    async def _refresh(self) -> None:
        while True:
            hosted = await self._desk.hosted()
            self.seats.host(hosted.versions, is_paused=hosted.is_paused)
            await asyncio.sleep(REFRESH_S)

    async def _show_life(self) -> None:
        while True:
            self._heartbeat.beat()
            await asyncio.sleep(HEARTBEAT_S)

    async def drain(self) -> None:
        """Shut down within five seconds: return all matches to their workers, which ask other runners."""
        log.info("runner_drains", runner=self.id)
        self.seats.withdraw()
        await self._in_time(self._buslink.publish_news(self.seats), "drain_not_announced")
        self.seats.dismiss()
        await self._in_time(self._buslink.flush(), "drain_not_flushed")
        await self._stop()
        log.info("runner_left", runner=self.id)

    @staticmethod
    async def _in_time(doing: Awaitable[None], failure: str) -> None:
        try:
            async with asyncio.timeout(DRAIN_FLUSH_S):
                await doing
        except (BusUnavailable, TimeoutError) as error:
            log.warning(failure, error=repr(error))

    async def kill(self) -> None:
        """Stop without notifying anyone (tests use it to simulate a crash)."""
        self.seats.draining = True
        await self._stop()

    async def wait(self) -> None:
        """Wait until one of the runner's own tasks fails; none of them should."""
        done, _ = await asyncio.wait(self._tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()

    async def _stop(self) -> None:
        self.seats.finish()
        tasks = set(self._tasks)
        while tasks:
            for task in tasks:
                task.cancel()
            # Cancel repeatedly: redis-py swallows a cancellation that coincides with its own timeout.
            _, tasks = await asyncio.wait(tasks, timeout=0.1)
        try:
            async with asyncio.timeout(DRAIN_GRACE_S):
                await self.seats.wait()
        except TimeoutError:
            log.warning("seats_not_closed")  # their sandboxes end with this process
        await self._bus.close()
        self._threads.shutdown(wait=False)
        shutil.rmtree(self._folder, ignore_errors=True)
