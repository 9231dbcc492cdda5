"""The orchestrator: starts, kills and restarts the processes of an arena, and reports the fate of its matches."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, Self

from tests.kit.arena.database import empty_sqlite, using
from tests.kit.arena.play import Bots, Play
from tests.kit.arena.process import Forge, Process
from tests.kit.ports import ReservedPort
from tests.kit.postgres_server import PostgresServer
from tests.kit.redis_server import RedisServer
from tests.kit.until import until
from webui.accounts import actions as account_actions
from webui.bots import actions as bot_actions
from webui.bots import token_actions
from webui.settings.storage import broker_options, broker_url

LEASE_S = 5.0
"""Lease of a deployment; all other times are those of a deployment, too.

A shorter lease saves seconds at every death of a worker. But living workers lose it where many tests share a
processor.
"""


class Arena(Play):
    """Redis, a database, gateways, workers, sweeper and bots, all of them processes. It is a context manager."""

    def __init__(
        self, database: str = "sqlite", *, gateways: int = 1, think_s: float = 0, modules: Sequence[str] = ()
    ) -> None:
        """`modules` are imported where the processes are forked, in addition to those that all roles need."""
        super().__init__(think_s=think_s)
        self._modules = modules
        self.database = database
        self.redis = RedisServer(aof=True)
        self.postgres: PostgresServer | None = None
        self.postgres_environment: dict[str, str] = {}
        """Variables of PostgreSQL, in addition to our own."""
        self.process_environment: dict[str, str] = {}
        """Variables of all processes of ours, in addition to those of an arena."""
        self._ports = [ReservedPort() for _ in range(gateways)]
        self.ports = [port.number for port in self._ports]
        self.gateways: list[Process] = []
        self.workers: list[Process] = []
        self.upkeep: Process | None = None
        self._tokens: dict[str, tuple[str, int, int]] = {}
        """Token, version and port of each bot."""
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            for port in self._ports:
                stack.enter_context(port)
            stack.callback(shutil.rmtree, self.directory, ignore_errors=True)
            stack.enter_context(self.redis)
            if self.database == "postgres":
                self.postgres = PostgresServer(durable=True, tables=True)
                self.postgres.environment = self.postgres_environment
                stack.enter_context(self.postgres)
                url = self.postgres.url
            else:
                file = self.directory / "arena.sqlite3"
                empty_sqlite(file)
                url = f"sqlite:///{file}"
            self.environment = {
                "DATABASE_URL": url,
                "REDIS_URL": self.redis.url,
                "ARENA_VAR": str(self.directory),
                "ARENA_LEASE_SECONDS": str(LEASE_S),
                "ARENA_MATCHES": "0",  # the test makes them
            }
            stack.enter_context(using(url))
            stack.enter_context(tasks_go_to(self.redis.url))
            variables = {**self.environment, **self.process_environment}
            self.forge = stack.enter_context(Forge(self.directory, *self._modules, **variables))
            self.gateways = [self.start_gateway(number) for number in range(len(self.ports))]
            self.upkeep = self.forge.start("upkeep")
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.__exit__(None, None, None)

    @property
    def redis_url(self) -> str:
        return self.redis.url

    # Processes

    def start_gateway(self, number: int) -> Process:
        """Start the gateway of this number, at its address."""
        process = self.forge.start("gateway", listen=f"127.0.0.1:{self.ports[number]}")
        until(lambda: process.said("listens on port") or not process.is_alive, "a gateway that listens")
        assert process.is_alive, process.log.read_text()
        return process

    def start_worker(self, **spec: Any) -> Process:
        """Start a worker; see `roles.worker`."""
        process = self.forge.start("worker", **{"lease_s": LEASE_S, **spec})
        self.workers.append(process)
        return process

    @contextmanager
    def working(self, count: int = 1, **spec: Any) -> Iterator[list[Process]]:
        """Run `count` workers until the end of the block."""
        workers = [self.start_worker(**spec) for _ in range(count)]
        try:
            yield workers
        finally:
            for process in workers:
                process.kill()

    def start_bot(self, name: str, *, through: int | None = None) -> Process:
        """Start a process of the bot with this name. It is identified by its bot, its token and its name.

        It connects to the port `through`, which leads to a gateway, or directly to the gateway.
        """
        if name not in self._tokens:
            owner = account_actions.create_user(f"owner-of-{name}", None)
            bot = bot_actions.register_bot(owner, name)
            port = through or self.ports[len(self._tokens) % len(self.ports)]
            self._tokens[name] = (token_actions.issue_token(bot).token, bot_actions.register_version(bot, "1"), port)
        token, _, port = self._tokens[name]
        self.bots[name] = self.forge.start(
            "bot", server=f"127.0.0.1:{port}", token=token, process=name, gates=str(self.gates), think_s=self.think_s
        )
        return self.bots[name]

    def seat(self, *names: str, through: int | None = None) -> Bots:
        """Start bots, and wait until they are ready for matches. For `through` see `start_bot`."""
        for name in names:
            self.start_bot(name, through=through)
        versions = tuple(self._tokens[name][1] for name in names)
        until(lambda: set(versions) <= self.present(), "the bots' coming")
        return Bots(versions, names)


@contextmanager
def tasks_go_to(url: str) -> Iterator[None]:
    """Send the tasks of this process to the arena's Redis."""
    from django.test.utils import override_settings

    from webui.matches import dispatching

    dispatching._producer.cache_clear()
    try:
        with override_settings(REDIS_URL=url, BROKER_URL=broker_url(url), BROKER_TRANSPORT_OPTIONS=broker_options(url)):
            yield
    finally:
        dispatching._producer.cache_clear()
