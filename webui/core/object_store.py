"""Objects in S3-compatible storage: records of matches, and files of bots, in the bucket that ARENA_RECORDS names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import IO, TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from django.conf import settings

from webui.core.errors import RecordAway

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


@dataclass(frozen=True)
class ObjectStore:
    """A bucket, or a prefix in one. All methods raise `RecordAway` if the store fails."""

    client: S3Client
    bucket: str
    prefix: str

    def put(self, key: str, content: bytes | IO[bytes]) -> None:
        """Store an object. It replaces another one with this key."""
        self._ask("put_object", key, Body=content, ContentType="application/gzip")

    def get(self, key: str) -> bytes:
        """Return the content of an object."""
        return b"".join(self.parts(key))

    def parts(self, key: str, part_bytes: int = 1 << 20) -> Iterator[bytes]:
        """Yield the content of an object in parts, in bounded memory."""
        body = self._ask("get_object", key)["Body"]
        while part := self._call(key, body.read, part_bytes):
            yield part

    def delete(self, key: str) -> None:
        """Delete an object, if it is there."""
        self._ask("delete_object", key)

    def pages(self, start: str) -> Iterator[list[tuple[str, datetime]]]:
        """Yield the keys that begin like this, up to 1,000 at a time, with the times when their objects were stored."""
        found = self.client.get_paginator("list_objects_v2").paginate(Bucket=self.bucket, Prefix=self.prefix + start)
        pages = iter(found)
        while page := self._call(start, next, pages, None):
            yield [(one["Key"].removeprefix(self.prefix), one["LastModified"]) for one in page.get("Contents", ())]

    def _ask(self, what: str, key: str, **more: Any) -> Any:
        return self._call(key, getattr(self.client, what), Bucket=self.bucket, Key=f"{self.prefix}{key}", **more)

    def _call(self, key: str, function: Any, *arguments: Any, **more: Any) -> Any:
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            return function(*arguments, **more)
        except (BotoCoreError, ClientError, OSError) as error:
            raise RecordAway(f"{key!r} cannot be reached in the store: {error}") from error


def object_store() -> ObjectStore | None:
    """Return the store that the setting names. Return None if everything is in the database."""
    return _store(settings.RECORDS) if settings.RECORDS else None


@cache
def _store(address: str) -> ObjectStore:
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
    return ObjectStore(client, parts.netloc, f"{prefix}/" if prefix else "")
