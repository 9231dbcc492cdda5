"""Where the records of matches are: in the database or, if the setting names one, in S3-compatible storage.

A match always ends in the database. Its record is moved later (`actions/moving.py`): it is in the store before its row
says so, with its SHA-256, which is compared when it is read. Objects are never changed or deleted here.

The address is `s3://BUCKET/PREFIX?endpoint_url=https://…&region_name=…`; keys are found as boto3 finds them, in
AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, for instance.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from django.conf import settings

from webui.ladder.models import MatchRecord
from webui.ladder.values import RecordAway

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


@dataclass(frozen=True)
class Store:
    """A bucket, or a part of one."""

    client: S3Client
    bucket: str
    prefix: str

    def put(self, match_id: str, packed: bytes) -> str:
        """Store a packed record; its SHA-256. `RecordAway`."""
        digest = sha256(packed).hexdigest()
        self._ask("put_object", match_id, Body=packed, ContentType="application/gzip")
        return digest

    def get(self, match_id: str, digest: str) -> bytes:
        """A packed record, which has this SHA-256. `RecordAway`, also where there is another one or none."""
        packed: bytes = self._ask("get_object", match_id, read=True)
        if sha256(packed).hexdigest() != digest:
            raise RecordAway(f"the store has another record of match {match_id} than was put there")
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
    """The one that the setting names; None: all records are in the database."""
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
    # A page that waits for the store holds a thread: not for long.
    client = boto3.client(
        "s3",
        config=Config(connect_timeout=3, read_timeout=10, retries={"total_max_attempts": 2}),
        endpoint_url=options.get("endpoint_url"),
        region_name=options.get("region_name"),
    )
    return Store(client, parts.netloc, f"{prefix}/" if prefix else "")


def packed_of(row: MatchRecord) -> bytes:
    """The packed record of a row, wherever it is. `RecordAway`."""
    if not row.sha256:
        return bytes(row.packed)
    if (there := store()) is None:
        raise RecordAway(f"the record of match {row.match_id} is in a store, and ARENA_RECORDS names none")
    return there.get(row.match_id, row.sha256)
