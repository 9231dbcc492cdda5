"""Middleware that both a synchronous and an asynchronous server can call."""

from collections.abc import Awaitable, Callable
from typing import Any

from asgiref.sync import iscoroutinefunction
from django.http import HttpRequest, HttpResponseBase
from django.utils.decorators import sync_and_async_middleware

Handler = Callable[[HttpRequest], HttpResponseBase] | Callable[[HttpRequest], Awaitable[HttpResponseBase]]


def middleware_before(prepare: Callable[[HttpRequest], None]) -> Callable[[Any], Handler]:
    """Middleware that does this with a request before anybody else answers it."""

    @sync_and_async_middleware
    def middleware(get_response: Any) -> Handler:
        if iscoroutinefunction(get_response):

            async def answer_async(request: HttpRequest) -> HttpResponseBase:
                prepare(request)
                response: HttpResponseBase = await get_response(request)
                return response

            return answer_async

        def answer(request: HttpRequest) -> HttpResponseBase:
            prepare(request)
            response: HttpResponseBase = get_response(request)
            return response

        return answer

    middleware.__doc__ = prepare.__doc__
    return middleware
