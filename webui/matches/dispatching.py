"""Tasks for the workers: which match needs one. The row is the truth; a task that is lost costs only time."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now

from webui.core.dbtime import before_now
from webui.matches.models import Match, MatchState

TASK = "workers.tasks.play_match"
QUEUE = "matches"

if TYPE_CHECKING:
    from celery import Celery

log = structlog.get_logger(__name__)


@cache
def _producer() -> Celery:
    """Only sends: the application with the tasks is `workers`, which stands above and is known here by name alone."""
    from celery import Celery  # a fifth of what a command needs to start, and most of them schedule nothing

    app = Celery("naqala-dispatch", broker=settings.BROKER_URL, set_as_current=False)
    app.conf.update(
        task_serializer="json",
        accept_content=["json"],
        task_ignore_result=True,
        broker_connection_timeout=2,
        # A broker that is away must not hold up whoever schedules: no retries here, the sweeper sends the task again.
        broker_transport_options=settings.BROKER_TRANSPORT_OPTIONS
        | {
            "socket_connect_timeout": 2,
            "socket_timeout": 2,
            "max_retries": 0,
            "interval_start": 0,
            "interval_step": 0,
            "interval_max": 0,
        },
    )
    return app


def _send(match_id: str) -> None:
    try:
        _producer().send_task(TASK, args=[match_id], queue=QUEUE, retry=False, ignore_result=True)
    except Exception as error:  # noqa: BLE001 - whatever the trouble, the match is safe in its row
        log.warning("match_not_dispatched", match=match_id, error=repr(error))


def dispatch(match_id: str) -> None:
    """Ask for a worker for this match as soon as the running transaction, if any, is committed."""
    transaction.on_commit(lambda: _send(match_id), robust=True)


def _is_due(after_s: float) -> Q:
    return Q(waits_since__lt=before_now(after_s)) & (Q(rung_at=None) | Q(rung_at__lt=before_now(after_s)))


def dispatch_waiting(after_s: float = 30, interrupted_after_s: float = 2) -> list[str]:
    """Send the task again for every match that nobody has taken within this time, at most once in it. For the sweepers.

    A match that had an owner waits less long: its bots are seated, and the task may have been lost with a worker that
    was about to leave.
    """
    waiting: Any = Match.objects.filter(state=MatchState.SCHEDULED).filter(
        _is_due(after_s) | Q(epoch__gt=0) & _is_due(interrupted_after_s)
    )
    dispatched = []
    for match_id in waiting.order_by("waits_since").values_list("id", flat=True):
        # Two sweepers may find the same match: only the one that moves `rung_at` sends the task.
        if waiting.filter(pk=match_id).update(rung_at=Now()):
            dispatch(match_id)
            dispatched.append(match_id)
    return dispatched
