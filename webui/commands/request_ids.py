"""Names of requests: a proxy in front of the site may have given one, which its own log has, too. Nobody else is
believed: a visitor could else write into our logs what belongs to the request of another."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from arena.host.proxies import Proxies
from arena.host.request_ids import HEADER, SCOPE_KEY, is_request_id

_NAME = HEADER.lower().encode()


def with_request_ids(app: Callable[..., Awaitable[None]], proxies: Proxies) -> Callable[..., Awaitable[None]]:
    """The application, whose scopes have the id that a proxy has sent. Around everything that changes the client."""

    async def named(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http" and scope.get("client") and scope["client"][0] in proxies:
            found = next((value for name, value in scope["headers"] if name == _NAME), b"").decode("latin1")
            if is_request_id(found):
                scope[SCOPE_KEY] = found
        await app(scope, receive, send)

    return named
