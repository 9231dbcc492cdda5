"""Kill anything at any moment: every match gets the same record, with one result, and nobody's clock pays.

Every day, a few indexes of each fault are played; faults that do not involve the database are played on SQLite only.
`make soak-faults` plays the whole matrix: every index on SQLite, every tenth on PostgreSQL. With ARENA_SOAK_STRIDE=3
it plays every third of these.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from django.db import transaction

from arena.referee import Policy
from tests.faults import table
from tests.faults.trials import Trials
from tests.kit.arena.arena import LEASE_S, Arena
from tests.kit.arena.database import is_connected
from tests.kit.arena.ledger import check_ladders
from tests.kit.arena.play import SEED
from tests.kit.arena.process import Process
from tests.kit.until import until
from webui.matches import ending
from webui.matches import queries as match_queries
from webui.matches.failures import MAX_FAILURES
from webui.matches.models import Match
from webui.ratings.models import RatingEntry

DEFAULT_LEASE_S = 5.0
database_specific = pytest.mark.database_specific
POINTS = ["before_append", pytest.param("after_append", marks=database_specific), "after_ask"]
ENDS = ["before_finish", "after_finish"]
soak = [pytest.mark.soak, pytest.mark.timeout(3600)]
pytestmark = [pytest.mark.timeout(600), pytest.mark.slow]


def epochs(matches: list[str]) -> dict[str, int]:
    return dict(Match.objects.filter(pk__in=matches).values_list("id", "epoch"))


@pytest.fixture(params=["few", pytest.param("all", marks=soak)])
def indexes(request: pytest.FixtureRequest, trials: Trials) -> Sequence[int]:
    """Indexes at which to break the match: a few, or all of them (every tenth on PostgreSQL)."""
    if request.param == "few":
        return trials.few()
    stride = int(os.environ.get("ARENA_SOAK_STRIDE", "1"))
    return trials.every(stride * (10 if trials.arena.database == "postgres" else 1))


# --- workers ---


@pytest.mark.parametrize("point", POINTS)
def test_a_worker_is_killed(trials: Trials, indexes: Sequence[int], point: str) -> None:
    trials.kill_workers(point, indexes)


@database_specific
@pytest.mark.parametrize("point", ENDS)
def test_a_worker_is_killed_around_the_finish(trials: Trials, point: str) -> None:
    trials.kill_workers(point, [0, 1, 2])


def test_bots_hear_of_the_end_although_its_worker_died(trials: Trials) -> None:
    arena = trials.arena
    row = table.row("worker killed before it sends the match ends", arena.database)
    match = arena.schedule(trials.bots, trials.name())
    row.tries = 1
    arena.start_worker(match=match, failpoint="after_finish@0").wait()
    begin = time.monotonic()
    assert arena.has_ended(match)
    for name in trials.bots.names:
        until(lambda: arena.has_heard(name, "match_ended", match), "the match end")  # noqa: B023
    until(lambda: match not in arena.announced(), "that the gateway forgets it")
    row.survived = 1
    row.recoveries = [time.monotonic() - begin]


@database_specific
def test_a_worker_is_paused_beyond_its_lease(trials: Trials, indexes: Sequence[int]) -> None:
    arena = trials.arena
    with arena.working(1) as workers:

        def pause(matches: list[str]) -> None:
            with arena.working(1, fresh=False) as others:
                _stop_outside_a_write(workers[0], arena)
                try:
                    former = epochs(matches)
                    until(lambda: all(epoch > former[match] for match, epoch in epochs(matches).items()))
                    arena.open(*matches)
                finally:
                    workers[0].signal(signal.SIGCONT)  # now two workers believe that they own the matches
                time.sleep(0.1)  # lets the two meet; then the first one takes back what is left
                others[0].terminate()

        trials.disturb("worker paused beyond its lease", indexes, pause)


def _stop_outside_a_write(worker: Process, arena: Arena) -> None:
    """Stop a worker while it does not hold SQLite's lock, without which nobody else could write."""
    worker.signal(signal.SIGSTOP)
    while arena.database == "sqlite" and not _can_be_written(arena.directory / "arena.sqlite3"):
        worker.signal(signal.SIGCONT)
        until(lambda: _can_be_written(arena.directory / "arena.sqlite3"), "the end of a write")
        worker.signal(signal.SIGSTOP)


def _can_be_written(file: Path) -> bool:
    with closing(sqlite3.connect(file, timeout=1, isolation_level=None)) as connection:
        try:
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            return False
        connection.execute("ROLLBACK")
        return True


@database_specific
def test_a_task_is_delivered_three_times(trials: Trials) -> None:
    trials.deliver(3, tries=3)


# --- paths ---


def test_a_gateway_is_killed_while_an_ask_is_out(trials: Trials, indexes: Sequence[int]) -> None:
    arena = trials.arena

    def kill(matches: list[str]) -> None:
        arena.gateways[0].kill()
        arena.open(*matches)
        arena.gateways[0] = arena.start_gateway(0)

    with arena.working(1):
        trials.disturb("gateway killed while an ask is out", indexes, kill)


@pytest.mark.parametrize("pair", [("worker", "gateway"), ("worker", "Redis"), ("gateway", "Redis")], ids="+".join)
def test_two_are_killed_at_once(trials: Trials, indexes: Sequence[int], pair: tuple[str, str]) -> None:
    arena = trials.arena

    def kill(matches: list[str]) -> None:
        victims = {"worker": workers[0], "gateway": arena.gateways[0], "Redis": arena.redis}
        for name in pair:
            victims[name].kill()
        arena.open(*matches)
        if "Redis" in pair:
            arena.redis.start()
        if "gateway" in pair:
            arena.gateways[0] = arena.start_gateway(0)
        if "worker" in pair:
            workers[0] = arena.start_worker()

    with arena.working(1) as workers:
        trials.disturb(f"{pair[0]} and {pair[1]} killed at once", indexes, kill)


@pytest.mark.parametrize("for_s", [4, pytest.param(20, marks=soak)])
def test_a_gateway_stands_still(trials: Trials, for_s: int) -> None:
    """After 15 s the bots have given up their streams."""
    arena = trials.arena

    def stand_still(matches: list[str]) -> None:
        arena.gateways[0].signal(signal.SIGSTOP)
        arena.open(*matches)
        time.sleep(for_s)  # the fault itself
        arena.gateways[0].signal(signal.SIGCONT)

    with arena.working(1):
        trials.disturb(f"gateway stopped for {for_s} s", trials.few(), stand_still)


@pytest.mark.soak
def test_a_gateway_hangs_until_it_is_killed(trials: Trials) -> None:
    """After 15 s the bots give up their streams. They try again, and find the next gateway."""
    arena = trials.arena

    def hang(matches: list[str]) -> None:
        arena.gateways[0].signal(signal.SIGSTOP)
        arena.open(*matches)
        time.sleep(20)  # the fault itself
        arena.gateways[0].kill()
        arena.gateways[0] = arena.start_gateway(0)

    with arena.working(1):
        trials.disturb("gateway stopped for 20 s, then killed", trials.few(), hang)


def test_redis_is_killed_and_restarted(trials: Trials, indexes: Sequence[int]) -> None:
    arena = trials.arena

    def restart(matches: list[str]) -> None:
        arena.redis.kill()
        arena.open(*matches)
        arena.redis.start()

    with arena.working(1):
        trials.disturb("Redis killed and restarted", indexes, restart)


def test_redis_loses_everything(trials: Trials, indexes: Sequence[int]) -> None:
    arena = trials.arena

    def flush(matches: list[str]) -> None:
        arena.open(*matches)
        for _ in range(5):
            arena.redis.flush()
            time.sleep(0.02)  # answers and asks are in transit meanwhile

    with arena.working(1):
        trials.disturb("FLUSHALL, five times", indexes, flush)


def test_a_worker_leaves_in_time_while_redis_is_away(trials: Trials) -> None:
    arena = trials.arena
    took: list[float] = []
    workers = [arena.start_worker()]

    def leave(matches: list[str]) -> None:
        arena.redis.kill()
        arena.open(*matches)
        took.append(workers[-1].terminate())
        arena.redis.start()
        workers.append(arena.start_worker())

    try:
        trials.disturb("worker told to leave while Redis is away", trials.few(), leave)
    finally:
        workers[-1].kill()
    table.ROWS[-1].note = f"all left within {max(took):.2f} s"


@pytest.mark.slow
@pytest.mark.parametrize("is_hung", [False, True], ids=["dead", "hung"])
def test_no_lease_is_lost_while_redis_is_away_for_longer(trials: Trials, is_hung: bool) -> None:
    arena = trials.arena

    def go_away(matches: list[str]) -> None:
        assert arena.redis.process is not None
        if is_hung:
            arena.redis.process.send_signal(signal.SIGSTOP)
        else:
            arena.redis.kill()
        arena.open(*matches)
        time.sleep(1.6 * DEFAULT_LEASE_S)  # the fault itself
        if is_hung:
            arena.redis.process.send_signal(signal.SIGCONT)
        else:
            arena.redis.start()

    with arena.working(1, lease_s=DEFAULT_LEASE_S):
        what = f"Redis {'hung' if is_hung else 'away'} for 8 s"
        matches = trials.disturb(what, trials.every(trials.last // 6), go_away)
    assert {arena.fate(match).epochs for match in matches} == {1}


# --- the database ---


@database_specific
def test_the_database_goes_away(trials: Trials, indexes: Sequence[int]) -> None:
    """PostgreSQL dies and is restarted. SQLite has no server, so another connection writes for two leases."""
    arena = trials.arena
    postgres = arena.postgres

    def restart(matches: list[str]) -> None:
        assert postgres is not None
        postgres.kill()
        arena.open(*matches)
        postgres.start()
        until(is_connected)

    def lock(matches: list[str]) -> None:
        with transaction.atomic():  # immediate: see the settings
            arena.open(*matches)
            time.sleep(2 * LEASE_S)  # the fault itself

    with arena.working(1):
        if postgres is not None:
            trials.disturb("database killed and restarted", indexes, restart)
        else:
            trials.disturb("database locked for two leases", indexes, lock)


# --- bots ---


def test_bots_drop_and_come_back(trials: Trials, indexes: Sequence[int]) -> None:
    arena = trials.arena

    def drop(matches: list[str]) -> None:
        versions, begin = set(trials.bots.versions), time.monotonic()
        for name in trials.bots.names:
            arena.bots[name].kill()
        arena.open(*matches)
        until(lambda: not versions & arena.present(), "that their gateway misses them")
        for name in trials.bots.names:
            arena.start_bot(name)
        until(lambda: versions <= arena.present(), "their coming back")
        trials.absent_s = max(trials.absent_s, time.monotonic() - begin)

    with arena.working(1):
        trials.disturb("bots killed and restarted", indexes, drop)


def test_a_bot_never_comes_back(trials: Trials) -> None:
    """Its forfeit is at the same index, and the house plays the same for it, whoever referees."""
    arena = trials.arena
    row = table.row("bot never comes back", arena.database)
    records = set()
    for owner in ("worker", "two workers"):
        bots = arena.seat("cleo", "dan")
        gate, policy = trials.last // 2, Policy(grace_ms=500, house="random")
        match = arena.schedule(bots, trials.name(), gates=[gate], policy=policy)
        with arena.working(1) as workers, arena.working(1, fresh=False):
            name = until(lambda: arena.who_waits(match, gate), "the bot's coming to the gate")  # noqa: B023
            arena.bots[name].kill()
            if owner == "two workers":
                workers[0].kill()
            arena.finish(match)
        fate = arena.fate(match)
        row.tries += 1
        row.survived += fate.state == "FINISHED" and fate.kinds.count("forfeit") == 1
        records.add(fate.record)
    assert row.survived == row.tries
    assert len(records) == 1


def test_a_match_that_no_worker_survives_is_voided_and_played_anew(trials: Trials) -> None:
    arena = trials.arena
    row = table.row("no worker survives it: voided, played anew", arena.database)
    row.tries = 1
    match = arena.schedule(trials.bots, trials.name())
    victims = 0
    while not arena.has_ended(match):
        victims += 1
        arena.start_worker(match=match, failpoint="after_claim@0").wait()
        until(lambda: not arena.running([match]), "the sweeper's coming")
    # The last claim records the death of the worker before it.
    assert (Match.objects.get(pk=match).state, victims) == ("VOID", MAX_FAILURES + 1)
    page = match_queries.match_page(match, hidden_too=True)
    assert page.server_seed == SEED.hex()
    assert page.replaced_by is not None
    with arena.working(1):
        arena.finish(page.replaced_by)
    again = match_queries.match_page(page.replaced_by)
    assert (again.line.state, again.server_seed != SEED.hex()) == ("FINISHED", True)
    row.survived = 1


# --- the end ---


@database_specific
def test_finish_is_called_again(trials: Trials) -> None:
    arena = trials.arena
    row = table.row("finish called again, three times", arena.database)
    row.tries = 1
    match = arena.schedule(trials.bots, trials.name())
    with arena.working(1):
        arena.finish(match)
    before = arena.fate(match)
    record, epoch = match_queries.match_record(match), Match.objects.get(pk=match).epoch
    assert record is not None
    entries = list(RatingEntry.objects.values_list())
    answers = [ending.finish_match(match, epoch, record["verdict"], record) for _ in range(3)]
    assert len(set(answers)) == 1 and answers[0].state == "FINISHED"
    assert arena.fate(match) == before and before.record == trials.record
    assert list(RatingEntry.objects.values_list()) == entries
    row.survived = 1


@database_specific
def test_the_ladder_has_no_gap(trials: Trials) -> None:
    """This runs after all of the above."""
    check_ladders()
