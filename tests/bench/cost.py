"""What statements cost PostgreSQL: buffers, rows that were looked at, scans of whole tables, indexes that were used."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from django.db import connection, transaction

GROWN = frozenset(
    {
        *(
            f"matches_{table}"
            for table in ("match", "participant", "offerentry", "matchrecord", "packedlog", "matchsecret")
        ),
        *("matches_logrow", "ratings_ratingentry", "ratings_publishedrating"),
    }
)
"""Tables that have as many rows as there were matches, or more."""
WALK = 2_000
EXPLAINED = ("SELECT", "UPDATE", "DELETE", "INSERT")


class _Undo(Exception):
    pass


@dataclass
class Cost:
    """Of a piece of work."""

    queries: int = 0
    buffers: int = 0
    """Pages of 8 KB that were looked at."""
    rows: int = 0
    """Rows of grown tables that scans looked at."""
    scans: set[str] = field(default_factory=set)
    """Grown tables that were read whole, each with the statement."""
    walks: set[str] = field(default_factory=set)
    """Those of which more than `WALK` entries of an index were read without a condition on it."""
    cpu_s: float = 0.0
    """Processor time of this process, without what looking took."""
    slowest: tuple[float, str] = (0.0, "")
    """Milliseconds in the database, and the statement."""
    most: tuple[int, str] = (0, "")
    """Buffers, and the statement."""

    def note(self, plan: dict[str, Any], statement: str) -> None:
        """Add a statement that was explained."""
        root = plan["Plan"]
        buffers = root["Shared Hit Blocks"] + root["Shared Read Blocks"]
        self.buffers += buffers
        self.slowest = max(self.slowest, (plan["Execution Time"], statement))
        self.most = max(self.most, (buffers, statement))
        for node in _nodes(root):
            table = node.get("Relation Name")
            if table in GROWN:
                seen = node["Actual Rows"] + node.get("Rows Removed by Filter", 0)
                seen += node.get("Rows Removed by Index Recheck", 0)
                self.rows += round(seen * node["Actual Loops"])
                conditions = ("Index Cond", "Recheck Cond", "TID Cond")
                if node["Node Type"] == "Seq Scan":
                    self.scans.add(f"{table}: {_briefly(statement)}")
                elif node["Node Type"].startswith("Index") and not any(node.get(one) for one in conditions):
                    limit = node["Actual Rows"] + node.get("Rows Removed by Filter", 0)
                    if limit > WALK:
                        self.walks.add(f"{table} by {node['Index Name']}: {_briefly(statement)}")


def _nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for child in plan.get("Plans", ()):
        yield from _nodes(child)


def _briefly(statement: str) -> str:
    return statement if len(statement) < 3000 else statement[:3000]


def measure(work: Callable[[], object]) -> Cost:
    """Do it, undone each time: with every statement explained, then for the time."""
    cost = explain(work)
    began = time.process_time()
    _undone(work)
    cost.cpu_s = time.process_time() - began
    return cost


def explain(work: Callable[[], object], *, as_if_large: bool = False) -> Cost:
    """Do it, undone, with every statement explained. `as_if_large`: no table is read whole because it is small, where
    an index allows something else."""
    cost = Cost()

    def explained(execute: Any, statement: str, params: Any, many: bool, context: Any) -> Any:
        verb = statement.lstrip("(").split(maxsplit=1)[0].upper()
        if verb not in EXPLAINED or many:
            return execute(statement, params, many, context)
        cost.queries += 1
        with connection.cursor() as cursor:
            raw = cursor.cursor
            raw.execute("SAVEPOINT looked")
            raw.execute(f"EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) {statement}", params)
            found = raw.fetchone()[0]
            raw.execute("ROLLBACK TO SAVEPOINT looked")
        plans = json.loads(found) if isinstance(found, str) else found
        cost.note(plans[0], raw.query_text if hasattr(raw, "query_text") else statement)
        return execute(statement, params, many, context)

    def looked_at() -> None:
        if as_if_large:
            with connection.cursor() as cursor:
                cursor.execute("SET LOCAL enable_seqscan = off")
        with connection.execute_wrapper(explained):
            work()

    _undone(work)  # so that nothing is done for the first time
    _undone(looked_at)
    return cost


def _undone(work: Callable[[], object]) -> None:
    try:
        with transaction.atomic():
            work()
            raise _Undo
    except _Undo:
        pass
