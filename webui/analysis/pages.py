"""Pages of an analysis: where to start one, the table at a line, its parts for the script, and its files."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import parse_qsl

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from arena.rules import View, format_position
from webui.analysis.addresses import (
    MOST_DECISIONS,
    Address,
    BadAddress,
    Line,
    pack_position,
    read_address,
    read_position_text,
    read_word,
)
from webui.analysis.judging import HouseJudgement, Suggestion, judgement
from webui.analysis.tables import (
    LineReplay,
    Start,
    Table,
    checked_position,
    drawn_anew,
    line_document,
    start_from_deal,
    start_from_match,
    start_from_position,
    table_at,
)
from webui.board.choices import LegalChoices, choices
from webui.board.drawing import draw_board
from webui.core.pages import PageContext, json_attachment, render_page
from webui.core.visitors import address_of, refused
from webui.fair_queue import Busy
from webui.matches.values import MatchLine, SeatLine
from webui.replays.gains import signed
from webui.replays.motions import motions
from webui.replays.moves import Move, move_at
from webui.replays.pages import visible_match
from webui.replays.parts import TablePart, board_parts, table_parts
from webui.replays.pictures import current_tile
from webui.replays.replay import FinishedReplay, load_replay

PARTS = ("moves", "lines", "steps")
"""Templates of the parts beside the table. The script replaces them like the parts of the table."""


@dataclass(frozen=True, kw_only=True)
class StartContext(PageContext):
    """The page on which an analysis is started."""

    template: str = "analysis/start.html"
    here: str = "analysis"
    error: str = ""
    """Sentence about a fault of the address, or of the position that was entered."""
    text: str = ""
    """The position that was entered."""


@dataclass(frozen=True)
class LineMove:
    """A decision of the line that is shown."""

    move: Move
    query: str
    is_now: bool
    is_later: bool


@dataclass(frozen=True)
class LinePoints:
    """A line with the points of all seats at its end."""

    words: str
    decisions: int
    totals: list[tuple[int, str]]
    """Points of each seat, and how many it has gained since the start."""
    is_shown: bool
    open: str
    """Query of the page that shows it."""
    drop: str
    """Query of the page without it. Empty for the line that is shown."""


@dataclass(frozen=True)
class Steps:
    """Queries of the controls. A query is empty if the control leads nowhere."""

    first: str
    previous: str
    next: str
    last: str
    at: int
    end: int


@dataclass(frozen=True)
class ShownLine:
    """The table of a line as the templates of a match show it."""

    position: View
    parts: Mapping[str, TablePart]
    board: SafeString
    seats: list[tuple[SeatLine, None]]


@dataclass(frozen=True, kw_only=True)
class LineContext(PageContext):
    """The table at a line."""

    template: str = "analysis/line.html"
    here: str = "analysis"
    has_hints: bool = False
    """Whether hints are offered beside the question, as at tables of people. Here a house player judges."""
    match: MatchLine | None
    index: int
    """Index in the match of the decision that the lines start before."""
    seat: int
    """Seat for which what it could not know was drawn anew. 0 if nothing was."""
    play_on: str
    """Query of the page that goes on from the position shown against house players. Empty if the game is over."""
    table: ShownLine
    query: str
    fields: list[tuple[str, str]]
    """The query as fields of a form."""
    chance: str
    next_chance: str
    """Query of the page with other chance."""
    legal: LegalChoices | None
    """None if the game is over."""
    moves: list[LineMove]
    lines: list[LinePoints]
    steps: Steps


@dataclass(frozen=True, kw_only=True)
class JudgementContext(PageContext):
    """A judgement of a position. `judged` is None while the computation is too busy."""

    template: str = "analysis/judgement.html"
    here: str = "analysis"
    query: str
    judged: HouseJudgement | None
    choices: list[tuple[Suggestion, str]]
    """Suggested choices, each with the query of the page after it."""


@require_http_methods(["GET", "HEAD", "POST"])
def analysis(request: HttpRequest) -> HttpResponse:
    """Show the table at the line of the address, or the page on which an analysis is started.

    With `?play=drop A2 r`, redirect to the address after this decision, or after several. A POST has the text of a
    position.
    """
    text = request.POST.get("position", "") if request.method == "POST" else ""
    try:
        if request.method == "POST":
            document = read_position_text(text)
            checked_position(document)
            return _redirect(Address((("position", pack_position(document)),)).query)
        address = read_address(request.GET)
        if address is None:
            return render_page(request, StartContext())
        if address.value("players") and not address.value("seed"):
            return _redirect(Address((*address.start, ("seed", secrets.token_hex(4)))).query)
        if request.GET.get("play"):
            address = _played(request, address)
            table_of(request, address)
            return _redirect(address.query)
        return render_page(request, _context(request, table_of(request, address)))
    except BadAddress as error:
        return render_page(request, StartContext(error=str(error), text=text), HTTPStatus.UNPROCESSABLE_ENTITY)


@require_safe
def table(request: HttpRequest) -> HttpResponse:
    """Return what the script shows of a line, as JSON. With `?play=`, the line is longer by these decisions."""
    try:
        shown = table_of(request, _played(request, asked_address(request)))
        context = _context(request, shown)
    except BadAddress as error:
        return JsonResponse({"error": str(error)}, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    replay, ply = shown.replay, shown.ply
    parts: dict[str, str] = {name: part.render(name) for name, part in context.table.parts.items()}
    parts |= board_parts(replay, shown.start.names, ply)
    values = {**vars(context), "request": request}
    parts |= {f"line-{name}": render_to_string(f"analysis/{name}.html", values) for name in PARTS}
    document = {
        "query": context.query,
        "seat": shown.state.to_act or 0,
        "parts": parts,
        "motions": motions(replay.steps[ply - 1], replay.position(ply - 1), replay.position(ply)) if ply else [],
        "legal": context.legal,
        "play_on": context.play_on,
    }
    response = JsonResponse(document)
    response["Cache-Control"] = "no-store"
    return response


@require_safe
def judge(request: HttpRequest) -> HttpResponse:
    """Show a house player's judgement of the position of a line. Answer 503 if the computation is too busy."""
    try:
        shown = table_of(request, asked_address(request))
        address = shown.address
        if too_many := refused(request, "alternatives"):
            return too_many
        judged = judgement(shown, address_of(request))
        opened = [(each, each.address(address).query) for each in judged.suggestions]
    except BadAddress as error:
        return render_page(request, StartContext(error=str(error)), HTTPStatus.UNPROCESSABLE_ENTITY)
    except Busy:
        query = request.GET.urlencode()
        response = render_page(request, JudgementContext(query=query, judged=None, choices=[]), 503)
        response["Retry-After"] = "2"
        return response
    return render_page(request, JudgementContext(query=address.query, judged=judged, choices=opened))


@require_safe
def position(request: HttpRequest) -> HttpResponse:
    """Send the position of a line as a file."""
    return _file(request, "position")


@require_safe
def line(request: HttpRequest) -> HttpResponse:
    """Send the decisions of a line as a file: a replay, or events after a position."""
    return _file(request, "line")


def _file(request: HttpRequest, what: str) -> HttpResponse:
    try:
        shown = table_of(request, asked_address(request))
    except BadAddress as error:
        return JsonResponse({"error": str(error)}, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    document = format_position(shown.state) if what == "position" else line_document(shown)
    return json_attachment(document, f"naqala-analysis-{what}.json")


def _redirect(query: str) -> HttpResponse:
    return HttpResponseRedirect(f"{reverse('analysis')}?{query}")


def asked_address(request: HttpRequest) -> Address:
    """Return the address of the line that a page was asked for. Raise `BadAddress` if it names none."""
    address = read_address(request.GET)
    if address is None:
        raise BadAddress(_("The address does not say where the line starts."))
    return address


def _played(request: HttpRequest, address: Address) -> Address:
    """Return the address after the decisions of `?play=`, which several of a sowing make at once."""
    for action in request.GET.getlist("play")[:MOST_DECISIONS]:
        address = address.play(action)
    return address


def table_of(request: HttpRequest, address: Address) -> Table:
    """Return the table of an address. Raise `BadAddress` if it is not legal, and `Http404` without such a match."""
    return table_at(address, start_of(address))


def start_of(address: Address, eyes: int = 0) -> Start:
    """Return the start of an address. Raise `BadAddress` if it is not legal, and `Http404` without such a match.

    `eyes`: the seat whose view of the match is shown; 0 shows everything.
    """
    if match_id := address.value("match"):
        match = visible_match(match_id).line  # only public matches, whoever asks
        replay = load_replay(match, eyes) if match.state == "FINISHED" else None
        if not isinstance(replay, FinishedReplay):
            raise Http404("only of a match that has finished")
        start = start_from_match(match, replay, replay.ply_of(address.value("d") or "0"))
    elif packed := address.value("position"):
        start = start_from_position(packed)
    else:
        read_word(address.value("seed"))
        start = start_from_deal(address)
    seat = address.value("seat")
    return drawn_anew(start, seat, address.chance) if seat else start


def _context(request: HttpRequest, shown: Table) -> LineContext:
    address, replay, start, ply = shown.address, shown.replay, shown.start, shown.ply
    seen, names = replay.position(ply), start.names
    board = draw_board(seen, names, sowing=replay.sowing(ply), current=current_tile(replay, ply))
    number = address.chance
    following = str(int(number) + 1) if number.isdecimal() and len(number) < 9 else "2"
    return LineContext(
        match=start.match,
        index=start.index,
        seat=start.seat,
        play_on=_play_on(shown),
        table=ShownLine(seen, table_parts(replay, shown.seats, ply), board, [(seat, None) for seat in shown.seats]),
        query=address.query,
        fields=parse_qsl(address.query),
        chance=number,
        next_chance=Address(address.start, following).query,
        legal=None if shown.state.is_over else choices(seen, [action.text for action in shown.state.legal], names),
        moves=_moves(shown),
        lines=_lines(shown),
        steps=line_steps(address),
    )


def _play_on(shown: Table) -> str:
    """Return the query of the page that goes on from the position shown. Empty if the game is over there."""
    address = shown.address
    if shown.state.is_over:
        return ""
    if not address.at:
        return Address(address.start, address.chance).query
    return Address((("position", pack_position(format_position(shown.state))),), address.chance).query


def _moves(shown: Table) -> list[LineMove]:
    address, replay = shown.address, shown.replay
    return [
        LineMove(
            move_at(replay, shown.start.names, replay.first + number),
            address.goto(number).query,
            is_now=number == address.at,
            is_later=number > address.at,
        )
        for number in range(1, len(address.line) + 1)
    ]


def _lines(shown: Table) -> list[LinePoints]:
    """Return the lines with their points, the one that is shown first. Empty while there is only one."""
    address = shown.address
    if not address.kept:
        return []
    rows = [_line_points(shown, shown.replay, address.line, is_shown=True)]
    for kept in address.kept:
        rows.append(_line_points(shown, LineReplay(shown.start, kept, address.chance), kept, is_shown=False))
    return rows


def _line_points(shown: Table, replay: LineReplay, kept: Line, *, is_shown: bool) -> LinePoints:
    address, last = shown.address, len(replay.steps)
    before, totals = replay.totals(replay.first), replay.totals(last)
    gained = [(total, signed(total - had) if total != had else "±0") for had, total in zip(before, totals, strict=True)]
    return LinePoints(
        words=move_at(replay, shown.start.names, last).words if kept else "",
        decisions=len(kept),
        totals=gained,
        is_shown=is_shown,
        open=address.goto(len(kept)).query if is_shown else address.drop(kept).open(kept).query,
        drop="" if is_shown else address.drop(kept).query,
    )


def line_steps(address: Address) -> Steps:
    """Return the queries of the controls of a line."""
    at, end = address.at, len(address.line)
    return Steps(
        first=address.goto(0).query if at else "",
        previous=address.goto(at - 1).query if at else "",
        next=address.goto(at + 1).query if at < end else "",
        last=address.goto(end).query if at < end else "",
        at=at,
        end=end,
    )
