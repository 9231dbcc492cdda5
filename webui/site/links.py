"""Absolute links: of pages, redirects and emails."""

from collections.abc import Awaitable, Callable
from urllib.parse import urljoin

from asgiref.sync import iscoroutinefunction
from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.utils.decorators import sync_and_async_middleware
from django.utils.encoding import iri_to_uri

Handler = Callable[[HttpRequest], HttpResponseBase] | Callable[[HttpRequest], Awaitable[HttpResponseBase]]


@sync_and_async_middleware
def links_to_the_site(get_response: Handler) -> Handler:
    """Absolute links lead to the site's own address (`settings.SITE_URL`), if it is known.

    Else they lead where the request says that it came from: a proxy that speaks HTTPS makes `http://` of that, and a
    client may make of it what it likes.
    """
    if iscoroutinefunction(get_response):

        async def answer_async(request: HttpRequest) -> HttpResponseBase:
            return await get_response(_linking(request))  # type: ignore[no-any-return]

        return answer_async

    def answer(request: HttpRequest) -> HttpResponseBase:
        return get_response(_linking(request))  # type: ignore[return-value]

    return answer


def _linking(request: HttpRequest) -> HttpRequest:
    def build_absolute_uri(location: str | None = None) -> str:
        return urljoin(settings.SITE_URL + request.path, iri_to_uri(location or request.get_full_path()) or "")

    if settings.SITE_URL:
        request.build_absolute_uri = build_absolute_uri  # type: ignore[method-assign]
    return request
