"""The statements of an append, written out: the arena runs them once a decision, and Django would take longer to
build each of them than a database takes to run it. Nothing else in the arena is fast enough to notice.
"""

import json
from collections.abc import Sequence
from itertools import chain
from typing import Any, Final, NamedTuple

from django.db import connection, transaction

from arena.wire.codec import pack_view
from webui.core.errors import BadRequest
from webui.matches.values import LogAppend

# For SQLite, once for each row; times as Django writes them there.
_GROW: Final = """
UPDATE matches_match SET
    length = length + %s, attempts = 0,
    lease_expires_at = strftime('%%Y-%%m-%%d %%H:%%M:%%f', 'now', %s || ' seconds')
WHERE id = %s AND state = 'RUNNING' AND epoch = %s AND length = %s
"""
_KEEP: Final = """
UPDATE matches_match SET
    lease_expires_at = strftime('%%Y-%%m-%%d %%H:%%M:%%f', 'now', %s || ' seconds')
WHERE id = %s AND state = 'RUNNING' AND epoch = %s
"""
# For PostgreSQL, once for all rows.
_GROW_ALL: Final = """
UPDATE matches_match AS old SET
    length = old.length + new.added, attempts = 0,
    lease_expires_at = statement_timestamp() + make_interval(secs => new.lease)
FROM (VALUES {rows}) AS new (added, lease, id, epoch, length)
WHERE old.id = new.id AND old.state = 'RUNNING' AND old.epoch = new.epoch AND old.length = new.length
"""
_KEEP_ALL: Final = """
UPDATE matches_match AS old SET
    lease_expires_at = statement_timestamp() + make_interval(secs => new.lease)
FROM (VALUES {rows}) AS new (lease, id, epoch)
WHERE old.id = new.id AND old.state = 'RUNNING' AND old.epoch = new.epoch
"""
# For both.
_WRITE: Final = """
INSERT INTO matches_logrow (match_id, number, epoch, kind, seat, text, data) VALUES {rows}
"""
_SHOW: Final = """
INSERT INTO matches_spectatorrow (match_id, ply, "index", seat, text, chance, view) VALUES {rows}
"""
_GROWN: Final = "(%s::integer, %s::double precision, %s, %s::integer, %s::integer)"
_KEPT: Final = "(%s::double precision, %s, %s::integer)"
_NEW: Final = "(%s, %s, %s, %s, %s, %s, %s)"

_TRANSACTION: Final = "BEGIN", "COMMIT", "ROLLBACK"
_PART: Final = "SAVEPOINT append", "RELEASE SAVEPOINT append", "ROLLBACK TO SAVEPOINT append"
"""Of a transaction that has begun."""

Row = tuple[Any, ...]


class _NotOwned(Exception):
    """Ends the transaction: nothing is written."""


class Rows(NamedTuple):
    """The rows of an append, in the order of the values in the statements."""

    grown: list[Row]
    kept: list[Row]
    entries: list[Row]
    seen: list[Row]


def write_appends(appends: Sequence[LogAppend]) -> bool:
    """Write all of these, of different matches, in one transaction. False, and nothing written: one of the matches is
    not RUNNING at its epoch, or not at its length."""
    rows = Rows([], [], [], [])
    for match_id, epoch, length, lease_s, new, steps in appends:
        if [entry.number for entry in new] != list(range(length, length + len(new))):
            raise BadRequest(f"entries of a log of length {length} are numbered from {length} without a gap")
        if not new:
            rows.kept.append((lease_s, match_id, epoch))
            continue
        rows.grown.append((len(new), lease_s, match_id, epoch, length))
        for entry in new:
            data = None if entry.data is None else json.dumps(dict(entry.data))
            rows.entries.append((match_id, entry.number, epoch, entry.kind, entry.seat, entry.text, data))
        for step in steps:
            chance = json.dumps(step.chance)
            rows.seen.append((match_id, step.ply, step.index, step.seat, step.text, chance, pack_view(step.view)))
    try:
        (_write_to_postgres if connection.vendor == "postgresql" else _write_to_sqlite)(rows)
    except _NotOwned:
        return False
    return True


def _write_to_sqlite(rows: Rows) -> None:
    statements = _GROW, _KEEP, _WRITE.format(rows=_NEW), _SHOW.format(rows=_NEW)
    with transaction.atomic(), connection.cursor() as cursor:
        for statement, some in zip(statements, rows, strict=True):
            if some:
                cursor.executemany(statement, some)
                if cursor.rowcount != len(some):
                    raise _NotOwned


def _write_to_postgres(rows: Rows) -> None:
    """One statement for all rows of a table, and psycopg's pipeline mode: two round trips, one that tells what has been
    changed and one for the commit. Blocks of transactions, Django's or psycopg's, would wait for their beginnings,
    too."""
    with connection.cursor() as cursor, connection.wrap_database_errors:
        link = cursor.connection
        begin, commit, rollback = _TRANSACTION if link.autocommit else _PART
        try:
            with link.pipeline() as pipeline:
                link.execute(begin)
                done = [_execute(link, _GROW_ALL, _GROWN, rows.grown), _execute(link, _KEEP_ALL, _KEPT, rows.kept)]
                pipeline.sync()
                if sum(one.rowcount for one in done if one is not None) != len(rows.grown) + len(rows.kept):
                    raise _NotOwned
                _execute(link, _WRITE, _NEW, rows.entries)
                _execute(link, _SHOW, _NEW, rows.seen)
                link.execute(commit)
        except BaseException:
            if not link.closed:
                link.execute(rollback)
            raise


def _execute(link: Any, statement: str, values: str, rows: Sequence[Row]) -> Any:
    """psycopg's cursor, where there are rows."""
    if not rows:
        return None
    return link.execute(statement.format(rows=", ".join([values] * len(rows))), list(chain.from_iterable(rows)))
