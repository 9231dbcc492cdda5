"""Files for search engines: robots.txt, and sitemaps with the addresses of the site."""

from collections.abc import Iterable
from datetime import datetime

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import escape
from django.views.decorators.http import require_safe

from webui.ratings import queries as rating_queries
from webui.site import sitemap_queries
from webui.site.docs.pages import PAGES

PLAIN = ("front", "matches", "ladders", "overall", "bots", "events", "fairness", "data", "docs")
KEPT = "public, max-age=3600"
AWAY = ("/account/", "/sign-in/", "/sign-up/", "/api/", "/language/", "/unsubscribe/")
"""Addresses that search engines should skip: those behind a sign-in, and those that are not pages."""


@require_safe
def robots(request: HttpRequest) -> HttpResponse:
    """Send robots.txt, which says what crawlers may read."""
    lines = ["User-agent: *", *(f"Disallow: {path}" for path in AWAY), "Allow: /"]
    lines.append(f"Sitemap: {request.build_absolute_uri(reverse('sitemap'))}")
    return _kept(HttpResponse("\n".join(lines) + "\n", content_type="text/plain; charset=utf-8"))


@require_safe
def sitemap(request: HttpRequest) -> HttpResponse:
    """Send the index of the sitemaps."""
    pages = [reverse("sitemap-plain")]
    pages += [reverse("sitemap-page", args=[name, number]) for name, number in sitemap_queries.sitemap_pages()]
    items = "".join(f"<sitemap><loc>{_absolute(request, path)}</loc></sitemap>" for path in pages)
    return _xml("sitemapindex", items)


@require_safe
def plain(request: HttpRequest) -> HttpResponse:
    """Send the sitemap of single pages, ladders, the documentation, and the latest events."""
    paths = [reverse(name) for name in PLAIN]
    paths += [reverse("ladder", args=[summary.ladder.slug]) for summary in rating_queries.ladders()]
    paths += [reverse("docs-page", args=[page.slug]) for page in PAGES]
    paths += [reverse("event", args=[slug]) for slug in sitemap_queries.sitemap_events()]
    return _urls(request, ((path, None) for path in paths))


@require_safe
def one_page(request: HttpRequest, name: str, number: int) -> HttpResponse:
    """Send one page of the sitemap of bots, or of the matches of a ladder."""
    if name == "bots":
        found = [(reverse("bot", args=[slug]), None) for slug in sitemap_queries.sitemap_bots(number)]
        return _urls(request, found)
    lines = sitemap_queries.sitemap_matches(name, number)
    if not lines:
        raise Http404("no such page")
    return _urls(request, ((reverse("match", args=[match_id]), ended) for match_id, ended in lines))


def _urls(request: HttpRequest, found: Iterable[tuple[str, datetime | None]]) -> HttpResponse:
    items = "".join(
        f"<url><loc>{_absolute(request, path)}</loc>"
        + (f"<lastmod>{ended.isoformat(timespec='seconds')}</lastmod>" if ended else "")
        + "</url>"
        for path, ended in found
    )
    return _xml("urlset", items)


def _absolute(request: HttpRequest, path: str) -> str:
    return escape(request.build_absolute_uri(path))


def _xml(root: str, items: str) -> HttpResponse:
    text = f'<?xml version="1.0" encoding="UTF-8"?><{root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    return _kept(HttpResponse(f"{text}{items}</{root}>", content_type="application/xml; charset=utf-8"))


def _kept(response: HttpResponse) -> HttpResponse:
    response["Cache-Control"] = KEPT
    return response
