"""Files for search engines: robots.txt, and sitemaps of what the subjects declare.

Django's own views number the parts of a sitemap in the query (`?p=2`), and write days instead of times.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import chain

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import escape
from django.views.decorators.http import require_safe

from webui.core.subjects import Sitemap, subjects
from webui.site.docs.pages import PAGES

ROWS = 5000
"""Number of rows in one part of a sitemap."""
KEPT = "public, max-age=3600"
AWAY = ("/account/", "/sign-in/", "/sign-up/", "/api/", "/language/", "/unsubscribe/")
"""Addresses that search engines should skip: those behind a sign-in, and those that are not pages."""


@require_safe
def robots(request: HttpRequest) -> HttpResponse:
    """Send robots.txt, which says what crawlers may read."""
    lines = ["User-agent: *", *(f"Disallow: {path}" for path in AWAY), "Allow: /"]
    lines.append(f"Sitemap: {request.build_absolute_uri(reverse('sitemap'))}")
    return _cacheable(HttpResponse("\n".join(lines) + "\n", content_type="text/plain; charset=utf-8"))


@require_safe
def sitemap(request: HttpRequest) -> HttpResponse:
    """Send the index of the sitemaps."""
    paths = [reverse("sitemap-plain")]
    for declared in _sitemaps():
        parts = -(-declared.rows // ROWS)
        paths += [reverse("sitemap-page", args=[declared.name, number]) for number in range(1, parts + 1)]
    items = "".join(f"<sitemap><loc>{_absolute(request, path)}</loc></sitemap>" for path in paths)
    return _xml("sitemapindex", items)


@require_safe
def single_pages(request: HttpRequest) -> HttpResponse:
    """Send the sitemap of single pages, and of the documentation."""
    paths = [reverse("front"), *chain.from_iterable(subject.pages() for subject in subjects())]
    paths += [reverse("docs"), *(reverse("docs-page", args=[page.slug]) for page in PAGES)]
    return _urls(request, ((path, None) for path in paths))


@require_safe
def part(request: HttpRequest, name: str, number: int) -> HttpResponse:
    """Send one part of a sitemap of rows."""
    first = ROWS * (number - 1) + 1
    for declared in _sitemaps():
        if declared.name == name and 1 <= first <= declared.rows:
            return _urls(request, declared.find(first, first + ROWS - 1))
    raise Http404("no such sitemap")


def _sitemaps() -> Iterator[Sitemap]:
    return chain.from_iterable(subject.sitemaps() for subject in subjects())


def _urls(request: HttpRequest, pages: Iterable[tuple[str, datetime | None]]) -> HttpResponse:
    items = "".join(
        f"<url><loc>{_absolute(request, path)}</loc>"
        + (f"<lastmod>{changed.isoformat(timespec='seconds')}</lastmod>" if changed else "")
        + "</url>"
        for path, changed in pages
    )
    return _xml("urlset", items)


def _absolute(request: HttpRequest, path: str) -> str:
    return escape(request.build_absolute_uri(path))


def _xml(root: str, items: str) -> HttpResponse:
    text = f'<?xml version="1.0" encoding="UTF-8"?><{root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    return _cacheable(HttpResponse(f"{text}{items}</{root}>", content_type="application/xml; charset=utf-8"))


def _cacheable(response: HttpResponse) -> HttpResponse:
    response["Cache-Control"] = KEPT
    return response
