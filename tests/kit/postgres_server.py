"""A private PostgreSQL for tests, from Debian's packages: its own cluster in a new directory, on a unix socket.

`kill` and `start` again simulate a crash and a restart of the database: same address, same committed data.

pytest-postgresql and testing.postgresql start PostgreSQL with the account of the tests. PostgreSQL refuses root, which
CI and tests/cluster are, so this module changes to another account.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

import psycopg

from tests.kit.arena.database import migrate
from tests.kit.lacking import give_up
from tests.kit.templates import copy, template


def postgres_directory() -> Path | None:
    """Return the folder of `initdb` and `postgres`, or `None`."""
    if found := shutil.which("initdb"):
        return Path(found).resolve().parent  # Debian keeps all of its programs there
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    return versions[-1].parent if versions else None


def require_postgres() -> None:
    """Skip the test if PostgreSQL is missing; with ARENA_REQUIRE_ALL=1 it fails."""
    if postgres_directory() is None:
        give_up("PostgreSQL is missing: install Debian's package postgresql")


def _account() -> dict[str, Any]:
    """Return the account for PostgreSQL, which refuses to run as root."""
    if os.geteuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
    raise RuntimeError("PostgreSQL does not run as root, and there is no account postgres or nobody")


class PostgresServer:
    """One cluster; use it as a context manager.

    - `durable`: every commit reaches the disk, as in production.
    - `tables`: it has the tables of the arena, all empty.
    - `data`: if false, others make its directory.
    - `address`: it also listens there.
    - `options`: parameters of the server, as in `postgresql.conf`.
    """

    def __init__(
        self,
        *,
        durable: bool = False,
        tables: bool = False,
        data: bool = True,
        address: str = "",
        options: Mapping[str, str] | None = None,
    ) -> None:
        binaries = postgres_directory()
        if binaries is None:
            raise RuntimeError("no PostgreSQL: install Debian's package postgresql")
        self.binaries = binaries
        self.options = {"listen_addresses": address, "max_connections": "200", **(options or {})}
        if not durable:
            self.options |= {"fsync": "off", "synchronous_commit": "off"}
        self.directory = Path(tempfile.mkdtemp(prefix="arena-postgres-"))
        self.account = _account()
        if self.account:
            os.chown(self.directory, self.account["user"], self.account["group"])
        self.process: subprocess.Popen[bytes] | None = None
        self.environment: dict[str, str] = {}
        """Variables of its processes, in addition to our own."""
        if data:
            made = template("tables", self._make_tables) if tables else template("cluster", self._make_cluster)
            copy(made, self.data)

    @property
    def data(self) -> Path:
        return self.directory / "data"

    @property
    def url(self) -> str:
        """The address for DATABASE_URL."""
        return f"postgresql://arena:@{str(self.directory).replace('/', '%2F')}/postgres"

    def _make_cluster(self, target: Path) -> None:
        self._run("initdb", "--username=arena", "--auth=trust", "--encoding=UTF8", "--no-sync", str(self.data))
        self.data.rename(target)

    def _make_tables(self, target: Path) -> None:
        with PostgresServer() as server:
            migrate(server.url)
            server._signal(signal.SIGINT)
            server.data.rename(target)

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [str(self.binaries / program), *arguments],
            check=True,
            cwd=self.directory,
            stdout=subprocess.DEVNULL,
            **self.account,
        )

    def start(self) -> Self:
        """Start it and wait until it answers."""
        options = ["-D", str(self.data), "-k", str(self.directory)]
        for name, value in self.options.items():
            options += ["-c", f"{name}={value}"]
        with open(os.open(self.directory, os.O_TMPFILE | os.O_RDWR), "wb") as log:
            self.process = subprocess.Popen(
                [str(self.binaries / "postgres"), *options],
                cwd=self.directory,
                env={**os.environ, **self.environment},
                stdout=log,
                stderr=log,
                **self.account,
            )
        deadline = time.monotonic() + 120
        while True:
            try:
                psycopg.connect(host=str(self.directory), user="arena", dbname="postgres").close()
                return self
            except psycopg.OperationalError as error:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError("PostgreSQL did not start") from error
                time.sleep(0.05)

    def kill(self) -> None:
        """Kill all of its processes at once, as the kernel would."""
        assert self.process
        self._signal(signal.SIGQUIT)

    def restart(self) -> float:
        """Stop it in order, as a container is stopped, and start it again. Return how many seconds it took to stop."""
        begin = time.monotonic()
        self._signal(signal.SIGINT)
        took = time.monotonic() - begin
        self.start()
        return took

    def stop(self) -> None:
        """Stop it in order, but without waiting for clients, and remove everything."""
        if self.process and self.process.poll() is None:
            self._signal(signal.SIGINT)
        shutil.rmtree(self.directory, ignore_errors=True)

    def _signal(self, number: int) -> None:
        assert self.process
        self.process.send_signal(number)
        self.process.wait(120)

    def __enter__(self) -> Self:
        try:
            return self.start()
        except BaseException:
            self.stop()
            raise

    def __exit__(self, *error: object) -> None:
        self.stop()
