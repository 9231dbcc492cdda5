"""Visitors of the site: their addresses, limits, and what their requests hold."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any, Final
from urllib.parse import urlsplit

from allauth.core.internal import ratelimit
from django.conf import settings
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse

from arena.host.sockets import is_loopback, network_of

GATEWAY_PORT = 50051
"""Port of the gateway, unless the operator chose another one."""


def gateway_address(request: HttpRequest) -> str:
    """Return the address that bots dial, from the setting `GATEWAY_ADDRESS` or else from the host of the site.

    It begins with https:// or http://, except on this machine: clients refuse to guess whether to encrypt.
    """
    if settings.GATEWAY_ADDRESS:
        return str(settings.GATEWAY_ADDRESS)
    host = urlsplit(request.build_absolute_uri("/")).hostname or ""
    address = f"{f'[{host}]' if ':' in host else host}:{GATEWAY_PORT}"
    return address if is_loopback(host) else f"http://{address}"


def refused(request: HttpRequest, action: str) -> HttpResponse | None:
    """Count a request. Return an answer (429) if it exceeds the rate limit (`ACCOUNT_RATE_LIMITS`); otherwise return
    None.
    """
    if ratelimit.consume(request, app="allauth.account", action=action, limit_get=True):
        return None
    answer = ratelimit.respond_429(request)
    assert isinstance(answer, HttpResponse)
    return answer


Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]
Live = Callable[[Receive, Send], Awaitable[None]]
"""Function that sends the body of a live page, until its end or until the reader leaves."""

HELD: Final = "arena.held"
"""Key in a request's scope under which the server stores a `Held`."""


class Held(AsyncExitStack):
    """Resources that a request holds until it ends (`webui.asgi`)."""

    live: Live | None = None
    """Function that sends the body of the answer. The view returns only the head, and Django has finished the
    request.
    """


def address_of(request: HttpRequest) -> str:
    """Return the address by which a visitor is counted. An IPv6 address is reduced to its /64.

    If the request came through a proxy of `settings.PROXIES`, the server has already replaced the proxy's address with
    the one that it names.
    """
    return network_of(request.META.get("REMOTE_ADDR") or "")


def has_read_user(request: HttpRequest) -> bool:
    """Return whether somebody is signed in and the answer may depend on it. This costs no query.

    Django keeps the user on the request once the session was read for it.
    """
    user = getattr(request, "_cached_user", None)
    return user is not None and bool(user.is_authenticated)


def held_by(request: ASGIRequest) -> Held:
    """Return what this request holds."""
    held: Held = request.scope[HELD]
    return held


# Helper for views of visitors who are signed in.


def user_id(request: HttpRequest) -> int:
    """Return the id of the visitor. The view must have `login_required`."""
    assert request.user.pk is not None
    return int(request.user.pk)
