"""Ladders and ratings."""

from collections.abc import Sequence

from django.db.models import Count, F, Q

from arena.ratings import PROVISIONAL_GAMES, Rating, show
from webui.ladder.ladders import ladder_ref
from webui.ladder.models import Ladder, RatingEntry, Standing
from webui.ladder.queries.refs import rated, version_ref
from webui.ladder.values import (
    BotRef,
    BotStanding,
    LadderPage,
    LadderRow,
    LadderSummary,
    NotFound,
    Rank,
    RatingPoint,
    VersionRef,
)

HISTORY = 400
"""The history of a rating covers at most this many games."""


def ladders() -> list[LadderSummary]:
    """All ladders: the base game first, and of each ruleset those of fewest players first."""
    rows = Ladder.objects.annotate(versions=Count("standings"))
    summaries = [LadderSummary(ladder_ref(row), row.finished, row.versions) for row in rows]
    return sorted(
        summaries,
        key=lambda s: (len(s.ladder.expansions), s.ladder.expansions, s.ladder.players, s.ladder.slug),
    )


def ladder(slug: str) -> LadderPage:
    """A whole ladder, best first. It may have thousands of rows, so only plain columns are read."""
    row = _ladder(slug)
    standings = (
        Standing.objects.filter(ladder=row)
        .order_by("-mu", "version_id")
        .values_list(
            "version_id", "version__name", "mu", "sigma", "games", "wins", "version__bot_id", "version__bot__name",
            "version__bot__slug", "version__bot__owner_id", "version__bot__owner__username", "version__bot__is_house",
        )
    )  # fmt: skip
    rows: list[LadderRow] = []
    for index, (version_id, version, mu, sigma, games, wins, *of_bot) in enumerate(standings):
        above = rows[-1] if rows else None
        place = above.place if above and above.rated.mu == mu else index + 1
        bot = BotRef(*of_bot)  # type: ignore[arg-type]  # the columns above, in this order
        rows.append(LadderRow(place, VersionRef(version_id, version, bot), rated(mu, sigma, games), wins))
    return LadderPage(ladder=ladder_ref(row), rows=rows, matches=row.finished)


def ladder_top(slug: str, count: int) -> list[LadderRow]:
    """The first `count` rows of a ladder."""
    standings = (
        Standing.objects.filter(ladder=_ladder(slug))
        .select_related("version__bot__owner")
        .order_by("-mu", "version_id")[:count]
    )
    return [
        LadderRow(place, version_ref(row.version), rated(row.mu, row.sigma, row.games), row.wins)
        for place, row in enumerate(standings, 1)
    ]


def trends(slug: str, version_ids: Sequence[int]) -> dict[int, list[int]]:
    """The points of these versions after their latest games on a ladder, oldest first."""
    rows = Standing.objects.filter(ladder=_ladder(slug), version_id__in=version_ids)
    return dict(rows.values_list("version_id", "trend"))


def rank(standing: BotStanding) -> Rank:
    """Where a standing is among those that are no longer provisional."""
    low, high = F("mu") - 2 * F("sigma"), F("mu") + 2 * F("sigma")
    here = standing.rated
    counts = (
        Standing.objects.filter(ladder_id=standing.ladder.id, games__gte=PROVISIONAL_GAMES)
        .annotate(low=low, high=high)
        .aggregate(
            above=Count("pk", filter=Q(mu__gt=here.mu)),
            surely_above=Count("pk", filter=Q(low__gt=here.mu + 2 * here.sigma)),
            not_below=Count("pk", filter=Q(high__gte=here.mu - 2 * here.sigma)),
        )
    )
    return Rank(counts["above"] + 1, counts["surely_above"] + 1, counts["not_below"])


def rating_history(slug: str, version_ids: Sequence[int]) -> list[RatingPoint]:
    """The ratings of these versions of a bot after its latest games on a ladder, oldest first."""
    entries = (
        RatingEntry.objects.filter(ladder=_ladder(slug), version_id__in=version_ids)
        .order_by("-number")
        .values_list("number", "match_id", "placement", "version__name", "mu", "sigma")[:HISTORY]
    )
    points = []
    for number, match_id, placement, version, mu, sigma in reversed(entries):
        shown = show(Rating(mu, sigma), 0)
        points.append(RatingPoint(number, match_id, placement, version, shown.points, shown.low, shown.high))
    return points


def _ladder(slug: str) -> Ladder:
    row = Ladder.objects.filter(slug=slug).first()
    if row is None:
        raise NotFound(f"there is no ladder {slug!r}")
    return row
