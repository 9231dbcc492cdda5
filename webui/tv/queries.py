"""Queries of TV: the schedule at a given time, and matches that may be shown."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from django.db.models.functions import Now

from arena.rules import RULES
from webui.matches.conditions import is_hidden, is_waiting
from webui.matches.models import Match, MatchState
from webui.matches.queries import matches_by_id
from webui.matches.values import MatchLine
from webui.ratings.models import PublishedRating
from webui.stories.queries import stories
from webui.tv.models import FeaturedMatch
from webui.tv.values import Channel, Programme

LOOKED_AT = 600
"""Number of newest finished matches among which classics are searched."""
KNOWN = 60
"""Number of newest running matches, and of newest finished ones, among which the next match is chosen."""
SHOWN_AGAIN_AFTER = 40
LATER = 3
POINTS_A_MARGIN = 10
"""Rating points by which the players may be weaker for each point by which the result is closer."""


def channel(at: datetime | None = None) -> Channel:
    """Return the schedule at a given time, from its rows alone. The default time is the database's current time."""
    at = at or clock()
    rows = FeaturedMatch.objects.filter(~is_hidden("match__"), ~is_waiting("match__"))
    latest = list(rows.order_by("-number")[:3]) if at else []
    if at is None or not latest:
        return Channel(at=at or datetime.now(UTC), now=None, next=None, later=[])
    lines = {line.id: line for line in matches_by_id([row.match_id for row in latest])}
    begun = [row for row in latest if row.begins_at <= at]
    coming = [row for row in latest if row.begins_at > at]
    is_on = begun and (begun[0].ends_at is None or begun[0].ends_at > at)
    chosen = _programme(coming[-1], lines) if coming else None
    now = _programme(begun[0], lines) if is_on else None
    taken = {programme.line.id for programme in (now, chosen) if programme}
    later = [line for line in classics() if line.id not in taken]
    return Channel(at=at, now=now, next=chosen, later=later[:LATER])


def _programme(row: FeaturedMatch, lines: Mapping[str, MatchLine]) -> Programme:
    return Programme(row.number, lines[row.match_id], row.begins_at, row.ends_at, row.was_live)


def clock() -> datetime | None:
    """Return the database's time. Return None if there is no match yet."""
    return Match.objects.order_by().annotate(at=Now()).values_list("at", flat=True).first()


def live_pairings() -> list[MatchLine]:
    """Return the newest running matches that are public, best first.

    A match ranks by the rating of its weakest seat. Those in which people play are left out, who may let it wait.
    """
    rows = Match.objects.filter(~is_hidden(), ~is_waiting(), state=MatchState.RUNNING, rules=RULES)
    lines = matches_by_id(list(rows.order_by("-created_at", "-pk").values_list("pk", flat=True)[:KNOWN]))
    weakest = _weakest(lines)
    return sorted((line for line in lines if not line.has_person), key=lambda line: -weakest[line.id])


def classics() -> list[MatchLine]:
    """Return the newest finished matches that are worth seeing, best first.

    Matches with the most exciting stories come first. Then come those without a story, by strong bots and close
    results. Matches shown recently come last.
    """
    # Select the newest through their index first: no index covers the rules.
    newest = Match.objects.filter(state=MatchState.FINISHED).order_by("-created_at", "-pk")[:LOOKED_AT]
    rows = Match.objects.filter(~is_hidden(), pk__in=newest.values("pk"), rules=RULES)
    matches = matches_by_id(list(rows.order_by("-created_at", "-pk").values_list("pk", flat=True)[:KNOWN]))
    lines = [line for line in matches if not any(seat.forfeit_reason for seat in line.seats)]
    weakest = _weakest(lines)
    latest = FeaturedMatch.objects.order_by("-number").values_list("match_id", "number")[:SHOWN_AGAIN_AFTER]
    shown = dict(reversed(latest))

    summaries = stories([line.id for line in lines])

    def place(line: MatchLine) -> tuple[int, bool, float]:
        if line.id in summaries:
            return shown.get(line.id, 0), False, -summaries[line.id].excitement
        scores = sorted(seat.score or 0 for seat in line.seats)
        margin = scores[-1] - scores[-2] if len(scores) > 1 else 0
        return shown.get(line.id, 0), True, POINTS_A_MARGIN * margin - weakest[line.id]

    return sorted(lines, key=place)


def _weakest(lines: Sequence[MatchLine]) -> dict[str, float]:
    """Return the lowest rating of a seat on its ladder for each match. A seat without a rating counts as 0."""
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
