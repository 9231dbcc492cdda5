"""One cluster for all tests, and the table at the end."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.cluster import Cluster
from tests.cluster.load import Load
from tests.faults import table
from tests.kit.lacking import require_machines
from tests.kit.postgres_server import require_postgres
from tests.kit.stalls import StallWatch

THINK_S = 0.2
SHORT_THINK_S = 0.03
"""Thinking time if only a few faults are tried: these games are over in a few seconds."""


@pytest.fixture(scope="module")
def cluster(request: pytest.FixtureRequest, django_db_blocker: Any) -> Iterator[Cluster]:
    """A cluster without faults."""
    require_machines()
    require_postgres()
    is_soak = any(item.get_closest_marker("soak") for item in request.session.items)
    with django_db_blocker.unblock(), Cluster(think_s=THINK_S if is_soak else SHORT_THINK_S) as made:
        try:
            yield made
        finally:
            if kept := os.environ.get("ARENA_CLUSTER_LOGS"):
                made.keep_logs(Path(kept))


@pytest.fixture(scope="module")
def load(cluster: Cluster) -> Iterator[Load]:
    """Matches on the cluster."""
    with StallWatch() as stalls:
        yield Load(cluster, stalls)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print the table."""
    if table.ROWS:
        terminalreporter.section("faults of a cluster")
        terminalreporter.write_line(table.HEAD)
        for row in table.ROWS:
            terminalreporter.write_line(row.text())
