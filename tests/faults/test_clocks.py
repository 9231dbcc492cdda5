"""Clocks that somebody sets by an hour, forward and back: matches go on, and dead workers are replaced as ever."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.faults import table
from tests.kit.arena.arena import Arena
from tests.kit.set_clock import ClockSetter
from tests.kit.until import until
from tests.workers.processes import periodic_tasks
from webui.matches.models import Match

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
HOUR_S = 3600
soak = [pytest.mark.soak, pytest.mark.timeout(3600)]


class SetArena(NamedTuple):
    """An arena whose clocks a test sets."""

    arena: Arena
    clock: ClockSetter
    whose: str


@pytest.fixture
def set_arena(request: pytest.FixtureRequest, tmp_path: Path, django_db_blocker: Any) -> Iterator[SetArena]:
    clock = ClockSetter(tmp_path)
    with ExitStack() as stack:
        stack.enter_context(django_db_blocker.unblock())
        arena = Arena("sqlite", think_s=0.1, modules=["workers.upkeep"])
        if request.param == "Redis":
            arena.redis.environment = clock.environment
        else:
            arena.process_environment = clock.environment
        stack.enter_context(arena)
        yield SetArena(arena, clock, request.param)


def _play_on(arena: Arena) -> None:
    """Wait for some more decisions, or for the end."""
    before = Match.objects.get(pk="m").length
    until(lambda: Match.objects.get(pk="m").length > before + 3 or arena.has_ended("m"), "more decisions", 300)


@pytest.mark.parametrize(
    ("set_arena", "steps"),
    [
        pytest.param("Redis", [-HOUR_S], id="redis-back"),
        pytest.param("the processes and SQLite", [HOUR_S, 0], id="processes-forward-and-back"),
        pytest.param("Redis", [HOUR_S, 0], id="redis-forward-and-back", marks=soak),
        pytest.param("the processes and SQLite", [-HOUR_S], id="processes-back", marks=soak),
    ],
    indirect=["set_arena"],
)
def test_clocks_are_set(set_arena: SetArena, steps: list[int]) -> None:
    """The worker dies right before the clock is set back. Another one continues the match within some leases."""
    arena, clock, whose = set_arena
    row = table.row(f"clock of {whose} set", "sqlite")
    bots = arena.seat("ada", "bob")
    with periodic_tasks(arena.forge, match_capacity=0) as upkeep:
        until(lambda: upkeep.said("upkeep_ready"), "the real sweeper", 300)
        assert arena.upkeep is not None
        arena.upkeep.kill()
        arena.schedule(bots, "m")
        with arena.working() as workers:
            for step in steps[:-1]:
                clock.set(step)
                _play_on(arena)
            _play_on(arena)
            assert not arena.has_ended("m") and "fault" not in arena.fate("m").kinds
            epoch = Match.objects.get(pk="m").epoch
            workers[0].kill()
            row.tries += 1
            clock.set(steps[-1])  # now its lease ends in an hour
            arena.start_worker()
            until(lambda: Match.objects.get(pk="m").epoch > epoch, "another owner", 300)
            arena.finish("m")
    assert "fault" not in arena.fate("m").kinds and Match.objects.get(pk="m").state == "FINISHED"
    row.survived += 1
