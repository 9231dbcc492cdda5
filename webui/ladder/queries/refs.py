"""Conversion of rows to values, for all queries."""

from django.db.models import QuerySet

from arena.ratings import Rating, show
from webui.ladder.ladders import ladder_ref
from webui.ladder.models import Bot, BotVersion, Standing
from webui.ladder.values import BotRef, BotStanding, Rated, VersionRef


def bot_ref(bot: Bot) -> BotRef:
    """Needs `owner` joined."""
    return BotRef(bot.pk, bot.name, bot.slug, bot.owner_id, bot.owner.username, bot.is_house)


def version_ref(version: BotVersion) -> VersionRef:
    """Needs `bot__owner` joined."""
    return VersionRef(version.pk, version.name, bot_ref(version.bot))


def rated(mu: float, sigma: float, games: int) -> Rated:
    """A rating as it is shown."""
    shown = show(Rating(mu, sigma), games)
    return Rated(mu, sigma, shown.points, shown.low, shown.high, shown.is_provisional, games)


def standings(rows: QuerySet[Standing]) -> list[BotStanding]:
    """The standings, in one query."""
    return [
        BotStanding(version_ref(row.version), ladder_ref(row.ladder), rated(row.mu, row.sigma, row.games), row.wins)
        for row in rows.select_related("ladder", "version__bot__owner")
    ]


def change(mu_before: float, mu: float) -> int:
    """Points won or lost: the difference of the points shown before and after."""
    return show(Rating(mu, 1), 0).points - show(Rating(mu_before, 1), 0).points
