"""Queries of submissions, hosted versions, runners, and seats that runners have played."""

from __future__ import annotations

from contextlib import suppress
from hashlib import sha256
from typing import Final

import msgspec
from django.db.models import (
    BooleanField,
    Case,
    DurationField,
    ExpressionWrapper,
    F,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
    When,
)
from django.db.models.functions import Coalesce, Now

from arena.hosting.messages import DecisionCost, HostedVersionInfo
from arena.hosting.runtime import RuntimeDescription
from webui.accounts import names
from webui.accounts.values import token_digest
from webui.bots.models import BotVersion
from webui.bots.queries import MAY_PLAY, bot_ref
from webui.core.dbtime import before_now
from webui.core.errors import NotFound
from webui.hosting.models import (
    OPEN,
    Blob,
    BotWeights,
    HostedSeat,
    HostedVersion,
    HostingPause,
    PublishedFile,
    Runner,
    Submission,
    SubmissionState,
)
from webui.hosting.values import (
    HostedSeatValue,
    PublishedFileValue,
    PublishedSource,
    RunnerLine,
    SubmissionMark,
    SubmissionPage,
    SubmissionValue,
    WeightsValue,
)
from webui.matches.models import Participant
from webui.pairing.sessions import IN_FLIGHT_STATES

RUNNER_LATE_S: Final = 300.0
"""Seconds after its last call after which a runner counts as gone."""
RUNNER_ALIVE_S: Final = 60.0
"""Seconds after its last call for which a runner counts as alive. It calls every two seconds."""
TURN_S: Final = 6 * 3600.0
"""Seconds for which a job counts when its owner waits for the next one."""
SUBMISSIONS_SHOWN: Final = 30
"""Maximum number of submissions in the list of a bot: the newest."""


def submission(submission_id: int, bot_id: int | None = None) -> SubmissionPage:
    """Return a submission with its log. Raise `NotFound` if there is none, or if it is of another bot than `bot_id`."""
    rows = Submission.objects.filter(pk=submission_id)
    row = _joined(rows if bot_id is None else rows.filter(bot=bot_id)).first()
    if row is None:
        raise NotFound(f"there is no submission {submission_id}")
    omitted = row.log_length - len(row.log_head) - len(row.log_tail)
    middle = f"\n[… {omitted} characters …]\n" if omitted else ""
    before = 0
    if row.ended_at is None and row.leased_by_id is None:
        waiting = in_turn(Submission.objects.filter(state__in=OPEN, leased_by=None, lock_reason=""))
        order = list(waiting.values_list("pk", flat=True))
        before = order.index(row.pk) if row.pk in order else 0  # a runner may have taken it meanwhile
    return SubmissionPage(
        line=_line(row), log=row.log_head + middle + row.log_tail, failures=row.failures, before=before
    )


def in_turn(waiting: QuerySet[Submission]) -> QuerySet[Submission]:
    """Return the submissions in the order in which runners take them.

    The owner with the fewest claims of the last hours comes first, then the submission with the fewest failures, then
    the oldest one. An owner who hands in much waits for the others, and at most for these hours. Claims that came to
    nothing count, too: a bot can end its runs so that they look like faults of the machine.
    """
    recent = Submission.objects.filter(
        Q(ended_at=None) | Q(ended_at__gt=before_now(TURN_S)), bot__owner=OuterRef("bot__owner")
    )
    claims = recent.order_by().values("bot__owner").annotate(claims=Sum("epoch")).values("claims")
    return waiting.annotate(claims=Coalesce(Subquery(claims), 0)).order_by("claims", "failures", "pk")


def submission_mark(submission_id: int) -> SubmissionMark:
    """Return a summary of what the page of a submission shows. Raise `NotFound` if there is none."""
    page = submission(submission_id)
    return SubmissionMark(sha256(repr(page).encode()).hexdigest()[:32], not page.line.is_open)


def submissions_of(bot_id: int, most: int = SUBMISSIONS_SHOWN, *, before: int | None = None) -> list[SubmissionValue]:
    """Return the newest submissions of a bot. If `before` is the id of one of them, return only older ones."""
    rows = Submission.objects.filter(bot=bot_id)
    if before is not None:
        rows = rows.filter(pk__lt=before)
    return [_line(row) for row in _joined(rows).defer("log_head", "log_tail").order_by("-pk")[:most]]


def weights_of(owner_id: int, most: int, *, before: int | None = None, sha256: str | None = None) -> list[WeightsValue]:
    """Return the newest weights of an owner, or those with this hash. With `before`, an id, return only older ones."""
    rows = BotWeights.objects.filter(owner=owner_id)
    if before is not None:
        rows = rows.filter(pk__lt=before)
    if sha256 is not None:
        rows = rows.filter(blob=sha256)
    return [
        WeightsValue(
            id=row.pk, sha256=row.blob_id, size=row.blob.size, unpacked_bytes=row.unpacked_bytes, files=row.files
        )
        for row in rows.select_related("blob").order_by("-pk")[:most]
    ]


def _joined(rows: QuerySet[Submission]) -> QuerySet[Submission]:
    return rows.select_related("bot__owner", "source", "hosted")


def _line(row: Submission) -> SubmissionValue:
    hosted: HostedVersion | None = getattr(row, "hosted", None)
    return SubmissionValue(
        id=row.pk,
        bot=bot_ref(row.bot),
        version=row.version,
        note=row.note,
        state=row.state,
        created_at=row.created_at,
        ended_at=row.ended_at,
        size=row.source.size if row.source else 0,
        unpacked_bytes=row.unpacked_bytes,
        files=row.files,
        fault=row.fault,
        fault_text=row.fault_text,
        version_id=hosted.pk if hosted else None,
        is_current=hosted is not None and hosted.is_current,
        has_image=hosted is not None and hosted.image_id is not None,
        lock_reason=row.lock_reason,
        withdraw_reason=row.withdraw_reason,
        licence=row.licence,
        is_taken_down=row.is_taken_down,
    )


def stored_sizes(owner_id: int) -> dict[str, int]:
    """Return the unpacked bytes of all blobs that this owner's bots keep, by their hashes."""
    submissions = Submission.objects.filter(bot__owner=owner_id)
    kept = [
        submissions.filter(source__isnull=False).values("source"),
        submissions.filter(image__isnull=False).values("image"),
        HostedVersion.objects.filter(bot__owner=owner_id, image__isnull=False).values("image"),
        BotWeights.objects.filter(owner=owner_id).values("blob"),
    ]
    named = Q()
    for rows in kept:
        named |= Q(pk__in=rows)
    return dict(Blob.objects.filter(named).values_list("pk", "tar_bytes"))


def published_sources(bot_id: int) -> list[PublishedSource]:
    """Return the published sources of a bot, newest version first."""
    rows = Submission.objects.filter(bot=bot_id).exclude(licence="").select_related("bot__owner", "source")
    return [_source(row) for row in rows.order_by("-pk")]


def published_source(slug: str, submission_id: int) -> PublishedSource:
    """Return a published source of a bot. Raise `NotFound` if there is none."""
    rows = Submission.objects.filter(pk=submission_id, bot__slug=slug).exclude(licence="")
    row = rows.select_related("bot__owner", "source").first()
    if row is None:
        raise NotFound(f"bot {slug!r} has no published source {submission_id}")
    return _source(row)


def _source(row: Submission) -> PublishedSource:
    assert row.source is not None and row.published_at is not None  # a constraint says so while it is published
    return PublishedSource(
        id=row.pk,
        bot=bot_ref(row.bot),
        version=row.version,
        note=row.note,
        licence=row.licence,
        published_at=row.published_at,
        sha256=row.source.pk,
        size=row.source.size,
        unpacked_bytes=row.unpacked_bytes,
        files=row.files,
    )


def published_files(submission_id: int) -> list[PublishedFileValue]:
    """Return the files of a published source, by path."""
    rows = PublishedFile.objects.filter(submission=submission_id).order_by("path")
    is_shown = ExpressionWrapper(Q(text__isnull=False), output_field=BooleanField())
    return [PublishedFileValue(*row) for row in rows.annotate(shown=is_shown).values_list("path", "size", "shown")]


def published_file(submission_id: int, path: str) -> tuple[PublishedFileValue, str | None]:
    """Return a file of a published source and its text. Raise `NotFound` if there is none."""
    row = PublishedFile.objects.filter(submission=submission_id, path=path).first()
    if row is None:
        raise NotFound(f"there is no file {path!r:.80}")
    return PublishedFileValue(row.path, row.size, row.text is not None), row.text


def total_stored() -> int:
    """Return the packed bytes of all blobs."""
    return Blob.objects.aggregate(total=Sum("size"))["total"] or 0


def hosted_versions(after: int = 0, most: int | None = None) -> list[HostedVersionInfo]:
    """Return the versions that runners play, in the order of their ids.

    These are the current ones, those that an event, a comparison or a challenge plays with, and those still in a match.
    Return at most `most`, of those with greater ids than `after`.
    """
    in_matches = Participant.objects.filter(match__state__in=IN_FLIGHT_STATES).values("version")
    may_play = Q(version__in=BotVersion.objects.filter(MAY_PLAY).values("pk"))
    offered = Q(may_play & (Q(is_current=True) | Q(kept_until__gt=Now())))
    rows = HostedVersion.objects.filter(offered | Q(version__in=in_matches), image__isnull=False, pk__gt=after)
    rows = rows.annotate(is_offered=Case(When(offered, then=True), default=False))
    return [
        HostedVersionInfo(
            version=row.pk,
            bot=row.bot_id,
            bot_name=row.bot.name,
            version_name=row.version.name,
            owner=row.bot.owner_id,
            is_house=row.bot.is_house,
            is_offered=vars(row)["is_offered"],
            image=row.image_id or "",
            command=tuple(row.command),
            memory_bytes=row.memory_bytes,
            player_counts=tuple(row.player_counts),
            expansions=tuple(row.expansions),
            wants_legal=row.wants_legal,
            sdk=row.sdk,
        )
        for row in rows.select_related("bot", "version").order_by("pk")[:most]
    ]


def is_submitted(bot_id: int, version: str) -> bool:
    """Return whether the bot's version of this name was handed in, so that only runners play it.

    Raise `BadRequest` if no version can have this name.
    """
    rows = Submission.objects.filter(bot=bot_id, version=names.check_name(version, "a version"))
    return rows.exclude(state__in=(SubmissionState.FAILED, SubmissionState.WITHDRAWN)).exists()


def is_paused(runner_id: int) -> bool:
    """Return whether staff let a runner, or all of them, take no new seats and no new jobs."""
    return Runner.objects.filter(pk=runner_id, paused_at__isnull=False).exists() or HostingPause.objects.exists()


def runner_of_token(token: str) -> int | None:
    """Return the id of the runner with this token. Return None if there is none, or if it was revoked."""
    return Runner.objects.filter(digest=token_digest(token), revoked_at=None).values_list("pk", flat=True).first()


def runners() -> list[RunnerLine]:
    """Return the registered runners by name."""
    rows = Runner.objects.filter(revoked_at=None).order_by("name")
    return [RunnerLine(*row) for row in rows.values_list("name", "created_at", "seen_at", "cores", "runtime")]


def runners_alive() -> int:
    """Return the number of runners that have called within the last minute."""
    return Runner.objects.filter(revoked_at=None, seen_at__gt=before_now(RUNNER_ALIVE_S)).count()


def hosted_bots() -> int:
    """Return the number of bots with a version that runners play."""
    return HostedVersion.objects.filter(is_current=True).count()


def oldest_wait() -> float:
    """Return for how many seconds the submission that has been due longest waits for a runner, or 0 if none waits."""
    waiting = Submission.objects.filter(state__in=OPEN, leased_by=None, lock_reason="").order_by("due_at")
    age = ExpressionWrapper(Now() - F("due_at"), output_field=DurationField())
    first = waiting.annotate(waited=age).values_list("waited", flat=True).first()
    return max(0.0, first.total_seconds()) if first else 0.0


def runtimes() -> list[RuntimeDescription]:
    """Return what submitted bots find at the runners that have called lately, each runtime once."""
    rows = Runner.objects.filter(revoked_at=None, seen_at__gt=before_now(RUNNER_LATE_S)).exclude(runtime="")
    found = []
    for text in rows.order_by("runtime").values_list("runtime", flat=True).distinct():
        with suppress(msgspec.MsgspecError):  # runners of other versions may describe themselves otherwise
            found.append(msgspec.json.decode(text, type=RuntimeDescription))
    return found


def seats_of_owner(match_id: str, owner_id: int) -> list[HostedSeatValue]:
    """Return the sandboxes of this owner's bots in a match, by seat and time."""
    rows = HostedSeat.objects.filter(match=match_id, version__bot__owner=owner_id).select_related("version__bot")
    return [
        HostedSeatValue(
            seat=row.seat,
            bot=row.version.bot.name,
            version=row.version.name,
            started_at=row.started_at,
            ended_at=row.ended_at,
            end=row.end,
            exit_code=row.exit_code,
            signal=row.signal,
            fault=row.fault,
            fault_text=row.fault_text,
            peak_memory_bytes=row.peak_memory_bytes,
            processor_s=row.processor_s,
            wall_s=row.wall_s,
            stdout=row.stdout,
            stderr=row.stderr,
            decisions=tuple(DecisionCost(*costs) for costs in row.decisions),
        )
        for row in rows.order_by("seat", "started_at")
    ]
