"""One arena for each database, and the table at the end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.faults import table
from tests.faults.trials import Trials
from tests.kit.arena.arena import Arena
from tests.kit.databases import POSTGRES
from tests.kit.postgres_server import require_postgres
from tests.kit.stalls import StallWatch


@pytest.fixture(scope="module", params=["sqlite", POSTGRES])
def database(request: pytest.FixtureRequest) -> str:
    """Name of an available database."""
    if request.param == "postgres":
        require_postgres()
    return str(request.param)


@pytest.fixture(scope="module")
def arena(database: str, django_db_blocker: Any) -> Iterator[Arena]:
    """A running arena without workers."""
    with django_db_blocker.unblock(), Arena(database) as arena:
        yield arena


@pytest.fixture(scope="module")
def trials(arena: Arena) -> Iterator[Trials]:
    """Matches to disturb, and the record that all of them must match."""
    with StallWatch() as stalls:
        yield Trials(arena, stalls)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if table.ROWS:
        terminalreporter.section("faults")
        terminalreporter.write_line(table.HEAD)
        for row in table.ROWS:
            terminalreporter.write_line(row.text())
