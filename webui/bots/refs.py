"""Conversion of rows to values, for all queries."""

from webui.bots.models import Bot, BotVersion
from webui.bots.values import BotRef, VersionRef


def bot_ref(bot: Bot) -> BotRef:
    """Return a reference to the bot. The query must have joined `owner`."""
    return BotRef(bot.pk, bot.name, bot.slug, bot.owner_id, bot.owner.username, bot.is_house)


def version_ref(version: BotVersion) -> VersionRef:
    """Return a reference to the version. The query must have joined `bot__owner`."""
    return VersionRef(version.pk, version.name, bot_ref(version.bot))
