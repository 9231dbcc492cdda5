"""Queries of bots and versions, as owners manage them."""

from collections import defaultdict
from typing import Final

from django.db.models import Count, F, Prefetch, Q, QuerySet
from django.utils.text import slugify

from webui.accounts import names
from webui.accounts.models import User
from webui.bots.hooks import examination_passed, exclusions_of
from webui.bots.models import Bot, BotState, BotToken, BotVersion
from webui.bots.token_queries import HAS_EXPIRED, token_lines
from webui.bots.values import BotRef, BotVersionLine, OwnBot, VersionRef
from webui.core.errors import NotFound

# Conversion of rows to values, for all queries.


def bot_ref(bot: Bot) -> BotRef:
    """Return a reference to the bot. The query must have joined `owner`."""
    owner = bot.owner.username
    return BotRef(bot.pk, bot.name, bot.slug, bot.owner_id, owner, bot.is_house, bot.is_hosted, bot.is_person)


def version_ref(version: BotVersion) -> VersionRef:
    """Return a reference to the version. The query must have joined `bot__owner`."""
    return VersionRef(version.pk, version.name, bot_ref(version.bot), version.is_hosted)


VERSION_MAY_PLAY: Final = Q(retired_at=None) & (Q(hosted=None) | Q(hosted__submission__lock_reason=""))
"""Condition for versions that may be given a match if their bots may."""
MAY_PLAY: Final = VERSION_MAY_PLAY & Q(bot__state=BotState.ACTIVE, bot__retired_at=None, bot__owner__is_active=True)
"""Condition for versions that may be given a match.

It must also be online with a free place (`webui.pairing.sessions`). Runners bring hosted versions online.
"""
WITHDRAWN: Final = Q(hosted__submission__state="WITHDRAWN")
"""Condition for versions that runners have played and that dial in again, as house bots may."""
PLAYS_NEW: Final = MAY_PLAY & Q(bot__is_person=False) & (Q(hosted=None) | Q(hosted__is_current=True) | WITHDRAWN)
"""Condition for versions that play on ladders and in examinations. Other hosted versions play only where somebody has
chosen them: in an event, a comparison or a challenge.
"""
VERSIONS = 1000
"""Maximum number of versions that the pages of a bot cover: the newest ones."""


def user_id(name: str) -> int | None:
    """Return the id of the user with exactly this name."""
    return User.objects.filter(username=name).values_list("pk", flat=True).first()


def can_sign_in(user_id: int) -> bool:
    """Return whether the user has a password. The house never has one."""
    return User.objects.get(pk=user_id).has_usable_password()


def has_bots(user_id: int) -> bool:
    """Return whether the user owns a bot, in any state."""
    return Bot.objects.filter(owner=user_id).exists()


def find_bot(name: str) -> BotRef | None:
    """Return the bot with this name, or with this name in its address. A person is none."""
    bot = Bot.objects.select_related("owner").filter(slug=slugify(name), is_person=False).first()
    return bot_ref(bot) if bot else None


def version_id(bot_id: int, name: str) -> int:
    """Return the id of a version by its name. Raise `NotFound` if there is none."""
    pk = BotVersion.objects.filter(bot=bot_id, name=name).values_list("pk", flat=True).first()
    if pk is None:
        raise NotFound(f"there is no version {name!r} of this bot")
    return pk


def ids_of_version(bot_id: int, name: str) -> list[int]:
    """Return the id of a bot's version of this name, in a list; none if there is no such version.

    Raise `BadRequest` if no version can have this name.
    """
    name = names.check_name(name, "a version")
    return list(BotVersion.objects.filter(bot_id=bot_id, name=name).values_list("pk", flat=True))


def version_ids(slug: str) -> list[int]:
    """Return the ids of the newest `VERSIONS` versions of a bot, newest first. Raise `NotFound` if there is no such
    bot.
    """
    if not Bot.objects.filter(slug=slug).exists():
        raise NotFound(f"there is no bot {slug!r}")
    rows = BotVersion.objects.filter(bot__slug=slug).order_by("-created_at", "-pk")
    return list(rows.values_list("pk", flat=True)[:VERSIONS])


def bot_versions(slug: str, *, before: int | None, limit: int) -> list[BotVersionLine]:
    """Return at most `limit` versions of a bot, newest first.

    `before` is the id of a version: only older ones are returned. Raise `NotFound` if there is no such bot.
    """
    if not Bot.objects.filter(slug=slug).exists():
        raise NotFound(f"there is no bot {slug!r}")
    rows = BotVersion.objects.filter(bot__slug=slug).order_by("-created_at", "-pk")
    if before is not None:
        at = BotVersion.objects.filter(pk=before).values("created_at")[:1]
        rows = rows.filter(Q(created_at__lt=at) | Q(created_at=at, pk__lt=before))
    return version_lines(rows[:limit])


def own_version(bot_id: int, version_id: int) -> BotVersionLine:
    """Return a version of a bot as its owner manages it. Raise `NotFound` if there is none."""
    lines = version_lines(BotVersion.objects.filter(bot=bot_id, pk=version_id))
    if not lines:
        raise NotFound(f"there is no version {version_id} of this bot")
    return lines[0]


def version_lines(rows: QuerySet[BotVersion]) -> list[BotVersionLine]:
    """Return the lines of any number of versions, with one query."""
    (passed,) = examination_passed()
    return [
        BotVersionLine(
            version_ref(version),
            version.created_at,
            version.note or "",
            version.is_ready,
            vars(version)["passed"],
            version.retired_at,
        )
        for version in rows.select_related("bot__owner").annotate(passed=passed)
    ]


def own_bots(owner_id: int) -> list[OwnBot]:
    """Return the bots that an owner manages, with their tokens (never in clear text)."""
    excluded = {bot: lines for answer in exclusions_of(owner_id) for bot, lines in answer.items()}
    retired: dict[int, list[int]] = defaultdict(list)
    for bot_id, version in BotVersion.objects.filter(bot__owner=owner_id, retired_at__isnull=False).values_list(
        "bot_id", "pk"
    ):
        retired[bot_id].append(version)
    rows = (
        Bot.objects.filter(owner_id=owner_id)
        .select_related("owner")
        .prefetch_related(Prefetch("tokens", BotToken.objects.annotate(has_expired=HAS_EXPIRED)))
        .annotate(version_count=Count("versions"))
        .order_by(F("retired_at").desc(nulls_first=True), "name")
    )
    return [
        OwnBot(
            bot=bot_ref(bot),
            description=bot.description,
            state=bot.state,
            versions=bot.version_count,
            tokens=token_lines(list(bot.tokens.all())),
            exclusions=tuple(excluded.get(bot.pk, ())),
            retired_at=bot.retired_at,
            retired_versions=tuple(retired[bot.pk]),
        )
        for bot in rows
    ]
