"""Fixtures for the tests of the public pages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import transaction
from django.test import override_settings
from django.utils import translation
from playwright.sync_api import expect

from arena.host.places import Places
from tests.deploy.compose import site_user_of_redis
from tests.kit.ladder import Kit
from tests.kit.redis_server import RedisServer
from tests.site.world import World
from webui.matches import dispatching

expect.set_options(timeout=60_000)
"""What a page does at once may take a while where others are at work."""
PASSWORD = "sirocco7dunes"
SITE_USER, RULES = site_user_of_redis(PASSWORD)


@pytest.fixture(scope="session")
def redis_server() -> Iterator[RedisServer]:
    """One for all tests of the site, with the site's user of a deployment."""
    with RedisServer() as server:
        with server.client() as client:
            client.execute_command("ACL SETUSER", SITE_USER, *RULES)
        yield server


@pytest.fixture(autouse=True)
def own_redis(settings: Any, redis_server: RedisServer) -> Iterator[None]:
    """The bus is this one, as the site's user: nobody is online but whom the test announces."""
    settings.REDIS_URL = redis_server.url.replace("unix://", f"unix://{SITE_USER}:{PASSWORD}@")
    dispatching._producer.cache_clear()
    yield
    dispatching._producer.cache_clear()


@pytest.fixture(autouse=True)
def own_lock(settings: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Frames are made one at a time on a machine, and other processes of tests are on it, too."""
    settings.PLACES = Places(tmp_path_factory.getbasetemp())


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    """The language that a request of an earlier test chose does not stay with the thread."""
    with translation.override("en"):
        yield


@pytest.fixture
def kit() -> Kit:
    return Kit()


@pytest.fixture
def world(kit: Kit) -> World:
    return World(kit)


@pytest.fixture(scope="module")
def shared_world(
    database: str, redis_server: RedisServer, django_db_setup: None, django_db_blocker: Any,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[World]:  # fmt: skip
    """A world for all tests of a module, each of which is rolled back to it. All of them have to want it."""
    whole = transaction.atomic()
    with django_db_blocker.unblock(), override_settings(PLACES=Places(tmp_path_factory.getbasetemp())):
        whole.__enter__()
        world = World(Kit())
    yield world
    with django_db_blocker.unblock():
        transaction.set_rollback(True)
        whole.__exit__(None, None, None)
