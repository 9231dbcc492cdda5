"""Fixtures for the tests of hosted bots in the database."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.hosting_site.authors import Author
from tests.kit.databases import both_databases
from tests.kit.ladder import Kit
from webui.hosting import actions, queries
from webui.matches import dispatching


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run tests on both databases, unless a module names its own in `DATABASES`."""
    if databases := getattr(metafunc.module, "DATABASES", None):
        metafunc.parametrize("database", databases, indirect=True, scope="module")
    else:
        both_databases(metafunc)


@pytest.fixture(autouse=True)
def memory_broker(settings: Any) -> Iterator[None]:
    """A real Celery producer on a broker inside this process."""
    settings.BROKER_URL = "memory://"
    dispatching._producer.cache_clear()
    yield
    dispatching._producer.cache_clear()


@pytest.fixture
def kit() -> Kit:
    return Kit()


@pytest.fixture
def author(tmp_path: Path) -> Author:
    """An author with a bot, who hands in versions of it."""
    return Author("amina", tmp_path)


@pytest.fixture
def runner() -> int:
    """A registered runner."""
    runner_id = queries.runner_of_token(actions.register_runner("runner 1"))
    assert runner_id is not None
    return runner_id
