"""What other sites show of a page: its title, a sentence, its address and a picture."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest
from django.urls import reverse


@dataclass(frozen=True)
class Card:
    """A page as others show it (Open Graph)."""

    title: str
    description: str
    address: str
    """Of the page, without its query."""
    picture: str
    """Empty: there is none."""


def card_address(request: HttpRequest, name: str, key: str) -> str:
    """Return the absolute address of the page called `name` of the thing with this key."""
    return request.build_absolute_uri(reverse(name, args=[key]))
