"""Accounts with bots, made on an arena's database (`RunningArena.database`)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from tests.e2e.running import RunningArena
from webui.accounts import actions as account_actions
from webui.bots import actions as bot_actions
from webui.bots import token_actions
from webui.bots.models import Bot


def register(bots: Mapping[str, str]) -> dict[str, str]:
    """Make an account with a bot for each of these owners. Return the tokens by bot."""
    ids = {bot: bot_actions.register_bot(account_actions.create_user(owner, None), bot) for owner, bot in bots.items()}
    return {bot: token_actions.issue_token(bot_id).token for bot, bot_id in ids.items()}


def submit(arena: RunningArena, bot: str, program: Path) -> None:
    """Submit a program as a version of a bot, by the command of its owner, and wait until it is ready."""
    with arena.database():
        token = token_actions.issue_api_token(Bot.objects.get(name=bot).owner_id, ["bots"]).token
    site = arena.wait_ready()["site"]
    told = arena.run("bot", "submit", str(program), "--bot", bot, "--site", site, "--token", token, "--json")
    assert json.loads(told)["state"] == "ready", told
