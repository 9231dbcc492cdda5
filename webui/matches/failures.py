"""Failures of matches: what went wrong in a match itself. A match that fails again and again is voided.

Only two things are failures of a match:

- an exception in its own step, unless it comes from outside (a database, a disk, memory, threads);
- the death of a process in the middle of a step of this match, as the process's step file shows
  (`arena.host.steps`).

Time that passes is never a failure. An owner that loses its lease may be stopped or starved, and its bots may be out
of reach. Another owner then continues the match, as often as it takes.

A process that dies may have been at steps of several matches, each in a thread of its own. Each of them then has a
failure. These suspects are told apart by playing one at a time in each process (`ownership.claim_match`): the log of
an innocent match grows, and failures count only while the log is as long as it was.
"""

from pathlib import Path
from typing import Final

import structlog
from django.db import transaction
from django.db.models import F, Max
from django.db.models.functions import Now

from arena.host.steps import dead_steps
from webui.matches.ending import void_match
from webui.matches.models import ENDED, LogRow, Match, MatchFailure, MatchState

log = structlog.get_logger(__name__)

MAX_FAILURES: Final = 5
"""Number of failures at one length of the log after which a match is voided, and repeated with a new seed.

A process that is killed from outside may be at a step of a match by chance. It is not there five times in a row.
"""


@transaction.atomic
def record_failure(match_id: str, epoch: int, reason: str) -> None:
    """Record that the owner of this epoch failed at its match, and free the match. Void it after `MAX_FAILURES`.

    The reason is for staff. A repeated call changes nothing. The next owner takes the match after two seconds, when
    its task is sent again (`dispatching.dispatch_waiting`).
    """
    match = Match.objects.filter(pk=match_id, epoch__gte=epoch).exclude(state__in=ENDED).first()
    if match is None:
        return
    written = LogRow.objects.filter(match=match, epoch__lte=epoch).aggregate(last=Max("number"))
    length = 0 if written["last"] is None else written["last"] + 1
    failure = {"length": length, "reason": reason[:200]}
    _, is_new = MatchFailure.objects.get_or_create(match=match, epoch=epoch, defaults=failure)
    Match.objects.filter(pk=match_id, state=MatchState.RUNNING, epoch=epoch).update(
        state=MatchState.SCHEDULED, owner="", lease_expires_at=None, waits_since=Now()
    )
    count = MatchFailure.objects.filter(match=match, length=F("match__length")).count()
    if is_new:
        log.warning("match_failed", match=match_id, epoch=epoch, length=length, reason=reason, failures=count)
    if count >= MAX_FAILURES and void_match(
        match_id, f"it failed {count} times at log entry {match.length}", again=True, length=match.length
    ):
        log.error("match_voided", match=match_id, length=match.length, failures=count)


def record_deaths(directory: Path) -> None:
    """Record a failure for every match at whose step a process of this machine has died.

    `directory` has the step files. They are removed once the failures are stored.
    """
    with dead_steps(directory) as found:
        for match_id, epoch in found:
            record_failure(match_id, epoch, "its process died during a step of this match")
