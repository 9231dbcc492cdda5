"""What needs a database server: collected by `test_on_postgresql` alone, which starts it again whenever it dies."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from arena.wire.v1.bot_pb2 import DecisionRequest
from tests.kit.ladder import Kit
from tests.workers.bus_bots import BusBots, pick
from tests.workers.conftest import Worker
from tests.workers.test_driver import SEED, Trigger, canonical, kinds, schedule

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_restart_of_the_database_in_the_middle_changes_nothing(kit: Kit, bots: BusBots, worker: Worker) -> None:
    versions = kit.versions(3)
    for version in versions:
        bots.add(version)
    first = schedule(versions, server_seed=SEED)
    worker.play(first)

    def kill_database(request: DecisionRequest) -> list[str]:
        pid = int((Path(os.environ["ARENA_TEST_POSTGRES_DATA"]) / "postmaster.pid").read_text().split()[0])
        os.kill(pid, signal.SIGQUIT)
        return pick(request)

    for at in (-1, 40, 90):  # before the first bid is stored, and twice on the way
        bots.add(versions[0], Trigger(at, kill_database))
        match_id = schedule(versions, server_seed=SEED)
        worker.play(match_id)
        connection.close()  # the test's own went down with the server
        assert canonical(match_id) == canonical(first)
        assert "fault" not in kinds(match_id)


def test_a_worker_uses_no_more_connections_than_its_pool_has(kit: Kit, bots: BusBots, worker: Worker) -> None:
    versions = kit.versions(2)
    for version in versions:
        bots.add(version, think_s=0.02)
    threads = [worker.begin(schedule(versions)) for _ in range(20)]
    most = 0
    while any(thread.is_alive() for thread in threads):
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()")
            most = max(most, _number(cursor.fetchone()))
    assert 2 <= most <= 8 + 1  # and the test's own


def _number(row: Any) -> int:
    return int(row[0])
