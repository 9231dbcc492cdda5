"""Ids of requests. A proxy in front of the site may set one, which its own log contains too.

Ids from other clients are ignored. Otherwise a visitor could write log lines that seem to belong to another's request.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from arena.host.proxies import Proxies
from arena.host.request_ids import HEADER, SCOPE_KEY, is_request_id

_NAME = HEADER.lower().encode()


def with_request_ids(app: Callable[..., Awaitable[None]], proxies: Proxies) -> Callable[..., Awaitable[None]]:
    """Wrap an application so that its scopes contain the id that a proxy has sent.

    This must be the outermost wrapper, because others change the client in the scope.
    """

    async def named(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http" and scope.get("client") and scope["client"][0] in proxies:
            found = next((value for name, value in scope["headers"] if name == _NAME), b"").decode("latin1")
            if is_request_id(found):
                scope[SCOPE_KEY] = found
        await app(scope, receive, send)

    return named
