"""Publication of open data: one file of replays a day, and two Parquet files a month made from those.

A worker makes a file after it has claimed the file's row. It keeps the claim while it renews the lease. The worker
first writes a draft. Then one transaction stores size and checksum in the row and renames the draft. A worker that is
killed leaves only a draft, and the next worker starts over.

A published file never changes. If a file is lost, it is made again from the database with the same matches. With the
same library versions the result is identical byte for byte.

The upkeep worker runs this in a separate thread. Import the module only there.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import time
from calendar import monthrange
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, timedelta
from pathlib import Path
from typing import Final

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import Min, Q, QuerySet
from django.db.models.functions import Coalesce, Now
from django.utils import timezone

from webui.core.dbtime import after_now
from webui.core.upkeep import UpkeepWorker
from webui.matches.models import ENDED, Match
from webui.open_data.lines import DayFile, file_name
from webui.open_data.models import DataFile, DataKind, HeldMatch

SETTLED: Final = timedelta(hours=1)
"""Delay after midnight before a day's file is made. By then every match that ended that day is in the tables."""
LEASE_S: Final = 60.0
BATCH: Final = 500

log = structlog.get_logger(__name__)


class _Interrupted(Exception):
    """The process is stopping, or another worker has taken over the file."""


def publish_now(worker: UpkeepWorker) -> None:
    """Make the files of open data that are due. A month may take an hour."""
    publish_data(worker.is_stopping)


def publish_data(is_stopping: Callable[[], bool] = lambda: False) -> list[str]:
    """Make all files that are due or lost. Return their names."""
    made: list[str] = []
    while not is_stopping() and (due := _due()) is not None:
        claim = _claim(due, is_stopping)
        if claim is None:
            break  # another worker makes it, and the files after it
        try:
            _make(claim)
        except _Interrupted:
            break
        finally:
            claim.give_back()
        made.append(due.name)
        log.info("data_published", file=due.name)
    return made


def _due() -> DataFile | None:
    """Return the row of the next file to make, which may not be stored yet. Return None if no file is due.

    The next day's file comes first, then lost files, then those of a complete month.
    """
    files = {(row.kind, row.date): row for row in DataFile.objects.all()}
    published = [row for row in files.values() if row.published_at]
    days = [row.date for row in published if row.kind == DataKind.REPLAYS]
    today = (timezone.now().astimezone(UTC) - SETTLED).date()
    if days:
        day: date | None = max(days) + timedelta(days=1)
    else:
        first = Match.objects.filter(state__in=ENDED).aggregate(first=Min("finished_at"))["first"]
        day = first.astimezone(UTC).date() if first else None
    wanted = [(str(DataKind.REPLAYS), day)] if day is not None and day < today else []
    # Replay files come first, because the files of a month are made from them.
    lost = [row for row in published if _size(settings.PLACES.data / row.name) != row.size]
    wanted += [(row.kind, row.date) for row in sorted(lost, key=lambda row: (row.kind != DataKind.REPLAYS, row.date))]
    have = {(row.kind, row.date) for row in published}
    months = sorted({day.replace(day=1) for day in days if day.day == monthrange(day.year, day.month)[1]})
    of_months = [(str(kind), month) for month in months for kind in (DataKind.MATCHES, DataKind.DECISIONS)]
    wanted += [each for each in of_months if each not in have]
    if not wanted:
        return None
    return files.get(wanted[0]) or DataFile(name=file_name(*wanted[0]), kind=wanted[0][0], date=wanted[0][1])


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except OSError:
        return None


@dataclass
class _Claim:
    """The exclusive right to make a file, until the lease expires."""

    row: DataFile
    owner: str
    is_stopping: Callable[[], bool]
    renewed_at: float

    def renew(self) -> None:
        """Renew the lease when it is due. Raise `_Interrupted` if the process is stopping or the claim is lost."""
        if self.is_stopping():
            raise _Interrupted
        if time.monotonic() - self.renewed_at > LEASE_S / 4:
            if not self.held().update(lease_expires_at=after_now(LEASE_S)):
                raise _Interrupted
            self.renewed_at = time.monotonic()

    def held(self) -> QuerySet[DataFile]:
        """Return a queryset of the row. It is empty if another worker owns the row."""
        return DataFile.objects.filter(pk=self.row.pk, owner=self.owner)

    def give_back(self) -> None:
        """Release the claim. Do nothing if the file was published, which has released it."""
        self.held().update(owner="", lease_expires_at=None)


def _claim(due: DataFile, is_stopping: Callable[[], bool]) -> _Claim | None:
    """Claim a file. Return None if another worker has claimed it, or if it was published meanwhile."""
    DataFile.objects.get_or_create(name=due.name, defaults={"kind": due.kind, "date": due.date})
    claim = _Claim(due, secrets.token_hex(8), is_stopping, time.monotonic())
    # A lease that ends too late was written before the clock was set back.
    is_over = Q(lease_expires_at__lt=Now()) | Q(lease_expires_at__gt=after_now(2 * LEASE_S))
    free = DataFile.objects.filter(Q(owner="") | is_over)
    free = free.filter(pk=due.pk, published_at__isnull=due.published_at is None)
    return claim if free.update(owner=claim.owner, lease_expires_at=after_now(LEASE_S)) else None


def _make(claim: _Claim) -> None:
    row, directory = claim.row, settings.PLACES.data
    directory.mkdir(parents=True, exist_ok=True)
    for left in directory.glob(f".{row.name}-*"):  # drafts of killed workers
        left.unlink(missing_ok=True)
    draft = directory / f".{row.name}-{claim.owner}"
    day = DayFile(row.date, is_new=row.published_at is None)
    try:
        if row.kind == DataKind.REPLAYS:
            day.write(draft, claim.renew)
            rows = day.rows
        else:
            rows = _write_month(row, draft, claim.renew)
        size, digest = _stored(draft)
        with transaction.atomic():
            is_ours = claim.held().update(
                size=size, sha256=digest, rows=rows, published_at=Coalesce("published_at", Now()),
                owner="", lease_expires_at=None,
            )  # fmt: skip
            if not is_ours:
                raise _Interrupted
            if row.kind == DataKind.REPLAYS and day.is_new:
                _note_withheld(row.name, day)
            draft.rename(directory / row.name)
            _sync(directory)
    finally:
        draft.unlink(missing_ok=True)


def _stored(draft: Path) -> tuple[int, str]:
    """Flush a draft to the disk. Return its size and SHA-256."""
    try:
        with draft.open("rb") as file:
            os.fsync(file.fileno())
            return os.fstat(file.fileno()).st_size, hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:  # another worker has claimed the file and deleted the draft
        raise _Interrupted from None


def _note_withheld(name: str, day: DayFile) -> None:
    """Record which earlier matches this file contains, and which of its matches must wait for a later file."""
    for first in range(0, len(day.late), BATCH):
        HeldMatch.objects.filter(pk__in=day.late[first : first + BATCH]).update(file=name)
    HeldMatch.objects.bulk_create([HeldMatch(match_id=match_id) for match_id in day.held], batch_size=BATCH)


def _write_month(row: DataFile, draft: Path, go_on: Callable[[], None]) -> int:
    from webui.open_data import parquet  # imports PyArrow: 60 MB that no other process needs

    of_month = DataFile.objects.filter(
        kind=DataKind.REPLAYS, published_at__isnull=False, date__year=row.date.year, date__month=row.date.month
    )
    days = [settings.PLACES.data / name for name in of_month.order_by("date").values_list("name", flat=True)]
    write = parquet.write_matches if row.kind == DataKind.MATCHES else parquet.write_decisions
    return write(days, draft, go_on)


def _sync(directory: Path) -> None:
    """Flush the directory, so that the new file name is on the disk, too."""
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
