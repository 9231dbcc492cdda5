"""A limit for the bodies of requests. Visitors send only small forms to the site."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final

from webui.api import ROOT

LONGEST: Final = 64 * 1024
"""Maximum number of bytes of a body.

The largest form is the description of a bot (500 characters: 6 KB, percent-encoded). A passkey comes with some KB of
certificates, and a list in the admin with the ids of a hundred rows.
"""

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Any, Receive, Send], Awaitable[None]]


def with_small_bodies(application: Application) -> Application:
    """Return an ASGI application that receives each request with its whole body.

    A body of more than `LONGEST` bytes is answered with 413. The server then drops the rest of what the client sends.
    """

    async def bounded(scope: Any, receive: Receive, send: Send) -> None:
        if _announced(scope) > LONGEST:
            await _refuse(scope, send)
            return
        body = b""
        while True:
            message = await receive()
            if message["type"] != "http.request":
                return  # the client has disconnected
            body += message.get("body", b"")
            if len(body) > LONGEST:
                await _refuse(scope, send)
                return
            if not message.get("more_body", False):
                break
        whole: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive_whole() -> Message:
            return whole.pop() if whole else await receive()

        await application(scope, receive_whole, send)

    return bounded


def _announced(scope: Any) -> int:
    """Return the `Content-Length`, or 0 if there is none. h11 has checked that it is a number."""
    return next((int(value) for name, value in scope["headers"] if name == b"content-length"), 0)


async def _refuse(scope: Any, send: Send) -> None:
    content_type, text = _too_large(scope["path"])
    headers = [(b"content-type", content_type), (b"content-length", b"%d" % len(text))]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": text})


def _too_large(path: str) -> tuple[bytes, bytes]:
    """Return the content type and the body of the 413 response."""
    detail = f"the request is too large: its body may have {LONGEST} bytes"
    if not path.startswith(ROOT):
        return b"text/plain; charset=utf-8", f"{detail.capitalize()}.\n".encode()
    from webui.api.problems import CONTENT_TYPE, problem  # imported here because the API's library reads the settings

    return CONTENT_TYPE.encode(), problem("MESSAGE_TOO_LARGE", detail).content
