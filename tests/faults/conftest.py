"""One arena for each database, and the table at the end."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

from tests.faults import table
from tests.faults.trials import Trials
from tests.kit.arena.arena import Arena
from tests.kit.postgres_server import postgres_directory


@pytest.fixture(
    scope="module",
    params=["sqlite", pytest.param("postgres", marks=[pytest.mark.postgres, pytest.mark.slow])],
)
def arena(request: pytest.FixtureRequest, django_db_blocker: Any) -> Iterator[Arena]:
    """A running arena without workers."""
    if request.param == "postgres" and postgres_directory() is None:
        missing = "PostgreSQL is missing: install Debian's package postgresql"
        if os.environ.get("ARENA_REQUIRE_ALL") == "1":
            pytest.fail(missing)
        pytest.skip(missing)
    with django_db_blocker.unblock(), Arena(request.param) as arena:
        yield arena


@pytest.fixture(scope="module")
def trials(arena: Arena) -> Trials:
    """Matches to be disturbed, and the record that all of them must come to."""
    return Trials(arena)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if table.ROWS:
        terminalreporter.section("faults")
        terminalreporter.write_line(table.HEAD)
        for row in table.ROWS:
            terminalreporter.write_line(row.text())
