"""Fixtures for the tests of the public pages."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import caches
from django.test import Client
from django.test.utils import modify_settings, override_settings
from django.utils import translation
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from arena.host.places import Places
from tests.deploy.compose import users_of_redis
from tests.kit.arena.database import empty_sqlite, using
from tests.kit.ladder import Kit
from tests.kit.redis_server import RedisServer
from tests.kit.templates import copy, template
from tests.site.chromium import chromium
from tests.site.gallery import Gallery, Serve, Visitor
from tests.site.one_runner import OneRunner
from tests.site.test_live import served as served_here
from tests.site.world import World
from webui.events import pages as event_pages
from webui.events import queries as event_queries
from webui.hosting import queries as hosting_queries
from webui.matches import dispatching

expect.set_options(timeout=60_000)
"""What a page does at once may take a while where others are at work."""
PASSWORD = "sirocco7dunes"
DATABASE, SEEDED = "arena.sqlite3", "seeded.pickle"
Seeded = Callable[[Callable[[Kit], object]], Path]
with_world = pytest.param("world", id=pytest.HIDDEN_PARAM)
SITE_USER = "arena_site"
RULES = users_of_redis({"REDIS_SITE_PASSWORD": PASSWORD, "REDIS_RUNNER_PASSWORD": ""})[SITE_USER]


@pytest.fixture(scope="session")
def redis_server() -> Iterator[RedisServer]:
    """One for all tests of the site, with the site's user of a deployment."""
    server = RedisServer()
    server.users = {SITE_USER: RULES}
    with server:
        yield server


@pytest.fixture(autouse=True)
def own_redis(settings: Any, redis_server: RedisServer) -> Iterator[None]:
    """The bus is this one, as the site's user: nobody is online but whom the test announces."""
    settings.REDIS_URL = redis_server.url_of(SITE_USER, PASSWORD)
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


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run tests that want the world on a database that has it. A module may name its databases in `DATABASES`.

    A test that commits is followed by a flush, so it gets an empty database, and a world of its own.
    """
    marker = metafunc.definition.get_closest_marker("django_db")
    commits = (marker and marker.kwargs.get("transaction")) or "transactional_db" in metafunc.fixturenames
    databases: Sequence[Any] = getattr(metafunc.module, "DATABASES", ["sqlite"]) if marker else ["sqlite"]
    if "world" in metafunc.fixturenames and not commits:
        databases = [with_world if database == "sqlite" else database for database in databases]
    if databases != ["sqlite"]:
        metafunc.parametrize("database", databases, indirect=True, scope="module")


@pytest.fixture(scope="session")
def seeded(tmp_path_factory: pytest.TempPathFactory, django_test_environment: None, django_db_blocker: Any) -> Seeded:
    """Return what copies a database that has been seeded with a class. It is seeded once for all processes."""

    def copied(seed: Callable[[Kit], object]) -> Path:
        def make(made: Path) -> None:
            made.mkdir()
            empty_sqlite(made / DATABASE)
            places = override_settings(PLACES=Places(tmp_path_factory.getbasetemp()))
            with django_db_blocker.unblock(), using(f"sqlite:///{made / DATABASE}"), places, translation.override("en"):
                (made / SEEDED).write_bytes(pickle.dumps(seed(Kit())))

        folder = tmp_path_factory.getbasetemp() / seed.__name__
        if not folder.exists():
            copy(template(seed.__name__, make), folder)
        return folder

    return copied


@pytest.fixture(scope="module", autouse=True)
def database(request: pytest.FixtureRequest, django_db_blocker: Any) -> Iterator[str]:
    """Return the name of the database that the tests of a module use: with the world, or an empty one."""
    name = getattr(request, "param", "sqlite")
    if name == "sqlite":
        yield name
        return
    request.getfixturevalue("django_db_setup")  # before there is another database
    if name == "world":
        url = f"sqlite:///{request.getfixturevalue('seeded')(World) / DATABASE}"
    else:
        url = request.getfixturevalue("postgres_url")
    with django_db_blocker.unblock(), using(url):
        yield name


@pytest.fixture
def world(request: pytest.FixtureRequest, database: str) -> Iterator[World]:
    """Yield the world that was seeded once for all tests. Changes by a test are rolled back and leave no caches."""
    if database == "world":
        yield pickle.loads((request.getfixturevalue("seeded")(World) / SEEDED).read_bytes())
        caches["pages"].clear()
        event_queries._seen.cache_clear()
        event_pages.picture_of.cache_clear()
    else:
        yield World(Kit())


@pytest.fixture
def kit(request: pytest.FixtureRequest) -> Kit:
    """Return builders, which continue where those of the world have stopped."""
    if "world" in request.fixturenames:
        found: Kit = request.getfixturevalue("world").kit
        return found
    return Kit()


@pytest.fixture(scope="session")
def site_server(django_test_environment: None) -> Iterator[LiveServer]:
    """Yield a server of the site that, unlike `live_server`, leaves the database as it is after each test."""
    server = LiveServer("localhost")
    yield server
    server.stop()


@pytest.fixture(scope="session")
def serve(seeded: Seeded, site_server: LiveServer, redis_server: RedisServer, django_db_blocker: Any) -> Serve:
    """Return what serves a database that was seeded with a class, until the end of the block."""

    @contextmanager
    def served(seed: Callable[[Kit], Any]) -> Iterator[Any]:
        folder = seeded(seed)
        found = pickle.loads((folder / SEEDED).read_bytes())
        found.url = str(site_server.url)
        hosts = modify_settings(ALLOWED_HOSTS={"append": "localhost"})
        with django_db_blocker.unblock(), using(f"sqlite:///{folder / DATABASE}"), hosts:
            yield found

    return served


@pytest.fixture(scope="module")
def gallery(serve: Serve) -> Iterator[Gallery]:
    """Yield the gallery, served for all tests of a module."""
    with serve(Gallery) as found:
        yield found


@pytest.fixture
def visit(gallery: Gallery) -> Iterator[Callable[..., Visitor]]:
    """Yield what opens windows on the gallery in Chromium. The frames of its matches are made before."""
    client = Client(headers={"Accept-Encoding": "gzip, deflate, br, zstd"})
    for match in gallery.ended:
        assert client.get(f"/matches/{match.id}/frames.json").status_code == 200
    with chromium() as browser:
        yield partial(Visitor, browser)


@pytest.fixture
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A runner of these tests calls once, and a test may take minutes on a busy machine."""
    monkeypatch.setattr(hosting_queries, "RUNNER_ALIVE_S", 3600.0)


@pytest.fixture
def runner(db: None, patience: None) -> OneRunner:
    return OneRunner()


@pytest.fixture
def site_with_runner(
    transactional_db: None, redis_server: RedisServer, patience: None
) -> Iterator[tuple[str, OneRunner]]:
    """The address of a site that browsers can open, and its runner."""
    runner = OneRunner()
    with served_here() as address:
        yield address, runner
