"""A match is void only for its own fault: never because time passed, or because its neighbour killed their process."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

import pytest

from tests.faults import table
from tests.faults.trials import Trials
from tests.kit.arena.arena import LEASE_S, Arena
from tests.kit.arena.process import Process
from tests.kit.until import until
from webui.matches.failures import MAX_FAILURES
from webui.matches.models import Match, MatchFailure, MatchState

pytestmark = [pytest.mark.timeout(600), pytest.mark.slow]
QUICK_LEASE_S = 1.0
"""The tests wait for expired leases again and again."""
NEIGHBOURS = 6


def epoch_of(match: str) -> int:
    return int(Match.objects.values_list("epoch", flat=True).get(pk=match))


def is_owned(match: str, after: int) -> bool:
    """Return whether somebody owns the match that had this epoch before."""
    return Match.objects.filter(pk=match, state=MatchState.RUNNING, epoch__gt=after).exists()


@contextmanager
def stopped(process: Process) -> Iterator[None]:
    """Stop a process for the duration of the block."""
    process.signal(signal.SIGSTOP)
    try:
        yield
    finally:
        process.signal(signal.SIGCONT)


@contextmanager
def supervised(arena: Arena, lease_s: float, poison: str = "", *, kills: bool = False) -> Iterator[list[Process]]:
    """Run a worker, and another one after each death, until the end of the block. Yield all of them."""
    workers: list[Process] = []
    closed = Event()

    def supervise() -> None:
        while not closed.wait(0.1):
            if not workers or not workers[-1].is_alive:
                workers.append(arena.start_worker(lease_s=lease_s, poison=poison, kills=kills))

    thread = Thread(target=supervise, daemon=True)
    thread.start()
    try:
        yield workers
    finally:
        closed.set()
        thread.join()
        for worker in workers:
            worker.kill()


@pytest.fixture
def running(trials: Trials) -> str:
    """A match whose bots wait for the answer of one of them."""
    return trials.arena.schedule(trials.bots, trials.name(), gates=[40])


def test_a_referee_that_gets_no_time_voids_nothing(trials: Trials, running: str) -> None:
    arena, before = trials.arena, 0
    row = table.row("referee stopped again and again, gateway too", arena.database, tries=1)
    with arena.working(lease_s=QUICK_LEASE_S) as (worker,):
        until(lambda: arena.who_waits(running, 40), "a bot at its gate")
        with stopped(arena.gateways[0]):
            for _ in range(MAX_FAILURES + 1):
                before = epoch_of(running)
                with stopped(worker):
                    until(lambda: Match.objects.get(pk=running).state == MatchState.SCHEDULED, "the loss of the lease")
                until(lambda: is_owned(running, before), "the next claim")  # noqa: B023
        arena.open(running)
        arena.finish(running)
    assert arena.fate(running).state == MatchState.FINISHED
    assert epoch_of(running) > MAX_FAILURES
    assert not MatchFailure.objects.filter(match=running).exists()
    row.survived = 1


def test_a_referee_that_is_killed_while_the_bots_are_out_of_reach_voids_nothing(trials: Trials, running: str) -> None:
    arena = trials.arena
    row = table.row("referee killed again and again, gateway stopped", arena.database, tries=1)
    with supervised(arena, QUICK_LEASE_S) as workers:
        until(lambda: arena.who_waits(running, 40), "a bot at its gate")
        with stopped(arena.gateways[0]):
            for _ in range(MAX_FAILURES + 1):
                before = epoch_of(running)
                workers[-1].kill()
                until(lambda: is_owned(running, before), "the next claim")  # noqa: B023
        arena.open(running)
        arena.finish(running)
    assert arena.fate(running).state == MatchState.FINISHED
    row.survived = 1


@pytest.mark.parametrize("kills", [False, True], ids=["raises", "kills"])
def test_a_poisoned_match_is_void_alone(trials: Trials, *, kills: bool) -> None:
    arena, poison = trials.arena, trials.name()
    row = table.row(f"one match of {NEIGHBOURS + 1} {'kills its process' if kills else 'raises'}", arena.database)
    neighbours = [trials.name() for _ in range(NEIGHBOURS)]
    for name in [*neighbours[:3], poison, *neighbours[3:]]:
        arena.schedule(trials.bots, name)
    with supervised(arena, LEASE_S, poison, kills=kills) as workers:
        arena.finish(poison, *neighbours)
        again = Match.objects.get(replaces=poison).pk
        arena.finish(again)
        row.note = f"{len(workers) - 1} deaths"
    states = [arena.fate(name).state for name in (*neighbours, again)]
    row.tries, row.survived = len(states), states.count(MatchState.FINISHED)
    assert states == [MatchState.FINISHED] * (NEIGHBOURS + 1)
    assert Match.objects.get(pk=poison).state == MatchState.VOID
    assert (len(workers) - 1 >= MAX_FAILURES) == kills
