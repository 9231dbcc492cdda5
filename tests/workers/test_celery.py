"""Real Celery workers: many matches in one process, going down, being killed, tasks delivered twice."""

from __future__ import annotations

from typing import Any

import pytest

from arena.bus import Bus
from tests.kit.ladder import Kit
from tests.kit.redis_server import RedisServer
from tests.kit.until import until
from tests.workers.bus_bots import BusBots
from tests.workers.processes import CeleryProcess
from webui.ladder import queries
from webui.ladder.actions import dispatching
from webui.ladder.models import Match
from workers import tasks

pytestmark = pytest.mark.django_db(transaction=True)

MANY = 100
LEAVES_S = 20
"""A second or two on a quiet machine; without handing over, the matches would take minutes and their leases 60 s."""


def states() -> dict[str, int]:
    found: dict[str, int] = {}
    for state in Match.objects.values_list("state", flat=True):
        found[state] = found.get(state, 0) + 1
    return found


@pytest.mark.slow
def test_one_process_referees_a_hundred_matches_and_leaves_within_seconds(
    kit: Kit, redis: RedisServer, bots: BusBots
) -> None:
    versions = kit.versions(2)
    for version in versions:
        bots.add(version, think_s=3)
    matches = [kit.match(versions, rated=False) for _ in range(MANY)]
    process = CeleryProcess.worker(redis.url, "matches", MANY, ARENA_LEASE_SECONDS="60")
    with process as worker:
        until(lambda: {request.match_id for request in bots.messages("request")} == set(matches))
        assert states() == {"RUNNING": MANY}
        assert 1 <= worker.open_databases() <= 8
        # Each match goes on while all others think.
        until(lambda: {one.match_id for one in bots.messages("request") if one.index >= 2} == set(matches))
        took = worker.terminate()
    print(f"left within {took:.2f} s")
    assert took < LEAVES_S
    assert states() == {"SCHEDULED": MANY}  # handed back, not left to expire


@pytest.mark.slow
def test_a_match_goes_on_when_its_worker_is_killed(kit: Kit, redis: RedisServer, bots: BusBots) -> None:
    versions = kit.versions(2)
    for version in versions:
        bots.add(version, think_s=0.1)
    match_id = kit.match(versions)
    upkeep = CeleryProcess.worker(redis.url, "upkeep", 2, "-B", ARENA_LEASE_SECONDS="5", ARENA_MATCHES="0")
    first = CeleryProcess.worker(redis.url, "matches", 4, ARENA_LEASE_SECONDS="5")
    second = CeleryProcess.worker(redis.url, "matches", 4, ARENA_LEASE_SECONDS="5")
    with upkeep, first, second:
        until(lambda: len(bots.messages("request")) > 20)
        row = Match.objects.get(pk=match_id)
        killed, other = (first, second) if f"-{first.pid}-" in row.owner else (second, first)
        assert f"-{killed.pid}-" in row.owner
        killed.kill()
        until(lambda: states() == {"FINISHED": 1})
        assert Match.objects.get(pk=match_id).epoch == 2
        assert "fault" not in [entry.kind for entry in queries.match_log(match_id)]
        other.terminate()
        upkeep.terminate()


@pytest.mark.slow
def test_a_task_that_is_delivered_twice_plays_once(kit: Kit, redis: RedisServer, bots: BusBots) -> None:
    versions = kit.versions(2)
    for version in versions:
        bots.add(version, think_s=0.01)
    match_id = kit.match(versions)
    for _ in range(3):
        dispatching._send(match_id)
    with CeleryProcess.worker(redis.url, "matches", 4) as worker:
        until(lambda: states() == {"FINISHED": 1})
        dispatching._send(match_id)
        until(lambda: len(bots.messages("match_end")) == 2)
        worker.terminate()
    assert Match.objects.get(pk=match_id).epoch == 1
    requests = bots.messages("request")
    assert len(requests) == len({request.index for request in requests})


def test_the_matchmaker_finds_matches_for_bots_that_are_online(
    kit: Kit, redis: RedisServer, bots: BusBots, monkeypatch: pytest.MonkeyPatch
) -> None:
    for version in kit.versions(6):
        bots.add(version, capacity=8)
    with Bus(redis.url) as bus:
        monkeypatch.setattr(tasks.shared, "link", lambda: _Link(bus))
        tasks.matchmake()
    assert states()["SCHEDULED"] == tasks.MATCHES_IN_FLIGHT
    assert set(Match.objects.values_list("ruleset__players", flat=True)) == {2, 3, 4}


class _Link:
    def __init__(self, bus: Any) -> None:
        self.bus = bus
