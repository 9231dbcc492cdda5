"""What a running arena plays by itself. This process says so, on the arena's database (`RunningArena.database`)."""

from __future__ import annotations

from collections.abc import Iterable

from webui.accounts.values import OPERATOR
from webui.bots import actions as bot_actions
from webui.bots.models import Bot, BotState
from webui.ladders import terms as ladder_terms


def pause(slugs: Iterable[str]) -> None:
    """No new matches for these bots."""
    for bot in Bot.objects.filter(slug__in=slugs):
        bot_actions.set_bot_state(bot.pk, BotState.PAUSED)


def play_only(*games: str) -> None:
    """New rated matches of these games alone (`webui.ladders.games.GAMES`), or none. What runs goes on, and so do
    events, comparisons and challenges."""
    for name, terms in ladder_terms.game_terms().items():
        ladder_terms.set_ladder_terms(
            name,
            is_open=name in games,
            share=terms.share,
            clock=terms.clock,
            revision=terms.revision,
            reason="a test",
            by=OPERATOR,
        )
