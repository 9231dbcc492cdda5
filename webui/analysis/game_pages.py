"""Pages of the games in which a house player plays a position to the end: asking for them, progress and results."""

from __future__ import annotations

import json
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from arena.rules import State
from webui.analysis import jobs, queries
from webui.analysis.addresses import LONGEST, Address, BadAddress, pack_position
from webui.analysis.models import GAMES
from webui.analysis.pages import StartContext, asked_address, table_of
from webui.analysis.values import PositionResult
from webui.core.errors import TooMany
from webui.core.feeds import PartsFeed, feeds
from webui.core.pages import PageContext, get_or_404, render_page
from webui.core.streams import stream
from webui.core.visitors import Live, address_of

MOST_MINUTES: Final = int(jobs.MOST_PROCESSOR_S // 60)


@dataclass(frozen=True, kw_only=True)
class AskContext(PageContext):
    """The page that offers to play a position on."""

    template: str = "analysis/games_ask.html"
    here: str = "analysis"
    query: str
    """Query of the table that shows the position."""
    player: str = jobs.PLAYER
    most: int = GAMES
    most_minutes: int = MOST_MINUTES
    is_over: bool
    """Whether the game is over in this position, so that nothing is left to play."""
    error: str = ""
    """Why no games were begun. Empty if nothing was refused."""


@dataclass(frozen=True, kw_only=True)
class GamesContext(PageContext):
    """The games of a position."""

    template: str = "analysis/games.html"
    here: str = "analysis"
    query: str
    """Query of a table that shows the position."""
    player: str = jobs.PLAYER
    page: PositionResult


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def ask(request: HttpRequest) -> HttpResponse:
    """Offer to play the position of a line on, or lead to its games if there are any. A POST asks for them."""
    try:
        shown = table_of(request, asked_address(request))
        query = shown.address.query
    except BadAddress as error:
        return render_page(request, StartContext(error=str(error)), HTTPStatus.UNPROCESSABLE_ENTITY)
    state: State = shown.state
    if state.is_over:
        return render_page(request, AskContext(query=query, is_over=True))
    key = jobs.key_of(state)
    if request.method == "POST":
        try:
            jobs.ask_for_games(state, address_of(request))
        except TooMany:
            sentence = _("Your earlier positions are still being played, or many wait. Try again in a minute.")
            page = AskContext(query=query, is_over=False, error=sentence)
            return render_page(request, page, HTTPStatus.TOO_MANY_REQUESTS)
    elif not queries.is_known(key):
        return render_page(request, AskContext(query=query, is_over=False))
    return HttpResponseRedirect(f"{reverse('position-games', args=[key])}?{query}")


def _context(request: HttpRequest, key: str) -> GamesContext:
    page = get_or_404(queries.position_result, key)
    query = request.GET.urlencode()
    if not query or len(query) > LONGEST:  # somebody has shared the address without the line
        query = Address((("position", pack_position(json.loads(page.position))),)).query
    return GamesContext(query=query, page=page)


@never_cache
@require_safe
def games(request: HttpRequest, key: str) -> HttpResponse:
    """Show the games of a position: how many were played, and what came of them."""
    return render_page(request, _context(request, key))


@never_cache
@require_safe
def parts(request: HttpRequest, key: str) -> HttpResponse:
    """Return the part of that page that can change, as HTML, for a visitor who has it open."""
    context = _context(request, key)
    return render_page(
        request, GamesContext(template="analysis/games_fresh.html", query=context.query, page=context.page)
    )


class GamesFeed(PartsFeed):
    """The feed of a position's games."""

    LOOK_EVERY_S = 1.0  # the upkeep process does not wake this feed, and somebody waits
    PAUSE_S = 1.0


@require_safe
async def live(request: HttpRequest, key: str) -> HttpResponseBase:
    """Announce changes of a position's games as server-sent events."""

    def find() -> PositionResult:
        return get_or_404(queries.position_result, key)

    def follow(value: PositionResult, after: int) -> Live:
        name = f"position:{value.key}"
        return feeds.follow((name, ""), lambda: GamesFeed(name, lambda: queries.position_mark(value.key)), after)

    return await stream(request, find, follow)
