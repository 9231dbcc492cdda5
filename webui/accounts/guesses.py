"""How often passwords and codes of one account are guessed: counts by account and address, so that nobody who guesses
keeps the owner out, and a higher one by account alone, from which the owner's devices are free.

django-allauth counts by address for all accounts together ("login_failed").
"""

from typing import Literal

from allauth.core import ratelimit
from django.http import HttpRequest

from webui.core import devices
from webui.core.visitors import address_of

What = Literal["password", "code"]


def may_guess(request: HttpRequest, what: What, username: str) -> bool:
    """Whether another one is checked. It counts from now on: many at once are no more than one after the other."""
    return bool(ratelimit.consume(request, action=what, key=_here(request, username))) and (
        devices.is_known(request, username)
        or bool(ratelimit.consume(request, action=f"{what}_anywhere", key=username.casefold(), dry_run=True))
    )


def was_wrong(request: HttpRequest, what: What, username: str) -> None:
    """Count it for the account, from wherever."""
    ratelimit.consume(request, action=f"{what}_anywhere", key=username.casefold())


def was_right(request: HttpRequest, what: What, username: str) -> None:
    """Nobody guesses here: forget what was wrong."""
    ratelimit.clear(request, action=what, key=_here(request, username))


def _here(request: HttpRequest, username: str) -> str:
    return f"{username.casefold()}:{address_of(request)}"
