"""The preview card of a ladder, for links to its page."""

from __future__ import annotations

from django.http import HttpRequest
from django.utils.translation import gettext as _

from webui.core.pages import LinkCard, card_address
from webui.ladders.values import LadderRef
from webui.ratings.values import LadderRow
from webui.words.titles import clock, game_words


def ladder_card(request: HttpRequest, ladder: LadderRef, rows: list[LadderRow]) -> LinkCard:
    """Return the card of a ladder. `rows` are the ladder's first lines, which the card names."""
    first = [f"{row.rated.rank}. {row.version.bot.name} {row.rated.points}" for row in rows if row.rated]
    told = ", ".join(first) or _("Nobody is rated here yet.")
    return LinkCard(
        _("Ladder, %(name)s") % {"name": game_words(ladder.players, ladder.expansions)},
        f"{clock(ladder.clock)} · {told}",
        card_address(request, "ladder", ladder.slug),
        card_address(request, "ladder-preview", ladder.slug),
    )
