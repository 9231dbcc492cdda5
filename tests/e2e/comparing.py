"""A comparison of two house bots, ordered and waited for: `python -m tests.e2e.comparing A B` prints what came of it.

In the environment of a running arena; A is the slug of the bot that may be better.
"""

from __future__ import annotations

import json
import sys
import time

from webui.commands.database import connect

LOOK_S = 1.0


def main(new_slug: str, old_slug: str) -> None:
    """Print what its row and its matches say at the end, as JSON."""
    connect()
    from arena.rules import Ruleset
    from webui.ladder import actions
    from webui.ladder.models import BotVersion, Comparison, ComparisonMatch, MatchSecret

    new, old = (BotVersion.objects.select_related("bot").get(bot__slug=slug) for slug in (new_slug, old_slug))
    order = actions.compare_versions(new.bot.owner_id, new.pk, old.pk, Ruleset(2), margin=400)
    while (row := Comparison.objects.get(pk=order)).state == "RUNNING":
        time.sleep(LOOK_S)
    lines = ComparisonMatch.objects.filter(comparison=row, block__lt=row.length).order_by("block", "game", "tries")
    deals = {line.match_id: MatchSecret.objects.get(match=line.match_id).deal for line in lines}
    blocks = [[line.block, line.match_id] for line in lines]
    print(json.dumps({"state": row.state, "scores": row.scores, "blocks": blocks, "deals": deals}))


if __name__ == "__main__":
    main(*sys.argv[1:])
