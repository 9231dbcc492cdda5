"""The order of tests, and the tests that run in one process of xdist because they share something expensive, such as an
arena.

The groups of `--dist loadgroup` would be marks on the tests. pytest-xdist 3.8 writes them into ids that pytest 9 no
longer reads, so that tests of a group went to any process. This module uses a table of files instead.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from xdist.scheduler import LoadScopeScheduling

if TYPE_CHECKING:
    import pytest

TOGETHER = {
    "tests/cluster/test_cluster.py": "cluster",
    "tests/e2e/test_demo.py": "demo",
    "tests/e2e/test_lacking.py": "arenas",
    "tests/e2e/test_protocol_by_hand.py": "arenas",
    "tests/e2e/test_stopping.py": "arenas",
    "tests/e2e/test_tables.py": "tables",
    "tests/faults/test_matrix.py": "faults",
    "tests/ladder/test_races.py": "rivals",
    "tests/native/test_native.py": "native",
    "tests/workers/test_on_postgresql.py": "workers on postgresql",
}
"""Group of each file. A group runs in one process, one test after the other."""

LONGEST = (
    "tests/site/test_browser.py",
    "tests/deploy/test_as_processes.py",
    "tests/faults/test_network.py",
    "tests/site/test_role.py",
    "tests/host/test_canaries.py",
    "tests/faults/test_celery.py",
    "tests/site/test_long_past.py",
    "tests/site/test_tv.py",
    "tests/players/test_search.py",
)
"""Files with a test that takes about a minute or more, longest first (`--durations`). If one began late, everything
would wait for it."""

WAITING = tuple(
    f"tests/{folder}/"
    for folder in ("bus", "cluster", "deploy", "doctor", "e2e", "faults", "gateway", "host", "workers")
)
"""Folders whose tests mostly wait for other processes. All others compute."""


def begin_with_the_longest(items: list[pytest.Item]) -> None:
    """Put the tests of `LONGEST` before all others, which keep their order."""
    rank = {file: place for place, file in enumerate(LONGEST)}
    items.sort(key=lambda item: rank.get(item.nodeid.partition("::")[0], len(rank)))


class Together(LoadScopeScheduling):
    """Schedules large groups first, then every other test by itself and in order. Each goes to the next free process.

    Every other process begins with the tests that wait. The processors are then busy meanwhile, and few tests compute
    side by side.
    """

    def _assign_work_unit(self, node: Any) -> None:
        units = ((name, next(iter(unit))) for name, unit in self.workqueue.items())
        self.workqueue.move_to_end(next_unit(units, waiting=self.nodes.index(node) % 2 == 0), last=False)
        super()._assign_work_unit(node)

    def _split_scope(self, nodeid: str) -> str:
        group = TOGETHER.get(nodeid.partition("::")[0])
        if group is None:
            return nodeid
        return f"{group} on postgres" if "postgres" in nodeid and group in ("faults", "rivals") else group


def next_unit(units: Iterable[tuple[str, str]], *, waiting: bool) -> str:
    """Return the name of the first unit that waits, or that computes; if there is none, the name of the first unit.

    A unit is a name and one of its tests.
    """
    first = ""
    for name, test in units:
        first = first or name
        if test.startswith(WAITING) == waiting:
            return name
    return first
