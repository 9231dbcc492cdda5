"""Cards of pages, which other sites show for a link: a title, a sentence, an address and a picture."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest
from django.urls import reverse


@dataclass(frozen=True)
class LinkCard:
    """The card of a page (Open Graph)."""

    title: str
    description: str
    address: str
    """Address of the page, without its query."""
    picture: str
    """Address of the picture. Empty if there is none."""


def card_address(request: HttpRequest, name: str, key: str) -> str:
    """Return the absolute address of the page `name` for the object with this key."""
    return request.build_absolute_uri(reverse(name, args=[key]))
