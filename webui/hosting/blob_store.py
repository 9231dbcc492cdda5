"""Files of bots in S3-compatible storage: move them there, and move them back.

Authors and runners store files in the database, in the transaction of the row that uses them. An hour later they move
to the store that ARENA_RECORDS names. Each move makes an object with a key of its own. So an object that no row names
is never needed again, and is deleted a day later. Nothing is lost if a process is killed in between.
"""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import Iterator
from datetime import timedelta
from hashlib import sha256
from typing import Final

from django.db import transaction
from django.utils import timezone

from webui.core.dbtime import before_now
from webui.core.errors import BadRequest, NotFound, RecordAway
from webui.core.object_store import ObjectStore, object_store
from webui.core.upkeep import UpkeepWorker
from webui.hosting.blobs import blob_parts
from webui.hosting.models import Blob, BlobPart

START: Final = "blobs/"
"""Beginning of the keys of these objects."""
SETTLED_S: Final = 3600.0
"""Seconds from the last time that a blob was stored until it is moved. Runners that read it now are done by then."""
ORPHANS_KEPT_S: Final = 86400.0
"""Seconds until an object is deleted that no row names: a move may be about to name it."""


def move_now(worker: UpkeepWorker) -> None:
    """Move settled blobs to the configured store, and delete the objects of blobs that are gone."""
    there = object_store()
    if there is None:
        return
    settled = Blob.objects.filter(key="", used_at__lt=before_now(SETTLED_S))
    for digest in settled.order_by("used_at").values_list("pk", flat=True):
        if worker.is_stopping():
            return
        _put(there, digest)
    delete_orphans(there)


def move_all_blobs(*, to_store: bool) -> Iterator[str]:
    """Move every blob that is still in the other place, and yield their hashes.

    It can be killed at any time and called again.
    """
    there = object_store()
    if there is None:
        raise BadRequest("ARENA_RECORDS names no store")
    rows = Blob.objects.filter(key="") if to_store else Blob.objects.exclude(key="")
    for digest in rows.order_by("pk").values_list("pk", flat=True):
        if _put(there, digest) if to_store else _fetch(digest):
            yield digest


def delete_orphans(there: ObjectStore, kept_s: float = ORPHANS_KEPT_S) -> int:
    """Delete the objects that no blob of this database names, and return their number."""
    latest, deleted = timezone.now() - timedelta(seconds=kept_s), 0
    for page in there.pages(START):
        old = [key for key, stored_at in page if stored_at <= latest]
        named = set(Blob.objects.filter(key__in=old).values_list("key", flat=True))
        for key in old:
            if key not in named:
                there.delete(key)
                deleted += 1
    return deleted


def _put(there: ObjectStore, digest: str) -> bool:
    """Move a blob to the store. Return False if it is there already, or gone."""
    key = f"{START}{digest}-{secrets.token_hex(4)}"
    with tempfile.TemporaryFile() as file:
        written = sha256()
        try:
            for part in blob_parts(digest):
                written.update(part)
                file.write(part)
        except NotFound:
            return False
        file.seek(0)
        there.put(key, file)
    found = sha256()
    for part in there.parts(key):
        found.update(part)
    if found.digest() != written.digest():
        raise RecordAway(f"the store does not give back the blob {digest[:12]}")
    with transaction.atomic():
        if not Blob.objects.filter(pk=digest, key="").update(key=key):
            return False
        BlobPart.objects.filter(blob=digest).delete()
    return True


@transaction.atomic
def _fetch(digest: str) -> bool:
    """Move a blob to the database. Return False if it is there already, or gone."""
    row = Blob.objects.select_for_update().exclude(key="").filter(pk=digest).first()
    if row is None:
        return False
    for number, content in enumerate(blob_parts(digest)):
        BlobPart.objects.create(blob=row, number=number, content=content)
    return bool(Blob.objects.filter(pk=digest, key=row.key).update(key=""))
