"""Redis with Sentinels, and PostgreSQL with a standby, on machines of a cluster."""

from __future__ import annotations

import shutil
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress

import psycopg
import redis

from tests.kit.machines import Machine
from tests.kit.postgres_server import PostgresServer
from tests.kit.redis_server import RedisServer, redis_executable
from tests.kit.until import until

MASTER_NAME = "arena"
REDIS_PORT = 6379
SENTINEL_PORT = 26379
POSTGRES_PORT = 5432
DOWN_AFTER_MS = 2_000
"""Time of silence after which a Sentinel treats a master as dead. Redis's default is 30 s."""

REDIS = """
port {port}
bind {address}
protected-mode no
dir {directory}
unixsocket {directory}/redis.sock
save ""
appendonly yes
tcp-keepalive 5
repl-timeout 10
min-replicas-to-write 1
min-replicas-max-lag 5
"""
"""Configuration of a Redis that may be replaced: without replicas it refuses writes."""

SENTINEL = """
port {port}
bind {address}
protected-mode no
dir {directory}
sentinel monitor {name} {master} {redis_port} 2
sentinel down-after-milliseconds {name} {down_after}
sentinel failover-timeout {name} 10000
"""


class RedisNode(RedisServer):
    """A Redis and a Sentinel on one machine, which keep their configuration over a restart."""

    def __init__(self, machine: Machine, master: Machine) -> None:
        super().__init__()
        self.machine = machine
        self.sentinel: subprocess.Popen[bytes] | None = None
        of_replica = "" if machine is master else f"replicaof {master.address} {REDIS_PORT}\n"
        given = {"address": machine.address, "directory": self.directory}
        (self.directory / "redis.conf").write_text(REDIS.format(port=REDIS_PORT, **given) + of_replica)
        (self.directory / "sentinel.conf").write_text(
            SENTINEL.format(
                port=SENTINEL_PORT,
                name=MASTER_NAME,
                master=master.address,
                redis_port=REDIS_PORT,
                down_after=DOWN_AFTER_MS,
                **given,
            )
        )

    def _arguments(self) -> list[str]:
        return [str(self.directory / "redis.conf")]

    def boot(self) -> None:
        """Start both."""
        self.machine.call(self.start)
        executable = redis_executable()
        assert executable is not None
        command = [executable, str(self.directory / "sentinel.conf"), "--sentinel"]
        with (self.directory / "sentinel.log").open("ab") as log:
            self.sentinel = self.machine.call(lambda: subprocess.Popen(command, stdout=log, stderr=log))

    def crash(self) -> None:
        """Kill both."""
        self.kill()
        if self.sentinel is not None:
            self.sentinel.kill()
            self.sentinel.wait(10)
            self.sentinel = None

    def is_master(self) -> bool:
        """Whether it considers itself the master; false if it is dead."""
        with suppress(redis.RedisError, OSError), self.client() as client:
            return str(client.info("replication")["role"]) == "master"
        return False

    def knows_replicas(self, count: int) -> bool:
        """Return whether it is a master with this many replicas that keep up."""
        with suppress(redis.RedisError, OSError), self.client() as client:
            told = client.info("replication")
            return str(told["role"]) == "master" and int(told.get("min_slaves_good_slaves", 0)) >= count
        return False

    def fail_over(self) -> None:
        """Make the Sentinels promote a replica in an orderly way."""
        self.machine.call(self._ask_for_fail_over)

    def _ask_for_fail_over(self) -> None:
        with redis.Redis(self.machine.address, SENTINEL_PORT) as sentinel:
            sentinel.sentinel_failover(MASTER_NAME)

    def stop(self) -> None:
        self.crash()
        super().stop()


class PostgresNode(PostgresServer):
    """A PostgreSQL that is a primary, or its standby."""

    def __init__(self, machine: Machine, *, is_primary: bool) -> None:
        super().__init__(durable=True, tables=is_primary, data=is_primary, address=machine.address)
        self.machine = machine
        if is_primary:
            with (self.data / "pg_hba.conf").open("a") as file:
                file.write("host all all samenet trust\nhost replication all samenet trust\n")
            with (self.data / "postgresql.conf").open("a") as file:
                file.write("wal_sender_timeout = 5s\nwal_receiver_timeout = 5s\n")

    def boot(self) -> None:
        """Start it."""
        self.machine.call(self.start)

    def crash(self) -> None:
        """Kill it, if it is running."""
        if self.process is not None and self.process.poll() is None:
            self.kill()

    def halt(self) -> None:
        """Stop it in an orderly way: its standby has all of its data."""
        self._signal(signal.SIGINT)

    def follow(self, primary: PostgresNode) -> None:
        """Become the standby of this primary, from scratch. Once it keeps up, every commit waits for it."""
        self.crash()
        shutil.rmtree(self.data, ignore_errors=True)
        name = self.machine.name
        source = f"host={primary.machine.address} user=arena application_name={name} connect_timeout=3"
        copy = ("-d", source, "-D", str(self.data), "--wal-method=stream", "--checkpoint=fast", "--write-recovery-conf")
        self.machine.call(lambda: self._run("pg_basebackup", *copy))
        self.boot()
        primary.wait_for_standbys("*")

    def promote(self) -> None:
        """Become the primary, without a standby."""
        self._set("synchronous_standby_names", "")
        self.execute("SELECT pg_promote()")

    def wait_for_standbys(self, names: str) -> None:
        """Make every commit wait for a standby, which must be there; an empty name means none."""
        until(lambda: self.execute("SELECT 1 FROM pg_stat_replication WHERE state = 'streaming'"), "the standby")
        self._set("synchronous_standby_names", names)

    def execute(self, statement: str) -> Sequence[object]:
        """Return the result of a statement, on a connection that no link can disturb."""
        with psycopg.connect(host=str(self.directory), user="arena", dbname="postgres", autocommit=True) as connection:
            connection.execute("SET synchronous_commit = local")
            cursor = connection.execute(statement)  # type: ignore[call-overload]
            return list(cursor.fetchall()) if cursor.description else []

    def _set(self, name: str, value: str) -> None:
        self.execute(f"ALTER SYSTEM SET {name} = '{value}'")
        self.execute("SELECT pg_reload_conf()")
