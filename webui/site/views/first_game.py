"""Pages of the first game: the table at a line, its parts for the script, and its hints."""

from __future__ import annotations

from dataclasses import dataclass, replace
from http import HTTPStatus
from urllib.parse import parse_qsl

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.http import require_safe

from webui.analysis.addresses import Address, BadAddress, read_shown
from webui.analysis.pages import ShownLine, Steps, line_steps
from webui.analysis.tables import Table
from webui.board.choices import LegalChoices, choices
from webui.board.drawing import draw_board
from webui.core.pages import PageContext, render_page
from webui.core.visitors import address_of, refused
from webui.fair_queue import Busy
from webui.people.gains import gains
from webui.people.hints import hints_for
from webui.replays.motions import motions
from webui.replays.parts import board_parts, table_parts
from webui.replays.pictures import current_tile
from webui.site.learn import first_game as game
from webui.site.learn.first_game import DECISIONS, NAMES, OWN, GuidedDecision

MOST_PLAYED = 60
"""Maximum number of decisions that are added to a line at once: those of a sowing."""
PARTS = ("lesson", "steps")


@dataclass(frozen=True, kw_only=True)
class FirstGameContext(PageContext):
    """The table of the first game, and what is said beside it."""

    template: str = "site/first_game.html"
    here: str = "play"
    has_hints: bool = True
    match: None = None
    """The table belongs to no match."""
    seat: int = OWN
    table: ShownLine
    steps: Steps
    lesson: GuidedDecision
    decisions: int
    totals: list[tuple[str, int]]
    """Name and points of each seat."""
    fields: list[tuple[str, str]]
    """The query as fields of a form."""
    legal: LegalChoices | None
    """None while the visitor has nothing to choose."""
    error: str = ""


@require_safe
def first_game(request: HttpRequest) -> HttpResponse:
    """Show the table of the first game at the line of the address, or the start with the reason if it is not legal.

    With `?play=`, redirect to the line with this decision and Omar's answers.
    """
    try:
        address = read_shown(request.GET)
        if request.GET.get("play"):
            line = game.answered(_played(request, address)).line
            return HttpResponseRedirect(f"{reverse('first-game')}?{Address((), line=line, at=len(line)).query}")
        shown = game.first_game(address)
        return render_page(request, _context(shown))
    except BadAddress as error:
        context = replace(_context(game.first_game(Address(()))), error=str(error))
        return render_page(request, context, HTTPStatus.UNPROCESSABLE_ENTITY)


@require_safe
def table(request: HttpRequest) -> HttpResponse:
    """Return what the script shows of a line, as JSON.

    With `?play=`, the table is that after the decision. Omar's answers are in the line, and are shown step by step.
    """
    try:
        address = read_shown(request.GET)
        if request.GET.get("play"):
            address = game.answered(_played(request, address))
        shown = game.first_game(address)
        context = _context(shown)
    except BadAddress as error:
        return JsonResponse({"error": str(error)}, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    replay, ply = shown.replay, shown.ply
    parts: dict[str, str] = {name: part.render(name) for name, part in context.table.parts.items()}
    parts |= board_parts(replay, NAMES, ply)
    parts["line-lesson"] = render_to_string("site/first_game_lesson.html", vars(context))
    parts["line-steps"] = render_to_string("analysis/steps.html", vars(context))
    response = JsonResponse(
        {
            "query": address.query,
            "seat": shown.state.to_act or 0,
            "parts": parts,
            "motions": motions(replay.steps[ply - 1], replay.position(ply - 1), replay.position(ply)) if ply else [],
            "legal": context.legal,
            "next": context.steps.next if context.legal is None else "",
        }
    )
    response["Cache-Control"] = "no-store"
    return response


@require_safe
def hints(request: HttpRequest) -> HttpResponse:
    """Send the best choices of the visitor, best first: `hints`. Answer 503 if others wait for too long."""
    try:
        shown = game.first_game(read_shown(request.GET))
    except BadAddress as error:
        return JsonResponse({"error": str(error)}, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    asked = game.asked(shown)
    if asked is None:
        return JsonResponse({"hints": []})
    if too_many := refused(request, "alternatives"):
        return too_many
    try:
        made = hints_for(game.hints_key(shown.address.played), NAMES, asked, address_of(request))
    except Busy:
        return JsonResponse({"hints": []}, status=503, headers={"Retry-After": "2"})
    return JsonResponse({"hints": made})


def _played(request: HttpRequest, address: Address) -> Address:
    for action in request.GET.getlist("play")[:MOST_PLAYED]:
        address = address.play(action)
    return replace(address, line=address.played, kept=())


def _context(shown: Table) -> FirstGameContext:
    replay, ply, state = shown.replay, shown.ply, shown.state
    seen = replay.position(ply)
    board = draw_board(seen, NAMES, sowing=replay.sowing(ply), current=current_tile(replay, ply))
    asked = game.asked(shown)
    legal = [action.text for action in state.legal]
    return FirstGameContext(
        table=ShownLine(seen, table_parts(replay, shown.seats, ply), board, [(seat, None) for seat in shown.seats]),
        steps=line_steps(shown.address),
        lesson=game.lesson(shown),
        decisions=DECISIONS,
        totals=list(zip(NAMES, replay.totals(ply), strict=True)),
        fields=parse_qsl(shown.address.query),
        legal=choices(asked.view, legal, NAMES, gains(asked.state)) if asked else None,
    )
