"""Fixtures for the tests of the public pages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.kit.ladder import Kit
from webui.ladder.actions import doorbell


@pytest.fixture(autouse=True)
def memory_broker(settings: Any) -> Iterator[None]:
    """A real Celery producer on a broker inside this process."""
    settings.REDIS_URL = "memory://"
    doorbell._producer.cache_clear()
    yield
    doorbell._producer.cache_clear()


@pytest.fixture
def kit() -> Kit:
    return Kit()
