"""Read hosted bots for staff: runners, submissions in every state, and what both do now."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from django.db.models import QuerySet

from arena.bus import Presence
from webui.bots import presence
from webui.core.dbtime import before_now
from webui.core.errors import NotFound
from webui.hosting.models import OPEN, HostedVersion, HostingPause, Runner, Submission, SubmissionState
from webui.hosting.queries import RUNNER_ALIVE_S
from webui.staff.values import StaffHosting, StaffRunner, StaffSubmission

HOSTING: Final = "all"
"""Word that names hosting as a whole."""
KINDS: Final = ("open", "playing", "locked", *(state.value for state in SubmissionState))
"""Kinds of submissions that can be searched for."""


def staff_hosting(word: str = HOSTING) -> StaffHosting:
    """Return hosting as a whole. Raise `NotFound` for any other word than `HOSTING`."""
    if word != HOSTING:
        raise NotFound(f"there is no hosting {word!r}: its name is {HOSTING!r}")
    pause = HostingPause.objects.first()
    return StaffHosting(
        paused_at=pause.at if pause else None,
        runners=_runners(Runner.objects.filter(revoked_at=None)),
        waiting=Submission.objects.filter(state__in=OPEN, leased_by=None, lock_reason="").count(),
        versions=HostedVersion.objects.filter(is_current=True).count(),
    )


def staff_runner(name: str) -> StaffRunner:
    """Return one runner. Raise `NotFound`."""
    found = _runners(Runner.objects.filter(revoked_at=None, name=name))
    if not found:
        raise NotFound(f"there is no runner {name!r}")
    return found[0]


def _runners(rows: QuerySet[Runner]) -> list[StaffRunner]:
    online = presence.online()
    sessions = [session for of_bot in (online or {}).values() for session in of_bot]
    heard = set(rows.filter(seen_at__gt=before_now(RUNNER_ALIVE_S)).values_list("pk", flat=True))
    jobs: dict[int | None, list[StaffSubmission]] = {}
    for row in _joined(Submission.objects.filter(leased_by__in=rows)):
        jobs.setdefault(row.leased_by_id, []).append(_line(row))
    return [
        StaffRunner(
            id=row.pk,
            name=row.name,
            created_at=row.created_at,
            seen_at=row.seen_at,
            is_heard=row.pk in heard,
            paused_at=row.paused_at,
            cores=row.cores,
            places=row.places,
            seats=None if online is None else _matches_at(row.process, sessions),
            jobs=jobs.get(row.pk, []),
        )
        for row in rows.defer("digest").order_by("name")  # the site's role may not read digests of tokens
    ]


def _matches_at(process: str, sessions: Sequence[Presence]) -> list[str]:
    """Return the matches whose seats this process of a runner plays; a match once for each of them."""
    return sorted(match for session in sessions if process and session.gateway == process for match in session.matches)


def search_submissions(kind: str = "", bot: str = "", *, limit: int, offset: int = 0) -> list[StaffSubmission]:
    """Return submissions, newest first. `kind` is one of `KINDS` or empty, and `bot` the slug of a bot or empty."""
    rows = Submission.objects.all()
    if kind in SubmissionState.values:
        rows = rows.filter(state=kind)
    elif kind == "open":
        rows = rows.filter(state__in=OPEN)
    elif kind == "playing":
        rows = rows.filter(hosted__is_current=True, lock_reason="")
    elif kind == "locked":
        rows = rows.exclude(lock_reason="")
    if bot:
        rows = rows.filter(bot__slug=bot)
    return [_line(row) for row in _joined(rows)[offset : offset + limit]]


def staff_submission(number: str) -> StaffSubmission:
    """Return one submission by its number. Raise `NotFound`."""
    row = _joined(Submission.objects.filter(pk=int(number))).first() if number.isdecimal() else None
    if row is None:
        raise NotFound(f"there is no submission {number!r}")
    return _line(row)


def _joined(rows: QuerySet[Submission]) -> QuerySet[Submission]:
    joined = rows.select_related("bot__owner", "leased_by", "hosted")
    return joined.defer("log_head", "log_tail", "leased_by__digest").order_by("-pk")


def _line(row: Submission) -> StaffSubmission:
    hosted: HostedVersion | None = getattr(row, "hosted", None)
    return StaffSubmission(
        id=row.pk,
        bot=row.bot.name,
        slug=row.bot.slug,
        owner=row.bot.owner.username,
        version=row.version,
        state=row.state,
        is_current=hosted is not None and hosted.is_current,
        is_kept=hosted is not None and hosted.kept_until is not None,
        has_image=hosted is not None and hosted.image_id is not None,
        lock_reason=row.lock_reason,
        runner=row.leased_by.name if row.leased_by else "",
        failures=row.failures,
        fault=row.fault,
        fault_text=row.fault_text,
        created_at=row.created_at,
        ended_at=row.ended_at,
    )
