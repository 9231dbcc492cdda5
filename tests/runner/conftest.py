"""A runner with real Redis and real sandboxes, and the worker's end of the bus."""

from __future__ import annotations

import asyncio
import os
import secrets
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from textwrap import dedent
from typing import Any

# As in the runner's own main module, before gRPC is loaded: its handlers of forks may stop the threads of streams.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")

import pytest
import pytest_asyncio

from arena.bus import AsyncBus, FromBot, Presence, ToBot, hosted_session, probe_id
from arena.gateway.limits import GatewayLimits
from arena.hosting.archives import BundleError
from arena.hosting.limits import DEFAULT_LIMITS, HostingLimits
from arena.hosting.messages import HostedVersionInfo, HostedVersions, SeatReport
from arena.rules import Game, Ruleset, view
from arena.runner.server import RunnerConfig, SandboxRunner
from arena.sandbox.cores import CorePool
from arena.wire.codec import encode_view
from arena.wire.v1.bot_pb2 import DecisionRequest, MatchEnd, Offer, ServerMessage
from tests.deploy.compose import users_of_redis
from tests.kit.lacking import require_sandboxes
from tests.kit.redis_server import RedisServer, has_selectors
from tests.runner.hosting import open_folder

WAIT_S = 120.0
PASSWORD = "simoom4wells"
RUNNER_USER = "arena_runner"


def runner_users() -> dict[str, list[str]]:
    """Return the runners' user in Redis, with the rules of a deployment; nothing if this Redis is too old for them."""
    users = users_of_redis({"REDIS_RUNNER_PASSWORD": PASSWORD, "REDIS_SITE_PASSWORD": ""})
    return {RUNNER_USER: users[RUNNER_USER]} if has_selectors() else {}


PYTHON = "/usr/bin/python3"

FIRST = """
from arena.bots import Bot, run

class First(Bot):
    wants_legal = True
    def choose(self, view, legal):
        return legal[0]

run(First)
"""


def bot_that(choose: str, *, before: str = "") -> str:
    """Return a bot that runs this code for each decision, and then plays the first legal action."""
    return f"""
import os, sys, time, threading
from arena.bots import Bot, run
class Odd(Bot):
    wants_legal = True
    def choose(self, view, legal):
        index = self.ask.index
        {choose}
        return legal[0]
{before}
run(Odd)
"""


@pytest.fixture(autouse=True)
def _sandboxes() -> None:
    require_sandboxes()


@pytest.fixture(scope="session")
def redis_process() -> Iterator[RedisServer]:
    with RedisServer() as server:
        yield server


@pytest.fixture
def redis(redis_process: RedisServer) -> RedisServer:
    """Return a running, empty Redis."""
    if redis_process.process is None:
        redis_process.start()
    redis_process.flush()
    return redis_process


class Versions:
    """Hosted versions, and their images. It is what a runner needs of its desk and its cache."""

    def __init__(self) -> None:
        self.root = Path("/tmp") / f"arena-images-{secrets.token_hex(6)}"
        self.root.mkdir()
        self.root.chmod(0o755)
        self.listed: list[HostedVersionInfo] = []
        self.reports: list[SeatReport] = []
        self.is_paused = False
        self.is_damaged = False
        """Whether files cannot be had."""

    def add(self, program: str, *, memory_mib: int = 256, **more: Any) -> HostedVersionInfo:
        """Host a bot with this Python program."""
        number = len(self.listed) + 1
        folder = self.root / f"image{number}"
        folder.mkdir()
        folder.chmod(0o755)
        (folder / "bot.py").write_text(dedent(program))
        (folder / "bot.py").chmod(0o644)
        version = HostedVersionInfo(
            version=number, bot=number, bot_name=f"Bot {number}", owner=number, image=folder.name,
            command=(PYTHON, "/bot/bot.py"), memory_bytes=memory_mib << 20, wants_legal=True, **more,
        )  # fmt: skip
        self.listed.append(version)
        return version

    async def hosted(self) -> HostedVersions:
        return HostedVersions(versions=tuple(self.listed), is_paused=self.is_paused)

    async def report_seat(self, report: SeatReport) -> None:
        self.reports.append(report)

    @asynccontextmanager
    async def folder(self, sha256: str) -> AsyncIterator[Path]:
        if self.is_damaged:
            raise BundleError("the archive is damaged")
        yield self.root / sha256


@pytest.fixture
def versions() -> Iterator[Versions]:
    versions = Versions()
    yield versions
    shutil.rmtree(versions.root)


def request_of(match: str, index: int, *, bank_ms: int = 600_000) -> ServerMessage:
    """Return a request for the first decision of a game."""
    state = Game(Ruleset(2), match.encode().ljust(32)).state
    request = DecisionRequest(
        match_id=match, index=index, seat=state.to_act, view=encode_view(view(state, state.to_act)),
        legal=[str(action) for action in state.legal], bank_ms=bank_ms, cap_ms=bank_ms, grace_ms=60_000,
    )  # fmt: skip
    return ServerMessage(request=request)


class RunnerWorker:
    """The worker's end of the bus."""

    def __init__(self, bus: AsyncBus, name: str = "w1") -> None:
        self.bus = bus
        self.name = name
        self._waiting: list[FromBot] = []

    async def send(self, session: Presence, message: ServerMessage, match: str = "m1", **more: Any) -> None:
        fields = {"seat": 1, "epoch": 1, "reply_to": self.name, **more}
        await self.bus.send_to_gateway(
            session.gateway, ToBot(session.id, match, payload=message.SerializeToString(), **fields)
        )

    async def offer(self, session: Presence, match: str = "m1", within_ms: int = 600_000, **more: Any) -> None:
        offer = ServerMessage(offer=Offer(match_id=match, answer_within_ms=within_ms))
        await self.send(session, offer, match, ask=True, index=-1, **more)

    async def ask(self, session: Presence, match: str = "m1", index: int = 0, **more: Any) -> None:
        times = {"bank_ms": more.pop("bank_ms", 600_000)}
        await self.send(session, request_of(match, index, **times), match, ask=True, index=index, **more)

    async def finish(self, session: Presence, match: str = "m1", **more: Any) -> None:
        await self.send(session, ServerMessage(match_end=MatchEnd(match_id=match)), match, final=True, **more)

    async def probe(self, session: Presence, match: str = "m1") -> FromBot:
        """Return the answer to a probe. Other messages wait."""
        name = probe_id(secrets.token_hex(4), session.id)
        await self.bus.send_to_gateway(session.gateway, ToBot(name, match, 1, 1, self.name))
        others = []
        while (message := await self.next()).session != name:
            others.append(message)
        self._waiting = others + self._waiting
        return message

    async def next(self, kind: str | None = None) -> FromBot:
        """Return the next message; only of this kind, if one is named."""
        async with asyncio.timeout(WAIT_S):
            while not self._waiting:
                self._waiting += await self.bus.receive_for_worker(self.name, 1.0)
        message = self._waiting.pop(0)
        assert kind in (None, message.kind), message
        return message


class Hosting:
    """The objects that a test uses."""

    def __init__(self, redis: RedisServer, versions: Versions, stack: AsyncExitStack) -> None:
        self.redis = redis
        self.versions = versions
        self.bus = AsyncBus(redis.url)
        self.worker = RunnerWorker(self.bus)
        self._stack = stack

    async def runner(
        self,
        *,
        cores: tuple[int, ...] = (0,),
        places: int = 4,
        hosting: HostingLimits = DEFAULT_LIMITS,
        **limits: Any,
    ) -> SandboxRunner:
        """Start a runner in this process."""
        config = RunnerConfig(
            id=f"runner-{secrets.token_hex(4)}", redis_url=self.redis.url, places=places,
            hosting=hosting, limits=GatewayLimits(**limits), folder=open_folder(),
        )  # fmt: skip
        self._stack.callback(shutil.rmtree, config.folder)
        runner = SandboxRunner(config, self.versions, self.versions, CorePool(cores))
        await runner.start()
        self._stack.push_async_callback(runner.kill)
        return runner

    async def present(
        self, runner: SandboxRunner, version: int = 1, is_right: Callable[[Presence], bool] = lambda session: True
    ) -> Presence:
        """Return a version's session at a runner, once its announcement satisfies `is_right`."""
        id_ = hosted_session(version, runner.id)

        async def found() -> list[Presence]:
            return [session for session in await self.bus.presences() if session.id == id_ and is_right(session)]

        return (await self.until(found))[0]

    async def until(self, look: Callable[[], Awaitable[Any]]) -> Any:
        async with asyncio.timeout(WAIT_S):
            while not (value := await look()):
                await asyncio.sleep(0.02)
        return value

    async def reports(self, number: int) -> list[SeatReport]:
        """Return the reports on ended sandboxes, once there are that many."""

        async def enough() -> list[SeatReport]:
            return self.versions.reports if len(self.versions.reports) >= number else []

        found: list[SeatReport] = await self.until(enough)
        return found


@pytest_asyncio.fixture(loop_scope="session")  # grpc.aio fails with a new loop for every test
async def hosting(redis: RedisServer, versions: Versions) -> AsyncIterator[Hosting]:
    async with AsyncExitStack() as stack:
        hosting = Hosting(redis, versions, stack)
        stack.push_async_callback(hosting.bus.close)
        yield hosting
