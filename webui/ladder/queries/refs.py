"""Conversion of rows to values, for all queries."""

from collections.abc import Iterable
from typing import Any

from django.db.models import Q, QuerySet, Subquery

from webui.ladder.ladders import ladder_ref
from webui.ladder.models import Bot, BotVersion, PublishedRating, Standing
from webui.ladder.values import BotRef, BotStanding, NotInList, Rated, VersionRef


def bot_ref(bot: Bot) -> BotRef:
    """Needs `owner` joined."""
    return BotRef(bot.pk, bot.name, bot.slug, bot.owner_id, bot.owner.username, bot.is_house)


def version_ref(version: BotVersion) -> VersionRef:
    """Needs `bot__owner` joined."""
    return VersionRef(version.pk, version.name, bot_ref(version.bot))


def rated(row: PublishedRating) -> Rated:
    """A rating as it is shown."""
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
    """The standings, whose rows have `ladder` and `version__bot__owner` joined, in one further query."""
    found = list(rows)
    published = {
        (row.fit.ladder_id, row.version_id): rated(row)
        for row in PublishedRating.objects.filter(
            is_current=True, fit__ladder__isnull=False, version__in={row.version_id for row in found}
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
        for row in found
    ]


def older_than(rows: QuerySet[Any], pk: str) -> Q:
    """The condition that a row comes after this one of them in a list that has the newest first. `NotInList`."""
    if not rows.filter(pk=pk).exists():
        raise NotInList(f"there is no {pk!r} in this list")
    # Compared by the database: SQLite keeps times as texts, of which Python writes others.
    made = Subquery(rows.model._default_manager.filter(pk=pk).values("created_at"))
    return Q(created_at__lt=made) | Q(created_at=made, pk__lt=pk)
