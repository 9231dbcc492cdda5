"""Who visits the site, as far as limits are concerned."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any, Final
from urllib.parse import urlsplit

from allauth.core.internal import ratelimit
from django.conf import settings
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse

from arena.host.sockets import network_of

GATEWAY_PORT = 50051
"""The gateway's port unless the operator chose another."""


def gateway_address(request: HttpRequest) -> str:
    """`host:port` of the gateway: from the setting `GATEWAY_ADDRESS`, else the host of the site."""
    host = urlsplit(request.build_absolute_uri("/")).hostname
    return settings.GATEWAY_ADDRESS or f"{host}:{GATEWAY_PORT}"


def refused(request: HttpRequest, action: str) -> HttpResponse | None:
    """Count a request; the answer (429) if it is one too many (`ACCOUNT_RATE_LIMITS`)."""
    if ratelimit.consume(request, app="allauth.account", action=action, limit_get=True):
        return None
    answer = ratelimit.respond_429(request)
    assert isinstance(answer, HttpResponse)
    return answer


Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]
Live = Callable[[Receive, Send], Awaitable[None]]
"""Sends the body of a live page, until its end or until the reader leaves."""

HELD: Final = "arena.held"
"""The key of a request's scope under which its server puts a `Held`."""


class Held(AsyncExitStack):
    """What a request holds for as long as it lasts, and no longer (`webui.asgi`)."""

    live: Live | None = None
    """Sends the body of the answer. The view's answer is the head alone, and Django has let go of the request."""


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


def held_by(request: ASGIRequest) -> Held:
    """What this request holds."""
    held: Held = request.scope[HELD]
    return held
