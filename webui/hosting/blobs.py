"""Files of submissions and images. They are read and written in parts, so that nobody holds all of one in memory."""

import zlib
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Final

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from arena.hosting.archives import TAR_END_BYTES, TAR_HEADERS_BYTES
from arena.hosting.limits import HostingLimits
from arena.hosting.messages import PART_BYTES
from webui.core.dbtime import before_now
from webui.core.errors import BadRequest, NotFound, RecordAway
from webui.core.object_store import object_store
from webui.hosting.models import Blob, BlobPart, BotWeights, Submission

UNUSED_S: Final = 86400.0
"""Seconds for which a blob is kept that nothing uses: its job may not have ended yet."""


def store_blob(digest: str, packed: Path, limits: HostingLimits) -> None:
    """Store the compressed tar in the file `packed` under its SHA-256. Nothing happens if it is stored already.

    Raise `BadRequest` if the file is not a compressed tar with this hash, or is larger than the limits.
    """
    tar_bytes = _check(digest, packed, limits)
    with transaction.atomic():
        if Blob.objects.filter(pk=digest).update(used_at=Now()):  # also locks it until this transaction ends
            return
        blob = Blob(sha256=digest, size=packed.stat().st_size, tar_bytes=tar_bytes)
        Blob.objects.bulk_create([blob], ignore_conflicts=True)
        if BlobPart.objects.filter(blob=digest).exists():
            return  # another process was faster, and has committed
        for number, content in enumerate(_read(packed)):
            BlobPart.objects.create(blob_id=digest, number=number, content=content)


def blob_parts(digest: str) -> Iterator[bytes]:
    """Yield the parts of a blob. Raise `NotFound` if there is none, and `RecordAway` if its store fails."""
    row = Blob.objects.filter(pk=digest).first()
    if row is None:
        raise NotFound(f"there is no blob {digest!r}")
    if row.key:
        if (there := object_store()) is None:
            raise RecordAway(f"the blob {digest[:12]} is in a store, and ARENA_RECORDS names none")
        yield from there.parts(row.key, PART_BYTES)
        return
    number, size = 0, row.size
    while size > 0:
        content = BlobPart.objects.filter(blob=digest, number=number).values_list("content", flat=True).first()
        if content is None:
            raise RecordAway(f"the blob {digest[:12]} has just been moved: read it again")
        yield bytes(content)
        size -= len(content)
        number += 1


def unused_blobs() -> QuerySet[Blob]:
    """Return the blobs that nothing has used for a while."""
    blobs = Blob.objects.filter(submissions=None, examined=None, hosted=None, weights=None)
    return blobs.filter(used_at__lt=before_now(UNUSED_S))


def unused_weights() -> QuerySet[BotWeights]:
    """Return the weights that no kept version has used for a while."""
    used = Submission.objects.filter(Q(source__isnull=False) | Q(hosted__image__isnull=False), weights=OuterRef("pk"))
    return BotWeights.objects.filter(~Exists(used), used_at__lt=before_now(UNUSED_S))


def _check(digest: str, packed: Path, limits: HostingLimits) -> int:
    """Return the bytes of the uncompressed tar.

    Raise `BadRequest` if the file is not a compressed tar with this hash, or is larger than the limits.
    """
    if packed.stat().st_size > limits.unpacked_bytes:
        raise BadRequest(f"a compressed tar has at most {limits.unpacked_bytes} bytes")
    found, size = sha256(), 0
    most = limits.unpacked_bytes + limits.files * TAR_HEADERS_BYTES + TAR_END_BYTES
    inflate = zlib.decompressobj(wbits=31)
    try:
        for part in _read(packed):
            data = part
            while data:
                content = inflate.decompress(data, PART_BYTES)
                found.update(content)
                size += len(content)
                if size > most:
                    raise BadRequest(f"the files have more than {limits.unpacked_bytes} bytes unpacked")
                data = inflate.unconsumed_tail
        found.update(inflate.flush())
    except zlib.error as error:
        raise BadRequest(f"the file is not compressed by gzip: {error}") from None
    if not inflate.eof or inflate.unused_data or found.hexdigest() != digest:
        raise BadRequest(f"the file is not the compressed tar {digest}")
    return size


def _read(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while part := file.read(PART_BYTES):
            yield part
