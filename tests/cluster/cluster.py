"""An arena on fifteen machines, whose links and processes can be broken."""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Self

from tests.cluster.servers import MASTER_NAME, POSTGRES_PORT, SENTINEL_PORT, PostgresNode, RedisNode
from tests.kit.arena.arena import LEASE_S, tasks_go_to
from tests.kit.arena.database import using
from tests.kit.arena.play import Bots, Play
from tests.kit.arena.process import Forge, Process
from tests.kit.machines import Machine, Network
from tests.kit.until import until
from webui.accounts import actions as account_actions
from webui.bots import actions as bot_actions
from webui.bots import token_actions
from webui.matches.models import ENDED, LogRow, Match, MatchState

POSTGRES: Final = ("postgres-1", "postgres-2")
REDIS: Final = ("redis-1", "redis-2", "redis-3")
GATEWAYS: Final = ("gateway-1", "gateway-2")
REFEREES: Final = ("referee-1", "referee-2", "referee-3")
SITES: Final = ("site-1", "site-2")
OURS: Final = (*GATEWAYS, *REFEREES, *SITES, "upkeep")
MACHINES: Final = (*POSTGRES, *REDIS, *OURS, "bots")
GATEWAY_PORT: Final = 50051
SITE_PORT: Final = 8000
BOTS: Final = ("ada", "bob")
THREADS: Final = 20


class Cluster(Play):
    """The machines and everything that runs on them; a context manager."""

    def __init__(self, *, think_s: float) -> None:
        super().__init__(think_s=think_s)
        self.network = Network(MACHINES)
        self.postgres: dict[str, PostgresNode] = {}
        self.redis: dict[str, RedisNode] = {}
        self.primary = POSTGRES[0]
        self.processes: dict[str, Process] = {}
        self.seats = Bots((), ())
        self._tokens: dict[str, str] = {}
        self._stack = ExitStack()
        self._of_primary = ExitStack()
        self._of_master: tuple[str, ExitStack] = ("", ExitStack())

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            stack.callback(shutil.rmtree, self.directory, ignore_errors=True)
            stack.enter_context(self.network)
            for name in REDIS:
                node = RedisNode(self.network[name], self.network[REDIS[0]])
                self.redis[name] = node
                stack.callback(node.stop)
                node.boot()
            for name in POSTGRES:
                server = PostgresNode(self.network[name], is_primary=name == self.primary)
                self.postgres[name] = server
                stack.callback(server.stop)
            self.postgres[self.primary].boot()
            self.postgres[POSTGRES[1]].follow(self.postgres[self.primary])
            stack.callback(lambda: self._of_primary.close())
            stack.callback(lambda: self._of_master[1].close())
            self._use_primary()
            until(lambda: any(node.knows_replicas(2) for node in self.redis.values()), "Redis and its replicas")
            self.forge = stack.enter_context(
                Forge(self.directory, "workers.app", "webui.commands.site", "webui.asgi", **self.environment())
            )
            for name in OURS:
                self.start(name)
            self._register_bots()
            self.start("bots")
            until(lambda: set(self.seats.versions) <= self.present(), "the bots' coming")
            for name in OURS:
                until(lambda: self.works(name), f"{name} at work", 600)  # noqa: B023
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.__exit__(None, None, None)

    def keep_logs(self, folder: Path) -> None:
        """Copy the logs of all processes to a directory, whose name gets a number appended."""
        target = folder.with_name(f"{folder.name}-{os.getpid()}")
        target.mkdir(parents=True)
        for path in self._logs():
            shutil.copy(path, target)
        for node in self.redis.values():
            for path in node.directory.glob("*.log"):
                shutil.copy(path, target / f"{node.machine.name}-{path.name}")

    def environment(self) -> dict[str, str]:
        """Return the settings.

        One address covers both databases, one all Redis servers, whichever machine is active.
        """
        databases = ",".join(f"{self.network[name].address}:{POSTGRES_PORT}" for name in POSTGRES)
        sentinels = ",".join(f"{self.network[name].address}:{SENTINEL_PORT}" for name in REDIS)
        return {
            "DATABASE_URL": f"postgresql://arena:@{databases}/postgres",
            "REDIS_URL": f"sentinel://{sentinels}/{MASTER_NAME}",
            "ARENA_VAR": str(self.directory),
            "ARENA_LEASE_SECONDS": str(LEASE_S),
            "ARENA_MATCHES": "0",
            "ARENA_HOSTS": "*",
        }

    # Servers

    @property
    def master(self) -> RedisNode:
        """The Redis that is the master."""
        return until(
            lambda: next((node for node in self.redis.values() if node.knows_replicas(1)), None), "a master of Redis"
        )

    @property
    def redis_url(self) -> str:
        return self.master.url

    def fail_over_postgres(self) -> None:
        """Make the standby the primary. The former one must be dead: otherwise the two would diverge."""
        former, self.primary = self.primary, next(name for name in POSTGRES if name != self.primary)
        assert self.postgres[former].process is None or self.postgres[former].process.poll() is not None
        self.postgres[self.primary].promote()
        self._use_primary()

    def _use_primary(self) -> None:
        """Give this process a connection that no link can disturb and that waits for no standby."""
        self._of_primary.close()
        url = f"{self.postgres[self.primary].url}?options=-csynchronous_commit%3Dlocal"
        self._of_primary.enter_context(using(url))

    # Machines

    def machine(self, name: str) -> Machine:
        """Return the machine of this name."""
        return self.network[name]

    def start(self, name: str) -> None:
        """Start the processes of a machine."""
        if name in self.postgres:
            self.postgres[name].boot()
        elif name in self.redis:
            self.redis[name].boot()
        elif name == "bots":
            for number, bot in enumerate(BOTS):
                server = f"http://{self.machine(GATEWAYS[number]).address}:{GATEWAY_PORT}"
                self.bots[bot] = self._fork(
                    name, "bot", server=server, token=self._tokens[bot], process=bot, gates=str(self.gates),
                    think_s=self.think_s,
                )  # fmt: skip
        else:
            kind = name.partition("-")[0]
            role, spec = {
                "gateway": ("gateway", {"listen": f"0.0.0.0:{GATEWAY_PORT}"}),
                "site": ("site", {"host": "0.0.0.0", "port": SITE_PORT}),
                "referee": ("celery", {"arguments": _referee(name)}),
                "upkeep": ("periodic", {}),
            }[kind]
            self.processes[name] = self._fork(name, role, **spec)

    def _fork(self, machine: str, role: str, **spec: Any) -> Process:
        return self.forge.start(role, namespace=self.machine(machine).namespace_file, **spec)

    def crash(self, name: str) -> None:
        """Crash a machine: it sends nothing at its end."""
        self.network.unplug(name)
        if name in self.postgres:
            self.postgres[name].crash()
        elif name in self.redis:
            self.redis[name].crash()
        else:
            for process in self.bots.values() if name == "bots" else [self.processes[name]]:
                process.kill()

    def boot(self, name: str) -> None:
        """Boot a machine and its processes."""
        self.network.plug(name)
        self.start(name)

    def replace(self, name: str) -> float:
        """Restart one of our processes, as in a rolling update. Return how many seconds it took to stop."""
        took = self.processes[name].terminate()
        self.start(name)
        until(lambda: self.works(name), f"{name} at work")
        return took

    def works(self, name: str) -> bool:
        """Return whether one of our processes works, by its log and its port."""
        process = self.processes[name]
        assert process.is_alive, process.log.read_text()[-5_000:]
        kind = name.partition("-")[0]
        if kind in ("gateway", "site"):
            return self.answers(name)
        return process.said("upkeep_ready" if kind == "upkeep" else " ready.")

    def answers(self, name: str) -> bool:
        """Return whether a port is open, seen from the same machine; a site must also serve its list of bots."""
        machine = self.machine(name)
        is_site = name in SITES
        try:
            line = machine.call(
                lambda: socket.create_connection((machine.address, SITE_PORT if is_site else GATEWAY_PORT), 2)
            )
        except OSError:
            return False
        with line:
            if not is_site:
                return True
            line.settimeout(10)
            with suppress(OSError):
                line.sendall(b"GET /bots/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                return line.recv(12).endswith(b" 200")
            return False

    # Matches

    def _register_bots(self) -> None:
        versions = []
        for name in BOTS:
            bot = bot_actions.register_bot(account_actions.create_user(f"owner-of-{name}", None), name)
            self._tokens[name] = token_actions.issue_token(bot).token
            versions.append(bot_actions.register_version(bot, "1"))
        self.seats = Bots(tuple(versions), BOTS)

    def begin(self, name: str) -> str:
        """Schedule a match; its task goes to whichever Redis is the master."""
        url = next((node.url for node in self.redis.values() if node.knows_replicas(1)), self._of_master[0])
        if self._of_master[0] != url:
            self._of_master[1].close()
            self._of_master = (url, ExitStack())
            self._of_master[1].enter_context(tasks_go_to(url))
        return self.schedule(self.seats, name)

    def under_way(self) -> list[str]:
        """The matches that have begun and not ended."""
        rows = Match.objects.filter(state=MatchState.RUNNING, length__gt=4) | Match.objects.filter(
            state=MatchState.SCHEDULED, epoch__gt=0
        )
        return sorted(rows.values_list("id", flat=True))

    def unfinished(self) -> int:
        """Number of matches that have not ended."""
        return Match.objects.exclude(state__in=ENDED).count()

    def decisions(self, since: float, until: float) -> int:
        """Return how many decisions were stored between two moments of the wall clock."""
        begin, end = (datetime.fromtimestamp(moment, UTC) for moment in (since, until))
        return LogRow.objects.filter(kind="decision", at__gt=begin, at__lte=end).count()


def _referee(name: str) -> Sequence[str]:
    return [
        *("worker", "-P", "threads", "-c", str(THREADS), "-Q", "matches", "-n", f"{name}@cluster"),
        *("--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel", "INFO"),
    ]
