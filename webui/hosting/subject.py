"""The declaration of the subject of hosted bots."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from django.db.models import Count, Exists, F, Max, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce, Length, Now

from arena.hosting.limits import DEFAULT_LIMITS
from webui.accounts.personal_data import time_text
from webui.bots.models import Bot, BotVersion
from webui.core.dbtime import before_now
from webui.core.subjects import ADD, ALL, CHANGE, READ, Check, Document, Problems, Rule, Subject
from webui.hosting.blobs import unused_blobs, unused_weights
from webui.hosting.models import (
    OPEN,
    Blob,
    BlobPart,
    BotWeights,
    HostedSeat,
    HostedVersion,
    HostingPause,
    PublishedFile,
    Runner,
    Submission,
    SubmissionState,
)
from webui.hosting.seats import OUTPUTS_OF_BOT
from webui.matches.models import Participant
from webui.pairing.sessions import IN_FLIGHT_STATES

OUTPUTS_KEPT_S: Final = 30 * 86400.0
"""Seconds for which logs of builds and reports on seats are kept."""


def _past_the_newest(column: str) -> QuerySet[Submission, Any]:
    """Return the number of submissions that are newer than the one in `column` and of its bot, as a subquery."""
    newer = Submission.objects.filter(bot=OuterRef("bot"), pk__gt=OuterRef(column)).order_by()
    return newer.values("bot").annotate(newer=Count("pk")).values("newer")


def _retention() -> Iterator[Rule]:
    kept = DEFAULT_LIMITS.kept_a_bot
    sources = Submission.objects.filter(
        ~Q(state__in=OPEN), ~Q(hosted__is_current=True), source__isnull=False, licence=""
    )
    sources = sources.annotate(newer=Coalesce(Subquery(_past_the_newest("pk")), 0)).filter(newer__gte=kept)
    yield Rule("sources of submissions", sources, {"source": None})
    in_matches = Participant.objects.filter(match__state__in=IN_FLIGHT_STATES).values("version")
    images = HostedVersion.objects.filter(is_current=False, kept_until=None, image__isnull=False)
    images = images.exclude(version__in=in_matches)
    images = images.annotate(newer=Coalesce(Subquery(_past_the_newest("submission")), 0)).filter(newer__gte=kept)
    yield Rule("images of hosted versions", images, {"image": None})
    old = before_now(OUTPUTS_KEPT_S)
    logs = Submission.objects.filter(ended_at__lt=old, log_length__gt=0)
    yield Rule("logs of submissions", logs, {"log_head": "", "log_tail": "", "log_length": 0})
    yield Rule("reports on hosted seats", HostedSeat.objects.filter(recorded_at__lt=old))
    newer = HostedSeat.objects.filter(version__bot=OuterRef("version__bot"), pk__gt=OuterRef("pk")).order_by()
    past_newest = newer.values("version__bot").annotate(newer=Count("pk")).values("newer")
    outputs = HostedSeat.objects.exclude(stdout="", stderr="").annotate(newer=Coalesce(Subquery(past_newest), 0))
    yield Rule("outputs of hosted seats", outputs.filter(newer__gte=OUTPUTS_OF_BOT), {"stdout": "", "stderr": ""})
    yield Rule("weights of bots", unused_weights())
    yield Rule("files of bots", unused_blobs())


LATE_S: Final = 3600.0
"""Seconds after which a submission that nobody takes is a finding."""


def check_hosting() -> Problems:
    """Yield blobs that are not whole, hosted versions of another bot, and submissions that nobody builds."""
    blobs = Blob.objects.annotate(
        found=Coalesce(Sum(Length("parts__content")), 0), parts_found=Count("parts"), last=Max("parts__number")
    )
    for digest in blobs.filter(~Q(found=F("size")) | ~Q(parts_found=F("last") + 1), key="").values_list(
        "pk", flat=True
    ):
        yield digest[:12], "the parts of this blob are not all there"
    others = HostedVersion.objects.exclude(version__bot=F("bot"), submission__bot=F("bot"))
    for version_id in others.values_list("pk", flat=True):
        yield f"version {version_id}", "it is hosted for another bot than its own"
    current = Exists(HostedVersion.objects.filter(bot=OuterRef("pk"), is_current=True))
    bots = Bot.objects.filter(Q(current, is_hosted=False) | Q(~current, is_hosted=True))
    versions = BotVersion.objects.filter(Q(hosted=None, is_hosted=True) | Q(hosted__isnull=False, is_hosted=False))
    for name in [*bots.values_list("name", flat=True), *versions.values_list("name", flat=True)]:
        yield name, "it is marked as hosted and is not, or the other way round"
    waiting = Submission.objects.filter(ended_at=None, leased_by=None, lock_reason="", due_at__lt=before_now(LATE_S))
    for submission_id in waiting.values_list("pk", flat=True):
        yield f"submission {submission_id}", "no runner takes it: is one running?"


def _of_bot(bot_id: int) -> Document:
    rows = Submission.objects.filter(bot=bot_id).order_by("pk")
    return {
        "submissions": [
            {
                "version": row.version,
                "note": row.note,
                "at": time_text(row.created_at),
                "state": row.state,
                "ended": time_text(row.ended_at),
                "files": row.files,
                "bytes": row.unpacked_bytes,
                "licence": row.licence,
                "fault": row.fault_text,
                "lock": row.lock_reason,
                "withdrawal": row.withdraw_reason,
                "log": row.log_head + row.log_tail,
            }
            for row in rows
        ]
    }


def _of_user(user_id: int) -> Document:
    rows = BotWeights.objects.filter(owner=user_id).order_by("pk")
    return {
        "weights": [
            {"sha256": row.blob_id, "files": row.files, "bytes": row.unpacked_bytes, "at": time_text(row.used_at)}
            for row in rows
        ]
    }


def _erase(user_id: int) -> None:
    """Withdraw the user's submissions, and delete their files, notes, logs and outputs."""
    own = Submission.objects.filter(bot__owner=user_id)
    own.filter(state__in=OPEN).update(
        state=SubmissionState.WITHDRAWN, ended_at=Now(), leased_by=None, lease_expires_at=None, image=None
    )
    PublishedFile.objects.filter(submission__bot__owner=user_id).delete()
    own.update(
        licence="",
        published_at=None,
        source=None,
        note="",
        manifest="",
        log_head="",
        log_tail="",
        log_length=0,
        fault_text="",
        withdraw_reason="",
    )
    HostedVersion.objects.filter(bot__owner=user_id).update(is_current=False, image=None, command=[])
    Bot.objects.filter(owner=user_id).update(is_hosted=False)
    HostedSeat.objects.filter(version__bot__owner=user_id).delete()
    own.update(weights=None)
    BotWeights.objects.filter(owner=user_id).delete()


SUBJECT: Final = Subject(
    gateway_rights={
        Blob: {**ADD, "UPDATE": ("used_at",)},
        BlobPart: ADD,
        BotWeights: READ,
        Submission: CHANGE,
        HostedVersion: CHANGE,
        HostedSeat: {**ADD, "UPDATE": ("stdout", "stderr")},
        Runner: {**READ, "UPDATE": ("seen_at", "cores", "places", "process", "runtime")},
        HostingPause: READ,
    },
    site_rights={
        Blob: {**ADD, "UPDATE": ("used_at",)},
        BlobPart: ADD,
        BotWeights: ALL,
        Submission: CHANGE,
        HostedVersion: {**READ, "UPDATE": ("is_current", "image_id", "command")},
        HostedSeat: {**READ, "DELETE": ()},
        Runner: {
            "SELECT": (
                "id",
                "name",
                "created_at",
                "seen_at",
                "revoked_at",
                "paused_at",
                "cores",
                "places",
                "process",
                "runtime",
            ),
            "UPDATE": ("paused_at", "revoked_at"),
        },
        HostingPause: {**ADD, "DELETE": ()},
        PublishedFile: {**ADD, "DELETE": ()},
    },
    retention=_retention,
    personal_data=_of_user,
    personal_data_of_bot=_of_bot,
    erase=_erase,
    checks=(Check("hosting", lambda since: check_hosting()),),
)
