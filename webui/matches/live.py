"""Running matches as spectators may see them. Nothing else shows a match before its end.

What is read here is made by the worker that plays the match (`workers/publishing.py`): the site needs neither its seed
nor its log, and its role in the database cannot read them.
"""

from collections.abc import Sequence

from django.db.models import ExpressionWrapper, F, Max, Q, Subquery, fields
from django.db.models.functions import Now

from arena.rules import RULES, View
from arena.wire.codec import unpack_view
from webui.core.errors import NotFound
from webui.matches.models import Match, SpectatorRow
from webui.matches.values import LiveBoard, SeenDecision


class LiveGame:
    """Follows a running match: every `read` returns the decisions that are new to spectators, as many decisions behind
    as the ladder says."""

    def __init__(self, match_id: str) -> None:
        self.match_id = match_id
        self.setup: View | None = None
        """The view before the first decision; None before every seat is ready."""
        self._read = 0
        """How many steps are read: the set-up, and one for each decision."""

    def read(self) -> list[SeenDecision]:
        """The decisions that spectators may see since the last call; two queries, however long the match is.

        None of a match that has ended: its record says it all. `NotFound` if there is no such match.
        """
        match = Match.objects.filter(pk=self.match_id).values_list("rules", "ladder__delay").first()
        if match is None:
            raise NotFound(f"there is no match {self.match_id!r}")
        rules, delay = match
        if rules != RULES:
            # While an update runs, a match may be played by workers with other rules than the site has.
            return []
        rows = SpectatorRow.objects.filter(match=self.match_id)
        if delay:
            last = Subquery(rows.order_by("-ply").values("ply")[:1])
            # The set-up is no decision, and is shown at once.
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
    """Of these matches those that run, each as spectators may see it now; two queries."""
    return {
        match: LiveBoard(ply, view.round, view.phase, view.to_act, tuple(seat.camels for seat in view.seats))
        for match, (ply, view) in _latest(match_ids).items()
    }


def live_view(match_id: str) -> View | None:
    """A running match as spectators may see it now; two queries. None before it has begun, and after its end."""
    found = _latest([match_id]).get(match_id)
    return found[1] if found else None


def _latest(match_ids: Sequence[str]) -> dict[str, tuple[int, View]]:
    """Of these matches those that run: the last ply that spectators may see, and what they see of it."""
    if not match_ids:
        return {}
    rows = SpectatorRow.objects.filter(match__in=match_ids, match__rules=RULES)
    last = rows.values_list("match", "match__ladder__delay").annotate(last=Max("ply")).order_by("match")
    wanted = Q(pk__in=())
    for match, delay, ply in last:
        wanted |= Q(match=match, ply=max(0, ply - (delay or 0)))
    shown = SpectatorRow.objects.filter(wanted).order_by("match").values_list("match", "ply", "view")
    return {match: (ply, unpack_view(bytes(packed))) for match, ply, packed in shown}


def decided_ago(match_id: str) -> float | None:
    """Seconds since the last event of a running match was written, and the next decision was asked for.

    None where spectators are held back, and would be told of a decision that they have not seen.
    """
    rows = SpectatorRow.objects.filter(match=match_id).exclude(match__ladder__delay__gt=0)
    waited = (
        rows.annotate(waited=ExpressionWrapper(Now() - F("at"), output_field=fields.DurationField()))
        .order_by("-ply")
        .values_list("waited", flat=True)
    )
    last = waited.first()
    return last.total_seconds() if last is not None else None
