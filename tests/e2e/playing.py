"""Controls which matches a running arena makes by itself, through the arena's database (`RunningArena.database`)."""

from __future__ import annotations

from collections.abc import Iterable

from webui.accounts.values import OPERATOR
from webui.bots import actions as bot_actions
from webui.bots.models import Bot, BotState
from webui.ladders import terms as ladder_terms

FAST = ("random", "greedy", "greedy-trader")
"""House bots that need no more than seconds for a match. `make soak-events` plays with all of them."""


def pause(slugs: Iterable[str]) -> None:
    """Give these bots no new matches."""
    for bot in Bot.objects.filter(slug__in=slugs):
        bot_actions.set_bot_state(bot.pk, BotState.PAUSED)


def play_only(*games: str) -> None:
    """Make new rated matches only of these games (`webui.ladders.games.GAMES`), or none.

    Running matches, events, comparisons and challenges continue.
    """
    for name, terms in ladder_terms.game_terms().items():
        ladder_terms.set_ladder_terms(
            name,
            is_open=name in games,
            share=terms.share,
            clock=terms.clock.document(),
            revision=terms.revision,
            reason="a test",
            by=OPERATOR,
        )
