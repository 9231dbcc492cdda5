"""Acts of staff on submissions, on runners, and on hosting as a whole."""

from __future__ import annotations

from typing import Final

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from webui.staff import hosting_acts, hosting_queries, words
from webui.staff.act import LOGGED, ActSubject, StaffAct
from webui.staff.values import Right, StaffHosting, StaffRunner, StaffSubmission

SUBMISSION: Final = ActSubject(
    key="submission",
    find=hosting_queries.staff_submission,
    root="staff/submissions/<slug:subject>/",
    section="hosting",
    word=lambda line: str(line.id),
    name=lambda line: f"{line.bot} {line.version}",
    back=lambda line, entered: reverse("staff-submission", args=[line.id]),
)
RUNNER: Final = ActSubject(
    key="runner",
    find=hosting_queries.staff_runner,
    root="staff/runners/<str:subject>/",
    section="hosting",
    word=lambda runner: runner.name,
    name=lambda runner: runner.name,
    back=lambda runner, entered: reverse("staff-hosting"),  # a runner that was revoked has no page
)
HOSTING: Final = ActSubject(
    key="hosting",
    find=hosting_queries.staff_hosting,
    root="staff/hosting/<slug:subject>/",
    section="hosting",
    word=lambda hosting: hosting_queries.HOSTING,
    name=lambda hosting: hosting_queries.HOSTING,
    back=lambda hosting, entered: reverse("staff-hosting"),
)


OF_SUBMISSIONS: Final[tuple[StaffAct[StaffSubmission], ...]] = (
    StaffAct(
        key="withdraw-submission",
        on=SUBMISSION,
        path="withdraw/",
        right=Right.CHANGE_HOSTING,
        do=lambda line, entered, by: hosting_acts.withdraw_submission(line.id, entered["reason"], by=by),
        help="End a submission that is not ready.",
        title=_("Withdraw %(name)s"),
        button=_("Withdraw it"),
        done=_("It is withdrawn."),
        consequences=words.of_withdraw,
        reason=_("Its owner reads it."),
        is_possible=lambda line: line.ended_at is None,
        is_dangerous=True,
    ),
    StaffAct(
        key="lock-submission",
        on=SUBMISSION,
        path="lock/",
        right=Right.CHANGE_HOSTING,
        do=lambda line, entered, by: hosting_acts.lock_submission(line.id, entered["reason"], by=by),
        help="Give a hosted version no new matches, and do not build it. Its owner is told.",
        title=_("Lock %(name)s"),
        button=_("Lock the version"),
        done=_("The version is locked."),
        consequences=words.of_lock_submission,
        reason=_("Its owner reads it."),
        is_possible=lambda line: not line.lock_reason,
        is_dangerous=True,
    ),
    StaffAct(
        key="unlock-submission",
        on=SUBMISSION,
        path="unlock/",
        right=Right.CHANGE_HOSTING,
        do=lambda line, entered, by: hosting_acts.unlock_submission(line.id, entered["reason"], by=by),
        help="Let a hosted version play again, or let it be built.",
        title=_("Unlock %(name)s"),
        button=_("Unlock the version"),
        done=_("The version is unlocked."),
        consequences=words.of_unlock_submission,
        reason=_("Its owner reads it."),
        is_possible=lambda line: bool(line.lock_reason),
    ),
)

OF_RUNNERS: Final[tuple[StaffAct[StaffRunner], ...]] = (
    StaffAct(
        key="pause-runner",
        on=RUNNER,
        path="pause/",
        right=Right.CHANGE_HOSTING,
        do=lambda runner, entered, by: hosting_acts.pause_runner(runner.id, entered["reason"], is_paused=True, by=by),
        help="Let a runner take no new matches and jobs. It finishes what it has.",
        title=_("Pause runner %(name)s"),
        button=_("Pause the runner"),
        done=_("The runner is paused."),
        consequences=words.of_pause_runner,
        reason=LOGGED,
        is_possible=lambda runner: runner.paused_at is None,
    ),
    StaffAct(
        key="resume-runner",
        on=RUNNER,
        path="resume/",
        right=Right.CHANGE_HOSTING,
        do=lambda runner, entered, by: hosting_acts.pause_runner(runner.id, entered["reason"], is_paused=False, by=by),
        help="Let a paused runner take matches and jobs again.",
        title=_("Resume runner %(name)s"),
        button=_("Resume the runner"),
        done=_("The runner goes on."),
        consequences=words.of_resume,
        reason=LOGGED,
        is_possible=lambda runner: runner.paused_at is not None,
    ),
    StaffAct(
        key="revoke-runner",
        on=RUNNER,
        path="revoke/",
        right=Right.CHANGE_HOSTING,
        do=lambda runner, entered, by: hosting_acts.revoke_runner(runner.name, entered["reason"], by=by),
        help="Revoke the token of a runner permanently. Other runners take over its matches and jobs.",
        title=_("Revoke runner %(name)s"),
        button=_("Revoke the runner"),
        done=_("The runner is revoked."),
        consequences=words.of_revoke_runner,
        reason=LOGGED,
        is_dangerous=True,
    ),
)

OF_HOSTING: Final[tuple[StaffAct[StaffHosting], ...]] = (
    StaffAct(
        key="pause-hosting",
        on=HOSTING,
        path="pause/",
        right=Right.CHANGE_HOSTING,
        do=lambda hosting, entered, by: hosting_acts.pause_hosting(entered["reason"], is_paused=True, by=by),
        help="Let no runner take new matches and jobs. They finish what they have.",
        title=_("Pause hosting"),
        button=_("Pause hosting"),
        done=_("Hosting is paused."),
        consequences=words.of_pause_hosting,
        reason=LOGGED,
        is_possible=lambda hosting: hosting.paused_at is None,
        is_dangerous=True,
    ),
    StaffAct(
        key="resume-hosting",
        on=HOSTING,
        path="resume/",
        right=Right.CHANGE_HOSTING,
        do=lambda hosting, entered, by: hosting_acts.pause_hosting(entered["reason"], is_paused=False, by=by),
        help="Let the runners take matches and jobs again.",
        title=_("Resume hosting"),
        button=_("Resume hosting"),
        done=_("Hosting goes on."),
        consequences=words.of_resume,
        reason=LOGGED,
        is_possible=lambda hosting: hosting.paused_at is not None,
    ),
)
