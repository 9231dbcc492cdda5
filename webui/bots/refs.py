"""Conversion of rows to values, for all queries."""

from webui.bots.models import Bot, BotVersion
from webui.bots.values import BotRef, VersionRef


def bot_ref(bot: Bot) -> BotRef:
    """Needs `owner` joined."""
    return BotRef(bot.pk, bot.name, bot.slug, bot.owner_id, bot.owner.username, bot.is_house)


def version_ref(version: BotVersion) -> VersionRef:
    """Needs `bot__owner` joined."""
    return VersionRef(version.pk, version.name, bot_ref(version.bot))
