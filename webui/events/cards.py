"""The card of an event, for links to its page."""

from __future__ import annotations

from django.http import HttpRequest

from webui.core.pages import LinkCard, card_address
from webui.events.values import EventLine


def event_card(request: HttpRequest, line: EventLine, in_short: str) -> LinkCard:
    """Return the card of an event. A draft has no picture."""
    picture = "" if line.state == "draft" else card_address(request, "event-preview", line.slug)
    return LinkCard(line.name, in_short, card_address(request, "event", line.slug), picture)
