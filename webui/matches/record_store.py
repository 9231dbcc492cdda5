"""Records of matches in S3-compatible storage: read them there, move them there, and move them back."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from django.conf import settings

from webui.core.errors import RecordAway
from webui.core.upkeep import UpkeepWorker
from webui.matches.models import MatchRecord

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

import structlog
from django.utils import timezone

from webui.core.errors import BadRequest
from webui.matches.models import LogForm, Match


@dataclass(frozen=True)
class Store:
    """A bucket, or a prefix in one."""

    client: S3Client
    bucket: str
    prefix: str

    def put(self, match_id: str, packed: bytes) -> str:
        """Store a packed record, and return its SHA-256. Raise `RecordAway` if the store fails."""
        digest = sha256(packed).hexdigest()
        self._ask("put_object", match_id, Body=packed, ContentType="application/gzip")
        return digest

    def get(self, match_id: str, digest: str) -> bytes:
        """Return the packed record with this SHA-256. Raise `RecordAway` if the store has another one or none, or
        fails.
        """
        packed: bytes = self._ask("get_object", match_id, read=True)
        if sha256(packed).hexdigest() != digest:
            raise RecordAway(f"the store has another record of match {match_id} than was written")
        return packed

    def _ask(self, what: str, match_id: str, *, read: bool = False, **more: Any) -> Any:
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            key = f"{self.prefix}{match_id}.json.gz"
            answer = getattr(self.client, what)(Bucket=self.bucket, Key=key, **more)
            return answer["Body"].read() if read else answer
        except (BotoCoreError, ClientError, OSError) as error:
            raise RecordAway(f"the record of match {match_id} cannot be reached in the store: {error}") from error


def store() -> Store | None:
    """Return the store that the setting names. Return None if all records are in the database."""
    return _store(settings.RECORDS) if settings.RECORDS else None


@cache
def _store(address: str) -> Store:
    try:
        import boto3
        from botocore.config import Config
    except ImportError:
        raise RuntimeError("ARENA_RECORDS needs the extra s3: pip install 'naqala-arena[server,s3]'") from None

    parts = urlsplit(address)
    prefix = parts.path.strip("/")
    options = dict(parse_qsl(parts.query))
    # A page that waits for the store occupies a thread, so the timeouts are short.
    client = boto3.client(
        "s3",
        config=Config(connect_timeout=3, read_timeout=10, retries={"total_max_attempts": 2}),
        endpoint_url=options.get("endpoint_url"),
        region_name=options.get("region_name"),
    )
    return Store(client, parts.netloc, f"{prefix}/" if prefix else "")


def packed_of(row: MatchRecord) -> bytes:
    """Return the packed record of a row, from the database or the store. Raise `RecordAway` if the store fails."""
    if not row.sha256:
        return bytes(row.packed)
    if (there := store()) is None:
        raise RecordAway(f"the record of match {row.match_id} is in a store, and ARENA_RECORDS names none")
    return there.get(row.match_id, row.sha256)


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
    assert there is not None  # all callers have checked it
    packed = bytes(row.packed)
    digest = there.put(row.pk, packed)
    if there.get(row.pk, digest) != packed:
        raise RecordAway(f"the store does not give back the record of match {row.pk}")
    return bool(MatchRecord.objects.filter(pk=row.pk, sha256="", packed=packed).update(sha256=digest, packed=b""))


def _fetch(row: MatchRecord) -> bool:
    packed = packed_of(row)
    return bool(MatchRecord.objects.filter(pk=row.pk, sha256=row.sha256).update(sha256="", packed=packed))
