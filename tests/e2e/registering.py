"""Accounts with bots, made on an arena's database (`RunningArena.database`)."""

from __future__ import annotations

from collections.abc import Mapping

from webui.accounts import actions as account_actions
from webui.bots import actions as bot_actions
from webui.bots import token_actions


def register(bots: Mapping[str, str]) -> dict[str, str]:
    """Make an account with a bot for each of these owners. Return the tokens by bot."""
    ids = {bot: bot_actions.register_bot(account_actions.create_user(owner, None), bot) for owner, bot in bots.items()}
    return {bot: token_actions.issue_token(bot_id).token for bot, bot_id in ids.items()}
