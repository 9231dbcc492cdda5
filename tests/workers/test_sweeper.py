"""Whichever process is there sweeps; one of them is enough, and none of them is needed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from arena.bus import Bus
from tests.kit.ladder import Kit
from tests.kit.redis_server import RedisServer
from webui.ladder.models import Match
from workers.database import Pool
from workers.sweeper import TURN, Sweeper

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def sweepers(redis: RedisServer) -> Iterator[tuple[Sweeper, Sweeper]]:
    """Those of two processes."""
    with Bus(redis.url) as one, Bus(redis.url) as another:
        database = Pool(1)
        yield Sweeper(one, database, ""), Sweeper(another, database, "")
        database.close()


def silent_match(kit: Kit) -> str:
    """A match whose owner has fallen silent."""
    match = kit.match()
    kit.claim(match, lease_s=-1)
    return match


def test_any_process_sweeps_and_they_take_turns(
    kit: Kit, redis: RedisServer, sweepers: tuple[Sweeper, Sweeper]
) -> None:
    one, another = sweepers
    first = silent_match(kit)
    one.sweep()
    assert Match.objects.get(pk=first).state == "SCHEDULED"
    second = silent_match(kit)
    with redis.client() as client:
        client.persist(f"arena:turn:{TURN}")  # the turn lasts, however slow this machine is
    another.sweep()
    assert Match.objects.get(pk=second).state == "RUNNING"
    redis.flush()
    another.sweep()
    assert Match.objects.get(pk=second).state == "SCHEDULED"


def test_without_redis_each_of_them_sweeps(kit: Kit, sweepers: tuple[Sweeper, Sweeper]) -> None:
    with RedisServer() as gone:
        url = gone.url
    match = silent_match(kit)
    with Bus(url) as bus:
        database = Pool(1)
        Sweeper(bus, database, "").sweep()
        database.close()
    assert Match.objects.get(pk=match).state == "SCHEDULED"
