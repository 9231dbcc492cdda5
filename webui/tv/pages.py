"""TV: a page, a frame, and a document for programs, which always show one match."""

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from webui.core.headers import embeddable
from webui.core.pages import PageContext, render_page
from webui.tv import programme


@dataclass(frozen=True, kw_only=True)
class TvContext(PageContext):
    """The current match and the address of this site, for its frame on other pages."""

    template: str = "tv/tv.html"
    here: str = "tv"
    shown: str
    site: str = ""


@require_safe
def tv(request: HttpRequest) -> HttpResponse:
    """Show the current match, and the next ones."""
    site = request.build_absolute_uri("/").rstrip("/")
    return render_page(request, TvContext(shown=programme.shown_now(is_small=False), site=site))


@embeddable
@require_safe
def embed(request: HttpRequest) -> HttpResponse:
    """Show only the current match, for frames on any other page."""
    return render_page(request, TvContext(template="tv/tv_embed.html", shown=programme.shown_now(is_small=False)))


@require_safe
@cache_control(public=True, max_age=programme.FRESH_S)
def tv_json(request: HttpRequest) -> HttpResponse:
    """Return the current and next matches for programs."""
    return JsonResponse(programme.document(programme.channel_now()))


@require_safe
@cache_control(private=True, max_age=programme.FRESH_S)
def table(request: HttpRequest) -> HttpResponse:
    """Return only the table, for open pages on which the match has changed. `?small=1` gives the size of the front
    page."""
    return HttpResponse(programme.shown_now(is_small=request.GET.get("small") == "1"))
