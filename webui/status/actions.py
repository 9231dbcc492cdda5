"""Writes for the status page: announcements of processes, and samples of the state of the whole arena."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Now

from webui.core.dbtime import before_now
from webui.status.models import DoctorRun, OverheadSample, RunningProcess, StatusHour
from webui.status.queries import database_now
from webui.status.values import BOUNDS_S, PartState

SAMPLES_KEPT_S: Final = 2 * 3600.0
PROCESSES_KEPT_S: Final = 24 * 3600.0
HOURS_KEPT_S: Final = 400 * 24 * 3600.0
RUNS_KEPT_S: Final = 90 * 24 * 3600.0
MOST_FINDINGS: Final = 100
"""Maximum number of findings kept of one run of the doctor."""


def announce_process(name: str, kind: str, version: str, *, is_starved: bool = False) -> None:
    """Record that this process is alive, and whether it gets too little of the processor (`arena.host.processor`).

    `version` names the versions of the arena and its rules.
    """
    if not RunningProcess.objects.filter(pk=name).update(seen_at=Now(), is_starved=is_starved):
        row = RunningProcess(name=name, kind=kind, version=version[:80], is_starved=is_starved)
        RunningProcess.objects.bulk_create([row], ignore_conflicts=True)


def withdraw_process(name: str) -> None:
    """Remove this process from the running ones, because it shuts down cleanly."""
    RunningProcess.objects.filter(pk=name).delete()


def note_overhead(counts: Sequence[int]) -> None:
    """Store the overhead that a referee added to the decisions of a minute, as counts for the classes of `BOUNDS_S`."""
    if len(counts) != len(BOUNDS_S) + 1:
        raise ValueError(f"{len(counts)} counts for {len(BOUNDS_S) + 1} classes")
    OverheadSample.objects.create(counts=list(counts))


@transaction.atomic
def note_status(parts: Mapping[str, PartState], now: datetime | None = None) -> bool:
    """Store the states of the parts in this minute. Return False, and store nothing, if another process has done so."""
    now = now or database_now()
    hour = now.replace(minute=0, second=0, microsecond=0)
    StatusHour.objects.bulk_create([StatusHour(hour=hour)], ignore_conflicts=True)
    row = StatusHour.objects.get(pk=hour)
    if row.last_minute >= now.minute:
        return False
    bad = [part for part, state in parts.items() if state in (PartState.DOWN, PartState.DEGRADED)]
    is_down = PartState.DOWN in parts.values()
    same = StatusHour.objects.filter(pk=hour, last_minute=row.last_minute)
    return bool(
        same.update(
            last_minute=now.minute,
            looks=F("looks") + 1,
            down=F("down") + int(is_down),
            degraded=F("degraded") + int(bool(bad) and not is_down),
            parts=row.parts | {part: row.parts.get(part, 0) + 1 for part in bad},
        )
    )


def note_examination(looked_at: Mapping[str, int], findings: Sequence[Mapping[str, str]], skipped: int) -> None:
    """Store the result of a nightly run of the doctor."""
    DoctorRun.objects.create(
        looked_at=dict(looked_at),
        found=len(findings),
        findings=[dict(finding) for finding in findings[:MOST_FINDINGS]],
        skipped=skipped,
    )


def old_status() -> Iterator[QuerySet[Any]]:
    """Yield a queryset of the expired rows of each table."""
    yield OverheadSample.objects.filter(at__lt=before_now(SAMPLES_KEPT_S))
    yield RunningProcess.objects.filter(seen_at__lt=before_now(PROCESSES_KEPT_S))
    yield DoctorRun.objects.filter(at__lt=before_now(RUNS_KEPT_S))
    yield StatusHour.objects.filter(hour__lt=before_now(HOURS_KEPT_S))
