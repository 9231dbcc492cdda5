"""Tests of hosting. Those that start a sandbox are skipped where none is possible."""

from __future__ import annotations

import pytest

from arena.sandbox.support import sandbox_support


@pytest.fixture
def sandbox() -> None:
    """Skip the test where no sandbox is possible."""
    if not sandbox_support().is_possible:
        pytest.skip("; ".join(sandbox_support().reasons))
