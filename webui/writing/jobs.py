"""Trials as jobs of runners. The rules are those of submissions (`webui.hosting.jobs`):

1. `take_trial` claims a trial with one UPDATE: it requires that nobody holds it, and sets a new epoch.
2. Every later write names its epoch. If no row changes, the trial has another holder or has ended: `JobLost`.
3. The lease is measured by the database's clock. Only `expire_leases` ends the claim of a silent runner.
4. A call that is repeated because its answer was lost gets the same answer again.
5. A lost runner is no fault of the bot: the trial is played again, and fails after `MOST_FAILURES`.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec
import structlog
from django.db import IntegrityError, transaction
from django.db.models import Exists, F, OuterRef, QuerySet
from django.db.models.functions import Now

from arena.hosting.messages import TrialInfo, TrialOutcome
from webui.core.dbtime import after_now
from webui.core.errors import BadRequest
from webui.core.upkeep import UpkeepWorker
from webui.hosting.queries import is_paused
from webui.hosting.values import JobLost
from webui.writing.models import PassedLesson, Trial, TrialState
from webui.writing.queries import in_turn

log = structlog.get_logger(__name__)

LEASE_S: Final = 20.0
"""Seconds until a silent runner loses its trial."""
MOST_FAILURES: Final = 3
"""Number of failures with which a trial ends."""
TRIED_AT_ONCE: Final = 20
"""Number of waiting trials that one call of a runner tries to claim."""
LONGEST_REPLAY: Final = 2 * 1024 * 1024
"""Maximum number of characters of a replay."""
LONGEST_OUTCOME: Final = 1024 * 1024
"""Maximum number of bytes of an outcome without its replay."""


def expire_leases() -> None:
    """End the claims of silent runners."""
    late = Trial.objects.filter(state=TrialState.PLAYING, lease_expires_at__lt=Now())
    for pk, epoch in late.values_list("pk", "epoch"):
        _fail(late.filter(pk=pk, epoch=epoch))


def expire_now(worker: UpkeepWorker) -> None:
    """End the claims of silent runners, even if no other runner calls."""
    expire_leases()


def take_trial(runner_id: int, key: str = "", lease_s: float = LEASE_S) -> TrialInfo | None:
    """Claim the next trial. Return None if there is nothing to do, or if the runner is paused.

    `key` identifies the call: sent again, it returns the claim that it has made. An asker has one
    trial that is played at a time.
    """
    expire_leases()
    if is_paused(runner_id):
        return None
    if key and (made := Trial.objects.filter(leased_by=runner_id, claim_key=key).first()) is not None:
        return _info(made)
    playing = Trial.objects.filter(asker=OuterRef("asker"), state=TrialState.PLAYING)
    free = Trial.objects.filter(~Exists(playing), state=TrialState.QUEUED)
    for pk, epoch in in_turn(free).values_list("pk", "epoch")[:TRIED_AT_ONCE]:
        try:
            with transaction.atomic():
                claimed = Trial.objects.filter(pk=pk, epoch=epoch, state=TrialState.QUEUED).update(
                    state=TrialState.PLAYING,
                    epoch=epoch + 1,
                    leased_by=runner_id,
                    lease_expires_at=after_now(lease_s),
                    claim_key=key,
                    decisions=0,
                )
        except IntegrityError:  # another runner has just taken one of the same asker
            continue
        if claimed:
            return _info(Trial.objects.get(pk=pk))
    return None


def _info(row: Trial) -> TrialInfo:
    return TrialInfo(
        id=row.pk,
        epoch=row.epoch,
        source=row.source,
        opponent=row.opponent,
        is_examination=row.is_examination,
        lesson=row.lesson,
        seed=row.seed,
    )


def _held(trial_id: int, epoch: int, runner_id: int) -> QuerySet[Trial]:
    return Trial.objects.filter(pk=trial_id, epoch=epoch, leased_by=runner_id)


def _lost(trial_id: int, epoch: int) -> JobLost:
    return JobLost(f"trial {trial_id} is not held at epoch {epoch}")


def note_trial(runner_id: int, trial_id: int, epoch: int, decisions: int, lease_s: float = LEASE_S) -> None:
    """Note how far the game is, and renew the lease. Raise `JobLost`."""
    values = {"decisions": max(0, min(decisions, 2**31 - 1)), "lease_expires_at": after_now(lease_s)}
    if not _held(trial_id, epoch, runner_id).update(**values):
        raise _lost(trial_id, epoch)


def finish_trial(runner_id: int, trial_id: int, epoch: int, outcome: TrialOutcome) -> None:
    """Store the outcome. Raise `JobLost`, and `BadRequest` if it is too large."""
    if outcome.lesson is not None and outcome.lesson.is_passed:
        _note_passed(_held(trial_id, epoch, runner_id))
    # JSON escapes what a database cannot store.
    replay, rest = outcome.replay, msgspec.json.encode(msgspec.structs.replace(outcome, replay="")).decode()
    if len(replay) > LONGEST_REPLAY or len(rest) > LONGEST_OUTCOME:
        raise BadRequest(f"the outcome of trial {trial_id} is too large")
    if (
        not _held(trial_id, epoch, runner_id).update(
            state=TrialState.DONE,
            ended_at=Now(),
            leased_by=None,
            lease_expires_at=None,
            replay=replay,
            outcome=rest,
        )
        and not Trial.objects.filter(pk=trial_id, epoch=epoch, state=TrialState.DONE).exists()
    ):
        raise _lost(trial_id, epoch)


def _note_passed(rows: QuerySet[Trial]) -> None:
    """Note that the author has passed the lesson of a trial. Guests have their progress in the browser."""
    row = rows.first()
    if row is not None and row.author_id is not None and row.lesson:
        PassedLesson.objects.get_or_create(user_id=row.author_id, lesson=row.lesson)


def return_trial(runner_id: int, trial_id: int, epoch: int, *, is_failure: bool) -> None:
    """Give a trial back that the runner cannot finish. Nothing happens if the runner does not hold it any more."""
    rows = _held(trial_id, epoch, runner_id)
    if is_failure:
        _fail(rows)
    else:
        _free(rows)


def _free(rows: QuerySet[Trial], **values: Any) -> None:
    """End the claim among the rows."""
    rows.update(**{"state": TrialState.QUEUED, "leased_by": None, "lease_expires_at": None, **values})


def _fail(rows: QuerySet[Trial]) -> None:
    """End the claim among the rows by a failure."""
    row = rows.first()
    if row is None:
        return
    log.warning("trial_failed", trial=row.pk, failures=row.failures + 1)
    if row.failures + 1 < MOST_FAILURES:
        _free(rows, failures=F("failures") + 1)
    else:
        _free(rows, failures=F("failures") + 1, state=TrialState.FAILED, ended_at=Now())
