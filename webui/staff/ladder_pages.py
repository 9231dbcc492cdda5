"""Pages for staff about ladders: the games played, their shares, their clocks, and the delay of spectators."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from webui.accounts.security import ACTS
from webui.accounts.values import Act
from webui.staff import audit_queries, ladder_queries
from webui.staff.acts import GAME
from webui.staff.rights import staff_page
from webui.staff.values import Right, StaffGame


@staff_page(Right.VIEW_LADDER)
@require_safe
def ladders(request: HttpRequest) -> HttpResponse:
    """Show all games with their ladders, and the latest changes."""
    games = ladder_queries.staff_games()
    names = [name for game in games for name in _names(game)]
    context = {
        "here": "staff",
        "section": "ladders",
        "games": [(game, GAME.name(game)) for game in games],
        "entries": _history(*names),
    }
    return render(request, "staff/ladders.html", context)


def _names(game: StaffGame) -> list[str]:
    """Return the names of a game and its ladders in the audit log."""
    return [game.terms.game, *(one.ladder.slug for one in game.ladders)]


def _history(*names: str) -> list[tuple[Any, Any]]:
    return [(line, ACTS[line.act]) for line in audit_queries.history_of(*names, acts=(Act.LADDER_CHANGED,))]
