"""Devices on which a user has signed in, recognised by a signed cookie.

The cookie does not sign anybody in. It exempts the device from the limit that takes effect when somebody else guesses
the account's password from many addresses (OWASP, "device cookies").
"""

from typing import Final

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AbstractUser
from django.http import HttpRequest, HttpResponseBase

COOKIE: Final = "device"
KEPT_S: Final = 365 * 24 * 3600


def remember(response: HttpResponseBase, user: AbstractBaseUser) -> None:
    """Mark this device as one of the user's for a year."""
    assert isinstance(user, AbstractUser)
    response.set_signed_cookie(
        COOKIE, user.username, COOKIE, max_age=KEPT_S, httponly=True, samesite="Lax",
        secure=settings.SESSION_COOKIE_SECURE,
    )  # fmt: skip


def is_known(request: HttpRequest, username: str) -> bool:
    """Return whether the user with this name has signed in on this device."""
    known = request.get_signed_cookie(COOKIE, default=None, salt=COOKIE, max_age=KEPT_S)
    return known is not None and known.casefold() == username.casefold()
