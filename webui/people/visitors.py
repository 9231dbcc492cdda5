"""Who sits at the browser: an account, or a guest with a secret in a cookie."""

from __future__ import annotations

import secrets
from hashlib import sha256
from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from webui.people.values import GUEST_DAY_S, Visitor

COOKIE: Final = "guest"
SECRET_LENGTH: Final = 43
"""Number of characters of a secret: 32 random bytes."""


def visitor_of(request: HttpRequest) -> Visitor:
    """Return the visitor of a request. A guest without a secret is nobody yet."""
    if request.user.is_authenticated:
        return Visitor(request.user.pk, None)
    return Visitor(None, guest_of(request))


def guest_of(request: HttpRequest) -> str | None:
    """Return the hash of the guest's secret in this browser. None if there is none."""
    secret = request.COOKIES.get(COOKIE, "")
    return _digest(secret) if len(secret) == SECRET_LENGTH else None


def new_guest() -> tuple[Visitor, str]:
    """Return a new guest, and the secret for `remember`."""
    secret = secrets.token_urlsafe(32)
    return Visitor(None, _digest(secret)), secret


def remember(response: HttpResponse, secret: str) -> None:
    """Keep a guest's secret in the browser, for a day."""
    response.set_cookie(
        COOKIE,
        secret,
        max_age=int(GUEST_DAY_S),
        path="/play/",  # all other pages are the same for all guests
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def _digest(secret: str) -> str:
    return sha256(secret.encode()).hexdigest()
