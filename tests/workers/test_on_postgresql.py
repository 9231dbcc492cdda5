"""Matches when the database dies, and a worker's use of it, on a PostgreSQL of its own."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from threading import Event, Thread
from typing import Any

import pytest
from django.db import connection

from arena.referee import Entry
from arena.wire.v1.bot_pb2 import DecisionRequest
from tests.kit.arena.database import using
from tests.kit.ladder import LEASE, Kit
from tests.kit.postgres_server import PostgresServer, require_postgres
from tests.workers.bus_bots import BusBots, pick
from tests.workers.conftest import Worker
from tests.workers.matches import SEED, Trigger, canonical, kinds, schedule
from webui.matches import ownership

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.postgres,
    pytest.mark.slow,
]


@pytest.fixture(scope="module")
def postgres(django_db_setup: None, django_db_blocker: Any) -> Iterator[PostgresServer]:
    """A server that is restarted whenever it dies; everything that uses the ladder uses it."""
    require_postgres()
    with PostgresServer(durable=True, tables=True) as server, django_db_blocker.unblock():
        is_over = Event()

        def keep_up() -> None:
            while not is_over.wait(0.05):
                if server.process is not None and server.process.poll() is not None:
                    server.start()

        keeper = Thread(target=keep_up, daemon=True)
        keeper.start()
        try:
            with using(server.url):
                yield server
        finally:
            is_over.set()
            keeper.join()


@pytest.fixture(scope="module", autouse=True)
def database(postgres: PostgresServer) -> str:
    """Replaces the database of all modules."""
    return "postgres"


def test_a_restart_of_the_database_in_the_middle_changes_nothing(
    postgres: PostgresServer, kit: Kit, bots: BusBots, worker: Worker
) -> None:
    versions = kit.versions(3)
    for version in versions:
        bots.add(version)
    first = schedule(versions, server_seed=SEED)
    worker.play(first)

    def kill_database(request: DecisionRequest) -> list[str]:
        assert postgres.process is not None
        postgres.process.send_signal(signal.SIGQUIT)
        return pick(request)

    for at in (-1, 40, 90):  # before the first bid is stored, and twice on the way
        bots.add(versions[0], Trigger(at, kill_database))
        match_id = schedule(versions, server_seed=SEED)
        worker.play(match_id)
        connection.close()  # the test's own connection went down with the server
        assert canonical(match_id) == canonical(first)
        assert "fault" not in kinds(match_id)


def test_a_worker_uses_no_more_connections_than_its_pool_has(kit: Kit, bots: BusBots, worker: Worker) -> None:
    versions = kit.versions(2)
    for version in versions:
        bots.add(version, think_s=0.02)
    threads = [worker.begin(schedule(versions)) for _ in range(20)]
    most = 0
    while playing := [thread for thread in threads if thread.is_alive()]:
        with connection.cursor() as cursor:
            cursor.execute(_CLIENTS)
            most = max(most, _number(cursor.fetchone()))
        playing[0].join(0.05)  # a connection that a pool has opened stays open
    assert 2 <= most <= 8 + 1  # and the test's own


def test_a_decision_changes_the_row_of_its_match_in_its_place(kit: Kit) -> None:
    claims = [kit.claim(kit.match()) for _ in range(10)]
    before = _changes()
    for number in range(20):
        for claim in claims:
            entry = Entry(number, "decision", 1, "pass", None)
            ownership.append(claim.match_id, claim.epoch, number, [entry], LEASE)
    changed, in_place = (late - early for early, late in zip(before, _changes(), strict=True))
    assert changed == 200
    assert in_place >= 190  # otherwise it writes to every index of the matches


def _changes() -> tuple[int, int]:
    """Return how many rows of matches were changed, and how many of those without their indexes."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_force_next_flush()")
        cursor.execute("SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_user_tables WHERE relname = 'matches_match'")
        changed, in_place = cursor.fetchone()
        return changed, in_place


# Without the server's own processes: autovacuum connects at any time.
_CLIENTS = (
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'"
)


def _number(row: Any) -> int:
    return int(row[0])
