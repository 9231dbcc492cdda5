"""The preview card of a match, for links to its page."""

from __future__ import annotations

from django.http import HttpRequest

from webui.core.pages import LinkCard, card_address
from webui.matches.values import MatchLine
from webui.words.titles import match_title


def match_card(request: HttpRequest, line: MatchLine, description: str, *, hides: bool) -> LinkCard:
    """Return the card of a match.

    `description`: the text from `titles.match_description`.
    `hides`: whether the card hides the result.
    """
    return LinkCard(
        match_title(line, hides_result=hides),
        description,
        card_address(request, "match", line.id),
        card_address(request, "match-preview", line.id) + ("?spoilers=0" if hides else ""),
    )
