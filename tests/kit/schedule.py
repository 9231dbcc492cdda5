"""Which tests run in the same process of xdist: those that share what is dear, an arena above all.

The groups of `--dist loadgroup` would be marks on the tests; pytest-xdist 3.8 writes them into ids that pytest 9 no
longer reads, so that each test went anywhere. A table of files does the same here.
"""

from __future__ import annotations

from xdist.scheduler import LoadScopeScheduling

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


class Together(LoadScopeScheduling):
    """Large groups first, then every other test by itself, each to the process that is free next."""

    def _split_scope(self, nodeid: str) -> str:
        group = TOGETHER.get(nodeid.partition("::")[0])
        if group is None:
            return nodeid
        return f"{group} on postgres" if "postgres" in nodeid and group in ("faults", "rivals") else group
