"""Error responses of Django: problem documents under the addresses of the API, pages elsewhere."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.views import defaults

from webui.api import ROOT
from webui.api.problems import problem


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Return the response for 400 Bad Request."""
    return _failure(
        request, "BAD_REQUEST", "the request cannot be read", lambda: defaults.bad_request(request, exception)
    )


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Return the response for 403 Forbidden."""
    page = lambda: defaults.permission_denied(request, exception)  # noqa: E731
    return _failure(request, "FORBIDDEN", "this is not allowed", page)


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Return the response for 404 Not Found."""
    page = lambda: defaults.page_not_found(request, exception)  # noqa: E731
    return _failure(request, "NOT_FOUND", f"there is no such address: see {ROOT}openapi.json", page)


def server_error(request: HttpRequest) -> HttpResponse:
    """Return the response for 500 Internal Server Error."""
    return _failure(request, "INTERNAL", "try again in a moment", lambda: defaults.server_error(request))


def busy(request: HttpRequest) -> HttpResponse:
    """Return the response for 503 Service Unavailable."""
    text = "The site is busy. Try again in a moment.\n"
    page = lambda: HttpResponse(text, status=503, content_type="text/plain")  # noqa: E731
    response = _failure(request, "TRY_AGAIN", "try again in a moment", page)
    response["Retry-After"] = "10"
    return response


def _failure(request: HttpRequest, code: str, detail: str, page: Callable[[], HttpResponse]) -> HttpResponse:
    return problem(code, detail) if request.path.startswith(ROOT) else page()
