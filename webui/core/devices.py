"""Devices from which an account was signed in to: a signed cookie tells them from everybody who guesses passwords.

It lets nobody in. A device that has it is not held up when somebody else guesses at the account from many addresses
(OWASP, "device cookies").
"""

from typing import Final

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AbstractUser
from django.http import HttpRequest, HttpResponseBase

COOKIE: Final = "device"
KEPT_S: Final = 365 * 24 * 3600


def remember(response: HttpResponseBase, user: AbstractBaseUser) -> None:
    """This device is one of the user's, for a year."""
    assert isinstance(user, AbstractUser)
    response.set_signed_cookie(
        COOKIE, user.username, COOKIE, max_age=KEPT_S, httponly=True, samesite="Lax",
        secure=settings.SESSION_COOKIE_SECURE,
    )  # fmt: skip


def is_known(request: HttpRequest, username: str) -> bool:
    """Whether the user with this name has signed in from here."""
    known = request.get_signed_cookie(COOKIE, default=None, salt=COOKIE, max_age=KEPT_S)
    return known is not None and known.casefold() == username.casefold()
