"""Front page, ladders, matches and bots in lists."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from webui.ladder import queries
from webui.ladder.values import NotFound
from webui.site import standings
from webui.site.bands import Axis
from webui.site.frames import hero

LIVE_SHOWN = 3
LIVE_KNOWN = 12
"""Among so many of the newest the board of the page is chosen."""
LATEST_SHOWN = 6
TOP_SHOWN = 5
PAGE = 30
MAX_PAGE = 1000


@require_safe
def front(request: HttpRequest) -> HttpResponse:
    """What this is, what is being played, what was, and who leads."""
    live = queries.matches(states=["RUNNING"], limit=LIVE_KNOWN)
    latest = queries.matches(states=["FINISHED"], limit=LATEST_SHOWN)
    summaries = queries.ladders()
    busiest = max(summaries, key=lambda summary: summary.matches, default=None)
    top = queries.ladder(busiest.ladder.slug).rows[:TOP_SHOWN] if busiest else []
    return render(
        request,
        "site/front.html",
        {
            "here": "front",
            "live": live[:LIVE_SHOWN],
            "latest": latest,
            "counts": queries.match_counts(),
            "ladder": busiest,
            "top": standings.ranked(top),
            "axis": Axis.of([row.rated for row in top]),
            "hero": hero(live, latest),
        },
    )


@require_safe
def ladders(request: HttpRequest) -> HttpResponse:
    """The busiest ladder; where none has begun, a page that says so."""
    summaries = queries.ladders()
    if not summaries:
        return render(request, "site/ladder_none.html", {"here": "ladder"})
    return redirect("ladder", slug=max(summaries, key=lambda summary: summary.matches).ladder.slug)


@require_safe
def ladder(request: HttpRequest, slug: str) -> HttpResponse:
    """One ladder, best first."""
    try:
        page = queries.ladder(slug)
    except NotFound as error:
        raise Http404(str(error)) from error
    context = {
        "here": "ladder",
        "page": page,
        "rows": standings.ranked(page.rows),
        "axis": Axis.of([row.rated for row in page.rows]),
        "ladders": queries.ladders(),
    }
    return render(request, "site/ladder.html", context)


@require_safe
def matches(request: HttpRequest) -> HttpResponse:
    """All matches, newest first; `?state=live` the running ones alone."""
    only_live = request.GET.get("state") == "live"
    number = _page_number(request)
    states = ["RUNNING"] if only_live else ["RUNNING", "FINISHED", "VOID", "ABORTED"]
    found = queries.matches(states=states, limit=PAGE + 1, offset=(number - 1) * PAGE)
    context = {
        "here": "matches",
        "matches": found[:PAGE],
        "only_live": only_live,
        "newer": number - 1,
        "older": number + 1 if len(found) > PAGE else 0,
    }
    return render(request, "site/matches.html", context)


def _page_number(request: HttpRequest) -> int:
    text = request.GET.get("page", "1")
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= MAX_PAGE):
        raise Http404("no such page")
    return int(text)


@require_safe
def bots(request: HttpRequest) -> HttpResponse:
    """All bots, newest first."""
    return render(request, "site/bots.html", {"here": "bots", "bots": queries.recent_bots()})
