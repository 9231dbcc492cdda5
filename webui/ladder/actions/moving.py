"""Records are moved to the store that the setting names, or back into the database.

A record is where its row says. Going there it is put into the store first, coming back it stays in the store, too; the
row changes in one statement, under the condition that it has not been changed meanwhile. So a call may be killed at any
moment and made again.
"""

import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

import structlog
from django.utils import timezone

from webui.ladder.models import LogForm, Match, MatchRecord
from webui.ladder.record_store import packed_of, store
from webui.ladder.values import BadRequest, RecordAway

SETTLED = timedelta(days=2)
"""A record is moved so long after the end of its match: what reads records for hours of a day has done so by then."""
LOOKED_BACK = timedelta(days=14)
"""A worker that is started looks for records of the time before that have not been moved. `arena admin records` moves
older ones."""
STEP_S = 5.0
BATCH = 50

log = structlog.get_logger(__name__)


class Mover:
    """Moves what becomes due, call by call."""

    def __init__(self) -> None:
        self._last: datetime | None = None

    def step(self, budget_s: float = STEP_S, is_stopping: Callable[[], bool] = lambda: False) -> int:
        """Move records of matches that have settled and whose logs are packed, for about so many seconds; how many.
        `RecordAway` if the store is away: the next call goes on there."""
        if store() is None:
            return 0
        end, moved = time.monotonic() + budget_s, 0
        until = timezone.now() - SETTLED
        since = self._last or until - LOOKED_BACK
        due = Match.objects.filter(finished_at__gte=since, finished_at__lt=until, record__sha256="")
        due = due.exclude(log_form=LogForm.ROWS).order_by("finished_at", "pk").select_related("record")
        while chunk := list(due.filter(finished_at__gte=since)[:BATCH]):
            for match in chunk:
                if time.monotonic() >= end or is_stopping():
                    return moved
                assert match.finished_at is not None  # it was found by it
                moved += _put(match.record)
                self._last = since = match.finished_at
        self._last = until - timedelta(hours=1)  # a log may have been packed late
        return moved


def move_all(*, to_store: bool) -> Iterator[str]:
    """Move every record that is not there yet; the ids of their matches. It may be killed, and called again."""
    if store() is None:
        raise BadRequest("ARENA_RECORDS names no store")
    last = ""
    while True:
        rows = MatchRecord.objects.filter(pk__gt=last)
        rows = rows.filter(sha256="").exclude(match__log_form=LogForm.ROWS) if to_store else rows.exclude(sha256="")
        chunk = list(rows.order_by("pk")[:BATCH])
        if not chunk:
            return
        for row in chunk:
            if _put(row) if to_store else _fetch(row):
                yield row.pk
        last = chunk[-1].pk


def _put(row: MatchRecord) -> bool:
    there = store()
    assert there is not None  # as was asked before
    packed = bytes(row.packed)
    digest = there.put(row.pk, packed)
    if there.get(row.pk, digest) != packed:
        raise RecordAway(f"the store does not give back the record of match {row.pk}")
    return bool(MatchRecord.objects.filter(pk=row.pk, sha256="", packed=packed).update(sha256=digest, packed=b""))


def _fetch(row: MatchRecord) -> bool:
    packed = packed_of(row)
    return bool(MatchRecord.objects.filter(pk=row.pk, sha256=row.sha256).update(sha256="", packed=packed))
