"""Pages of the documentation, and its downloads."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from django.views.decorators.http import require_safe

from arena.wire.sources import protocol_zip
from webui.core import wheel
from webui.core.pages import PageContext, render_page
from webui.core.visitors import gateway_address
from webui.site.docs.http_api import SITE
from webui.site.docs.markdown import Text
from webui.site.docs.pages import GATEWAY, ORIGINAL, PAGES, DocsPage, find, read
from webui.site.docs.terms import link_terms


@dataclass(frozen=True, kw_only=True)
class DocsIndexContext(PageContext):
    """The index of the documentation."""

    template: str = "site/docs/index.html"
    here: str = "docs"
    pages: Sequence[DocsPage] = PAGES


@dataclass(frozen=True, kw_only=True)
class DocsContext(DocsIndexContext):
    """One page of the documentation, with its neighbours."""

    template: str = "site/docs/page.html"
    page: DocsPage
    text: Text
    html: SafeString
    before: DocsPage | None
    after: DocsPage | None


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """Show the index."""
    return render_page(request, DocsIndexContext())


@require_safe
def page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show one page, with links to its neighbours."""
    found = find(slug)
    if found is None:
        raise Http404(f"no page {slug!r}")
    place = PAGES.index(found)
    text = read(slug, get_language() or ORIGINAL)
    html = link_terms(text.html, text.language) if found.has_terms else text.html
    context = DocsContext(
        page=found,
        text=text,
        html=mark_safe(  # noqa: S308 - our own page
            html.replace(GATEWAY, escape(gateway_address(request))).replace(
                SITE, escape(request.build_absolute_uri("/").rstrip("/"))
            )
        ),
        before=PAGES[place - 1] if place else None,
        after=PAGES[place + 1] if place + 1 < len(PAGES) else None,
    )
    return render_page(request, context)


@require_safe
def protocol(_request: HttpRequest) -> HttpResponse:
    """Send the .proto files and their descriptors."""
    headers = {"Content-Disposition": 'attachment; filename="naqala-protocol.zip"'}
    return HttpResponse(protocol_zip(), content_type="application/zip", headers=headers)


@require_safe
def download(request: HttpRequest) -> HttpResponse:
    """Redirect to the Python package for bot authors, whichever version it has."""
    return redirect("docs-wheel", wheel.NAME)


@require_safe
def download_wheel(request: HttpRequest, name: str) -> HttpResponse:
    """Send the Python package, under the one name that pip accepts."""
    if name != wheel.NAME:
        raise Http404(f"this site has {wheel.NAME}")
    return HttpResponse(wheel.wheel(), content_type="application/octet-stream")
