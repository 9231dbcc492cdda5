"""What is shown on TV: the schedule at a time, and what may come on it."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from django.db.models.functions import Now

from arena.rules import RULES
from webui.matches.hidden import is_hidden, is_waiting
from webui.matches.models import Match, MatchState
from webui.matches.queries import matches_by_id
from webui.matches.values import MatchLine
from webui.ratings.models import PublishedRating
from webui.stories.queries import stories
from webui.tv.models import FeaturedMatch
from webui.tv.values import Channel, Programme

LOOKED_AT = 600
"""The newest matches that have finished, among which classics are looked for."""
KNOWN = 60
"""The next match is chosen among so many of the newest that run, and of the newest that have ended."""
SHOWN_AGAIN_AFTER = 40
LATER = 3
POINTS_A_MARGIN = 10
"""Rating points that a match may be weaker by for each point that its result is closer by."""


def channel(at: datetime | None = None) -> Channel:
    """What is on at a time, by the rows of the schedule alone; without a time, now by the database's clock."""
    at = at or clock()
    rows = FeaturedMatch.objects.filter(~is_hidden("match__"), ~is_waiting("match__"))
    found = list(rows.order_by("-number")[:3]) if at else []
    if at is None or not found:
        return Channel(at=at or datetime.now(UTC), now=None, next=None, later=[])
    lines = {line.id: line for line in matches_by_id([row.match_id for row in found])}
    begun = [row for row in found if row.begins_at <= at]
    coming = [row for row in found if row.begins_at > at]
    is_on = begun and (begun[0].ends_at is None or begun[0].ends_at > at)
    chosen = _programme(coming[-1], lines) if coming else None
    now = _programme(begun[0], lines) if is_on else None
    taken = {programme.line.id for programme in (now, chosen) if programme}
    later = [line for line in classics() if line.id not in taken]
    return Channel(at=at, now=now, next=chosen, later=later[:LATER])


def _programme(row: FeaturedMatch, lines: Mapping[str, MatchLine]) -> Programme:
    return Programme(row.number, lines[row.match_id], row.begins_at, row.ends_at, row.was_live)


def clock() -> datetime | None:
    """The database's time; None where there is no match yet."""
    return Match.objects.order_by().annotate(at=Now()).values_list("at", flat=True).first()


def live_pairings() -> list[MatchLine]:
    """The newest matches that run and may be seen, the strongest and most even first: the one whose weakest seat is
    rated highest."""
    rows = Match.objects.filter(~is_hidden(), ~is_waiting(), state=MatchState.RUNNING, rules=RULES)
    lines = matches_by_id(list(rows.order_by("-created_at", "-pk").values_list("pk", flat=True)[:KNOWN]))
    weakest = _weakest(lines)
    return sorted(lines, key=lambda line: -weakest[line.id])


def classics() -> list[MatchLine]:
    """Of the newest matches that were played to their end those worth seeing, the best first: the most exciting ones by
    their story, then those without a story, of strong bots and with a close result. Those shown lately come last."""
    # The newest by their index: no index knows which rules they have.
    newest = Match.objects.filter(state=MatchState.FINISHED).order_by("-created_at", "-pk")[:LOOKED_AT]
    rows = Match.objects.filter(~is_hidden(), pk__in=newest.values("pk"), rules=RULES)
    found = matches_by_id(list(rows.order_by("-created_at", "-pk").values_list("pk", flat=True)[:KNOWN]))
    lines = [line for line in found if not any(seat.forfeit_reason for seat in line.seats)]
    weakest = _weakest(lines)
    latest = FeaturedMatch.objects.order_by("-number").values_list("match_id", "number")[:SHOWN_AGAIN_AFTER]
    shown = dict(reversed(latest))

    told = stories([line.id for line in lines])

    def place(line: MatchLine) -> tuple[int, bool, float]:
        if line.id in told:
            return shown.get(line.id, 0), False, -told[line.id].excitement
        scores = sorted(seat.score or 0 for seat in line.seats)
        margin = scores[-1] - scores[-2] if len(scores) > 1 else 0
        return shown.get(line.id, 0), True, POINTS_A_MARGIN * margin - weakest[line.id]

    return sorted(lines, key=place)


def _weakest(lines: Sequence[MatchLine]) -> dict[str, float]:
    """Of each match the lowest rating of a seat on its ladder; 0 where a seat has none."""
    versions = {seat.version.id for line in lines for seat in line.seats}
    rows = PublishedRating.objects.filter(is_current=True, version__in=versions, fit__ladder__isnull=False)
    points = {
        (slug, version): rating
        for slug, version, rating in rows.order_by().values_list("fit__ladder__slug", "version_id", "points")
    }
    return {
        line.id: min(
            (points.get((line.ladder.slug if line.ladder else "", seat.version.id), 0.0) for seat in line.seats),
            default=0.0,
        )
        for line in lines
    }
