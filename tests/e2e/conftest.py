"""The arena that tests share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.e2e.running import RunningArena, Site


@pytest.fixture(scope="package")  # not longer: its house bots play on and on
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningArena]:
    """What `make demo` runs, one for all tests that share it: tests/kit/schedule.py."""
    with RunningArena(tmp_path_factory.mktemp("demo") / "var", "--house") as arena:
        yield arena


@pytest.fixture
def site(demo: RunningArena) -> Site:
    return Site(demo.wait_ready()["site"])
