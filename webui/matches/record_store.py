"""Records of matches in S3-compatible storage: read them there, move them there, and move them back."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from hashlib import sha256

import structlog
from django.utils import timezone

from webui.core.errors import BadRequest, RecordAway
from webui.core.object_store import ObjectStore, object_store
from webui.core.upkeep import UpkeepWorker
from webui.matches.models import LogForm, Match, MatchRecord


def put_record(there: ObjectStore, match_id: str, packed: bytes) -> str:
    """Store a packed record, and return its SHA-256. Raise `RecordAway` if the store fails."""
    there.put(_key(match_id), packed)
    return sha256(packed).hexdigest()


def get_record(there: ObjectStore, match_id: str, digest: str) -> bytes:
    """Return the packed record with this SHA-256. Raise `RecordAway` if the store has another one or none, or fails."""
    packed = there.get(_key(match_id))
    if sha256(packed).hexdigest() != digest:
        raise RecordAway(f"the store has another record of match {match_id} than was written")
    return packed


def _key(match_id: str) -> str:
    return f"{match_id}.json.gz"


def packed_of(row: MatchRecord) -> bytes:
    """Return the packed record of a row, from the database or the store. Raise `RecordAway` if the store fails."""
    if not row.sha256:
        return bytes(row.packed)
    if (there := object_store()) is None:
        raise RecordAway(f"the record of match {row.match_id} is in a store, and ARENA_RECORDS names none")
    return get_record(there, row.match_id, row.sha256)


SETTLED = timedelta(days=2)
"""Time from the end of a match until its record is moved. Programs that read records of the last hours are done by
then.
"""
LOOKED_BACK = timedelta(days=14)
"""Period before now in which a new worker searches for records to move. `arena admin records` moves older ones."""
STEP_S = 5.0
BATCH = 50

log = structlog.get_logger(__name__)


class Mover:
    """Moves the records that have become due since its last step."""

    def __init__(self) -> None:
        self._last: datetime | None = None

    def step(self, budget_s: float = STEP_S, is_stopping: Callable[[], bool] = lambda: False) -> int:
        """Move due records for about `budget_s` seconds, and return how many were moved.

        A record is due when its match has settled and its log is packed. `RecordAway` is raised if the store fails; the
        next call continues there.
        """
        if object_store() is None:
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
                assert match.finished_at is not None  # the query asked for it
                moved += _put(match.record)
                self._last = since = match.finished_at
        self._last = until - timedelta(hours=1)  # a log may have been packed late
        return moved


_mover = Mover()


def move_now(worker: UpkeepWorker) -> None:
    """Move due records to the configured store, which may be slow or unavailable."""
    _mover.step(is_stopping=worker.is_stopping)


def move_all(*, to_store: bool) -> Iterator[str]:
    """Move every record that is still in the other place, and yield the ids of their matches.

    It can be killed at any time and called again.
    """
    if object_store() is None:
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
    there = object_store()
    assert there is not None  # all callers have checked it
    packed = bytes(row.packed)
    digest = put_record(there, row.pk, packed)
    if get_record(there, row.pk, digest) != packed:
        raise RecordAway(f"the store does not give back the record of match {row.pk}")
    return bool(MatchRecord.objects.filter(pk=row.pk, sha256="", packed=packed).update(sha256=digest, packed=b""))


def _fetch(row: MatchRecord) -> bool:
    packed = packed_of(row)
    return bool(MatchRecord.objects.filter(pk=row.pk, sha256=row.sha256).update(sha256="", packed=packed))
