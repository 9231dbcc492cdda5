"""Jobs of runners: build a submission, examine it, and make it a hosted version.

The rules are those of the ownership of matches (`webui.matches.ownership`):

1. `take_job` claims a submission with one UPDATE: it requires that nobody holds it, and sets a new epoch.
2. Every later write names its epoch in the WHERE of its UPDATE. If no row changes, the job has another holder or has
   ended. The caller gets `JobLost` and writes nothing more.
3. The lease is measured by the database's clock, and each piece of the log renews it. Only `expire_leases` ends the
   claim of a silent runner, and of one that takes too long.
4. A call that is repeated because its answer was lost gets the same answer again. `take_job` knows it by its key.
5. A lost runner is no fault of the bot: the job is claimed again, and waits longer after each such failure. A program
   that kills its runner, or itself, looks the same, which is why the job ends after `MOST_FAILURES`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import structlog
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce, Now

from arena.hosting.faults import HostingFault
from arena.hosting.limits import DEFAULT_LIMITS, HostingLimits
from arena.hosting.manifest import manifest_of_json
from arena.hosting.messages import HelloFacts, JobInfo
from webui.bots.actions import register_version, release_version
from webui.bots.models import Bot, BotVersion
from webui.core.dbtime import after_now, before_now
from webui.core.errors import BadRequest, TooMany
from webui.core.upkeep import UpkeepWorker
from webui.hosting import queries
from webui.hosting.actions import check_account
from webui.hosting.blobs import store_blob
from webui.hosting.models import OPEN, Blob, HostedVersion, Submission, SubmissionState
from webui.hosting.values import JobLost, SubmissionEnd, submission_built, submission_ended, versions_kept

log = structlog.get_logger(__name__)

LEASE_S: Final = 60.0
"""Seconds until a silent runner loses its job."""
LONGEST_CLAIM_S: Final = 2 * 3600.0
"""Seconds after which a runner loses its job, even if it renews the lease. A build and an examination take less."""
RETRY_WAITS_S: Final = (0.0, 0.0, 300.0, 3600.0)
"""Seconds until a job may be claimed again: after its first failure, its second failure and so on."""
MOST_FAILURES: Final = len(RETRY_WAITS_S) + 1
"""Number of failures with which a job ends."""
RELEASE_WAIT_S: Final = 600.0
"""Seconds that a job waits if its bot has too many new versions within this hour."""
KEPT_S: Final = 120.0
"""Seconds for which a version is kept unless its keeping is renewed."""
LOG_CHARACTERS: Final = 64 * 1024
"""Maximum number of characters kept of a log: half of its beginning, half of its end."""
LONGEST_FAULT_TEXT: Final = 4000
ANNOUNCED_AT_ONCE: Final = 100
TRIED_AT_ONCE: Final = 50
"""Number of waiting submissions that one call of a runner tries to claim."""


def expire_leases() -> int:
    """End the claims of runners that are silent or take too long, and return how many."""
    late = Submission.objects.filter(
        Q(lease_expires_at__lt=Now()) | Q(claimed_at__lt=before_now(LONGEST_CLAIM_S)), leased_by__isnull=False
    )
    return sum(_fail(late.filter(pk=pk, epoch=epoch)) for pk, epoch in late.values_list("pk", "epoch"))


def take_job(runner_id: int, key: str = "", lease_s: float = LEASE_S) -> JobInfo | None:
    """Claim the next submission. Return None if there is nothing to do, or if the runner is paused.

    `key` identifies the call: sent again, it returns the claim that it has made. Without a key every call is a new one.

    The order is that of `queries.in_turn`. The submissions of a bot are built one at a time, in their order, because
    its newest version is the one that plays.
    """
    expire_leases()
    if queries.is_paused(runner_id):
        return None
    if key and (made := Submission.objects.filter(leased_by=runner_id, claim_key=key).first()) is not None:
        return _job(made.pk)
    earlier = Submission.objects.filter(bot=OuterRef("bot"), state__in=OPEN, lock_reason="", pk__lt=OuterRef("pk"))
    free = Submission.objects.filter(~Exists(earlier), state__in=OPEN, leased_by=None, due_at__lte=Now())
    free = free.filter(lock_reason="")
    for row in queries.in_turn(free).defer("log_head", "log_tail")[:TRIED_AT_ONCE]:
        state = SubmissionState.BUILDING if row.image_id is None else SubmissionState.EXAMINING
        claimed = free.filter(pk=row.pk, epoch=row.epoch).update(
            state=state,
            epoch=row.epoch + 1,
            leased_by=runner_id,
            lease_expires_at=after_now(lease_s),
            claimed_at=Now(),
            claim_key=key,
            stored_image="",
            log_head="",
            log_tail="",
            log_length=0,
        )
        if claimed:
            return _job(row.pk)
    return None


def _job(submission_id: int) -> JobInfo:
    row = Submission.objects.select_related("bot").get(pk=submission_id)
    assert row.source_id is not None  # a constraint says so while it is open
    return JobInfo(
        id=row.pk,
        epoch=row.epoch,
        bot=row.bot_id,
        bot_name=row.bot.name,
        version_name=row.version,
        source=row.source_id,
        manifest=row.manifest,
        image=row.image_id or "",
    )


def _held(job_id: int, epoch: int) -> QuerySet[Submission]:
    return Submission.objects.filter(pk=job_id, epoch=epoch, leased_by__isnull=False)


def check_holder(job_id: int, epoch: int, runner_id: int) -> None:
    """Raise `JobLost` if another runner has this claim. Its number is no secret."""
    if _held(job_id, epoch).exclude(leased_by=runner_id).exists():
        raise _lost(job_id, epoch)


def _lost(job_id: int, epoch: int) -> JobLost:
    return JobLost(f"job {job_id} is not held at epoch {epoch}")


@transaction.atomic
def append_log(job_id: int, epoch: int, offset: int, text: str, lease_s: float = LEASE_S) -> None:
    """Add text to the log of a claim, after `offset` characters, and renew the lease.

    Text that was added by an earlier call is not added again. Raise `JobLost`, and `BadRequest` if earlier text is
    missing.
    """
    row = _held(job_id, epoch).select_for_update().first()
    if row is None:
        raise _lost(job_id, epoch)
    if offset > row.log_length:
        raise BadRequest(f"the log of job {job_id} has {row.log_length} characters, not {offset}")
    new = text[row.log_length - offset :]
    half = LOG_CHARACTERS // 2
    kept = printable(new)
    room = half - len(row.log_head)
    _held(job_id, epoch).update(
        log_head=row.log_head + kept[:room],
        log_tail=(row.log_tail + kept[room:])[-half:],
        log_length=row.log_length + len(new),
        lease_expires_at=after_now(lease_s),
    )


def printable(text: str) -> str:
    """Return text of the same length that a database can store and a page can show."""
    shown = "".join(letter if letter.isprintable() or letter in "\n\t" else "�" for letter in text)
    return shown.encode("utf-8", "replace").decode()


def store_image(job_id: int, epoch: int, digest: str, packed: Path, limits: HostingLimits = DEFAULT_LIMITS) -> None:
    """Store the result of a build: the compressed tar in the file `packed`, whose SHA-256 is `digest`.

    `finish_build` then uses it. Raise `JobLost`, and `BadRequest` for a bad file.
    """
    if not _held(job_id, epoch).exists():
        raise _lost(job_id, epoch)
    store_blob(digest, packed, limits)
    _held(job_id, epoch).update(stored_image=digest)


def finish_build(
    job_id: int, epoch: int, image: str, limits: HostingLimits = DEFAULT_LIMITS, lease_s: float = LEASE_S
) -> None:
    """Note that the build has made this image. The same runner examines it next.

    If the owner's account may not keep the image, too, the job ends by a fault of the bot. Raise `JobLost`, also then.
    Raise `BadRequest` for an image that is neither the job's source nor stored during this claim: the hash of a file is
    no right to use it.
    """
    building = _held(job_id, epoch).filter(state=SubmissionState.BUILDING)
    if building.exclude(Q(source=image) | Q(stored_image=image)).exists():
        raise BadRequest(f"job {job_id} has stored no image {image[:12]}")
    try:
        if _keep_image(building, image, limits, lease_s):
            return
    except BadRequest as error:
        fail_job(job_id, epoch, HostingFault.BUILD_FAILED, str(error))
        raise _lost(job_id, epoch) from None
    if not _held(job_id, epoch).filter(state=SubmissionState.EXAMINING, image=image).exists():
        raise _lost(job_id, epoch)


@transaction.atomic
def _keep_image(building: QuerySet[Submission], image: str, limits: HostingLimits, lease_s: float) -> bool:
    """Note the image of a build, and return whether it was being built.

    Raise `BadRequest` if the owner's account may not keep it, too.
    """
    owner_id = building.values_list("bot__owner", flat=True).first()
    if owner_id is None:
        return False
    # The locks serialise the builds of an account: two that end at once would each find the limit unreached.
    others = Submission.objects.filter(bot__owner=owner_id, state=SubmissionState.BUILDING)
    list(others.select_for_update(of=("self",)).order_by("pk").values_list("pk"))
    check_account(owner_id, dict(Blob.objects.filter(pk=image).values_list("pk", "tar_bytes")), limits)
    built_at = Coalesce("built_at", Now())
    values = {"state": SubmissionState.EXAMINING, "image": image, "built_at": built_at}
    return bool(building.update(**values, lease_expires_at=after_now(lease_s)))


@transaction.atomic
def finish_examination(job_id: int, epoch: int, facts: HelloFacts) -> None:
    """Make the submission a hosted version, and the one as which the bot plays from now on.

    If the bot has too many new versions within this hour, the job waits and is done again later. Raise `JobLost`.
    """
    examined = _held(job_id, epoch).filter(state=SubmissionState.EXAMINING)
    row = examined.select_for_update().first()
    if row is None:
        _check_ended(job_id, epoch, SubmissionState.READY)
        return
    try:
        release_version(row.bot_id, row.version, row.note)
        version_id = register_version(row.bot_id, row.version)
    except TooMany:
        _free(examined, RELEASE_WAIT_S)
        return
    manifest = manifest_of_json(row.manifest)
    HostedVersion.objects.filter(bot=row.bot_id, is_current=True).update(is_current=False)
    HostedVersion.objects.create(
        version_id=version_id,
        bot_id=row.bot_id,
        submission=row,
        image_id=row.image_id,
        command=list(manifest.command),
        memory_bytes=manifest.memory_bytes,
        player_counts=list(facts.player_counts),
        expansions=list(facts.expansions),
        wants_legal=facts.wants_legal,
        sdk=facts.sdk[:100],
        is_current=True,
    )
    BotVersion.objects.filter(pk=version_id).update(is_hosted=True)
    Bot.objects.filter(pk=row.bot_id).update(is_hosted=True)
    _end(examined, SubmissionState.READY)


def fail_job(job_id: int, epoch: int, fault: HostingFault, text: str) -> None:
    """End a job by a fault of the bot. `text` says what is wrong, and what to do. Raise `JobLost`."""
    text = printable(text)[:LONGEST_FAULT_TEXT]
    if not _end(_held(job_id, epoch), SubmissionState.FAILED, fault=str(fault), fault_text=text):
        _check_ended(job_id, epoch, SubmissionState.FAILED)


def return_job(job_id: int, epoch: int, *, is_failure: bool) -> None:
    """Give a job back that the runner cannot finish: because it stops, or by a fault of the arena (`is_failure`).

    Nothing happens if the runner does not hold it any more.
    """
    if is_failure:
        _fail(_held(job_id, epoch))
    else:
        _free(_held(job_id, epoch))


def _free(rows: QuerySet[Submission], wait_s: float = 0, **values: Any) -> int:
    """End the claim among the rows, and return the number of rows that changed: 0 or 1."""
    due_at = after_now(wait_s) if wait_s else Now()
    return rows.update(leased_by=None, lease_expires_at=None, due_at=due_at, **values)


def _fail(rows: QuerySet[Submission]) -> int:
    """End the claim among the rows by a failure, and return the number of rows that changed: 0 or 1."""
    row = rows.first()
    if row is None:
        return 0
    failures = row.failures + 1
    log.warning("job_failed", submission=row.pk, failures=failures)
    if failures < MOST_FAILURES:
        return _free(rows, RETRY_WAITS_S[row.failures], failures=failures)
    text = (
        f"it was tried {failures} times, and each time its program was killed or its runner was lost: check that the"
        " program does not end itself with exit code 137 or by SIGKILL, and hand it in again"
    )
    return _end(rows, SubmissionState.FAILED, failures=failures, fault=str(HostingFault.CRASHED), fault_text=text)


def _end(rows: QuerySet[Submission], state: SubmissionState, **values: Any) -> int:
    """End the job among the rows, and return the number of rows that changed: 0 or 1."""
    return rows.update(state=state, ended_at=Now(), leased_by=None, lease_expires_at=None, image=None, **values)


def _check_ended(job_id: int, epoch: int, state: SubmissionState) -> None:
    """Raise `JobLost`, unless an earlier call with this epoch has ended the job like this."""
    if not Submission.objects.filter(pk=job_id, epoch=epoch, state=state).exists():
        raise _lost(job_id, epoch)


def keep_versions_now(worker: UpkeepWorker) -> None:
    """Have runners offer the hosted versions that events, comparisons and challenges play with, current or not."""
    wanted = {version for answer in versions_kept() for version in answer}
    soon = Q(kept_until=None) | Q(kept_until__lt=after_now(KEPT_S / 2))
    kept = HostedVersion.objects.filter(soon, pk__in=wanted)
    over = HostedVersion.objects.filter(kept_until__isnull=False).exclude(pk__in=wanted)
    for rows, until in ((kept, after_now(KEPT_S)), (over, None)):
        if rows.exists():  # an update locks SQLite even if it changes nothing
            rows.update(kept_until=until)


def announce_now(worker: UpkeepWorker) -> None:
    """Announce the submissions that were built or have ended since the last run, each once."""
    built = Submission.objects.filter(built_at__isnull=False, is_build_announced=False).order_by("built_at")
    for pk in built.values_list("pk", flat=True)[:ANNOUNCED_AT_ONCE]:
        if worker.is_stopping():
            return
        try:
            _announce_build(pk)
        except Exception:
            log.exception("build_not_announced", submission=pk)  # the others are announced all the same
    ended = Submission.objects.filter(
        state__in=(SubmissionState.READY, SubmissionState.FAILED), is_announced=False
    ).order_by("ended_at")
    for row in ended.select_related("bot")[:ANNOUNCED_AT_ONCE]:
        if worker.is_stopping():
            return
        try:
            _announce_end(row)
        except Exception:
            log.exception("end_not_announced", submission=row.pk)


@transaction.atomic
def _announce_build(submission_id: int) -> None:
    if Submission.objects.filter(pk=submission_id, is_build_announced=False).update(is_build_announced=True):
        submission_built(submission_id)


@transaction.atomic
def _announce_end(row: Submission) -> None:
    if Submission.objects.filter(pk=row.pk, is_announced=False).update(is_announced=True):
        submission_ended(SubmissionEnd(row.pk, row.bot_id, row.bot.owner_id, row.version, row.fault, row.fault_text))
