"""Front page, matches, bots and users."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from webui.ladder import queries
from webui.ladder.values import NotFound
from webui.site import presence
from webui.site.addresses import gateway_address
from webui.site.intervals import RatingAxis
from webui.site.paging import Page, page_number
from webui.site.replay.pictures import front_board
from webui.site.tv import shown_now

LIVE_SHOWN = 3
LIVE_KNOWN = 12
"""The match on the front page is chosen among so many of the newest."""
LATEST_SHOWN = 6
TOP_SHOWN = 5
LADDERS_SHOWN = 3
MATCHES_SHOWN = 30
BOTS_SHOWN = 60

STATES = {
    "": ["RUNNING", "FINISHED", "VOID", "ABORTED"],
    "live": ["RUNNING"],
    "finished": ["FINISHED"],
    "void": ["VOID", "ABORTED"],
}
"""Values of `?state=`, and the states of matches that each shows."""


@require_safe
def front(request: HttpRequest) -> HttpResponse:
    """The front page: running matches, latest results, the top of a ladder."""
    live = queries.matches(states=["RUNNING"], limit=LIVE_KNOWN)
    latest = queries.matches(states=["FINISHED"], limit=LATEST_SHOWN)
    summaries = queries.ladders()
    busiest = max(summaries, key=lambda summary: summary.matches, default=None)
    shown = shown_now(is_small=True)
    top = queries.ladder_top(busiest.ladder.slug, TOP_SHOWN) if busiest else []
    return render(
        request,
        "site/front.html",
        {
            "here": "front",
            "live": live[:LIVE_SHOWN],
            "latest": latest,
            "counts": queries.arena_counts(),
            "ladder": busiest,
            "more_ladders": sorted(summaries, key=lambda summary: -summary.matches)[1 : 1 + LADDERS_SHOWN],
            "top": top,
            "axis": RatingAxis.of([row.rated for row in top if row.rated]),
            "shown": shown,
            "board": None if shown else front_board(live, latest),
            "server": gateway_address(request),
        },
    )


@require_safe
def matches(request: HttpRequest) -> HttpResponse:
    """Matches, newest first: all, or those of a state, a ladder, a bot."""
    state, ladder, bot = (request.GET.get(name, "") for name in ("state", "ladder", "bot"))
    state = state if state in STATES else ""
    number = page_number(request.GET.get("page"))
    found_bot = queries.find_bot(bot) if bot else None
    found = queries.matches(
        states=STATES[state],
        ladder=ladder or None,
        bot=found_bot.slug if found_bot else bot or None,
        limit=MATCHES_SHOWN + 1,
        offset=(number - 1) * MATCHES_SHOWN,
    )
    context = {
        "here": "matches",
        "shown": Page(found[:MATCHES_SHOWN], number, len(found) > MATCHES_SHOWN),
        "state": state,
        "ladders": queries.ladders(),
        "ladder": ladder,
        "bot": bot,
        "found_bot": found_bot,
        "is_plain": not (state or ladder or bot),
    }
    return render(request, "site/matches.html", context)


@require_safe
def bots(request: HttpRequest) -> HttpResponse:
    """Bots, newest first: all, or those that are online, of the house, or found by words."""
    search = " ".join(request.GET.get("q", "").split())[:40]
    kind = request.GET.get("kind", "")
    online = presence.online()
    number = page_number(request.GET.get("page"))
    found = queries.bots(
        search=search,
        is_house={"house": True, "guests": False}.get(kind),
        ids=sorted(online or {}) if kind == "online" else None,
        is_retired=None if search else False,
        limit=BOTS_SHOWN + 1,
        offset=(number - 1) * BOTS_SHOWN,
    )
    context = {
        "here": "bots",
        "shown": Page(found[:BOTS_SHOWN], number, len(found) > BOTS_SHOWN),
        "search": search,
        "kind": kind if kind in ("house", "guests", "online") else "",
        "online": online,
    }
    return render(request, "site/bots.html", context)


@require_safe
def user(request: HttpRequest, name: str) -> HttpResponse:
    """A user with the bots."""
    number = page_number(request.GET.get("page"))
    try:
        page = queries.user_page(name, limit=BOTS_SHOWN + 1, offset=(number - 1) * BOTS_SHOWN)
    except NotFound as error:
        raise Http404(str(error)) from error
    context = {
        "here": "bots",
        "page": page,
        "shown": Page(page.bots[:BOTS_SHOWN], number, len(page.bots) > BOTS_SHOWN),
        "online": presence.online(),
        "is_self": request.user.username == name,
    }
    return render(request, "site/user.html", context)
