"""Whether bots play rated matches: `python -m tests.e2e.pausing ACTIVE|PAUSED BOT…`, in the environment of an arena."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from webui.commands.database import connect


def main(state: str, slugs: Sequence[str]) -> None:
    """Put these bots into this state."""
    connect()
    from webui.ladder import actions
    from webui.ladder.models import Bot

    for bot in (Bot.objects.get(slug=slug) for slug in slugs):
        actions.set_bot_state(bot.pk, state)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
