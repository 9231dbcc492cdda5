"""Clients of the site on the page of an event."""

from __future__ import annotations

from django.test import Client

from tests.ladder.organised import Organised
from tests.site.world import served, sign_in, text


def client_of(user_id: int | None = None) -> Client:
    client = Client()
    if user_id is not None:
        sign_in(client, user_id)
    return client


def page_of(cup: Organised, user_id: int | None = None, more: str = "") -> str:
    answer = client_of(user_id).get(f"/events/{cup.slug}/{more}")
    assert answer.status_code == 200
    return text(answer)


def shared_page_of(cup: Organised, user_id: int | None = None, more: str = "") -> str:
    """The page as the site's own server sends it, which shares pages."""
    answer = served(client_of(user_id), f"/events/{cup.slug}/{more}")
    assert answer.status_code == 200
    return text(answer)


def organise(cup: Organised, user_id: int | None, act: str, **said: object) -> tuple[int, str]:
    """The status of what is asked for, and where it led to."""
    answer = client_of(user_id).post(f"/events/{cup.slug}/organise/", {"act": act, **said}, follow=True)
    return answer.status_code, text(answer)
