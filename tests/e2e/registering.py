"""Accounts with bots, made on an arena's database (`RunningArena.database`)."""

from __future__ import annotations

from collections.abc import Mapping

from webui.ladder import actions


def register(bots: Mapping[str, str]) -> dict[str, str]:
    """An account with a bot for each of these owners; the tokens by bot."""
    ids = {bot: actions.register_bot(actions.create_user(owner, None), bot) for owner, bot in bots.items()}
    return {bot: actions.issue_token(bot_id).token for bot, bot_id in ids.items()}
