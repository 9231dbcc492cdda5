"""Tasks that tell workers which matches need them. The match's row is authoritative: a lost task costs only time."""

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
    """Return the Celery application that only sends tasks.

    The application that defines the tasks is `workers`. It is on a higher level, so tasks are addressed by name.
    """
    from celery import Celery  # The import takes a fifth of a command's start-up time, and few commands schedule.

    app = Celery("naqala-dispatch", broker=settings.BROKER_URL, set_as_current=False)
    app.conf.update(
        task_serializer="json",
        accept_content=["json"],
        task_ignore_result=True,
        broker_connection_timeout=2,
        # An unreachable broker must not block the caller. Do not retry: the sweeper sends the task again.
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
    except Exception as error:  # noqa: BLE001 - whatever went wrong, the match is safe in its row
        log.warning("match_not_dispatched", match=match_id, error=repr(error))


def dispatch(match_id: str) -> None:
    """Send the task for this match as soon as the running transaction, if any, is committed."""
    transaction.on_commit(lambda: _send(match_id), robust=True)


def _is_due(after_s: float) -> Q:
    return _is_past("waits_since", after_s) & (Q(rung_at=None) | _is_past("rung_at", after_s))


def _is_past(field: str, after_s: float) -> Q:
    """Return whether a time is so long ago. A time in the future was written before the clock was set back."""
    return Q(**{f"{field}__lt": before_now(after_s)}) | Q(**{f"{field}__gt": Now()})


def dispatch_waiting(after_s: float = 30, interrupted_after_s: float = 2) -> list[str]:
    """Send the task again for every match that has waited longer than `after_s`. The sweepers call this.

    The task of a match is sent again at most once within this time. A match that has had an owner waits only for
    `interrupted_after_s`. Its bots are seated, and a worker that was shutting down may have lost the task.
    """
    waiting: Any = Match.objects.filter(state=MatchState.SCHEDULED).filter(
        _is_due(after_s) | Q(epoch__gt=0) & _is_due(interrupted_after_s)
    )
    dispatched = []
    for match_id in waiting.order_by("waits_since").values_list("id", flat=True):
        # Two sweepers may find the same match: only the one that updates `rung_at` sends the task.
        if waiting.filter(pk=match_id).update(rung_at=Now()):
            dispatch(match_id)
            dispatched.append(match_id)
    return dispatched
