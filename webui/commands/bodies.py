"""A limit for the bodies of requests. All but uploads (`webui.commands.uploads`) are small forms."""

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
TOO_LARGE: Final = f"the request is too large: its body may have {LONGEST} bytes"


def with_small_bodies(application: Application) -> Application:
    """Return an ASGI application that receives each request with its whole body.

    A body of more than `LONGEST` bytes is answered with 413. The server then drops the rest of what the client sends.
    """

    async def bounded(scope: Any, receive: Receive, send: Send) -> None:
        if _announced(scope) > LONGEST:
            await refuse(scope, send, "MESSAGE_TOO_LARGE", TOO_LARGE)
            return
        body = b""
        while True:
            message = await receive()
            if message["type"] != "http.request":
                return  # the client has disconnected
            body += message.get("body", b"")
            if len(body) > LONGEST:
                await refuse(scope, send, "MESSAGE_TOO_LARGE", TOO_LARGE)
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


async def refuse(scope: Any, send: Send, code: str, detail: str) -> None:
    """Send a refusal: a problem document under the addresses of the API, a line of text elsewhere."""
    status = {"MESSAGE_TOO_LARGE": 413, "TRY_AGAIN": 503}[code]
    content_type, text = b"text/plain; charset=utf-8", f"{detail.capitalize()}.\n".encode()
    if scope["path"].startswith(ROOT):
        from webui.api.problems import CONTENT_TYPE, problem  # imported here: the API's library reads the settings

        content_type, text = CONTENT_TYPE.encode(), problem(code, detail).content
    headers = [(b"content-type", content_type), (b"content-length", b"%d" % len(text))]
    if code == "TRY_AGAIN":
        headers.append((b"retry-after", b"10"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": text})
