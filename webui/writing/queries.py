"""Queries of trials."""

from __future__ import annotations

import msgspec
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from arena.hosting.messages import TrialOutcome
from webui.core.dbtime import before_now
from webui.core.errors import NotFound
from webui.writing.models import Trial, TrialState
from webui.writing.values import TrialMark, TrialValue

TURN_S = 3600.0
"""Seconds for which a trial counts when its asker waits for the next one."""


def trial(key: str) -> TrialValue:
    """Return the trial with this key. Raise `NotFound` if there is none."""
    row = Trial.objects.filter(key=key).first()
    if row is None:
        raise NotFound("there is no such trial, or it is older than a day")
    outcome = None
    if row.state == TrialState.DONE:
        outcome = msgspec.structs.replace(msgspec.json.decode(row.outcome, type=TrialOutcome), replay=row.replay)
    return TrialValue(
        key=row.key,
        source=row.source,
        opponent=row.opponent,
        state=row.state,
        created_at=row.created_at,
        ended_at=row.ended_at,
        decisions=row.decisions,
        before=_before(row),
        failures=row.failures,
        outcome=outcome,
    )


def trial_mark(key: str) -> TrialMark:
    """Return a summary of what the page of a trial shows. Raise `NotFound` if there is none."""
    row = Trial.objects.filter(key=key).defer("source", "replay", "outcome").first()
    if row is None:
        raise NotFound("there is no such trial, or it is older than a day")
    mark = f"{row.state} {row.epoch} {row.decisions} {_before(row)}"
    return TrialMark(mark, row.ended_at is not None)


def _before(row: Trial) -> int:
    if row.state != TrialState.QUEUED:
        return 0
    order = list(in_turn(Trial.objects.filter(state=TrialState.QUEUED)).values_list("pk", flat=True))
    return order.index(row.pk) if row.pk in order else 0  # a runner may have taken it meanwhile


def in_turn(waiting: QuerySet[Trial]) -> QuerySet[Trial]:
    """Return the trials in the order in which runners take them.

    The asker with the fewest trials of the last hour that were played comes first, then the oldest trial. An asker who
    tries much waits for the others.
    """
    recent = Trial.objects.filter(asker=OuterRef("asker"), created_at__gt=before_now(TURN_S))
    played = recent.exclude(state=TrialState.QUEUED).order_by().values("asker").annotate(played=Count("pk"))
    return waiting.annotate(played=Coalesce(Subquery(played.values("played")), 0)).order_by("played", "pk")
