"""Queries of positions that a house player plays to the end."""

from __future__ import annotations

from django.db.models import OuterRef, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from webui.analysis.models import GAMES, PositionGames, PositionState
from webui.analysis.values import PositionMark, PositionResult, seat_results
from webui.core.dbtime import before_now
from webui.core.errors import NotFound

TURN_S = 3600.0
"""Seconds for which games count when their asker waits for the next position."""


def position_result(key: str) -> PositionResult:
    """Return the games of a position. Raise `NotFound` if there are none."""
    row = _row(PositionGames.objects.all(), key)
    return PositionResult(
        key=row.key,
        position=row.position,
        state=row.state,
        games=row.games,
        most=GAMES,
        before=_before(row),
        is_held=row.held_until is not None,
        seats=seat_results(row.results),
    )


def position_mark(key: str) -> PositionMark:
    """Return a summary of what the page of a position shows. Raise `NotFound` if there are no games of it."""
    row = _row(PositionGames.objects.defer("position", "results"), key)
    mark = f"{row.state} {row.games} {row.held_until is not None} {_before(row)}"
    return PositionMark(mark, row.state != PositionState.OPEN)


def is_known(key: str) -> bool:
    """Return whether somebody has asked for the games of this position."""
    return PositionGames.objects.filter(key=key).exists()


def in_turn(waiting: QuerySet[PositionGames]) -> QuerySet[PositionGames]:
    """Return positions in the order in which they are played.

    The asker with the fewest games of the last hour comes first, then the oldest position.
    """
    recent = PositionGames.objects.filter(asker=OuterRef("asker"), created_at__gt=before_now(TURN_S))
    played = recent.order_by().values("asker").annotate(played=Sum("games"))
    return waiting.annotate(played=Coalesce(Subquery(played.values("played")), 0)).order_by("played", "pk")


def _row(rows: QuerySet[PositionGames], key: str) -> PositionGames:
    row = rows.filter(key=key).first()
    if row is None:
        raise NotFound("nobody has asked for the games of this position, or they are older than a day")
    return row


def _before(row: PositionGames) -> int:
    if row.state != PositionState.OPEN or row.held_until is not None:
        return 0
    order = list(in_turn(PositionGames.objects.filter(state=PositionState.OPEN)).values_list("pk", flat=True))
    return order.index(row.pk) if row.pk in order else 0  # a worker may have ended it meanwhile
