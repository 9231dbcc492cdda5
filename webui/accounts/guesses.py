"""Rate limits on guesses of an account's password and codes, and the devices that are exempt."""

from typing import Final, Literal

from allauth.core import ratelimit
from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AbstractUser
from django.http import HttpRequest, HttpResponseBase

from webui.core.visitors import address_of

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


What = Literal["password", "code"]


def may_guess(request: HttpRequest, what: What, username: str) -> bool:
    """Return whether another guess is checked.

    The guess is counted before it is checked, so that simultaneous guesses are limited like consecutive ones.
    """
    return bool(ratelimit.consume(request, action=what, key=_here(request, username))) and (
        is_known(request, username)
        or bool(ratelimit.consume(request, action=f"{what}_anywhere", key=username.casefold(), dry_run=True))
    )


def was_wrong(request: HttpRequest, what: What, username: str) -> None:
    """Count a wrong guess for the account, from any address."""
    ratelimit.consume(request, action=f"{what}_anywhere", key=username.casefold())


def was_right(request: HttpRequest, what: What, username: str) -> None:
    """Clear the count of this account and address after a right guess."""
    ratelimit.clear(request, action=what, key=_here(request, username))


def _here(request: HttpRequest, username: str) -> str:
    return f"{username.casefold()}:{address_of(request)}"
