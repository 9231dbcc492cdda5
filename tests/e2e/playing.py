"""What a running arena plays by itself. This process says so, on the arena's database (`RunningArena.database`)."""

from __future__ import annotations

from collections.abc import Iterable

from webui.ladder import actions, queries
from webui.ladder.models import Bot, BotState
from webui.ladder.values import OPERATOR


def pause(slugs: Iterable[str]) -> None:
    """No new matches for these bots."""
    for bot in Bot.objects.filter(slug__in=slugs):
        actions.set_bot_state(bot.pk, BotState.PAUSED)


def play_only(*games: str) -> None:
    """New rated matches of these games alone (`webui.ladder.ladders.GAMES`), or none. What runs goes on, and so do
    events, comparisons and challenges."""
    for name, terms in queries.game_terms().items():
        actions.set_ladder_terms(
            name,
            is_open=name in games,
            share=terms.share,
            clock=terms.clock,
            revision=terms.revision,
            reason="a test",
            by=OPERATOR,
        )
