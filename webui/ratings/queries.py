"""Queries for ladders and ratings."""

import json
from collections.abc import Iterable, Sequence

from django.db.models import Count, F, Q, Sum

from arena.referee import Clock
from webui.bots.queries import version_ref
from webui.bots.values import BotRef, VersionRef
from webui.core.errors import NotFound
from webui.ladders.games import ladder_ref
from webui.ladders.models import Ladder
from webui.ladders.values import LadderRef
from webui.ratings.models import Fit, PublishedRating, Standing
from webui.ratings.values import BotStanding, LadderPage, LadderRow, LadderSummary, OverallPage, Rated, RatedPoint

HISTORY = 400
"""Maximum number of points in the history of a rating."""


def ladders() -> list[LadderSummary]:
    """Return all ladders, the base game first. The ladders of a ruleset are sorted by their number of players."""
    rows = Ladder.objects.annotate(versions=Count("standings"))
    summaries = [LadderSummary(ladder_ref(row), row.finished, row.versions) for row in rows]
    return sorted(
        summaries,
        key=lambda s: (len(s.ladder.expansions), s.ladder.expansions, s.ladder.players, s.ladder.slug),
    )


def ladder(slug: str) -> LadderPage:
    """Return a whole ladder. It may have thousands of rows, so only plain columns of the bots are read."""
    row = _ladder(slug)
    published = {
        rating.version_id: rated(rating)
        for rating in PublishedRating.objects.filter(fit__ladder=row, is_current=True).defer("trend")
    }
    rows = []
    for version_id, version, is_hosted, games, wins, *of_bot in Standing.objects.filter(ladder=row).values_list(
        "version_id", "version__name", "version__is_hosted", "games", "wins", "version__bot_id", "version__bot__name",
        "version__bot__slug", "version__bot__owner_id", "version__bot__owner__username", "version__bot__is_house",
        "version__bot__is_hosted",
    ):  # fmt: skip
        bot = BotRef(*of_bot)  # type: ignore[arg-type]  # the columns above, in this order
        ref = VersionRef(version_id, version, bot, is_hosted)
        rows.append(LadderRow(ref, published.get(version_id), games, wins))
    fit: Fit | None = getattr(row, "fit", None)
    return LadderPage(
        ladder=ladder_ref(row),
        rows=sorted(rows, key=_best_first),
        matches=row.finished,
        fitted=fit.finished if fit else 0,
        fitted_at=fit.made_at if fit else None,
    )


def overall() -> OverallPage | None:
    """Return the joint ratings of the clock with the most finishes. Return None before the first joint fit."""
    fit = _overall_fit()
    if fit is None:
        return None
    clock, parameters = Clock.parse(json.loads(fit.clock or "")), fit.joint_parameters
    ladders = [ladder.pk for ladder in Ladder.objects.all() if ladder.clock == clock]
    wins = dict(Standing.objects.filter(ladder__in=ladders).values_list("version_id").annotate(Sum("wins")))
    rows = [
        LadderRow(version_ref(row.version), rated(row), row.games, wins.get(row.version_id, 0))
        for row in PublishedRating.objects.filter(fit=fit, is_current=True)
        .select_related("version__bot__owner")
        .defer("trend")
    ]
    return OverallPage(
        clock=clock,
        rows=sorted(rows, key=_best_first),
        ladders=len(parameters.finished),
        fitted=fit.finished,
        fitted_at=fit.made_at,
        tau=parameters.tau,
        correlation=parameters.correlation,
    )


def _overall_fit() -> Fit | None:
    return Fit.objects.filter(clock__isnull=False).order_by("-finished", "pk").first()


def _best_first(row: LadderRow) -> tuple[float, float, int]:
    """Sort by displayed points, best first. Between equal points, the better rank comes first."""
    if row.rated is None:
        return (float("inf"), 0, row.version.id)
    return (-row.rated.points, row.rated.rank or float("inf"), row.version.id)


def ladder_tops(count: int) -> dict[int, list[LadderRow]]:
    """Return the first `count` rows of every ladder's front view, by ladder id. Needs two queries."""
    published = list(
        PublishedRating.objects.filter(is_current=True, rank__lte=count, fit__ladder__isnull=False)
        .select_related("fit", "version__bot__owner")
        .defer("trend")
        .order_by("rank")
    )
    versions = {row.version_id for row in published}
    counts = {
        (ladder, version): (games, wins)
        for ladder, version, games, wins in Standing.objects.filter(version__in=versions).values_list(
            "ladder_id", "version_id", "games", "wins"
        )
    }
    tops: dict[int, list[LadderRow]] = {}
    for row in published:
        ladder = row.fit.ladder_id
        assert ladder is not None  # as filtered
        line = LadderRow(version_ref(row.version), rated(row), *counts[ladder, row.version_id])
        tops.setdefault(ladder, []).append(line)
    return tops


def ladder_top(slug: str, count: int) -> list[LadderRow]:
    """Return the first `count` rows of a ladder's front view."""
    published = list(
        PublishedRating.objects.filter(fit__ladder=_ladder(slug), is_current=True, rank__lte=count)
        .select_related("version__bot__owner")
        .order_by("rank")
    )
    counts = {
        version: (games, wins)
        for version, games, wins in Standing.objects.filter(
            ladder__slug=slug, version__in=[row.version_id for row in published]
        ).values_list("version_id", "games", "wins")
    }
    return [LadderRow(version_ref(row.version), rated(row), *counts[row.version_id]) for row in published]


def published_ratings(slug: str, version_ids: Sequence[int]) -> dict[int, Rated]:
    """Return the current ratings of these versions on a ladder, by version id. Unrated versions are left out."""
    rows = PublishedRating.objects.filter(fit__ladder__slug=slug, is_current=True, version__in=version_ids)
    return {row.version_id: rated(row) for row in rows.defer("trend")}


def bot_ratings(bot_ids: Sequence[int]) -> dict[int, tuple[Rated, LadderRef | None]]:
    """Return a rating of each bot, by bot id: that of its best version on the overall list, or else on a ladder.

    The ladder is None for the overall list. Unrated bots are left out. Needs two queries.
    """
    overall_fit = _overall_fit()
    rows = PublishedRating.objects.filter(is_current=True, version__bot__in=bot_ids, version__retired_at=None)
    rows = rows.filter(Q(fit=overall_fit) | Q(fit__ladder__isnull=False))
    rows = rows.select_related("fit__ladder", "version").defer("trend", "fit__terms").order_by("points")
    in_order = sorted(rows, key=lambda row: row.fit.ladder is None)  # the last one of a bot is kept
    return {
        row.version.bot_id: (rated(row), ladder_ref(row.fit.ladder) if row.fit.ladder else None) for row in in_order
    }


def trends(slug: str | None, version_ids: Sequence[int] | None = None) -> dict[int, list[int]]:
    """Return the points of each version at its latest fits, oldest first, by version id.

    `slug`: the ladder; None for the joint ratings of `overall`.
    `version_ids`: the versions; None for all.
    """
    rows = PublishedRating.objects.filter(is_current=True)
    if version_ids is not None:
        rows = rows.filter(version_id__in=version_ids)
    rows = rows.filter(fit=_overall_fit()) if slug is None else rows.filter(fit__ladder=_ladder(slug))
    return dict(rows.values_list("version_id", "trend"))


def rating_history(slug: str, version_ids: Sequence[int]) -> list[RatedPoint]:
    """Return the published ratings of these versions of a bot on a ladder, oldest version first."""
    rows = PublishedRating.objects.filter(fit__ladder=_ladder(slug), version_id__in=version_ids)
    latest = rows.order_by("-version_id", "-finished").annotate(name=F("version__name"))[:HISTORY]
    return [
        RatedPoint(name, games, round(points), round(low), round(high))
        for games, name, points, low, high in reversed(latest.values_list("games", "name", "points", "low", "high"))
    ]


def _ladder(slug: str) -> Ladder:
    row = Ladder.objects.filter(slug=slug).select_related("fit").first()
    if row is None:
        raise NotFound(f"there is no ladder {slug!r}")
    return row


def rated(row: PublishedRating) -> Rated:
    """Return a rating with its displayed values."""
    return Rated(
        points=round(row.points),
        low=round(row.low),
        high=round(row.high),
        games=row.games,
        forfeits=row.forfeits,
        rank=row.rank,
        best=row.best_rank,
        worst=row.worst_rank,
        better=row.better,
        is_settled=row.is_settled,
        games_needed=row.games_needed,
    )


def standings(rows: Iterable[Standing]) -> list[BotStanding]:
    """Return the standings with their published ratings, which takes one more query.

    `rows` must be joined with `ladder` and `version__bot__owner`.
    """
    joined = list(rows)
    published = {
        (row.fit.ladder_id, row.version_id): rated(row)
        for row in PublishedRating.objects.filter(
            is_current=True, fit__ladder__isnull=False, version__in={row.version_id for row in joined}
        ).select_related("fit")
    }
    return [
        BotStanding(
            version_ref(row.version),
            ladder_ref(row.ladder),
            published.get((row.ladder_id, row.version_id)),
            row.games,
            row.wins,
        )
        for row in joined
    ]
