"""Ladders for staff: which games are played, how much, under which clock, and how far spectators are behind."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from webui.ladder import actions, queries
from webui.ladder.values import Act
from webui.ladder.values.staff import StaffGame
from webui.site.security import ACTS, actor
from webui.site.staff import answer_act, found, sent, staff_act, staff_page
from webui.site.staff_forms import DelayForm, GameForm
from webui.site.staff_words import of_delay, of_game
from webui.site.titles import game_words


@staff_page("view_ladder")
@require_safe
def ladders(request: HttpRequest) -> HttpResponse:
    """All games, with their ladders, and what was changed lately."""
    games = queries.staff_games()
    names = [name for game in games for name in _names(game)]
    context = {
        "here": "staff",
        "section": "ladders",
        "games": [(game, _title(game)) for game in games],
        "entries": _history(*names),
    }
    return render(request, "site/staff/ladders.html", context)


def _title(game: StaffGame) -> str:
    return game_words(game.terms.ruleset.players, game.terms.ruleset.expansions)


def _names(game: StaffGame) -> list[str]:
    """By which the audit log knows a game and its ladders."""
    return [game.terms.game, *(one.ladder.slug for one in game.ladders)]


def _history(*names: str) -> list[tuple[Any, Any]]:
    return [(line, ACTS[line.act]) for line in queries.history_of(*names, acts=(Act.LADDER_CHANGED,))]


@staff_act("change_ladder")
@require_http_methods(["GET", "POST"])
def game(request: HttpRequest, game: str) -> HttpResponse:
    """Open or close a game, and set its share and clock."""
    page = found(queries.staff_game, game)
    form = GameForm(page.terms, sent(request))

    def do(entered: dict[str, Any]) -> bool:
        return actions.set_ladder_terms(
            game,
            is_open=entered["is_open"],
            share=entered["share"],
            clock=form.clock(),
            revision=entered["revision"],
            reason=entered["reason"],
            by=actor(request),
        )

    return answer_act(
        request,
        form,
        do,
        title=_title(page),
        button=_("Change it"),
        done=_("Changed. It holds for matches that are made from now on."),
        back=reverse("staff-ladders"),
        here="ladders",
        consequences=of_game(page),
        is_dangerous=False,
    )


@staff_act("change_ladder")
@require_http_methods(["GET", "POST"])
def delay(request: HttpRequest, slug: str) -> HttpResponse:
    """Set how far spectators of a ladder are behind."""
    page = found(queries.staff_ladder, slug)
    form = DelayForm(page.ladder.delay, sent(request))

    def do(entered: dict[str, Any]) -> bool:
        return actions.set_delay(
            slug, entered["delay"], seen=entered["seen"], reason=entered["reason"], by=actor(request)
        )

    return answer_act(
        request,
        form,
        do,
        title=_("Spectators of %(ladder)s") % {"ladder": page.ladder.slug},
        button=_("Change it"),
        done=_("Changed."),
        back=reverse("staff-ladders"),
        here="ladders",
        consequences=of_delay(page.running),
        is_dangerous=False,
    )
