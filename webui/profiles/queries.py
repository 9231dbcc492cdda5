"""Read bots by name or by owner, with what their pages show."""

from collections.abc import Sequence

from django.db.models import F, Q, QuerySet

from webui.accounts.models import User
from webui.bots.models import Bot, BotVersion
from webui.bots.queries import VERSIONS, bot_ref, version_lines
from webui.core.errors import NotFound
from webui.matches.conditions import is_hidden, is_waiting
from webui.matches.models import MatchRecord, Participant
from webui.matches.queries import LOOKED_AT, matches_by_id, newest_seats
from webui.matches.record_store import packed_of
from webui.matches.records import unpack_record
from webui.profiles.values import BotLine, BotPage, Opponent, PastSeat, ThinkTimes, UserPage
from webui.ratings.models import Standing
from webui.ratings.queries import standings
from webui.ratings.values import BotStanding

PAST = 500
"""Number of a bot's latest matches over which wins, opponents and faults are counted."""
STANDINGS = 2000
"""Maximum number of standings of a bot's newest versions that are read."""
THOUGHT_OVER = 10
"""Number of a bot's latest matches over which think times are computed."""


def bots(
    *,
    search: str = "",
    is_house: bool | None = None,
    is_hosted: bool | None = None,
    ids: Sequence[int] | None = None,
    state: str | None = None,
    is_retired: bool | None = None,
    before: int | None = None,
    limit: int = 60,
    offset: int = 0,
) -> list[BotLine]:
    """Return bots, newest first.

    `search` matches a part of the bot's or the author's name. `before` is the id of a bot; only older bots are
    returned. Other filters are house bots or not, hosted or not, ids, the state, and retired or not.
    """
    rows = Bot.objects.filter(is_person=False).select_related("owner").order_by("-pk")
    if search:
        rows = rows.filter(Q(name__icontains=search) | Q(owner__username__icontains=search))
    if is_house is not None:
        rows = rows.filter(is_house=is_house)
    if is_hosted is not None:
        rows = rows.filter(is_hosted=is_hosted)
    if ids is not None:
        rows = rows.filter(pk__in=ids)
    if state is not None:
        rows = rows.filter(state=state)
    if is_retired is not None:
        rows = rows.filter(retired_at__isnull=not is_retired)
    if before is not None:
        rows = rows.filter(pk__lt=before)
    return _lines(rows[offset : offset + limit])


def _lines(rows: QuerySet[Bot]) -> list[BotLine]:
    """Return the lines of these bots. It takes three queries for any number of bots."""
    bots = list(rows)
    best: dict[int, BotStanding] = {}
    for standing in standings(_joined(Standing.objects.filter(version__bot__in=bots))):
        bot_id = standing.version.bot.id
        if bot_id not in best or best[bot_id].games < standing.games:
            best[bot_id] = standing
    return [BotLine(bot_ref(bot), bot.created_at, bot.state, best.get(bot.pk), bot.retired_at) for bot in bots]


def _joined(rows: QuerySet[Standing]) -> QuerySet[Standing]:
    return rows.select_related("ladder", "version__bot__owner")


def user_page(name: str, *, limit: int = 60, offset: int = 0) -> UserPage:
    """Return a user who can sign in, with at most `limit` bots from `offset` on.

    Bots are ordered by name, and retired bots come last.
    """
    user = User.objects.filter(username=name, is_active=True).first()
    if user is None:
        raise NotFound(f"there is no user {name!r}")
    rows = Bot.objects.filter(owner=user, is_person=False).select_related("owner")
    rows = rows.order_by(F("retired_at").desc(nulls_first=True), "name")
    bots = _lines(rows[offset : offset + limit])
    count = len(bots) if not offset and len(bots) < limit else rows.count()
    return UserPage(user.username, user.date_joined, count, bots)


def bot_page(slug: str, *, matches_shown: int = 12, limit: int = 20, offset: int = 0) -> BotPage:
    """Return everything public about a bot, with at most `limit` versions from `offset` on, newest first."""
    bot = Bot.objects.select_related("owner").filter(slug=slug, is_person=False).first()
    if bot is None:
        raise NotFound(f"there is no bot {slug!r}")
    rows = BotVersion.objects.filter(bot=bot).order_by("-created_at", "-pk")
    ids = list(rows.values_list("pk", flat=True)[:VERSIONS])
    past = _past(ids)
    return BotPage(
        bot=bot_ref(bot),
        description=bot.description,
        state=bot.state,
        retired_at=bot.retired_at,
        created_at=bot.created_at,
        version_ids=ids,
        versions=version_lines(rows[offset : offset + limit]),
        standings=sorted(
            standings(_joined(Standing.objects.filter(version__in=ids).order_by("-version")[:STANDINGS])),
            key=lambda standing: (standing.ladder.players, standing.ladder.slug, -standing.version.id),
        ),
        matches=matches_by_id([seat.match_id for seat in past[:matches_shown]]),
        past=past,
    )


def _past(version_ids: Sequence[int]) -> list[PastSeat]:
    """Return the latest seats of these versions, with their opponents, in two queries.

    Comparisons and challenges are left out: their opponents are chosen, and they have pages of their own.
    """
    own: list[tuple[str, int, int | None, str, bool, str]] = []
    for most in (2 * PAST, LOOKED_AT):
        own = list(
            newest_seats(version_ids, most)
            .filter(match__comparison_match=None, match__challenge_match=None)
            .exclude(is_hidden("match__"))
            .exclude(is_waiting("match__"))
            .order_by("-pk")
            .values_list("match_id", "seat", "placement", "forfeit_reason", "has_declined", "version__name")[:PAST]
        )
        if len(own) == PAST:
            break
    beside: dict[str, list[tuple[int, Opponent]]] = {}
    for match_id, seat, bot_id, name, slug, placement in (
        Participant.objects.filter(match_id__in=[row[0] for row in own], placement__isnull=False)
        .order_by("match_id", "seat")
        .values_list("match_id", "seat", "version__bot_id", "version__bot__name", "version__bot__slug", "placement")
    ):
        assert placement is not None  # ensured by the filter
        beside.setdefault(match_id, []).append((seat, Opponent(bot_id, name, slug, placement)))
    return [
        PastSeat(*row, opponents=[other for seat, other in beside.get(row[0], []) if seat != row[1]]) for row in own
    ]


def think_times(version_ids: Sequence[int]) -> ThinkTimes | None:
    """Return think times over the decisions of the latest finished matches whose records are in the database.

    Return None if there is no such match.
    """
    seats = dict(
        newest_seats(version_ids, PAST)
        .filter(placement__isnull=False)
        .exclude(is_hidden("match__"))
        .order_by("-pk")
        .values_list("match_id", "seat")[:THOUGHT_OVER]
    )
    times = sorted(
        event[2]["ms"]
        for row in MatchRecord.objects.filter(match_id__in=seats, sha256="")
        for event in unpack_record(packed_of(row))["events"]
        if event[0] == seats[row.match_id] and len(event) > 2 and "ms" in event[2]
    )
    return ThinkTimes(len(times), times[len(times) // 2], times[-1]) if times else None
