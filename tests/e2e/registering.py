"""Accounts with a bot each: `python -m tests.e2e.registering '{"owner": "bot"}'` prints the tokens by bot, as JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping

from webui.commands.database import connect


def register(bots: Mapping[str, str]) -> dict[str, str]:
    """Register them in this process's database (`RunningArena.database`); the tokens by bot."""
    from webui.ladder import actions

    ids = {bot: actions.register_bot(actions.create_user(owner, None), bot) for owner, bot in bots.items()}
    return {bot: actions.issue_token(bot_id).token for bot, bot_id in ids.items()}


def main(bots: dict[str, str]) -> None:
    """Register them in the arena that the environment names."""
    connect()
    print(json.dumps(register(bots)))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
