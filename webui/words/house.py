"""Descriptions of the house bots in the visitor's language."""

from __future__ import annotations

from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from webui.bots.values import BotRef

_ABOUT: Final[dict[str, Promise]] = {
    "plays any legal action, each as likely": gettext_lazy("plays any legal action, each as likely"),
    "takes the turn that is worth most right away": gettext_lazy("takes the turn that is worth most right away"),
    "greedy, and fond of viziers": gettext_lazy("greedy, and fond of viziers"),
    "greedy, and fond of goods": gettext_lazy("greedy, and fond of goods"),
    "greedy, and minds what the others have": gettext_lazy("greedy, and minds what the others have"),
    "looks at 5 sowings for each seat, and at what the markers still on the track can take": gettext_lazy(
        "looks at 5 sowings for each seat, and at what the markers still on the track can take"
    ),
    "as search-1, with 32 sowings for each seat": gettext_lazy("as search-1, with 32 sowings for each seat"),
    "as search-1, with 72 sowings for each seat, and plays out the round before it bids; with two players also after "
    "its best sowings": gettext_lazy(
        "as search-1, with 72 sowings for each seat, and plays out the round before it bids; with two players also "
        "after its best sowings"
    ),
}
"""Descriptions that house bots are registered with (`arena.players.PLAYERS`), and their translations."""


def about_bot(bot: BotRef, description: str) -> str:
    """Return the description of a bot. It is translated for a house bot, unless staff has written another one."""
    return str(_ABOUT.get(description, description)) if bot.is_house else description
