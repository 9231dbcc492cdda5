"""Security headers of every response. Style sheets, scripts and fonts get only the few that matter for them.

We do not use django-csp: our policy is one constant with one exception, so it would replace little more than a line.
Django 6.0 has a policy of its own (SECURE_CSP), which will replace this one.
"""

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any, TypeVar, cast

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.conf import settings
from django.http import HttpRequest, HttpResponseBase

from webui.core.visitors import has_read_user

_SOURCES = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; report-uri /csp-reports/; report-to csp; "
)
POLICY = _SOURCES + "frame-ancestors 'none'"
"""Policy that allows only our own origin, and neither inline scripts and styles nor framing."""
EMBED_POLICY = _SOURCES + "frame-ancestors *"
"""The same policy for pages that other sites may frame."""

HEADERS = {
    "Content-Security-Policy": POLICY,
    "Reporting-Endpoints": 'csp="/csp-reports/"',
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}
OF_PARTS = ("X-Content-Type-Options",)
"""Headers that browsers heed for a part of a page. All others concern documents, and would be a twentieth of the bytes
of a first visit.
"""
PARTS = ("text/css", "text/javascript", "font/")
"""Types that are never opened as a document. SVG pictures are not among them, as they can be."""
HTTPS_ONLY = {"Strict-Transport-Security": "max-age=31536000"}
"""Headers for sites whose address begins with https. Browsers then use only HTTPS for a year."""

View = TypeVar("View", bound=Callable[..., Any])


class SecurityHeaders:
    """The outermost middleware, so that every response passes it. It keeps headers that a view has set.

    Responses made for a signed-in user are for that browser alone, so shared caches must not store them.
    """

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        self.get_response = get_response
        self.is_async = iscoroutinefunction(get_response)
        if self.is_async:
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> HttpResponseBase | Awaitable[HttpResponseBase]:
        """Answer the request, and add the headers."""
        return self._later(request) if self.is_async else _with_headers(request, self.get_response(request))

    async def _later(self, request: HttpRequest) -> HttpResponseBase:
        return _with_headers(request, await self.get_response(request))


def _with_headers(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    headers = HEADERS | HTTPS_ONLY if settings.SITE_URL.startswith("https://") else HEADERS
    if is_part_of_a_page(response):
        headers = {name: value for name, value in headers.items() if name in OF_PARTS or name in HTTPS_ONLY}
    for name, value in headers.items():
        response.headers.setdefault(name, value)
    if has_read_user(request):
        response.headers.setdefault("Cache-Control", "private")
    return response


def is_part_of_a_page(response: HttpResponseBase) -> bool:
    """Return whether the response is a style sheet, a script or a font."""
    return response.headers.get("Content-Type", "").startswith(PARTS)


def embeddable(view: View) -> View:
    """Decorate a view so that any site may show it in a frame."""

    def marked(response: HttpResponseBase) -> HttpResponseBase:
        response.headers["Content-Security-Policy"] = EMBED_POLICY
        cast(Any, response).xframe_options_exempt = True
        return response

    @wraps(view)
    def framed(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        return marked(view(request, *args, **kwargs))

    @wraps(view)
    async def framed_later(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        return marked(await view(request, *args, **kwargs))

    return cast(View, framed_later if iscoroutinefunction(view) else framed)
