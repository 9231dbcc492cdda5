"""Running matches as spectators may see them. Nothing else shows a match before its end.

The worker that plays the match writes these rows (`workers/publishing.py`). The site needs neither the seed nor the log
of the match, and its database role cannot read them.
"""

from collections.abc import Sequence
from itertools import pairwise

from django.db.models import ExpressionWrapper, F, Max, Q, Subquery, fields
from django.db.models.functions import Now

from arena.rules import RULES, View
from arena.wire.codec import unpack_view
from webui.core.errors import NotFound
from webui.matches.models import Match, SpectatorRow
from webui.matches.values import LiveBoard, SeenDecision


class LiveGame:
    """A reader that follows a running match.

    Every `read` returns the decisions that are new to spectators. They see the match with the delay of its ladder,
    which is counted in decisions.
    """

    def __init__(self, match_id: str) -> None:
        self.match_id = match_id
        self.setup: View | None = None
        """View before the first decision. None until every seat is ready."""
        self._read = 0
        """Number of steps read so far: the set-up, and one for each decision."""

    def read(self) -> list[SeenDecision]:
        """Return the decisions that spectators have been allowed to see since the last call, with two queries.

        Return nothing for a match that has ended: its record has everything. Raise `NotFound` if there is no such
        match.
        """
        match = Match.objects.filter(pk=self.match_id).values_list("rules", "ladder__delay").first()
        if match is None:
            raise NotFound(f"there is no match {self.match_id!r}")
        rules, delay = match
        if rules != RULES:
            # During an update, workers may play matches by other rules than those of the site.
            return []
        rows = SpectatorRow.objects.filter(match=self.match_id)
        if delay:
            last = Subquery(rows.order_by("-ply").values("ply")[:1])
            # The set-up is not a decision, so it is shown without delay.
            rows = rows.filter(Q(ply=0) | Q(ply__lte=last - delay))
        steps = [
            SeenDecision(ply, index, seat, text, tuple(chance), unpack_view(bytes(view)))
            for ply, index, seat, text, chance, view in rows.filter(ply__gte=self._read)
            .order_by("ply")
            .values_list("ply", "index", "seat", "text", "chance", "view")
        ]
        self._read += len(steps)
        if steps and steps[0].ply == 0:
            self.setup = steps.pop(0).view
        return steps


def live_boards(match_ids: Sequence[str]) -> dict[str, LiveBoard]:
    """Return the board of each of these matches that is running, as spectators may see it now, with two queries."""
    return {
        match: LiveBoard(ply, view.round, view.phase, view.to_act, tuple(seat.camels for seat in view.seats))
        for match, (ply, view) in _latest(match_ids).items()
    }


def live_view(match_id: str) -> View | None:
    """Return a running match as spectators may see it now, with two queries.

    Return None before the match has begun and after its end.
    """
    latest = _latest([match_id]).get(match_id)
    return latest[1] if latest else None


def _latest(match_ids: Sequence[str]) -> dict[str, tuple[int, View]]:
    """Return the last ply that spectators may see, and its view, for each of these matches that is running."""
    if not match_ids:
        return {}
    rows = SpectatorRow.objects.filter(match__in=match_ids, match__rules=RULES)
    last = rows.values_list("match", "match__ladder__delay").annotate(last=Max("ply")).order_by("match")
    wanted = Q(pk__in=())
    for match, delay, ply in last:
        wanted |= Q(match=match, ply=max(0, ply - (delay or 0)))
    shown = SpectatorRow.objects.filter(wanted).order_by("match").values_list("match", "ply", "view")
    return {match: (ply, unpack_view(bytes(packed))) for match, ply, packed in shown}


def thought_s(match_id: str, seat: int) -> float:
    """Return the seconds that the decisions of a seat in a running match have taken so far.

    It counts from one decision to the next one, as spectators see them. The seat's clock is charged a little less.
    """
    rows = SpectatorRow.objects.filter(match=match_id).order_by("ply").values_list("seat", "at")
    return sum((at - before).total_seconds() for (_, before), (decided, at) in pairwise(rows) if decided == seat)


def decided_ago(match_id: str) -> float | None:
    """Return the seconds since the last event of a running match was written, which is when the next decision began.

    Return None if spectators see the match with a delay: the time would reveal a decision that they have not seen.
    """
    rows = SpectatorRow.objects.filter(match=match_id).exclude(match__ladder__delay__gt=0)
    waited = (
        rows.annotate(waited=ExpressionWrapper(Now() - F("at"), output_field=fields.DurationField()))
        .order_by("-ply")
        .values_list("waited", flat=True)
    )
    last = waited.first()
    return last.total_seconds() if last is not None else None
