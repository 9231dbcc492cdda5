"""The capacity of a runner: how many hosted matches it plays at once, and where more of them gain nothing.

A real runner process plays hosted bots in its sandboxes. This process is all else that a runner needs: the gateway that
it calls, the worker that asks its bots, and a Redis of its own. Each step has twice as many matches at once as the step
before. A match has two hosted seats, which decide in turns, and is followed by a new one.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final

import grpc.aio

from arena.bus import OFFER_INDEX, AsyncBus, FromBot, Presence, ToBot
from arena.gateway.connections import Connections
from arena.gateway.limits import GatewayLimits, RunnerServiceLimits
from arena.gateway.runners import RunnerRefused, RunnerService
from arena.host.redis_address import redis_server
from arena.host.sockets import Proxies
from arena.hosting.bundle import Bundle, pack
from arena.hosting.limits import DEFAULT_LIMITS
from arena.hosting.messages import HostedVersionInfo, HostedVersions, RunnerErrorReason, RunnerFacts, SeatReport
from arena.load.quantiles import Quantiles
from arena.rules import Game, Ruleset, view
from arena.wire.v1.bot_pb2 import DecisionRequest, MatchEnd, Offer, ServerMessage
from arena.wire.views import encode_view

DECISIONS: Final = 40
"""Decisions of a match, which both seats share."""
PLACES_A_MATCH: Final = 4
"""Places of the runner for each match at once: two seats, and those of the match before, which may still end."""
GAIN: Final = 1.1
"""A step saturates the runner if it has not this many times the decisions a second of the step before."""
MEMORY_EVERY_S: Final = 0.5
WAIT_S: Final = 120.0
"""Seconds for which a runner or a bot may say nothing."""
BOT: Final = """
import time
from arena.bots import Bot, run

class Thinker(Bot):
    wants_legal = True

    def choose(self, view, legal):
        end = time.process_time() + {think_s!r}
        while time.process_time() < end:
            pass
        return legal[0]

run(Thinker)
"""


class CapacityError(Exception):
    """The machine cannot run the test. The message says why."""


@dataclass(frozen=True, slots=True)
class CapacityPlan:
    """Parameters of a test."""

    matches: int
    """Greatest number of matches at once."""
    seconds: float
    """Seconds of each step."""
    think_s: float
    """Processor time of a bot for each decision."""
    cores: tuple[int, ...]
    """Cores that the runner gives to bots."""


@dataclass(slots=True)
class CapacityStep:
    """Measurements with one number of matches at once."""

    matches: int
    seconds: float = 0.0
    """Time for which it was measured."""
    measured_decisions: int = 0
    measured_starts: int = 0
    decisions: int = 0
    """All decisions, those before and after the measurement included."""
    starts: Quantiles = field(default_factory=Quantiles)
    """Times from an offer to the bot's answer, its start included."""
    waits: Quantiles = field(default_factory=Quantiles)
    """Times for which requests waited for a core."""
    charged: Quantiles = field(default_factory=Quantiles)
    processor_s: float = 0.0
    """Processor time of the runner itself."""
    memory_bytes: int = 0
    """Greatest memory of the runner and of all its bots together."""

    @property
    def rate(self) -> float:
        """Decisions a second."""
        return self.measured_decisions / self.seconds

    def document(self) -> dict[str, Any]:
        """Return the measurements, for people and programs."""
        return {
            "matches": self.matches,
            "decisions_a_second": round(self.rate, 1),
            "starts_a_second": round(self.measured_starts / self.seconds, 2),
            "start_ms": self.starts.document(),
            "wait_for_core_ms": self.waits.document(),
            "charged_ms": self.charged.document(),
            "runner_ms_a_decision": round(1e3 * self.processor_s / max(1, self.measured_decisions), 2),
            "memory_mb": round(self.memory_bytes / 2**20),
        }


class OneImage:
    """The server's side of the runner service, for hosted versions of one image and no jobs."""

    def __init__(self, bundle: Bundle, versions: int) -> None:
        self.token = secrets.token_urlsafe(32)
        self._bundle = bundle
        self._versions = HostedVersions(
            versions=tuple(
                HostedVersionInfo(
                    version=number, bot=number, owner=number, image=bundle.sha256, command=bundle.manifest.command,
                    memory_bytes=bundle.manifest.memory_bytes, wants_legal=True,
                )
                for number in range(1, versions + 1)
            )
        )  # fmt: skip
        self.reports: list[SeatReport] = []

    async def runner_of(self, token: str) -> int | None:
        """Return the id of the only runner."""
        return 1 if secrets.compare_digest(token, self.token) else None

    async def hosted(self, runner: int, facts: RunnerFacts) -> HostedVersions:
        """Return the versions."""
        return self._versions

    async def take_job(self, runner: int, key: str) -> None:
        """Return no job."""

    async def take_trial(self, runner: int, key: str) -> None:
        """Return no trial."""

    async def copy_blob(self, sha256: str, target: IO[bytes]) -> None:
        """Write the image."""
        with self._bundle.packed.open("rb") as source:
            await asyncio.to_thread(shutil.copyfileobj, source, target)

    async def record_seat(self, runner: int, report: SeatReport) -> None:
        """Keep the report."""
        self.reports.append(report)

    async def refuse(self, runner: int, *about: Any) -> None:
        """Refuse a call about a job."""
        raise RunnerRefused(RunnerErrorReason.JOB_LOST, "there are no jobs")

    append_log = store_image = finish_build = finish_job = fail_job = return_job = refuse
    note_trial = finish_trial = return_trial = refuse

    def close(self) -> None:
        """Do nothing."""


async def measure_capacity(plan: CapacityPlan) -> list[CapacityStep]:
    """Run the test. Return its steps, up to the one that saturates the runner or has the greatest number of matches.

    Raise `CapacityError`.
    """
    with tempfile.TemporaryDirectory(prefix="arena-capacity-") as name:
        folder = Path(name)
        folder.chmod(0o711)
        source = folder / "bot.py"
        source.write_text(BOT.format(think_s=plan.think_s))
        hosting = OneImage(pack(source, source.name, folder / "bundle", DEFAULT_LIMITS), 2)
        with _redis(folder) as redis_url:
            async with _serving(hosting) as gateway, _runner(plan, hosting, gateway, redis_url, folder) as process:
                return await _steps(plan, AsyncBus(redis_url), process)


async def _steps(plan: CapacityPlan, bus: AsyncBus, process: subprocess.Popen[bytes]) -> list[CapacityStep]:
    worker = _Worker(bus)
    try:
        sessions = await _sessions(bus, process)
        steps: list[CapacityStep] = []
        matches = 1
        while matches <= plan.matches:
            step = CapacityStep(matches)
            await _play_step(plan, step, worker, sessions, process)
            steps.append(step)
            if len(steps) > 1 and is_saturated(steps[-2], step):
                break
            matches *= 2
        return steps
    finally:
        await worker.close()


def is_saturated(before: CapacityStep, step: CapacityStep) -> bool:
    """Return whether a step with more matches has gained nothing over the one before."""
    return step.rate < GAIN * before.rate


def capacity_document(plan: CapacityPlan, steps: Sequence[CapacityStep]) -> dict[str, Any]:
    """Return the report, for people and programs."""
    is_over = len(steps) > 1 and is_saturated(steps[-2], steps[-1])
    best = max(steps, key=lambda step: step.rate)
    return {
        "cores": len(plan.cores),
        "think_ms": round(1e3 * plan.think_s, 1),
        "decisions_a_match": DECISIONS,
        "seconds_a_step": plan.seconds,
        "steps": [step.document() for step in steps],
        "capacity": best.document(),
        "saturated_at": steps[-2].matches if is_over else None,
    }


def capacity_text(report: Mapping[str, Any]) -> str:
    """Return the report as text."""
    lines = [
        f"a runner with {report['cores']} cores; bots compute {report['think_ms']:g} ms for a decision;"
        f" {report['decisions_a_match']} decisions a match",
        "matches  decisions/s  starts/s  start p50  wait for a core p50, p99  memory  runner's own time",
    ]
    for step in report["steps"]:
        start, wait = step["start_ms"]["p50"], step["wait_for_core_ms"]
        lines.append(
            f"{step['matches']:7}  {step['decisions_a_second']:11.1f}  {step['starts_a_second']:8.2f}"
            f"  {(start or 0) / 1e3:7.2f} s  {wait['p50'] or 0:10.1f} ms, {wait['p99'] or 0:7.1f} ms"
            f"  {step['memory_mb']:3} MB  {step['runner_ms_a_decision']:.1f} ms a decision"
        )
    at = report["saturated_at"]
    lines.append(f"more matches at once than {at} gain nothing" if at else "it is not saturated: try more --matches")
    return "\n".join(lines)


async def _play_step(
    plan: CapacityPlan,
    step: CapacityStep,
    worker: _Worker,
    sessions: Sequence[Presence],
    process: subprocess.Popen[bytes],
) -> None:
    """Play as many matches at once as the step has. It is measured once all of them have started."""
    have_started, ends = asyncio.Barrier(step.matches + 1), asyncio.Event()
    tables = [
        asyncio.create_task(_play_table(step, worker, _seats(sessions), have_started, ends))
        for _ in range(step.matches)
    ]
    timing = asyncio.create_task(_measure(plan, step, process, have_started))
    try:
        await asyncio.wait([timing, *tables], return_when=asyncio.FIRST_COMPLETED)
        ends.set()
        await asyncio.wait(tables, return_when=asyncio.FIRST_EXCEPTION)
    finally:
        for task in (timing, *tables):
            task.cancel()
    results = await asyncio.gather(timing, *tables, return_exceptions=True)
    for result in results:
        if isinstance(result, Exception):
            raise CapacityError(f"a match did not go on: {result or type(result).__name__}") from result


async def _measure(
    plan: CapacityPlan, step: CapacityStep, process: subprocess.Popen[bytes], have_started: asyncio.Barrier
) -> None:
    """Wait until all matches have started, and measure what the runner does from then on."""
    await have_started.wait()
    begun, decisions, starts, used_s = time.monotonic(), step.decisions, step.starts.count, _processor_s(process.pid)
    while (left := begun + plan.seconds - time.monotonic()) > 0:
        step.memory_bytes = max(step.memory_bytes, await asyncio.to_thread(_memory_of_tree, process.pid))
        await asyncio.sleep(min(left, MEMORY_EVERY_S))
    step.seconds = time.monotonic() - begun
    step.measured_decisions, step.measured_starts = step.decisions - decisions, step.starts.count - starts
    step.processor_s = _processor_s(process.pid) - used_s


async def _play_table(
    step: CapacityStep,
    worker: _Worker,
    seats: Sequence[tuple[int, Presence]],
    have_started: asyncio.Barrier,
    ends: asyncio.Event,
) -> None:
    """Play one match after the other."""
    is_first = True
    while not ends.is_set():
        match = secrets.token_hex(8)
        offer = ServerMessage(offer=Offer(match_id=match, answer_within_ms=int(1e3 * WAIT_S)))
        await asyncio.gather(*(_start(step, worker, seat, session, match, offer) for seat, session in seats))
        if is_first:
            await have_started.wait()
        is_first = False
        request = _request(match)
        for index in range(DECISIONS):
            if ends.is_set():
                break
            request.index = index
            seat, session = seats[index % len(seats)]
            answer = await worker.ask(session, match, seat, index, ServerMessage(request=request))
            step.decisions += 1
            step.charged.add(answer.think_ns / 1e9)
            step.waits.add(answer.queue_ns / 1e9)
        over = ServerMessage(match_end=MatchEnd(match_id=match))
        for seat, session in seats:
            await worker.send(session, match, seat, over, final=True)


async def _start(
    step: CapacityStep, worker: _Worker, seat: int, session: Presence, match: str, offer: ServerMessage
) -> None:
    begun = time.monotonic()
    await worker.ask(session, match, seat, OFFER_INDEX, offer)
    step.starts.add(time.monotonic() - begun)


def _seats(sessions: Sequence[Presence]) -> list[tuple[int, Presence]]:
    return list(enumerate(sessions, start=1))


def _request(match: str) -> DecisionRequest:
    """Return a request for the first decision of a game."""
    state = Game(Ruleset(2), match.encode().ljust(32)).state
    return DecisionRequest(
        match_id=match, seat=state.to_act, view=encode_view(view(state, state.to_act)),
        legal=[str(action) for action in state.legal], bank_ms=600_000, cap_ms=600_000, grace_ms=60_000,
    )  # fmt: skip


class _Worker:
    """The worker's end of the bus."""

    def __init__(self, bus: AsyncBus) -> None:
        self._bus = bus
        self._name = f"worker-{secrets.token_hex(4)}"
        self._waiting: dict[tuple[str, int, int], asyncio.Future[FromBot]] = {}
        self._reading = asyncio.create_task(self._read())

    async def send(self, session: Presence, match: str, seat: int, message: ServerMessage, **more: Any) -> None:
        payload = message.SerializeToString()
        envelope = ToBot(session.id, match, seat=seat, epoch=1, reply_to=self._name, payload=payload, **more)
        await self._bus.send_to_gateway(session.gateway, envelope)

    async def ask(self, session: Presence, match: str, seat: int, index: int, message: ServerMessage) -> FromBot:
        """Send a request, and return the bot's answer."""
        key = (match, seat, index)
        self._waiting[key] = asyncio.get_running_loop().create_future()
        try:
            await self.send(session, match, seat, message, ask=True, index=index)
            async with asyncio.timeout(WAIT_S):
                return await self._waiting[key]
        finally:
            del self._waiting[key]

    async def _read(self) -> None:
        while True:
            for message in await self._bus.receive_for_worker(self._name, 1.0):
                waiting = self._waiting.get((message.match, message.seat, message.index))
                if waiting is None or waiting.done():
                    continue
                if message.kind == "message":
                    waiting.set_result(message)
                else:
                    waiting.set_exception(CapacityError(f"{message.kind} {message.reason}"))

    async def close(self) -> None:
        self._reading.cancel()
        await asyncio.wait([self._reading])
        await self._bus.close()


async def _sessions(bus: AsyncBus, process: subprocess.Popen[bytes]) -> list[Presence]:
    """Return the sessions of both hosted versions, once the runner has announced them."""
    async with asyncio.timeout(WAIT_S):
        while len(found := await bus.presences()) < 2:
            if process.poll() is not None:
                raise CapacityError(f"the runner has ended with exit code {process.returncode}")
            await asyncio.sleep(0.1)
    return found


def _processor_s(pid: int) -> float:
    """Return the processor time of a process without its children, in seconds."""
    values = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(values[11]) + int(values[12])) / os.sysconf("SC_CLK_TCK")


def _memory_of_tree(pid: int) -> int:
    """Return the memory of a process and all its descendants, in bytes. Shared pages are counted in parts."""
    total, waiting = 0, [pid]
    while waiting:
        one = waiting.pop()
        with suppress(OSError):  # it may have ended
            for task in Path(f"/proc/{one}/task").iterdir():
                waiting += map(int, (task / "children").read_text().split())
            rows = Path(f"/proc/{one}/smaps_rollup").read_text().splitlines()
            total += sum(1024 * int(row.split()[1]) for row in rows if row.startswith("Pss:"))
    return total


@contextmanager
def _redis(folder: Path) -> Iterator[str]:
    """Run a Redis of its own."""
    if (program := redis_server()) is None:
        raise CapacityError("there is no redis-server here: install it (Debian: apt-get install redis-server)")
    path = f"{folder}/redis.sock"
    where = ["--port", "0", "--unixsocket", path, "--unixsocketperm", "700"]  # no TCP port: there is no password
    command = [program, *where, "--save", "", "--dir", str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)  # noqa: S603 - a constant program
    try:
        deadline = time.monotonic() + WAIT_S
        while True:
            with suppress(OSError), socket.socket(socket.AF_UNIX) as probe:
                probe.connect(path)
                break
            if process.poll() is not None or time.monotonic() > deadline:
                raise CapacityError("redis-server does not start")
            time.sleep(0.05)
        yield f"unix://{path}?db=0"
    finally:
        process.kill()
        process.wait()


@asynccontextmanager
async def _serving(hosting: OneImage) -> AsyncIterator[str]:
    """Serve the runner. Yield the address."""
    server = grpc.aio.server()
    limits = GatewayLimits()
    service = RunnerService(hosting, Connections(limits, Proxies()), limits, RunnerServiceLimits())
    server.add_generic_rpc_handlers(service.handlers())
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        await server.stop(None)
        service.close()


@asynccontextmanager
async def _runner(
    plan: CapacityPlan, hosting: OneImage, gateway: str, redis_url: str, folder: Path
) -> AsyncIterator[subprocess.Popen[bytes]]:
    """Run a runner process. It may be on a machine that does not suit bots of strangers."""
    command = [
        sys.executable, "-m", "arena.runner", "--gateway", gateway, "--for-friends", "--folder", str(folder / "runner"),
        "--cores", ",".join(map(str, plan.cores)), "--places", str(PLACES_A_MATCH * plan.matches),
    ]  # fmt: skip
    variables = {"REDIS_URL": redis_url, "ARENA_RUNNER_TOKEN": hosting.token, "ARENA_LOG_LEVEL": "ERROR"}
    process = subprocess.Popen(command, env={**os.environ, **variables}, stdout=subprocess.DEVNULL)  # noqa: S603
    try:
        yield process
    finally:
        process.terminate()
        try:
            await asyncio.to_thread(process.wait, 30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
