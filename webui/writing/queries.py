"""Queries of trials."""

from __future__ import annotations

import msgspec
from django.db.models import Q, QuerySet

from arena.hosting.messages import TrialOutcome
from webui.core.errors import NotFound
from webui.writing.models import PassedLesson, Trial, TrialState
from webui.writing.values import TrialMark, TrialValue


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
        is_examination=row.is_examination,
        lesson=row.lesson,
        state=row.state,
        created_at=row.created_at,
        ended_at=row.ended_at,
        decisions=row.decisions,
        before=_before(row),
        failures=row.failures,
        outcome=outcome,
    )


def passed_lessons(user_id: int) -> set[int]:
    """Return the numbers of the lessons that a user has passed."""
    return set(PassedLesson.objects.filter(user=user_id).values_list("lesson", flat=True))


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
    earlier = Q(turn__lt=row.turn) | Q(turn=row.turn, pk__lt=row.pk)
    return Trial.objects.filter(earlier, state=TrialState.QUEUED).count()


def in_turn(waiting: QuerySet[Trial]) -> QuerySet[Trial]:
    """Return the trials in the order in which runners take them.

    The trial comes first whose asker had asked for the fewest within the hour before it, then the oldest one. The first
    trial of everybody is thus played before the second one of anybody.
    """
    return waiting.order_by("turn", "pk")
