"""The statements of an append, written out: the arena runs them once a decision, and Django would take longer to
build each of them than a database takes to run it. Nothing else in the arena is fast enough to notice.
"""

import json
from collections.abc import Sequence
from typing import Any, Final

from django.db import connection, transaction

from arena.wire.codec import pack_view
from webui.ladder.values import BadRequest, LogAppend

_IN_SECONDS: Final = {
    "sqlite": "strftime('%%Y-%%m-%%d %%H:%%M:%%f', 'now', %s || ' seconds')",
    "postgresql": "statement_timestamp() + make_interval(secs => %s)",
}
"""The database's time in so many seconds; the first as Django writes times into SQLite."""

_GROW: Final = """
UPDATE ladder_match SET length = length + %s, attempts = 0, lease_expires_at = {in_seconds}
WHERE id = %s AND state = 'RUNNING' AND epoch = %s AND length = %s
"""
_KEEP: Final = """
UPDATE ladder_match SET lease_expires_at = {in_seconds} WHERE id = %s AND state = 'RUNNING' AND epoch = %s
"""
_WRITE: Final = """
INSERT INTO ladder_logrow (match_id, number, epoch, kind, seat, text, data) VALUES (%s, %s, %s, %s, %s, %s, %s)
"""
_SHOW: Final = """
INSERT INTO ladder_spectatorrow (match_id, ply, "index", seat, text, chance, view) VALUES (%s, %s, %s, %s, %s, %s, %s)
"""

Row = tuple[Any, ...]


def write_appends(appends: Sequence[LogAppend]) -> bool:
    """Write all of these, of different matches, in one transaction. False, and nothing written: one of the matches is
    not RUNNING at its epoch, or not at its length."""
    in_seconds = _IN_SECONDS[connection.vendor]
    grown, kept, entries, seen = rows = [list[Row]() for _ in range(4)]
    for match_id, epoch, length, lease_s, new, steps in appends:
        if [entry.number for entry in new] != list(range(length, length + len(new))):
            raise BadRequest(f"entries of a log of length {length} are numbered from {length} without a gap")
        if not new:
            kept.append((lease_s, match_id, epoch))
            continue
        grown.append((len(new), lease_s, match_id, epoch, length))
        for entry in new:
            data = None if entry.data is None else json.dumps(dict(entry.data))
            entries.append((match_id, entry.number, epoch, entry.kind, entry.seat, entry.text, data))
        for step in steps:
            chance = json.dumps(step.chance)
            seen.append((match_id, step.ply, step.index, step.seat, step.text, chance, pack_view(step.view)))
    statements = _GROW.format(in_seconds=in_seconds), _KEEP.format(in_seconds=in_seconds), _WRITE, _SHOW
    with transaction.atomic(), connection.cursor() as cursor:
        for statement, values in zip(statements, rows, strict=True):
            if values and _execute(cursor, statement, values) != len(values):
                transaction.set_rollback(True)
                return False
    return True


def _execute(cursor: Any, statement: str, rows: Sequence[Row]) -> int:
    """How many rows it has changed."""
    if len(rows) == 1:
        cursor.execute(statement, rows[0])
    else:
        cursor.executemany(statement, rows)
    return int(cursor.rowcount)
