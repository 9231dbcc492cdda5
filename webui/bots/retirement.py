"""Retirement of bots and versions. They play no more matches and are left out of lists, but keep what they have played.

Both can be undone. Running matches continue. The ratings are fitted again soon after.
"""

from typing import Final

from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now

from webui.accounts.actions import record_act
from webui.accounts.models import AuditEntry, User
from webui.accounts.values import OPERATOR, Act, Actor
from webui.bots.hooks import versions_changed
from webui.bots.models import Bot, BotState, BotVersion
from webui.core.dbtime import before_now
from webui.core.errors import NotFound, TooMany

DAY = 24 * 3600
CHANGES_A_DAY: Final = 20
"""Maximum number of changes by one owner. Each of them makes ratings be fitted again."""


@transaction.atomic
def retire_bot(bot_id: int, *, by: Actor = OPERATOR) -> None:
    """Retire a bot. A repeated call changes nothing.

    Raise `NotFound` if there is no such bot, and `TooMany` after too many changes within a day.
    """
    bot = _bot(bot_id)
    if Bot.objects.filter(pk=bot_id, retired_at=None).update(state=_state(bot, BotState.PAUSED), retired_at=Now()):
        _note(Act.BOT_RETIRED, bot, bot.name, by)
        versions_changed(Q(version__bot=bot_id))


@transaction.atomic
def bring_back_bot(bot_id: int, *, by: Actor = OPERATOR) -> None:
    """Bring a bot back from retirement. It plays again unless staff have locked it. A repeated call changes nothing.

    Raise `NotFound` if there is no such bot, and `TooMany` after too many changes within a day.
    """
    bot = _bot(bot_id)
    rows = Bot.objects.filter(pk=bot_id, retired_at__isnull=False)
    if rows.update(state=_state(bot, BotState.ACTIVE), retired_at=None):
        _note(Act.BOT_RETURNED, bot, bot.name, by)
        versions_changed(Q(version__bot=bot_id))


@transaction.atomic
def retire_version(bot_id: int, version: str, *, by: Actor = OPERATOR) -> None:
    """Retire a version of a bot. A repeated call changes nothing.

    Raise `NotFound` if there is no such version, and `TooMany` after too many changes within a day.
    """
    _change_version(bot_id, version, Act.BOT_RETIRED, by)


@transaction.atomic
def bring_back_version(bot_id: int, version: str, *, by: Actor = OPERATOR) -> None:
    """Bring a version back from retirement. A repeated call changes nothing.

    Raise `NotFound` if there is no such version, and `TooMany` after too many changes within a day.
    """
    _change_version(bot_id, version, Act.BOT_RETURNED, by)


def _change_version(bot_id: int, version: str, act: Act, by: Actor) -> None:
    bot = _bot(bot_id)
    rows = BotVersion.objects.filter(bot=bot_id, name=version)
    pk = rows.values_list("pk", flat=True).first()
    if pk is None:
        raise NotFound(f"there is no version {version!r} of this bot")
    if act == Act.BOT_RETIRED:
        changed = rows.filter(retired_at=None).update(retired_at=Now())
    else:
        changed = rows.filter(retired_at__isnull=False).update(retired_at=None)
    if changed:
        _note(act, bot, f"{bot.name} {version}", by)
        versions_changed(Q(version=pk))


def _bot(bot_id: int) -> Bot:
    """Return the bot, locked, so that its changes run one at a time."""
    bot = Bot.objects.select_for_update(no_key=True).filter(pk=bot_id).first()
    if bot is None:
        raise NotFound(f"there is no bot {bot_id}")
    return bot


def _state(bot: Bot, wanted: BotState) -> BotState:
    """Return the wanted state, or LOCKED if staff have locked the bot."""
    return BotState.LOCKED if bot.state == BotState.LOCKED else wanted


def _note(act: Act, bot: Bot, subject: str, by: Actor) -> None:
    User.objects.select_for_update(no_key=True).get(pk=bot.owner_id)  # lock the owner, so that the count is exact
    made = AuditEntry.objects.filter(account=bot.owner_id, act__in=(Act.BOT_RETIRED, Act.BOT_RETURNED))
    if made.filter(at__gt=before_now(DAY)).count() >= CHANGES_A_DAY:
        raise TooMany(f"{CHANGES_A_DAY} bots or versions were retired or brought back within a day: wait a while")
    record_act(act, bot.owner_id, by=by, subject=subject)
