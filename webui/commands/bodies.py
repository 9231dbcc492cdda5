"""The bodies of requests, bounded: forms are small, and nothing else is sent to the site."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final

from webui.api import ROOT

LONGEST: Final = 64 * 1024
"""Bytes. The largest form is the description of a bot (500 characters: 6 KB, percent-encoded); a passkey comes with
some KB of certificates, and a list in the admin with the ids of a hundred rows."""

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Any, Receive, Send], Awaitable[None]]


def with_small_bodies(application: Application) -> Application:
    """An ASGI application that gets each request with its whole body. One with more than `LONGEST` bytes is answered
    with 413, and the server drops the rest of what the client sends."""

    async def bounded(scope: Any, receive: Receive, send: Send) -> None:
        if _announced(scope) > LONGEST:
            await _refuse(scope, send)
            return
        body = b""
        while True:
            message = await receive()
            if message["type"] != "http.request":
                return  # the client has gone
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
    """The length that the head names, which h11 has checked to be a number; 0 if it names none."""
    return next((int(value) for name, value in scope["headers"] if name == b"content-length"), 0)


async def _refuse(scope: Any, send: Send) -> None:
    content_type, text = _said(scope["path"])
    headers = [(b"content-type", content_type), (b"content-length", b"%d" % len(text))]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": text})


def _said(path: str) -> tuple[bytes, bytes]:
    """Content type and body of the answer."""
    said = f"the request is too large: its body may have {LONGEST} bytes"
    if not path.startswith(ROOT):
        return b"text/plain; charset=utf-8", f"{said.capitalize()}.\n".encode()
    from webui.api.problems import CONTENT_TYPE, problem  # the library of the API reads the settings

    return CONTENT_TYPE.encode(), problem("MESSAGE_TOO_LARGE", said).content
