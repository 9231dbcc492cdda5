"""Middleware that both a synchronous and an asynchronous server can call."""

from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urljoin

import structlog
from asgiref.sync import iscoroutinefunction
from django.conf import settings
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.utils.decorators import sync_and_async_middleware
from django.utils.deprecation import MiddlewareMixin
from django.utils.encoding import iri_to_uri

from webui.core.errors import RecordAway
from webui.core.pages import PageContext, render_page

# The page for a record that its store cannot deliver now. It says when to try again.


AGAIN_S = 60

log = structlog.get_logger(__name__)


class RecordsAway(MiddlewareMixin):
    """Middleware that answers 503 when a view needs a record that cannot be reached."""

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Return the page if the view raised `RecordAway`; otherwise return None."""
        if not isinstance(exception, RecordAway):
            return None
        log.warning("record_away", error=str(exception))
        response = render_page(request, PageContext(template="matches/record_away.html", here="matches"), 503)
        response["Retry-After"], response["Cache-Control"] = f"{AGAIN_S}", "no-store"
        return response


Handler = Callable[[HttpRequest], HttpResponseBase] | Callable[[HttpRequest], Awaitable[HttpResponseBase]]


def middleware_before(prepare: Callable[[HttpRequest], None]) -> Callable[[Any], Handler]:
    """Return a middleware that calls `prepare` with a request before the request is answered."""

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


@middleware_before
def links_to_the_site(request: HttpRequest) -> None:
    """Make absolute links lead to the site's own address (`settings.SITE_URL`), if it is known.

    Otherwise they lead to the host that the request names, which is unreliable. Behind a proxy that speaks HTTPS the
    link begins with `http://`, and a client can send any host.
    """

    def build_absolute_uri(location: str | None = None) -> str:
        return urljoin(settings.SITE_URL + request.path, iri_to_uri(location or request.get_full_path()) or "")

    if settings.SITE_URL:
        request.build_absolute_uri = build_absolute_uri  # type: ignore[method-assign]


FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")


@middleware_before
def refuse_nul(request: HttpRequest) -> None:
    """Answer 400 to a request with a NUL character in its path, query, cookies or form.

    PostgreSQL cannot store NUL, and raises an error if one is looked up.
    """
    texts = [request.path, *request.COOKIES.values(), *_texts(request.GET)]
    if request.method == "POST" and request.content_type in FORMS:
        texts += _texts(request.POST)
    if any("\0" in text for text in texts):
        raise BadRequest("a request with a NUL character")


def _texts(fields: QueryDict) -> list[str]:
    return [text for name, values in fields.lists() for text in (name, *map(str, values))]
