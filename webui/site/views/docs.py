"""The documentation."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language
from django.views.decorators.http import require_safe

from webui.site.docs import ORIGINAL, PAGES, find, read


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """The index."""
    return render(request, "site/docs/index.html", {"here": "docs", "pages": PAGES})


@require_safe
def page(request: HttpRequest, slug: str) -> HttpResponse:
    """One page, with its neighbours."""
    found = find(slug)
    if found is None:
        raise Http404(f"no page {slug!r}")
    place = PAGES.index(found)
    context = {
        "here": "docs",
        "pages": PAGES,
        "page": found,
        "text": read(slug, get_language() or ORIGINAL),
        "before": PAGES[place - 1] if place else None,
        "after": PAGES[place + 1] if place + 1 < len(PAGES) else None,
    }
    return render(request, "site/docs/page.html", context)
