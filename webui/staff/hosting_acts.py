"""Acts of staff on hosted bots: submissions, runners, and hosting as a whole."""

from __future__ import annotations

from django.db import transaction

from webui.accounts.actions import check_reason, record_act
from webui.accounts.values import Act, Actor
from webui.core.errors import NotFound
from webui.hosting import actions
from webui.hosting.models import Runner, Submission
from webui.notices.models import BotNoticeKind
from webui.notices.noting import note_from_staff


@transaction.atomic
def withdraw_submission(submission_id: int, reason: str, *, by: Actor) -> bool:
    """End a submission that is not ready, and notify its owner. Return False if it has ended already."""
    reason = check_reason(reason)
    row = _submission(submission_id)
    if not actions.withdraw_submission(row.bot_id, row.pk, reason):
        return False
    changes = {"state": (row.state, "WITHDRAWN")}
    owner = row.bot.owner_id
    record_act(Act.SUBMISSION_WITHDRAWN, owner, by=by, subject=str(row), reason=reason, changes=changes)
    note_from_staff(
        owner,
        BotNoticeKind.HOSTED,
        row.pk,
        about=row.bot.slug,
        bots=[row.bot.name],
        version=row.version,
        state="WITHDRAWN",
        why=reason,
    )
    return True


@transaction.atomic
def lock_submission(submission_id: int, reason: str, *, by: Actor) -> bool:
    """Lock a version that was handed in, and notify its owner. It is neither built nor played in new matches.

    Return False if it was locked already.
    """
    reason = check_reason(reason)
    row = _submission(submission_id)
    if not actions.lock_submission(row.pk, reason):
        return False
    _note_lock(row, Act.SUBMISSION_LOCKED, BotNoticeKind.LOCKED, reason, by)
    return True


@transaction.atomic
def unlock_submission(submission_id: int, reason: str, *, by: Actor) -> bool:
    """Unlock a version, and notify its owner. Return False if it was not locked."""
    reason = check_reason(reason)
    row = _submission(submission_id)
    if not actions.unlock_submission(row.pk):
        return False
    _note_lock(row, Act.SUBMISSION_UNLOCKED, BotNoticeKind.UNLOCKED, reason, by)
    return True


@transaction.atomic
def pause_runner(runner_id: int, reason: str, *, is_paused: bool, by: Actor) -> bool:
    """Let a runner take no new seats and no new jobs, or let it take them again. Return False if nothing had to change.

    A paused runner finishes what it has.
    """
    reason = check_reason(reason)
    if not actions.pause_runner(runner_id, is_paused=is_paused):
        return False
    name = Runner.objects.values_list("name", flat=True).get(pk=runner_id)
    act = Act.RUNNER_PAUSED if is_paused else Act.RUNNER_RESUMED
    record_act(act, None, by=by, subject=name, reason=reason)
    return True


@transaction.atomic
def revoke_runner(name: str, reason: str, *, by: Actor) -> bool:
    """Revoke the token of a runner permanently. The runner ends at its next call. Raise `NotFound`."""
    reason = check_reason(reason)
    actions.revoke_runner(name)
    record_act(Act.RUNNER_REVOKED, None, by=by, subject=name, reason=reason)
    return True


@transaction.atomic
def pause_hosting(reason: str, *, is_paused: bool, by: Actor) -> bool:
    """Let all runners take no new seats and jobs, or let them take them again.

    Return False if nothing had to change.
    """
    reason = check_reason(reason)
    if not actions.pause_hosting(is_paused=is_paused):
        return False
    record_act(Act.HOSTING_PAUSED if is_paused else Act.HOSTING_RESUMED, None, by=by, reason=reason)
    return True


def _note_lock(row: Submission, act: Act, kind: BotNoticeKind, reason: str, by: Actor) -> None:
    owner = row.bot.owner_id
    entry = record_act(act, owner, by=by, subject=str(row), reason=reason)
    note_from_staff(owner, kind, entry, about=row.bot.slug, bots=[row.bot.name], version=row.version, why=reason)


def _submission(submission_id: int) -> Submission:
    row = Submission.objects.select_for_update(of=("self",)).select_related("bot").filter(pk=submission_id).first()
    if row is None:
        raise NotFound(f"there is no submission {submission_id}")
    return row
