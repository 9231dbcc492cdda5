"""Requests that are refused before any view."""

from collections.abc import Awaitable, Callable

from asgiref.sync import iscoroutinefunction
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponseBase, QueryDict
from django.http.multipartparser import MultiPartParserError
from django.utils.decorators import sync_and_async_middleware

FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")

Handler = Callable[[HttpRequest], HttpResponseBase] | Callable[[HttpRequest], Awaitable[HttpResponseBase]]


@sync_and_async_middleware
def refuse_nul(get_response: Handler) -> Handler:
    """Answer 400 to a request with a NUL in its path, query, cookies or form: PostgreSQL stores none, and raises where
    one is looked up."""
    if iscoroutinefunction(get_response):

        async def answer_async(request: HttpRequest) -> HttpResponseBase:
            _check(request)
            return await get_response(request)  # type: ignore[no-any-return]

        return answer_async

    def answer(request: HttpRequest) -> HttpResponseBase:
        _check(request)
        return get_response(request)  # type: ignore[return-value]

    return answer


def _check(request: HttpRequest) -> None:
    texts = [request.path, *request.COOKIES.values(), *_texts(request.GET)]
    if request.method == "POST" and request.content_type in FORMS:
        try:
            texts += _texts(request.POST)
        except MultiPartParserError as error:
            raise BadRequest(str(error)) from error
    if any("\0" in text for text in texts):
        raise BadRequest("a request with a NUL character")


def _texts(fields: QueryDict) -> list[str]:
    return [text for name, values in fields.lists() for text in (name, *map(str, values))]
