"""Real Celery workers: many matches in one process, shutdown, kills, tasks delivered twice."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import connection

from tests.kit.arena.process import Forge
from tests.kit.ladder import Kit
from tests.kit.redis_server import RedisServer
from tests.kit.until import until
from tests.workers.bus_bots import BusBots
from tests.workers.processes import MODULES, celery_worker, open_databases, periodic_tasks
from webui.matches import dispatching
from webui.matches import queries as match_queries
from webui.matches.models import Match

pytestmark = pytest.mark.django_db(transaction=True)

MANY = 100
LEAVES_S = 20
"""A second or two on a quiet machine. Without handing over, matches would take minutes and their leases 60 s."""


@pytest.fixture(scope="module")
def forge(
    redis: RedisServer, database: str, django_db_setup: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Forge]:
    """The forge of Celery's processes, on the database and the Redis of the tests."""
    environment = {
        "DATABASE_URL": f"sqlite:///{connection.settings_dict['NAME']}",
        "REDIS_URL": redis.url,
        "ARENA_MATCHES": "0",  # the tests make them
    }
    with Forge(tmp_path_factory.mktemp("celery"), *MODULES, **environment) as forge:
        yield forge


def states() -> dict[str, int]:
    found: dict[str, int] = {}
    for state in Match.objects.values_list("state", flat=True):
        found[state] = found.get(state, 0) + 1
    return found


@pytest.mark.slow
def test_one_process_referees_a_hundred_matches_and_leaves_within_seconds(
    kit: Kit, forge: Forge, bots: BusBots
) -> None:
    versions = kit.versions(2)
    for version in versions:
        bots.add(version, think_s=3)
    matches = [kit.match(versions, rated=False) for _ in range(MANY)]
    with celery_worker(forge, MANY, lease_s=60) as worker:
        until(lambda: {request.match_id for request in bots.messages("request")} == set(matches))
        assert states() == {"RUNNING": MANY}
        assert 1 <= open_databases(worker) <= 12, "far fewer than matches; SQLite closes a file late"
        # Each match goes on while all others think.
        until(lambda: {one.match_id for one in bots.messages("request") if one.index >= 2} == set(matches))
        took = worker.terminate()
    print(f"left within {took:.2f} s")
    assert took < LEAVES_S
    assert states() == {"SCHEDULED": MANY}  # handed back, not left to expire


@pytest.mark.slow
def test_a_match_goes_on_when_its_worker_is_killed(kit: Kit, forge: Forge, bots: BusBots) -> None:
    versions = kit.versions(2)
    for version in versions:
        bots.add(version, think_s=0.1)
    match_id = kit.match(versions)
    with (
        periodic_tasks(forge) as upkeep,
        celery_worker(forge, 4, lease_s=5) as first,
        celery_worker(forge, 4, lease_s=5) as second,
    ):
        until(lambda: len(bots.messages("request")) > 20)
        row = Match.objects.get(pk=match_id)
        killed, other = (first, second) if f"-{first.pid}-" in row.owner else (second, first)
        assert f"-{killed.pid}-" in row.owner
        killed.kill()
        until(lambda: states() == {"FINISHED": 1})
        assert Match.objects.get(pk=match_id).epoch == 2
        assert "fault" not in [entry.kind for entry in match_queries.match_log(match_id)]
        other.terminate()
        upkeep.terminate()


@pytest.mark.slow
def test_a_task_that_is_delivered_twice_plays_once(kit: Kit, forge: Forge, bots: BusBots) -> None:
    versions = kit.versions(2)
    for version in versions:
        bots.add(version, think_s=0.01)
    match_id = kit.match(versions)
    for _ in range(3):
        dispatching._send(match_id)
    with celery_worker(forge, 4) as worker:
        until(lambda: states() == {"FINISHED": 1})
        dispatching._send(match_id)
        until(lambda: len(bots.messages("match_end")) == 2)
        worker.terminate()
    assert Match.objects.get(pk=match_id).epoch == 1
    requests = bots.messages("request")
    assert len(requests) == len({request.index for request in requests})
