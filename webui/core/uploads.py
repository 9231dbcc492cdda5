"""Uploads: requests whose body may be large. The server receives it into a file, once the view has admitted it.

The server calls the application twice for such a request:

1. Without the body. The view checks the caller and the request. `received` then names the account in the `Upload`, and
   the server throws the answer away. If the view refuses before, its answer is sent, and the body is never read.
2. With the body in `Upload.file`. The file is deleted after the answer.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from django.conf import settings
from django.http import HttpRequest
from django.http.request import RawPostDataException

from webui.core.errors import BadRequest, LadderError

UPLOAD: Final = "arena.upload"
"""Key in a request's scope under which the server stores an `Upload`."""
LEAST_FREE_BYTES: Final = 8 << 30
"""Bytes that must be free on the disk for uploads before another one is received. Each of the eight at the same time
may need a gigabyte until it is packed."""
OLD_S: Final = 86400.0
"""Seconds after which files of uploads are deleted that a killed process has left behind."""


class NoRoom(LadderError):
    """The disk has no room for another upload now."""

    code = "TRY_AGAIN"


class BodyAwaited(Exception):
    """The request may have its body, which the server receives next. Nobody sees the answer to this error."""


@dataclass
class Upload:
    """The body of a request, between the server and the view."""

    content_type: str
    account: str = ""
    """Name of the account whose upload it is. Empty until the view has admitted it."""
    file: Path | None = None
    """File with the body. None until it has been received."""
    digest: str = ""
    """SHA-256 of the body, in hex."""


def make_folder() -> Path:
    """Return the folder for uploads. Raise `NoRoom` if its disk is nearly full, or if it cannot be written."""
    folder = settings.PLACES.uploads
    try:
        folder.mkdir(parents=True, exist_ok=True)
        is_full = shutil.disk_usage(folder).free < LEAST_FREE_BYTES
    except OSError as error:
        raise NoRoom(f"uploads cannot be stored now: {error.strerror}") from None
    if is_full:
        raise NoRoom("the disk of the arena has no room for uploads now")
    return Path(folder)


@contextmanager
def received(request: HttpRequest, user_id: int) -> Iterator[Path]:
    """Return the file with the body of a request by this user, as a context.

    Raise `BodyAwaited` if the server is still to receive it: call this after all checks. A server that knows no uploads
    has put the body into the request.
    """
    folder = make_folder()
    upload = upload_of(request)
    if upload is None:
        with tempfile.NamedTemporaryFile(dir=folder, prefix="body-") as file:
            try:
                file.write(request.body)
            except RawPostDataException:
                raise BadRequest("this server receives no forms with files") from None
            file.flush()
            yield Path(file.name)
        return
    if upload.file is None:
        upload.account = str(user_id)
        raise BodyAwaited
    yield upload.file


def upload_of(request: HttpRequest) -> Upload | None:
    """Return the upload of a request. Return None if the server did not treat it as one."""
    scope: dict[str, object] = getattr(request, "scope", {})
    upload = scope.get(UPLOAD)
    assert upload is None or isinstance(upload, Upload)
    return upload
