"""Fixtures for the tests of the ladder."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from tests.kit.databases import both_databases
from tests.kit.ladder import Kit
from tests.ladder.rivals import Rival
from webui.accounts import actions as account_actions
from webui.accounts.values import Actor
from webui.challenges import pairing as challenges
from webui.matches import dispatching
from webui.pairing import examinations, matchmaking


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    both_databases(metafunc)


@pytest.fixture
def staff() -> Actor:
    """Somebody of staff, signed in from an address."""
    return Actor(account_actions.create_user("warden", "a quiet caravan", role="admin"), "203.0.113.9")


@pytest.fixture(autouse=True)
def memory_broker(settings: Any) -> Iterator[None]:
    """A real Celery producer on a broker inside this process."""
    settings.BROKER_URL = "memory://"
    dispatching._producer.cache_clear()
    yield
    dispatching._producer.cache_clear()


@pytest.fixture(autouse=True)
def same_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """The matchmaker draws the same in every run of a test; `tests/scheduling` tries many draws.

    No turn of a queue goes to whoever has waited longest, unless a test says so.
    """
    draw = random.Random(1)
    monkeypatch.setattr(matchmaking._Dice, "below", lambda self, n: draw.randrange(n))
    for queue in (examinations, challenges):
        monkeypatch.setattr(queue, "is_turn_of_earliest", lambda: False)


@pytest.fixture
def kit() -> Kit:
    return Kit()


@pytest.fixture(scope="module")
def rivals(database: str, django_db_setup: None, django_db_blocker: Any) -> Iterator[list[Rival]]:
    """Four other processes, for all tests of a module: none keeps anything but its connection between two of them."""
    with django_db_blocker.unblock():
        started = [Rival() for _ in range(4)]
    assert [rival.answer() for rival in started] == ["ready"] * 4
    yield started
    for rival in started:
        rival.close()
