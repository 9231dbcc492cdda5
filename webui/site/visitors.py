"""Who visits the site, as far as limits are concerned."""

from contextlib import AsyncExitStack
from typing import Final

from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest

from arena.host.sockets import network_of

HELD: Final = "arena.held"
"""The key of a stream's scope under which its server puts an `AsyncExitStack`."""


def address_of(request: HttpRequest) -> str:
    """The address that a visitor counts for, an IPv6 one by its /64.

    The server has put the address that a proxy of `settings.PROXIES` names in the place of the proxy's own.
    """
    return network_of(request.META.get("REMOTE_ADDR") or "")


def has_read_user(request: HttpRequest) -> bool:
    """Whether somebody is signed in, and the answer may say so: Django keeps the user once the session was read for it.
    Costs no query."""
    user = getattr(request, "_cached_user", None)
    return user is not None and bool(user.is_authenticated)


def held_by(request: ASGIRequest) -> AsyncExitStack:
    """What is held for as long as the request of a stream lasts, and no longer (`webui.asgi`)."""
    held: AsyncExitStack = request.scope[HELD]
    return held
