"""Bots: by token, by name, by owner."""

from django.utils.text import slugify

from webui.ladder.ladders import ladder_ref
from webui.ladder.models import Bot, BotToken, BotVersion, Standing, User
from webui.ladder.queries.matches import matches
from webui.ladder.queries.refs import bot_ref, rated, version_ref
from webui.ladder.tokens import token_digest
from webui.ladder.values import BotIdentity, BotPage, BotRef, BotStanding, NotFound, OwnBot, TokenLine


def session_for_token(token: str) -> BotIdentity | None:
    """Who may play with this token; None: unknown, revoked, not for playing, or its owner was shut out."""
    row = (
        BotToken.objects.filter(digest=token_digest(token), revoked_at=None, bot__owner__is_active=True)
        .select_related("bot__owner")
        .first()
    )
    if row is None or "play" not in row.scopes:
        return None
    bot = row.bot
    return BotIdentity(bot.pk, bot.name, bot.owner_id, bot.owner.username, row.pk, bot.is_house)


def user_id(name: str) -> int | None:
    """The id of the user with exactly this name."""
    return User.objects.filter(username=name).values_list("pk", flat=True).first()


def find_bot(name: str) -> BotRef | None:
    """The bot with this name, or with the name that its address has."""
    bot = Bot.objects.select_related("owner").filter(slug=slugify(name)).first()
    return bot_ref(bot) if bot else None


def recent_bots(limit: int = 100) -> list[BotRef]:
    """The newest bots."""
    return [bot_ref(bot) for bot in Bot.objects.select_related("owner").order_by("-created_at", "-pk")[:limit]]


def bot_page(slug: str, *, matches_shown: int = 30) -> BotPage:
    """Everything public about a bot."""
    bot = Bot.objects.select_related("owner").filter(slug=slug).first()
    if bot is None:
        raise NotFound(f"there is no bot {slug!r}")
    versions = BotVersion.objects.filter(bot=bot).select_related("bot__owner").order_by("-created_at", "-pk")
    standings = Standing.objects.filter(version__bot=bot).select_related("ladder", "version__bot__owner")
    # One query for the places of all: how many of each ladder stand above.
    ladder_ids = {row.ladder_id for row in standings}
    above: dict[int, list[float]] = {}
    for ladder_id, mu in Standing.objects.filter(ladder_id__in=ladder_ids).values_list("ladder_id", "mu"):
        above.setdefault(ladder_id, []).append(mu)
    return BotPage(
        bot=bot_ref(bot),
        description=bot.description,
        state=bot.state,
        created_at=bot.created_at,
        versions=[version_ref(version) for version in versions],
        standings=[
            BotStanding(
                version=version_ref(row.version),
                ladder=ladder_ref(row.ladder),
                place=1 + sum(mu > row.mu for mu in above[row.ladder_id]),
                rated=rated(row.mu, row.sigma, row.games),
            )
            for row in sorted(standings, key=lambda row: (row.ladder.slug, -row.mu))
        ],
        matches=matches(bot_id=bot.pk, limit=matches_shown),
    )


def own_bots(owner_id: int) -> list[OwnBot]:
    """What an owner manages: bots, versions, tokens (never in clear)."""
    rows = (
        Bot.objects.filter(owner_id=owner_id)
        .select_related("owner")
        .prefetch_related("tokens", "versions__bot__owner")
        .order_by("name")
    )
    return [
        OwnBot(
            bot=bot_ref(bot),
            description=bot.description,
            state=bot.state,
            versions=[version_ref(version) for version in bot.versions.all()],
            tokens=[
                TokenLine(
                    token.pk, token.prefix, tuple(token.scopes), token.created_at, token.last_used_at, token.revoked_at
                )
                for token in sorted(bot.tokens.all(), key=lambda token: token.pk)
            ],
        )
        for bot in rows
    ]
