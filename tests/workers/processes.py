"""Real Celery processes, with the environment of the forge from which they are forked."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from django.db import connection

from tests.kit.arena.process import Forge, Process

WAIT_S = 120.0
"""Timeout for events that come soon, unless the machine is busy."""
MODULES = ("workers.tasks", "workers.upkeep", "celery.bin.celery", "celery.apps.worker")
"""Modules that a forge imports, so that its processes need not. Each would take one and a half seconds of processor
time."""

_numbers = count()


@contextmanager
def celery(forge: Forge, *arguments: str, **spec: Any) -> Iterator[Process]:
    """Run `celery -A workers.app ...` as a process of its own, until the end of the block."""
    process = forge.start("celery", arguments=arguments, **spec)
    try:
        yield process
    finally:
        process.kill()


@contextmanager
def celery_worker(forge: Forge, concurrency: int, **spec: Any) -> Iterator[Process]:
    """Run a worker for matches; see `node`."""
    options = ["--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel", "INFO"]
    name = f"matches{next(_numbers)}@test"
    with celery(
        forge, "worker", "-P", "threads", "-c", str(concurrency), "-Q", "matches", "-n", name, *options, **spec
    ) as process:
        yield process


@contextmanager
def periodic_tasks(forge: Forge, **spec: Any) -> Iterator[Process]:
    """Run an upkeep process until the end of the block."""
    process = forge.start("periodic", **spec)
    try:
        yield process
    finally:
        process.kill()


def node(process: Process) -> str:
    """Return the name by which Celery knows a worker."""
    arguments = process.spec["arguments"]
    return str(arguments[arguments.index("-n") + 1])


def open_databases(process: Process) -> int:
    """Return how many times a process has this process's database file open."""
    name = str(connection.settings_dict["NAME"])
    links = Path(f"/proc/{process.pid}/fd").iterdir()
    return sum(_target(link) == name for link in links)


def _target(link: Path) -> str:
    try:
        return os.readlink(link)
    except OSError:  # closed meanwhile
        return ""
