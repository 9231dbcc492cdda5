"""Requests that are refused before any view."""

from django.core.exceptions import BadRequest
from django.http import HttpRequest, QueryDict

from webui.site.middleware import middleware_before

FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")


@middleware_before
def refuse_nul(request: HttpRequest) -> None:
    """Answer 400 to a request with a NUL in its path, query, cookies or form: PostgreSQL stores none, and raises where
    one is looked up."""
    texts = [request.path, *request.COOKIES.values(), *_texts(request.GET)]
    if request.method == "POST" and request.content_type in FORMS:
        texts += _texts(request.POST)
    if any("\0" in text for text in texts):
        raise BadRequest("a request with a NUL character")


def _texts(fields: QueryDict) -> list[str]:
    return [text for name, values in fields.lists() for text in (name, *map(str, values))]
