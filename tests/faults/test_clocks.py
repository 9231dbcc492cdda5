"""Clocks that somebody sets by an hour, forward and back: matches go on, and dead workers are replaced as ever."""

from __future__ import annotations

import http.client
import time
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from typing import Any, NamedTuple

import pytest
from django.db.models.functions import Now

from tests.faults import table
from tests.kit.arena.arena import Arena
from tests.kit.arena.process import Process
from tests.kit.databases import POSTGRES_ONLY
from tests.kit.ports import ReservedPort
from tests.kit.postgres_server import require_postgres
from tests.kit.set_clock import ClockSetter
from tests.kit.until import until
from tests.workers.processes import periodic_tasks
from webui.matches.models import Match

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
HOUR_S = 3600
soak = [pytest.mark.soak, pytest.mark.timeout(3600)]
BACK, THERE_AND_BACK = [-HOUR_S], [HOUR_S, 0]
MODULES = ["workers.upkeep", "webui.commands.site"]


class SetArena(NamedTuple):
    """An arena, and a clock that a test sets."""

    arena: Arena
    clock: ClockSetter


def _arena(stack: ExitStack, database: str, whose: str) -> SetArena:
    arena, clock = Arena(database, think_s=0.1, modules=MODULES), ClockSetter()
    if whose == "Redis":
        arena.redis.environment = clock.environment
    elif whose == "PostgreSQL":
        arena.postgres_environment = clock.environment
    else:
        arena.process_environment = clock.environment
    return SetArena(stack.enter_context(arena), clock)


@pytest.fixture
def stack(django_db_blocker: Any) -> Iterator[ExitStack]:
    with ExitStack() as stack:
        stack.enter_context(django_db_blocker.unblock())
        yield stack


def _play_on(arena: Arena) -> None:
    """Wait for some more decisions, or for the end."""
    before = Match.objects.get(pk="m").length
    until(lambda: Match.objects.get(pk="m").length > before + 3 or arena.has_ended("m"), "more decisions", 300)


def _start_upkeep(arena: Arena, stack: ExitStack) -> Process:
    """Start the process of a deployment, instead of the one with short intervals."""
    upkeep = stack.enter_context(periodic_tasks(arena.forge, match_capacity=0))
    until(lambda: upkeep.said("upkeep_ready"), "the real sweeper", 300)
    assert arena.upkeep is not None
    arena.upkeep.kill()
    return upkeep


def _database_ahead_s() -> float:
    """Return by how many seconds the clock of PostgreSQL is ahead of the true time."""
    now: datetime = Match.objects.annotate(now=Now()).values_list("now", flat=True)[0]
    return (now - datetime.now(UTC)).total_seconds()


def _kill(arena: Arena, worker: Process) -> int:
    """Kill the worker in the middle of its match. Return the match's epoch."""
    assert not arena.has_ended("m") and "fault" not in arena.fate("m").kinds
    epoch: int = Match.objects.get(pk="m").epoch
    worker.kill()
    return epoch


def _check_end(arena: Arena) -> None:
    arena.finish("m")
    assert "fault" not in arena.fate("m").kinds and Match.objects.get(pk="m").state == "FINISHED"


@pytest.mark.parametrize(
    ("whose", "database", "steps"),
    [
        pytest.param("Redis", "sqlite", BACK, id="redis-back"),
        pytest.param("the processes and SQLite", "sqlite", THERE_AND_BACK, id="processes-forward-and-back"),
        pytest.param(
            "PostgreSQL", "postgres", THERE_AND_BACK, id="postgresql-forward-and-back", marks=POSTGRES_ONLY.marks
        ),
        pytest.param("Redis", "sqlite", THERE_AND_BACK, id="redis-forward-and-back", marks=soak),
        pytest.param("the processes and SQLite", "sqlite", BACK, id="processes-back", marks=soak),
    ],
)
def test_clocks_are_set(stack: ExitStack, whose: str, database: str, steps: list[int]) -> None:
    """The worker dies right before the clock is set for the last time. Another one continues within some leases."""
    if database == "postgres":
        require_postgres()
    arena, clock = _arena(stack, database, whose)
    row = table.row(f"clock of {whose} set", database, tries=1)
    bots = arena.seat("ada", "bob")
    _start_upkeep(arena, stack)
    arena.schedule(bots, "m")
    workers = stack.enter_context(arena.working())
    for step in steps[:-1]:
        clock.set(step)
        assert whose != "PostgreSQL" or abs(_database_ahead_s() - step) < HOUR_S / 2
        _play_on(arena)
    _play_on(arena)
    epoch = _kill(arena, workers[0])
    clock.set(steps[-1])  # now its lease ends in an hour
    arena.start_worker()
    until(lambda: Match.objects.get(pk="m").epoch > epoch, "another owner", 300)
    _check_end(arena)
    row.survived += 1


@pytest.mark.parametrize("database", ["sqlite", pytest.param("postgres", marks=[*POSTGRES_ONLY.marks, *soak])])
@pytest.mark.parametrize(
    ("whose", "step"),
    [
        pytest.param("referee", -HOUR_S, id="referee-back"),
        pytest.param("referee", HOUR_S, id="referee-forward", marks=soak),
        *(
            pytest.param(whose, step, id=f"{whose}-{'forward' if step > 0 else 'back'}", marks=soak)
            for whose in ("gateway", "upkeep", "site")
            for step in (HOUR_S, -HOUR_S)
        ),
    ],
)
def test_the_clock_of_one_process_is_set(stack: ExitStack, database: str, whose: str, step: int) -> None:
    """All others keep their time. The referee dies meanwhile, and the next one has the wrong clock as well."""
    if database == "postgres":
        require_postgres()
    arena, clock = _arena(stack, database, whose)
    direction = "forward" if step > 0 else "back"
    row = table.row(f"clock of one {whose} set {direction}", database, tries=1)
    bots = arena.seat("ada", "bob")
    upkeep = _start_upkeep(arena, stack)
    port = stack.enter_context(ReservedPort()).number
    site = arena.forge.start("site", host="127.0.0.1", port=port)
    until(lambda: _status(port, "/status/") == http.client.OK, "the site", 300)
    arena.schedule(bots, "m")
    workers = stack.enter_context(arena.working())
    processes = {"gateway": arena.gateways[0], "referee": workers[0], "upkeep": upkeep, "site": site}
    _play_on(arena)
    clock.set(step, processes[whose].pid)
    _play_on(arena)
    for path in ("/status/", "/matches/m/", "/api/v1/matches/m"):
        assert _status(port, path) == http.client.OK, path
    died_at = time.time()
    epoch = _kill(arena, workers[0])
    processes["referee"] = arena.start_worker()
    clock.set(step, processes[whose].pid)
    until(lambda: Match.objects.get(pk="m").epoch > epoch, "another owner", 300)
    row.recoveries.append(time.time() - died_at)
    _play_on(arena)
    clock.set(0)
    _play_on(arena)
    _check_end(arena)
    row.note = f"{Match.objects.get(pk='m').epoch} owners"
    row.survived += 1


def _status(port: int, path: str) -> int | None:
    """Return the status of the site's answer, or None if it gives none."""
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    try:
        line.request("GET", path)
        return line.getresponse().status
    except OSError:
        return None
    finally:
        line.close()
