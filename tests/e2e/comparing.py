"""Orders a comparison of two house bots and waits for it, on an arena's database (`RunningArena.database`)."""

from __future__ import annotations

from typing import Any

from arena.rules import Ruleset
from tests.e2e.running import LOOK_S
from tests.kit.until import until
from webui.bots.models import BotVersion
from webui.comparisons import actions as comparison_actions
from webui.comparisons.models import Comparison, ComparisonMatch, ComparisonState
from webui.matches.models import MatchSecret


def compare(new_slug: str, old_slug: str, timeout: float) -> dict[str, Any]:
    """Return the final row of the comparison and its matches. `new_slug` is the bot that may be better."""
    new, old = (BotVersion.objects.select_related("bot").get(bot__slug=slug) for slug in (new_slug, old_slug))
    order = comparison_actions.compare_versions(new.bot.owner_id, new.pk, old.pk, Ruleset(2), margin=400)
    ended = Comparison.objects.exclude(state=ComparisonState.RUNNING).filter(pk=order)
    row = until(ended.first, "the end of the comparison", timeout, every=LOOK_S)
    lines = ComparisonMatch.objects.filter(comparison=row, block__lt=row.length).order_by("block", "game", "tries")
    deals = {line.match_id: MatchSecret.objects.get(match=line.match_id).deal for line in lines}
    blocks = [[line.block, line.match_id] for line in lines]
    return {"state": row.state, "scores": row.scores, "blocks": blocks, "deals": deals}
