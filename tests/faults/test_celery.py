"""Faults of Celery's own processes: a rolling restart of everything, and the replacement of a dead worker."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import pytest
import redis
from celery import Celery

from tests.faults import table
from tests.kit.arena.arena import Arena
from tests.kit.arena.database import is_connected
from tests.kit.arena.process import Process
from tests.kit.databases import POSTGRES_ONLY
from tests.kit.ports import ReservedPort
from tests.kit.until import until
from tests.workers.processes import MODULES, celery_worker, node, periodic_tasks
from webui.commands.services.ready import page_answers
from webui.matches.models import LogRow, Match
from webui.settings.storage import broker_url

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
on_sqlite = pytest.mark.parametrize("database", ["sqlite"], indirect=True)
"""Faults that do not involve the database are tried on one of them."""
soak = [pytest.mark.soak, pytest.mark.timeout(3600)]


def answers(arena: Arena, process: Process) -> bool:
    """Return whether the worker is ready for tasks."""
    with Celery(broker=broker_url(arena.redis.url), set_as_current=False) as app:
        try:
            return bool(app.control.ping([node(process)], timeout=1))
        except redis.ConnectionError:  # a connection from before the restart of Redis
            return False


def hear(arena: Arena, process: Process) -> None:
    """Wait until the worker is ready for tasks."""
    until(lambda: answers(arena, process), "a worker's answer", 300)


@pytest.mark.parametrize("database", [pytest.param("sqlite", marks=soak), POSTGRES_ONLY], indirect=True)
@pytest.mark.parametrize("matches", [pytest.param(6, id="few"), pytest.param(50, id="all", marks=soak)])
def test_everything_is_restarted_in_turn(database: str, matches: int, django_db_blocker: Any) -> None:
    row = table.row(f"rolling restart, {matches} matches", database)
    with ExitStack() as stack:
        stack.enter_context(django_db_blocker.unblock())
        arena = stack.enter_context(Arena(database, gateways=2, think_s=0.05, modules=MODULES))
        bots = arena.seat("ada", "bob")
        with arena.working():
            arena.finish(arena.schedule(bots, "undisturbed"))
        undisturbed = arena.fate("undisturbed")
        assert arena.upkeep is not None
        arena.upkeep.kill()  # the processes of production do its work here

        starts: dict[str, Callable[[], Process]] = {
            "worker 1": lambda: stack.enter_context(celery_worker(arena.forge, matches)),
            "worker 2": lambda: stack.enter_context(celery_worker(arena.forge, matches)),
            "upkeep": lambda: stack.enter_context(periodic_tasks(arena.forge)),
        }
        processes = {name: start() for name, start in starts.items()}
        names = [f"m{number}" for number in range(matches)]
        for name in names:
            arena.schedule(bots, name)
        until(lambda: Match.objects.filter(pk__in=names, length__gt=2).count() == matches, "the beginning of all", 120)

        left = {"site": _start_and_stop_site(arena)}
        for number, gateway in enumerate(arena.gateways):
            left[f"gateway {number}"] = gateway.terminate()
            arena.gateways[number] = arena.start_gateway(number)
            _play_on()
        for name, start in starts.items():
            left[name] = processes[name].terminate()
            processes[name] = start()
            _play_on()
        if arena.postgres is not None:
            left["PostgreSQL"] = arena.postgres.restart()
            _play_on()
        moment = time.time()
        arena.redis.restart()
        _play_on()
        row.recoveries = [arena.went_on_after(name, moment) for name in names if not arena.has_ended(name)]
        arena.finish(*names, timeout=900)
        slowest = max(left, key=lambda name: left[name])
        row.note = f"all left within {left[slowest]:.2f} s ({slowest})"
        fates = [arena.fate(name) for name in names]
        row.tries = matches
        row.survived = sum(fate.record == undisturbed.record and "fault" not in fate.kinds for fate in fates)
        assert row.survived == matches


def _play_on() -> None:
    """Wait for some more entries of any match."""
    until(is_connected)
    before = LogRow.objects.count()
    until(lambda: LogRow.objects.count() > before + 10 or not Match.objects.filter(finished_at=None).exists())


def _start_and_stop_site(arena: Arena) -> float:
    """Return how many seconds the web process took to stop, after it has served a page."""
    with ReservedPort() as port:
        process = arena.forge.start("site", host="127.0.0.1", port=port.number)
        try:
            until(lambda: page_answers(port.number), "a page")
            return process.terminate()
        finally:
            process.kill()


@on_sqlite
def test_a_worker_that_dies_or_leaves_is_replaced_within_seconds(django_db_blocker: Any) -> None:
    """Measure the time from a worker's end to the next decision, with the lease of a deployment.

    The upkeep process is dead meanwhile. On an idle machine it takes at most 10 s. The figures are printed,
    and not asserted.
    """
    row = table.row("Celery worker killed or told to leave; no upkeep", "sqlite")
    with ExitStack() as stack:
        stack.enter_context(django_db_blocker.unblock())
        arena = stack.enter_context(Arena("sqlite", think_s=0.05, modules=MODULES))
        bots = arena.seat("ada", "bob")
        assert arena.upkeep is not None
        arena.upkeep.kill()
        workers = [stack.enter_context(celery_worker(arena.forge, 4)) for _ in range(3)]
        for process in workers:
            hear(arena, process)
        arena.schedule(bots, "m")
        for end in (Process.kill, Process.terminate):
            _play_on()
            owner = until(lambda: Match.objects.get(pk="m").owner)
            victim = next(process for process in workers if f"-{process.pid}-" in owner)
            moment = time.time()
            end(victim)
            until(lambda: arena.went_on_after("m", moment), "another's ask")  # noqa: B023
            row.tries += 1
            row.recoveries.append(arena.went_on_after("m", moment))
        arena.finish("m")
        row.survived = row.tries if "fault" not in arena.fate("m").kinds else 0
        killed, left = row.recoveries
        print(f"a worker that was killed was replaced within {killed:.1f} s, one that left within {left:.1f} s")
        assert row.survived == row.tries


@on_sqlite
def test_celery_outlives_redis(django_db_blocker: Any) -> None:
    """Redis is unavailable while workers wait for messages and matches run.

    The same processes play these and the next ones.
    """
    row = table.row("Redis away under Celery", "sqlite")
    with ExitStack() as stack:
        stack.enter_context(django_db_blocker.unblock())
        arena = stack.enter_context(Arena("sqlite", think_s=0.02, modules=MODULES))
        bots = arena.seat("ada", "bob")
        assert arena.upkeep is not None
        arena.upkeep.kill()
        stack.enter_context(periodic_tasks(arena.forge))
        workers = [stack.enter_context(celery_worker(arena.forge, 4)) for _ in range(2)]
        for process in workers:
            hear(arena, process)
        names = ["m0", "m1"]
        for name in names:
            arena.schedule(bots, name)
        until(lambda: Match.objects.filter(pk__in=names, length__gt=5).count() == len(names), "the beginning of both")
        moment = time.time()
        arena.redis.kill()
        time.sleep(1.5)  # the fault itself
        arena.redis.start()
        arena.finish(*names)
        arena.finish(arena.schedule(bots, "next"))
        for process in workers:  # the same ones
            hear(arena, process)
        row.tries = len(names)
        row.survived = sum("fault" not in arena.fate(name).kinds for name in names)
        row.recoveries = [arena.went_on_after(name, moment) for name in names]
    assert row.survived == row.tries
