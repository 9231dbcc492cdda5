"""A private Redis, the test's own database, and everything that a worker process has, in this process."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Thread
from typing import Any

import pytest

from arena.bus import Bus
from tests.kit.databases import both_databases
from tests.kit.ladder import Kit
from tests.kit.redis_server import RedisServer
from tests.workers.bus_bots import BusBots
from tests.workers.matches import SEED, canonical, charged, schedule
from tests.workers.processes import WAIT_S
from webui.matches import dispatching
from webui.matches.models import Match
from workers.database import Pool
from workers.driver import Driver
from workers.workerlink import WorkerLink


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if metafunc.module.__name__.endswith(("test_driver", "test_driver_outages")):
        both_databases(metafunc)


@pytest.fixture(scope="session")
def redis() -> Iterator[RedisServer]:
    with RedisServer(tcp=True) as server:
        yield server


@pytest.fixture(autouse=True)
def broker(redis: RedisServer, settings: Any) -> Iterator[RedisServer]:
    """Tasks go to the private Redis, which is empty for each test."""
    redis.flush()
    settings.REDIS_URL = settings.BROKER_URL = redis.url
    dispatching._producer.cache_clear()
    yield redis
    dispatching._producer.cache_clear()


@pytest.fixture
def kit() -> Kit:
    return Kit()


@pytest.fixture
def bots(redis: RedisServer) -> Iterator[BusBots]:
    with BusBots(redis.url) as bots:
        yield bots


class Worker:
    """A worker process without Celery: a link, a pool of connections, one thread for each match."""

    def __init__(self, url: str, lease_s: float = 5) -> None:
        self.database = Pool()
        self.link = WorkerLink(Bus(url))
        self.lease_s = lease_s
        self.link.start()
        self.threads: list[Thread] = []

    def play(self, match_id: str) -> None:
        """Play the match in this thread."""
        Driver(match_id, self.link, self.database, lease_s=self.lease_s, site_url="http://arena").run()

    def begin(self, match_id: str) -> Thread:
        """Play the match in another thread."""
        thread = Thread(target=self.play, args=[match_id], daemon=True)
        thread.start()
        self.threads.append(thread)
        return thread

    def close(self) -> None:
        self.link.close()
        for thread in self.threads:
            thread.join(WAIT_S)
            assert not thread.is_alive()
        self.link.bus.close()
        self.database.close()


@pytest.fixture
def worker(redis: RedisServer) -> Iterator[Worker]:
    worker = Worker(redis.url)
    yield worker
    worker.close()


@pytest.fixture
def versions(kit: Kit) -> list[int]:
    return kit.versions(3)


@pytest.fixture(scope="session")
def records() -> list[Any]:
    """The canonical record of the game that tests disturb, once it has been played."""
    return []


@pytest.fixture
def whole_record(versions: list[int], bots: BusBots, worker: Worker, records: list[Any]) -> list[Any]:
    """The canonical record of the game that a test disturbs.

    Seed, nonces and choices are always the same, so the first test plays it.
    """
    for version in versions:
        bots.add(version)
    if not records:
        match_id = schedule(versions, server_seed=SEED)
        worker.play(match_id)
        records.append(canonical(match_id))
    recorded: list[Any] = records[0]
    return recorded


@pytest.fixture
def undisturbed(whole_record: list[Any]) -> Iterator[list[Any]]:
    """The same record, for tests of the arena's own faults.

    No time is charged for these: bots answer at once, so next to nothing is charged, whatever breaks.
    """
    yield whole_record
    for match_id in Match.objects.values_list("id", flat=True):
        assert charged(match_id) < 1_000
