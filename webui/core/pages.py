"""Page objects: everything that a page shows, as one typed value for its template.

A view reads values by queries, makes one `PageContext` of them, and renders it with `render_page`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ParamSpec, TypeVar

from django.forms import BaseForm
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

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


def card_address(request: HttpRequest, name: str, key: str) -> str:
    """Return the absolute address of the page `name` for the object with this key."""
    return request.build_absolute_uri(reverse(name, args=[key]))


@dataclass(frozen=True, kw_only=True)
class PageContext:
    """What a page shows. Its template finds each field by its name.

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


def get_or_404(query: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Return the result of a query. Raise `Http404` if the query raises `NotFound`."""
    try:
        return query(*args, **kwargs)
    except NotFound as error:
        raise Http404(str(error)) from error
