"""Rate limits on guesses of an account's password and codes.

One limit counts by account and address, so that an attacker does not lock the owner out. A higher limit counts by
account alone; the owner's devices are exempt from it.

django-allauth itself counts by address for all accounts together ("login_failed").
"""

from typing import Literal

from allauth.core import ratelimit
from django.http import HttpRequest

from webui.core import devices
from webui.core.visitors import address_of

What = Literal["password", "code"]


def may_guess(request: HttpRequest, what: What, username: str) -> bool:
    """Return whether another guess is checked.

    The guess is counted before it is checked, so that simultaneous guesses are limited like consecutive ones.
    """
    return bool(ratelimit.consume(request, action=what, key=_here(request, username))) and (
        devices.is_known(request, username)
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
