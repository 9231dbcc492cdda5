"""Pauses bots: `python -m tests.e2e.pausing BOT…`, in the environment of a running arena."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from webui.commands.database import connect


def main(slugs: Sequence[str]) -> None:
    """No new rated matches for these."""
    connect()
    from webui.ladder import actions
    from webui.ladder.models import Bot, BotState

    for bot in (Bot.objects.get(slug=slug) for slug in slugs):
        actions.set_bot_state(bot.pk, BotState.PAUSED)


if __name__ == "__main__":
    main(sys.argv[1:])
