"""Packing of logs: one row replaces hundreds, once a match has ended and its record is verified again.

Each match is packed in one transaction. It writes the packed log, reads it back, and deletes the rows. A process that
is killed has therefore done all of it or nothing. If two processes pack the same match, the second one finds it packed.

A log whose record cannot be verified keeps its rows, for the doctor's report.
"""

import time
from collections.abc import Callable, Sequence

import structlog
from django.db import transaction

from arena.rules import RULES
from webui.core.dbtime import before_now
from webui.core.upkeep import UpkeepWorker
from webui.matches.checks import UNREADABLE, record_findings
from webui.matches.models import LogForm, LogRow, Match, MatchRecord, PackedLog
from webui.matches.packed_logs import MILLISECOND, NEVER, LoggedEntry, pack_log, unpack_log
from webui.matches.record_store import packed_of
from webui.matches.records import log_rows, unpack_record

SETTLED_S = 3600.0
"""Seconds from the end of a match until its log is packed. Programs that read logs of the last hours are done by
then.
"""
STEP_S = 5.0
BATCH = 50

log = structlog.get_logger(__name__)


def pack_now(worker: UpkeepWorker) -> None:
    """Pack the logs of matches that have ended. An old database has many."""
    pack_logs(is_stopping=worker.is_stopping)


def pack_logs(
    budget_s: float = STEP_S, is_stopping: Callable[[], bool] = lambda: False, *, settled_s: float = SETTLED_S
) -> int:
    """Pack the logs of matches that have ended, the oldest first, and return how many were packed.

    It stops after about `budget_s` seconds, or when `is_stopping` returns True.
    """
    end, packed = time.monotonic() + budget_s, 0
    while True:
        rows = Match.objects.filter(log_form=LogForm.ROWS, finished_at__lt=before_now(settled_s))
        batch = list(rows.select_related("secret").order_by("finished_at")[:BATCH])
        for match in batch:
            if time.monotonic() >= end or is_stopping():
                return packed
            packed += _pack(match)
        if len(batch) < BATCH:
            return packed


def _pack(match: Match) -> bool:
    """Pack the log of a match. Return whether this call has packed it."""
    row = MatchRecord.objects.filter(pk=match.pk).first()
    # A record of other rules was verified when it was written, and packing loses nothing of its log.
    if row is not None and match.rules == RULES and (findings := list(record_findings(match))):
        return _keep(match, "; ".join(findings))
    try:
        record = None if row is None else unpack_record(packed_of(row))
    except UNREADABLE as error:
        return _keep(match, f"its record cannot be read: {error!r}")
    with transaction.atomic():
        if not Match.objects.select_for_update().filter(pk=match.pk, log_form=LogForm.ROWS).exists():
            return False
        rows = log_rows(match.pk)
        numbers = [entry.number for entry in rows]
        if numbers != list(range(match.length)):
            return _keep(match, f"its length is {match.length}, and its log has {len(rows)} entries")
        packed = pack_log(rows, record)
        if not _is_same(unpack_log(packed, record), rows):
            return _keep(match, "its packed log is not the log")
        PackedLog.objects.create(match=match, packed=packed)
        LogRow.objects.filter(match=match).delete()
        Match.objects.filter(pk=match.pk).update(log_form=LogForm.PACKED)
    return True


def _keep(match: Match, why: str) -> bool:
    """Mark the log as one that is never packed, log the reason, and return False."""
    Match.objects.filter(pk=match.pk, log_form=LogForm.ROWS).update(log_form=LogForm.KEPT)
    log.error("log_not_packed", match=match.pk, why=why)
    return False


def _is_same(one: Sequence[LoggedEntry], other: Sequence[LoggedEntry]) -> bool:
    """Return whether the logs are equal, with times compared to the millisecond."""

    def timeless(log: Sequence[LoggedEntry]) -> list[LoggedEntry]:
        return [entry._replace(at=NEVER) for entry in log]

    near = all(abs(a.at - b.at) <= MILLISECOND for a, b in zip(one, other, strict=False))
    return near and timeless(one) == timeless(other)
