"""Queries of comparisons, for their owners."""

from django.db.models import Q, QuerySet

from arena.ratings.sequential import halves_of_game
from webui.bots.models import Bot, BotVersion
from webui.bots.queries import version_ref
from webui.bots.values import VersionRef
from webui.comparisons.models import Comparison, ComparisonMatch
from webui.comparisons.values import ComparisonGame, ComparisonLine, ComparisonPage, trial_of
from webui.core.errors import NotFound
from webui.core.paging import older_than
from webui.matches.models import Participant

GAMES_SHOWN = 60
LINES_SHOWN = 50
VERSIONS_OFFERED = 50
"""Maximum number of versions offered, of which the newest are taken."""


def comparison_page(comparison_id: str) -> ComparisonPage:
    """Return a comparison with its newest matches. Raise `NotFound` if there is none."""
    row = _joined(Comparison.objects.filter(pk=comparison_id)).first()
    if row is None:
        raise NotFound(f"there is no comparison {comparison_id!r}")
    games = ComparisonMatch.objects.filter(comparison=row).order_by("-block", "-game", "-tries")
    shown = list(games.values_list("block", "game", "match_id", "match__state")[:GAMES_SHOWN])
    seats = Participant.objects.filter(match_id__in=[game[2] for game in shown], placement__isnull=False)
    places = {(seat.match_id, seat.version_id): seat.placement for seat in seats}

    def halves(match_id: str) -> int | None:
        new, old = places.get((match_id, row.new_id)), places.get((match_id, row.old_id))
        return None if new is None or old is None else halves_of_game((new, old), 1, 2)

    lines = tuple(ComparisonGame(*game, halves(game[2])) for game in shown)
    return ComparisonPage(_line(row), row.owner_id, trial_of(row), lines)


def comparisons_of(bot_id: int, most: int = LINES_SHOWN, *, before: str | None = None) -> list[ComparisonLine]:
    """Return the newest comparisons of a bot's versions that its owner has ordered. If `before` is the id of one of
    them, only older ones are returned."""
    return _newest(Comparison.objects.filter(Q(new__bot=bot_id) | Q(old__bot=bot_id), owner__bots=bot_id), most, before)


def own_comparisons(owner_id: int, most: int, *, before: str | None = None) -> list[ComparisonLine]:
    """Return the newest comparisons that an owner has ordered. If `before` is the id of one of them, only older ones
    are returned."""
    return _newest(Comparison.objects.filter(owner=owner_id), most, before)


def _newest(rows: QuerySet[Comparison], most: int, before: str | None) -> list[ComparisonLine]:
    if before is not None:
        rows = rows.filter(older_than(rows, before))
    return [_line(row) for row in _joined(rows).defer("scores").order_by("-created_at", "-pk")[:most]]


def _joined(rows: QuerySet[Comparison]) -> QuerySet[Comparison]:
    return rows.select_related("new__bot__owner", "old__bot__owner")


def _line(row: Comparison) -> ComparisonLine:
    return ComparisonLine(
        row.pk,
        version_ref(row.new),
        version_ref(row.old),
        row.ruleset,
        row.state,
        row.created_at,
        row.ended_at,
        row.length * row.ruleset.players,
    )


def versions_to_compare(bot: int) -> tuple[list[VersionRef], list[VersionRef]]:
    """Return the versions of a bot, newest first, and the versions with which they may be compared.

    The second list has the bot's own versions, those of the owner's other bots, and the newest version of each house
    bot.
    """
    owner = Bot.objects.values_list("owner_id", flat=True).get(pk=bot)
    versions = BotVersion.objects.filter(is_ready=False, retired_at=None).select_related("bot__owner").order_by("-pk")
    own = [version_ref(row) for row in versions.filter(bot=bot)[:VERSIONS_OFFERED]]
    others = [version_ref(row) for row in versions.filter(bot__owner=owner).exclude(bot=bot)[:VERSIONS_OFFERED]]
    house = {row.bot_id: version_ref(row) for row in reversed(versions.filter(bot__is_house=True)[:VERSIONS_OFFERED])}
    known = {version.id for version in [*own, *others]}
    return own, [*own, *others, *(version for version in house.values() if version.id not in known)]
