"""The ASGI application: `uvicorn webui.asgi:application`."""

import asyncio
import os
import warnings
from http import HTTPStatus
from typing import Any
from weakref import WeakKeyDictionary

import django
from django.core.handlers.asgi import ASGIHandler
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import get_resolver

from webui.core.visitors import HELD, Held, address_of
from webui.fair_queue import Busy
from webui.threads import PageThreads


class SiteHandler(ASGIHandler):
    """Django's handler with a bounded number of threads (`webui.threads`).

    A view puts what it holds on the stack under `HELD`. The handler releases it when the request is over. The generator
    of a stream cannot release it: when a reader leaves in the middle of an event, the garbage collector closes the
    generator at an unknown time.

    Live pages (`Held.live`) are sent from here, after Django has made the head of the response and is done. Otherwise
    thousands of open requests would take memory, and each garbage collection among their objects would take half a
    second.
    """

    def __init__(self) -> None:
        super().__init__()
        self._threads: WeakKeyDictionary[asyncio.AbstractEventLoop, PageThreads] = WeakKeyDictionary()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            return await super().__call__(scope, receive, send)
        if (refused := budget.refusal(scope)) is not None:
            await budget.late_refusals.delay()
            return await _send(refused, send)
        async with Held() as held:
            status = 0

            async def send_answer(message: Any) -> None:
                nonlocal status
                if message["type"] == "http.response.start":
                    status = message["status"]
                elif held.live is not None and status == HTTPStatus.OK:
                    return  # the body follows
                await send(message)

            await self.handle({**scope, HELD: held}, receive, send_answer)
            if held.live is not None and status == HTTPStatus.OK:
                await held.live(receive, send)

    async def run_get_response(self, request: HttpRequest) -> HttpResponseBase:
        """Make the response. It is sent later."""
        loop = asyncio.get_running_loop()
        if (threads := self._threads.get(loop)) is None:
            threads = self._threads[loop] = PageThreads()
        scope = request.scope  # type: ignore[attr-defined]
        try:
            async with threads.thread_for(address_of(request), budget.budget_of(scope).charge):
                # Requests that came before may have used the time while this one waited for its thread.
                if (refused := budget.time_refusal(scope)) is not None:
                    return refused
                return await super().run_get_response(request)
        except Busy:
            busy: HttpResponse = get_resolver().resolve_error_handler(503)(request)
            return busy


async def _send(response: HttpResponse, send: Any) -> None:
    headers = [(name.lower().encode(), value.encode()) for name, value in response.items()]
    headers.append((b"content-length", str(len(response.content)).encode()))
    await send({"type": "http.response.start", "status": response.status_code, "headers": headers})
    await send({"type": "http.response.body", "body": response.content})


os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webui.settings")
# WhiteNoise hands out files by plain iterators. They are small, and the pages' own streams are asynchronous.
warnings.filterwarnings("ignore", message="StreamingHttpResponse must consume synchronous iterators")

django.setup(set_prefix=False)

from webui import budget  # noqa: E402 - what it imports needs the settings

application = SiteHandler()
