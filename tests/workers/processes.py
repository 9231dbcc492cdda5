"""Real Celery processes on the database and the Redis of the test."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Self

from django.db import connection

ROOT = Path(__file__).parents[2]
WAIT_S = 120.0
"""For what comes soon, unless the machine has others to serve."""


class CeleryProcess:
    """`celery -A workers.app …`, or that of beat, as a process of its own."""

    count = 0

    def __init__(self, redis_url: str, *arguments: str, **environment: str) -> None:
        CeleryProcess.count += 1
        self.environment = {
            **os.environ,
            "DATABASE_URL": f"sqlite:///{connection.settings_dict['NAME']}",
            "REDIS_URL": redis_url,
            "ARENA_LOG_FORMAT": "json",
            "PYTHONPATH": str(ROOT),
            **environment,
        }
        application = "workers.beat" if arguments[0] == "beat" else "workers.app"
        self.command = [sys.executable, "-m", "celery", "-A", application, *arguments]
        self.process: subprocess.Popen[bytes] | None = None

    @classmethod
    def worker(cls, redis_url: str, queue: str, concurrency: int, *more: str, **environment: str) -> Self:
        """A worker of one queue."""
        return cls(
            redis_url,
            *("worker", "-P", "threads", "-c", str(concurrency), "-Q", queue, "-n", f"{queue}{cls.count}@test"),
            *("--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel", "INFO"),
            *more,
            **environment,
        )

    def __enter__(self) -> Self:
        self.process = subprocess.Popen(self.command, env=self.environment, cwd=ROOT)
        return self

    def __exit__(self, *_: Any) -> None:
        self.kill()

    @property
    def pid(self) -> int:
        assert self.process is not None
        return self.process.pid

    def terminate(self) -> float:
        """SIGTERM; how many seconds it took to leave."""
        assert self.process is not None
        begin = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(WAIT_S)
        return time.monotonic() - begin

    def kill(self) -> None:
        """SIGKILL."""
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait(WAIT_S)

    def open_databases(self) -> int:
        """How many times it has the database file open."""
        name = str(connection.settings_dict["NAME"])
        links = Path(f"/proc/{self.pid}/fd").iterdir()
        return sum(_target(link) == name for link in links)


def _target(link: Path) -> str:
    try:
        return os.readlink(link)
    except OSError:  # closed meanwhile
        return ""
