"""Fixtures for the tests of the public pages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.kit.ladder import Kit
from webui.ladder.actions import doorbell

expect.set_options(timeout=60_000)
"""What a page does at once may take a while where others are at work."""


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
