"""The statements that append to logs, as plain SQL.

The arena runs them once for each decision. Django would take longer to build each statement than the database takes to
run it. No other query of the arena runs often enough for this to matter.
"""

import json
from collections.abc import Sequence
from itertools import chain
from typing import Any, Final, NamedTuple

from django.db import connection, transaction

from arena.wire.codec import pack_view
from webui.core.errors import BadRequest
from webui.matches.values import LogAppend

# For SQLite, executed once for each row. Times are written in the format that Django uses there.
_GROW: Final = """
UPDATE matches_match SET
    length = length + %s,
    lease_expires_at = strftime('%%Y-%%m-%%d %%H:%%M:%%f', 'now', %s || ' seconds')
WHERE id = %s AND state = 'RUNNING' AND epoch = %s AND length = %s
"""
_KEEP: Final = """
UPDATE matches_match SET
    lease_expires_at = strftime('%%Y-%%m-%%d %%H:%%M:%%f', 'now', %s || ' seconds')
WHERE id = %s AND state = 'RUNNING' AND epoch = %s
"""
# For PostgreSQL, executed once for all rows.
_GROW_ALL: Final = """
UPDATE matches_match AS old SET
    length = old.length + new.added,
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
# For both databases.
_WRITE: Final = """
INSERT INTO matches_logrow (match_id, number, epoch, kind, seat, text, data) VALUES {rows}
"""
_SHOW: Final = """
INSERT INTO matches_spectatorrow (match_id, ply, "index", seat, text, chance, view) VALUES {rows}
"""
_SHOW_SEATS: Final = """
INSERT INTO matches_seatrow (match_id, viewer, ply, text, view) VALUES {rows}
"""
_GROWN: Final = "(%s::integer, %s::double precision, %s, %s::integer, %s::integer)"
_KEPT: Final = "(%s::double precision, %s, %s::integer)"
_NEW: Final = "(%s, %s, %s, %s, %s, %s, %s)"
_NEW_OF_SEAT: Final = "(%s, %s, %s, %s, %s)"

_TRANSACTION: Final = "BEGIN", "COMMIT", "ROLLBACK"
_PART: Final = "SAVEPOINT append", "RELEASE SAVEPOINT append", "ROLLBACK TO SAVEPOINT append"
"""The same three statements for use inside a transaction that is already open."""

Row = tuple[Any, ...]


class _NotOwned(Exception):
    """Roll the transaction back, so that nothing is written."""


class Rows(NamedTuple):
    """The rows of an append. Their values are in the order of the placeholders in the statements."""

    grown: list[Row]
    kept: list[Row]
    entries: list[Row]
    seen: list[Row]
    of_seats: list[Row]


def write_appends(appends: Sequence[LogAppend]) -> bool:
    """Write all `appends`, which belong to different matches, in one transaction.

    Return False, and write nothing, if one of the matches is not RUNNING at its epoch, or its log does not have the
    expected length.
    """
    rows = Rows([], [], [], [], [])
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
            for seat, text, view in step.of_seats:
                rows.of_seats.append((match_id, seat, step.ply, text, pack_view(view)))
    try:
        (_write_to_postgres if connection.vendor == "postgresql" else _write_to_sqlite)(rows)
    except _NotOwned:
        return False
    return True


def _write_to_sqlite(rows: Rows) -> None:
    inserts = _WRITE.format(rows=_NEW), _SHOW.format(rows=_NEW), _SHOW_SEATS.format(rows=_NEW_OF_SEAT)
    statements = _GROW, _KEEP, *inserts
    with transaction.atomic(), connection.cursor() as cursor:
        for statement, some in zip(statements, rows, strict=True):
            if some:
                cursor.executemany(statement, some)
                if cursor.rowcount != len(some):
                    raise _NotOwned


def _write_to_postgres(rows: Rows) -> None:
    """Write the rows in two round trips, with psycopg's pipeline mode and one statement for each table.

    The first round trip returns how many rows have changed; the second one commits. The transaction blocks of Django
    and psycopg are not used, because they also wait for the answer to BEGIN.
    """
    with connection.cursor() as cursor, connection.wrap_database_errors:
        link = cursor.connection
        begin, commit, rollback = _TRANSACTION if link.autocommit else _PART
        try:
            with link.pipeline() as pipeline:
                link.execute(begin)
                updates = [_execute(link, _GROW_ALL, _GROWN, rows.grown), _execute(link, _KEEP_ALL, _KEPT, rows.kept)]
                pipeline.sync()
                if sum(update.rowcount for update in updates if update is not None) != len(rows.grown) + len(rows.kept):
                    raise _NotOwned
                _execute(link, _WRITE, _NEW, rows.entries)
                _execute(link, _SHOW, _NEW, rows.seen)
                _execute(link, _SHOW_SEATS, _NEW_OF_SEAT, rows.of_seats)
                link.execute(commit)
        except BaseException:
            if not link.closed:
                link.execute(rollback)
            raise


def _execute(link: Any, statement: str, values: str, rows: Sequence[Row]) -> Any:
    """Execute the statement, and return psycopg's cursor. Return None if there are no rows."""
    if not rows:
        return None
    return link.execute(statement.format(rows=", ".join([values] * len(rows))), list(chain.from_iterable(rows)))
