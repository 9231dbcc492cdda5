"""Ladders and ratings."""

from django.db.models import Count, F, Q

from arena.ratings import Rating, show
from webui.ladder.ladders import ladder_ref
from webui.ladder.models import Ladder, Participant, RatingEntry, Standing
from webui.ladder.queries.refs import change, rated, version_ref
from webui.ladder.values import LadderPage, LadderRow, LadderSummary, NotFound, RatingPoint


def ladders() -> list[LadderSummary]:
    """All ladders, fewest players first."""
    rows = Ladder.objects.annotate(versions=Count("standings"))
    summaries = [LadderSummary(ladder_ref(row), row.finished, row.versions) for row in rows]
    return sorted(summaries, key=lambda s: (s.ladder.players, s.ladder.expansions, s.ladder.slug))


def ladder(slug: str) -> LadderPage:
    """One ladder, best first."""
    row = _ladder(slug)
    standings = list(
        Standing.objects.filter(ladder=row).select_related("version__bot__owner").order_by("-mu", "version_id")
    )
    wins = dict(
        Participant.objects.filter(match__ladder=row, match__ladder_number__isnull=False, placement=1)
        .values_list("version_id")
        .annotate(wins=Count("pk"))
    )
    last = RatingEntry.objects.filter(
        ladder=row, version__standings__ladder=row, number=F("version__standings__number")
    ).values_list("version_id", "mu_before", "mu")
    changes = {version: change(before, after) for version, before, after in last}
    return LadderPage(
        ladder=ladder_ref(row),
        matches=row.finished,
        rows=[
            LadderRow(
                place=1 + sum(other.mu > standing.mu for other in standings[:index]),
                version=version_ref(standing.version),
                rated=rated(standing.mu, standing.sigma, standing.games),
                wins=wins.get(standing.version_id, 0),
                change=changes.get(standing.version_id, 0),
            )
            for index, standing in enumerate(standings)
        ],
    )


def rating_history(slug: str, version_id: int) -> list[RatingPoint]:
    """A version's way on a ladder, oldest first."""
    entries = RatingEntry.objects.filter(Q(ladder=_ladder(slug)) & Q(version_id=version_id)).order_by("number")
    points = []
    for games, entry in enumerate(entries, start=1):
        shown = show(Rating(entry.mu, entry.sigma), games)
        points.append(RatingPoint(entry.number, entry.match_id, entry.placement, shown.points, shown.low, shown.high))
    return points


def _ladder(slug: str) -> Ladder:
    row = Ladder.objects.filter(slug=slug).first()
    if row is None:
        raise NotFound(f"there is no ladder {slug!r}")
    return row
