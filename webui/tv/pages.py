"""TV: one match that is on at all times, as a page, in a frame, and as a document for programs."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from webui.core.headers import embeddable
from webui.tv import programme


@require_safe
def tv(request: HttpRequest) -> HttpResponse:
    """The match that is on, and what comes next."""
    context = {"here": "tv", "shown": programme.shown_now(is_small=False), "channel": programme.channel_now()}
    return render(request, "site/tv.html", {**context, "site": request.build_absolute_uri("/").rstrip("/")})


@embeddable
@require_safe
def embed(request: HttpRequest) -> HttpResponse:
    """The same alone in its window, which any page may frame."""
    return render(request, "site/tv_embed.html", {"shown": programme.shown_now(is_small=False)})


@require_safe
@cache_control(public=True, max_age=programme.FRESH_S)
def tv_json(request: HttpRequest) -> HttpResponse:
    """What is on and what comes, for programs."""
    return JsonResponse(programme.document(programme.channel_now()))


@require_safe
@cache_control(private=True, max_age=programme.FRESH_S)
def table(request: HttpRequest) -> HttpResponse:
    """The table alone, for a page that shows another match already; `?small=1` as the front page has it."""
    return HttpResponse(programme.shown_now(is_small=request.GET.get("small") == "1"))
