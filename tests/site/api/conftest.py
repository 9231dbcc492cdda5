"""Fixtures for the tests of the API."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from webui.api.limits import counts


@pytest.fixture(autouse=True)
def nobody_has_called() -> Iterator[None]:
    counts.clear()
    yield
    counts.clear()
