"""Which tests begin first, and which run in one process of xdist: those that share what is dear, an arena above all.

The groups of `--dist loadgroup` would be marks on the tests; pytest-xdist 3.8 writes them into ids that pytest 9 no
longer reads, so that each test went anywhere. A table of files does the same here.
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
"""A file to its group. A group runs in one process, one test after the other."""

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
"""Files with a test that takes the best part of a minute or more, by how long (`--durations`). One that began late
would be all that still runs at the end."""

WAITING = tuple(
    f"tests/{folder}/"
    for folder in ("bus", "cluster", "deploy", "doctor", "e2e", "faults", "gateway", "host", "workers")
)
"""Where tests wait for other processes most of the time. All others compute."""


def begin_with_the_longest(items: list[pytest.Item]) -> None:
    """Put the tests of `LONGEST` before all others, which stay as they are."""
    rank = {file: place for place, file in enumerate(LONGEST)}
    items.sort(key=lambda item: rank.get(item.nodeid.partition("::")[0], len(rank)))


class Together(LoadScopeScheduling):
    """Large groups first, then every other test by itself and in its order, each to the process that is free next.

    Every other process begins with the tests that wait, so that the processors have something to do meanwhile, and few
    tests compute side by side.
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
    """Of units, each by its name and one of its tests, the first that waits, or that computes; if there is none, the
    first of all."""
    first = ""
    for name, test in units:
        first = first or name
        if test.startswith(WAITING) == waiting:
            return name
    return first
