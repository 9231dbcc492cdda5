"""Page objects: everything that a page shows, as one typed value for its template.

A view reads values by queries, makes one `PageContext` of them, and renders it with `render_page`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import ParamSpec, TypeVar

from django.forms import BaseForm
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import get_conditional_response
from django.utils.http import content_disposition_header

from webui.core.errors import NotFound

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True)
class LinkCard:
    """The card of a page (Open Graph), which other sites show for a link."""

    title: str
    description: str
    address: str
    """Address of the page, without its query."""
    picture: str
    """Address of the picture. Empty if there is none."""


def link_card(
    request: HttpRequest,
    page: str,
    key: str,
    title: str,
    text: str,
    *,
    query: str = "",
    has_picture: bool = True,
) -> LinkCard:
    """Return the card of the page with the name `page` for the object with this key. `query`: that of the picture."""
    address = request.build_absolute_uri(reverse(page, args=[key]))
    picture = request.build_absolute_uri(reverse(f"{page}-preview", args=[key])) + query if has_picture else ""
    return LinkCard(title, text, address, picture)


@dataclass(frozen=True, kw_only=True)
class PageContext:
    """Values that a page shows. Its template finds each field by its name.

    A page with fields of its own has a subclass, which stands beside the view.
    """

    template: str
    here: str = ""
    """Item of the navigation that is marked as the current one. Empty if there is none."""
    card: LinkCard | None = None


@dataclass(frozen=True, kw_only=True)
class FormContext(PageContext):
    """A page with a form. The form is bound if it was sent with errors."""

    form: BaseForm


def render_page(request: HttpRequest, page: PageContext, status: int | None = None) -> HttpResponse:
    """Return the page. Its status is 200, or 422 if it shows the errors of a form."""
    if status is None:
        status = 422 if isinstance(page, FormContext) and page.form.is_bound else 200
    return render(request, page.template, vars(page), status=status)


def attachment(content: str | bytes, content_type: str, name: str) -> HttpResponse:
    """Return a file to download with this name."""
    headers = {"Content-Disposition": content_disposition_header(True, name) or ""}
    return HttpResponse(content, content_type=content_type, headers=headers)


def json_attachment(document: object, name: str) -> HttpResponse:
    """Return a document as a JSON file to download with this name."""
    return attachment(json.dumps(document, separators=(",", ":"), ensure_ascii=False), "application/json", name)


def with_etag(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Add the hash of a response's content as its ETag. Return 304 if the visitor has this content already."""
    response["ETag"] = tag = f'"{sha256(response.content).hexdigest()[:32]}"'
    answer = get_conditional_response(request, etag=tag, response=response)
    assert isinstance(answer, HttpResponse)
    return answer


def get_or_404(query: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Return the result of a query. Raise `Http404` if the query raises `NotFound`."""
    try:
        return query(*args, **kwargs)
    except NotFound as error:
        raise Http404(str(error)) from error
