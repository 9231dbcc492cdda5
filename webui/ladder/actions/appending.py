"""The statements of an append, written out: the arena runs them once a decision, and Django would take longer to
build each of them than a database takes to run it. Nothing else in the arena is fast enough to notice.
"""

import json
from collections.abc import Sequence
from typing import Final

from django.db import connection, transaction

from arena.referee import Entry
from arena.wire.codec import pack_view
from webui.ladder.values import SeenDecision

_IN_SECONDS: Final = {
    "sqlite": "strftime('%%Y-%%m-%%d %%H:%%M:%%f', 'now', %s || ' seconds')",
    "postgresql": "statement_timestamp() + make_interval(secs => %s)",
}
"""The database's time in so many seconds; the first as Django writes times into SQLite."""

_GROW: Final = """
UPDATE ladder_match SET length = length + %s, attempts = 0, lease_expires_at = {in_seconds}
WHERE id = %s AND state = 'RUNNING' AND epoch = %s AND length = %s
"""

_WRITE: Final = "INSERT INTO ladder_logrow (match_id, number, epoch, kind, seat, text, data) VALUES "
_SHOW: Final = 'INSERT INTO ladder_spectatorrow (match_id, ply, "index", seat, text, chance, view) VALUES '
_ROW: Final = "(%s, %s, %s, %s, %s, %s, %s)"


def write_entries(
    match_id: str, epoch: int, length: int, entries: Sequence[Entry], seen: Sequence[SeenDecision], lease_s: float
) -> bool:
    """Add the entries and what spectators see of them, and renew the lease, in one transaction. False, and nothing
    written: the match is not RUNNING at this epoch and length."""
    grow = _GROW.format(in_seconds=_IN_SECONDS[connection.vendor])
    values: list[str | int | None] = []
    for entry in entries:
        data = None if entry.data is None else json.dumps(dict(entry.data))
        values += (match_id, entry.number, epoch, entry.kind, entry.seat, entry.text, data)
    shown: list[str | int | bytes] = []
    for step in seen:
        chance = json.dumps(step.chance)
        shown += (match_id, step.ply, step.index, step.seat, step.text, chance, pack_view(step.view))
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(grow, [len(entries), lease_s, match_id, epoch, length])
        if cursor.rowcount != 1:
            return False
        cursor.execute(_WRITE + ", ".join([_ROW] * len(entries)), values)
        if seen:
            cursor.execute(_SHOW + ", ".join([_ROW] * len(seen)), shown)
    return True
