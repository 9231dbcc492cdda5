"""Published sources: the owner of a bot lets everybody read the source of a version, under a licence."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Final

from django.db import transaction
from django.db.models.functions import Now

from arena.hosting.archives import BundleError
from arena.hosting.bundle import unpack
from arena.hosting.limits import DEFAULT_LIMITS, HostingLimits
from webui.accounts.actions import record_act
from webui.accounts.models import AuditEntry
from webui.accounts.values import Act, Actor
from webui.bots.models import Bot
from webui.core.dbtime import before_now
from webui.core.errors import BadRequest, NotFound, TooMany
from webui.core.uploads import NoRoom, make_folder
from webui.hosting.blobs import blob_parts
from webui.hosting.jobs import printable
from webui.hosting.models import PublishedFile, Submission, SubmissionState

LICENCES: Final = {
    "MIT": "MIT License",
    "Apache-2.0": "Apache License 2.0",
    "BSD-3-Clause": "BSD 3-Clause License",
    "MPL-2.0": "Mozilla Public License 2.0",
    "GPL-3.0-or-later": "GNU General Public License v3.0 or later",
    "AGPL-3.0-or-later": "GNU Affero General Public License v3.0 or later",
    "CC0-1.0": "Creative Commons Zero v1.0 Universal",
}
"""Licences that an owner may choose: their SPDX identifiers, and their names."""
TEXT_BYTES: Final = 256 * 1024
"""Maximum number of bytes of a file that is shown. Larger ones are only named."""
ALL_TEXT_BYTES: Final = 8 * 1024 * 1024
"""Maximum number of bytes of all files of a version that are shown."""
PUBLISHED_A_DAY: Final = 20
"""Maximum number of versions that an account may publish in 24 hours."""


def publish_source(
    actor: Actor, bot_id: int, submission_id: int, licence: str, limits: HostingLimits = DEFAULT_LIMITS
) -> None:
    """Let everybody read and download the source of a version, under a licence of `LICENCES`.

    Only the licence changes if it is published already. Raise `NotFound` if the submission is not the actor's.
    Raise `TooMany` past the limit of a day. Raise `BadRequest` for another licence, if the version is not ready, if its
    files are not kept any more, or if staff have taken its source down.
    """
    row = _own(actor, bot_id, submission_id)
    if licence not in LICENCES:
        raise BadRequest(f"choose one of these licences: {', '.join(LICENCES)}")
    if row.state != SubmissionState.READY:
        raise BadRequest(f"version {row.version!r} is not ready")
    if row.source_id is None:
        raise BadRequest(f"the files of version {row.version!r} are not kept any more: hand it in again")
    if row.is_taken_down:
        raise BadRequest(f"the source of {row.version!r} was taken down by the people who run the arena: ask them")
    acts = AuditEntry.objects.filter(account=row.bot.owner_id, act=Act.SOURCE_PUBLISHED, at__gt=before_now(86400.0))
    if acts.count() >= PUBLISHED_A_DAY:
        raise TooMany(f"{PUBLISHED_A_DAY} sources were published within a day: wait a while")
    files = _files(row.source_id, limits) if not row.licence else None
    with transaction.atomic():
        rows = Submission.objects.filter(pk=row.pk, source=row.source_id, licence=row.licence, is_taken_down=False)
        if not rows.update(licence=licence, published_at=Now()):
            raise BadRequest(f"version {row.version!r} has just changed: try again")
        if files is not None:
            PublishedFile.objects.filter(submission=row).delete()
            PublishedFile.objects.bulk_create(
                [PublishedFile(submission=row, path=path, size=size, text=text) for path, size, text in files]
            )
        record_act(Act.SOURCE_PUBLISHED, row.bot.owner_id, by=actor, subject=f"{row.bot.name} {row.version}")


@transaction.atomic
def unpublish_source(actor: Actor, bot_id: int, submission_id: int) -> None:
    """Take the published source of a version back. Nothing happens if it is not published.

    Raise `NotFound` if the submission is not the actor's.
    """
    row = _own(actor, bot_id, submission_id)
    if _withdraw(row):
        record_act(Act.SOURCE_UNPUBLISHED, row.bot.owner_id, by=actor, subject=f"{row.bot.name} {row.version}")


@transaction.atomic
def take_down_sources(bot_id: int, reason: str, *, by: Actor) -> bool:
    """Take all published sources of a bot down, as staff. Its owner cannot publish these versions again.

    Return False if none is published.
    """
    rows = list(Submission.objects.filter(bot=bot_id).exclude(licence="").select_related("bot"))
    for row in rows:
        _withdraw(row, is_taken_down=True)
        subject = f"{row.bot.name} {row.version}"
        record_act(Act.SOURCE_TAKEN_DOWN, row.bot.owner_id, by=by, subject=subject, reason=reason)
    return bool(rows)


def _withdraw(row: Submission, *, is_taken_down: bool = False) -> bool:
    rows = Submission.objects.filter(pk=row.pk).exclude(licence="")
    was_published = rows.update(licence="", published_at=None, is_taken_down=is_taken_down)
    PublishedFile.objects.filter(submission=row).delete()
    return bool(was_published)


def _own(actor: Actor, bot_id: int, submission_id: int) -> Submission:
    if not Bot.objects.filter(pk=bot_id, owner=actor.user_id).exists():
        raise NotFound(f"you have no bot {bot_id}")
    row = Submission.objects.filter(pk=submission_id, bot=bot_id).select_related("bot").first()
    if row is None:
        raise NotFound(f"there is no submission {submission_id}")
    return row


def _files(digest: str, limits: HostingLimits) -> list[tuple[str, int, str | None]]:
    """Return path, size and shown text of each file of a bundle. The text is None if the file is not shown."""
    try:
        with tempfile.TemporaryDirectory(dir=make_folder(), prefix="publish-") as scratch:
            packed, folder = Path(scratch) / "packed", Path(scratch) / "files"
            with packed.open("wb") as file:
                for part in blob_parts(digest):
                    file.write(part)
            unpack(packed, digest, folder, limits)
            left, found = ALL_TEXT_BYTES, []
            for path in sorted(path for path in folder.rglob("*") if path.is_file()):
                size = path.stat().st_size
                text = _text(path.read_bytes()) if size <= min(TEXT_BYTES, left) else None
                left -= size if text is not None else 0
                found.append((path.relative_to(folder).as_posix(), size, text))
            return found
    except BundleError as error:
        raise BadRequest(str(error)) from None
    except OSError as error:
        raise NoRoom(f"the files cannot be read now: {error.strerror}") from None


def _text(content: bytes) -> str | None:
    """Return the text of a file as a page may show it. Return None for a binary file."""
    if b"\0" in content:
        return None
    try:
        return printable(content.decode().replace("\r\n", "\n"))
    except UnicodeDecodeError:
        return None
