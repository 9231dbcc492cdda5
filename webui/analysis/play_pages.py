"""Pages of playing on from a position against house players. They show only what the visitor's seat sees."""

from __future__ import annotations

from dataclasses import dataclass, replace
from http import HTTPStatus
from urllib.parse import parse_qsl, urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from webui.analysis.addresses import MOST_DECISIONS, Address, BadAddress, read_address
from webui.analysis.pages import LineMove, ShownLine, StartContext, Steps, start_of
from webui.analysis.playing import HOUSE, USUAL, is_answered, played_on
from webui.analysis.tables import LineReplay, Start, seated, seats_at_end
from webui.board.choices import LegalChoices, choices
from webui.board.drawing import draw_board
from webui.core.pages import PageContext, render_page
from webui.core.visitors import address_of, refused
from webui.fair_queue import Busy
from webui.matches.values import MatchLine, SeatLine
from webui.replays.motions import Motion, motions
from webui.replays.moves import move_at
from webui.replays.parts import Drawn, board_parts, table_parts
from webui.replays.pictures import current_tile
from webui.words.titles import result_words

PARTS = {"line-moves": "play_moves", "line-lines": "play_end", "line-steps": "steps"}
"""Templates of the parts beside the table."""


@dataclass(frozen=True)
class Played:
    """A game that a visitor plays on, and the position of it that is shown."""

    address: Address
    """The start, and the visitor's own decisions."""
    house: str
    """House player that decides for the other seats."""
    start: Start
    game: LineReplay
    at: int
    """Number of decisions of all seats that have been played at the position shown."""

    @property
    def end(self) -> int:
        """Number of decisions of all seats that have been played."""
        return len(self.game.line)

    @property
    def ply(self) -> int:
        """Ply of the position shown."""
        return self.game.first + self.at

    def query(self, at: int) -> str:
        """Return the query of the page that shows the game after this many decisions."""
        values = [("house", self.house), *([("at", str(at))] if at != self.end else [])]
        return f"{self.address.query}&{urlencode(values)}"

    def before(self, at: int) -> Address:
        """Return the address with only the visitor's decisions among the first ones of all seats."""
        steps = self.game.steps[self.game.first : self.game.first + at]
        own = sum(step.seat == self.start.seat for step in steps)
        return replace(self.address, line=self.address.line[:own], at=own)


@dataclass(frozen=True)
class GameEnd:
    """The end of a game that a visitor has played on."""

    result: str
    """The result in words."""
    totals: list[tuple[SeatLine, int]]
    real: SeatLine | None
    """The visitor's seat as it ended in the match. None if the game did not start from a match with a result."""
    analysis: str
    """Query of the analysis of the whole game, with everything open. Empty if it is too long for an address."""


@dataclass(frozen=True, kw_only=True)
class PlayOnContext(PageContext):
    """The table at which a visitor plays on."""

    template: str = "analysis/play.html"
    here: str = "analysis"
    has_hints: bool = False
    match: MatchLine | None
    index: int
    """Index in the match of the decision that the game goes on before."""
    table: ShownLine
    fields: list[tuple[str, str]]
    """The query as fields of a form, which add a decision."""
    setting: list[tuple[str, str]]
    """The start as fields of a form, which choose seat and house player."""
    chance: str
    next_chance: str
    """Query of the page with other cards."""
    legal: LegalChoices | None
    """None if it is not the visitor's turn."""
    moves: list[LineMove]
    steps: Steps
    seat: int
    seats: list[int]
    house: str
    houses: tuple[str, ...] = HOUSE
    end: GameEnd | None
    """None while the game is on, or if an earlier position is shown."""


@dataclass(frozen=True, kw_only=True)
class PlayOnBusyContext(PageContext):
    """The page while the house players have not answered yet."""

    template: str = "analysis/play_busy.html"
    here: str = "analysis"
    query: str


@require_safe
def play_on(request: HttpRequest) -> HttpResponse:
    """Show the table at which a visitor plays on. With `?play=drop A2 r`, redirect to the address after it.

    Answer 503 while other computations take too long, or if a whole game has to be computed.
    """
    try:
        address, start = _asked(request)
        if not address.value("seat") or not request.GET.get("house"):
            return HttpResponseRedirect(f"{reverse('analysis-play')}?{_complete(address, start)}")
        if too_many := _too_many(request, address, start):
            return too_many
        played, _had = _played(request, address, start)
        if request.GET.get("play"):
            return HttpResponseRedirect(f"{reverse('analysis-play')}?{played.query(played.end)}")
        return render_page(request, _context(played))
    except BadAddress as error:
        return render_page(request, StartContext(error=str(error)), HTTPStatus.UNPROCESSABLE_ENTITY)
    except Busy:
        return _busy(render_page(request, PlayOnBusyContext(query=request.GET.urlencode()), 503))


@require_safe
def play_on_table(request: HttpRequest) -> HttpResponse:
    """Return what the script shows of the table as JSON. With `?play=`, `between` has all decisions that follow."""
    try:
        address, start = _asked(request)
        if not start.seat:
            raise BadAddress(_("The address does not say which seat you play."))
        if too_many := _too_many(request, address, start):
            return too_many
        played, had = _played(request, address, start)
        context = _context(played)
    except BadAddress as error:
        return JsonResponse({"error": str(error)}, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    except Busy:
        return _busy(JsonResponse({"error": _("The arena is busy with other computations.")}, status=503))
    game, ply, names = played.game, played.ply, played.start.names
    parts: dict[str, str] = {name: part.render(name) for name, part in context.table.parts.items()}
    parts |= board_parts(game, names, ply)
    values = {**vars(context), "request": request}
    parts |= {name: render_to_string(f"analysis/{template}.html", values) for name, template in PARTS.items()}
    document = {
        "query": played.query(played.at),
        "seat": context.table.position.to_act or 0,
        "parts": parts,
        "motions": motions(game.steps[ply - 1], game.position(ply - 1), game.position(ply)) if ply else [],
        "between": _between(played, game.first + had),
        "legal": context.legal,
    }
    response = JsonResponse(document)
    response["Cache-Control"] = "no-store"
    return response


def _asked(request: HttpRequest) -> tuple[Address, Start]:
    """Return the address of a request, with the visitor's own decisions as its line, and its start."""
    address = read_address(request.GET)
    if address is None:
        raise BadAddress(_("The address does not say where the line starts."))
    seat = address.value("seat")
    eyes = int(seat) if seat in ("1", "2", "3", "4", "5") else 0
    return replace(address.goto(len(address.line)), kept=()), start_of(address, eyes)


def _complete(address: Address, start: Start) -> str:
    """Return the query of a game that begins: the seat that is to act, if none is chosen, and a house player."""
    if start.state.is_over:
        raise BadAddress(_("The game is over at this position. Go back to one in which a seat decides."))
    if not address.value("seat"):
        address = replace(address, start=(*address.start, ("seat", str(start.state.to_act))))
    return f"{replace(address, line=(), at=0).query}&{urlencode({'house': USUAL})}"


def _house(request: HttpRequest) -> str:
    house = request.GET.get("house", "")
    if house not in HOUSE:
        raise BadAddress(_("Choose one of these house players: %(names)s.") % {"names": ", ".join(HOUSE)})
    return house


def _shown_at(request: HttpRequest) -> int | None:
    """Return the number of decisions of all seats that are shown. None if all are."""
    at = request.GET.get("at", "")
    return int(at) if at.isascii() and at.isdecimal() and len(at) < 5 else None


def _too_many(request: HttpRequest, address: Address, start: Start) -> HttpResponse | None:
    """Count a request that computes something. Return an answer (429) if there are too many."""
    is_known = not request.GET.get("play") and is_answered(start, address, _house(request))
    return None if is_known else refused(request, "play_on")


def _played(request: HttpRequest, address: Address, start: Start) -> tuple[Played, int]:
    """Return the game of an address, with the decisions that the request adds, and how many decisions led to these.

    Without such decisions, that is the number of those that are shown.
    """
    house, visitor = _house(request), address_of(request)
    start = seated(start, house)
    played = _shown(address, house, start, played_on(start, address, house, visitor), _shown_at(request))
    added = request.GET.getlist("play")[:MOST_DECISIONS]
    if not added:
        return played, played.at
    if played.game.state(played.ply).to_act != start.seat:
        raise BadAddress(_("It is not your turn at this position. Go on to your next decision."))
    longer = played.before(played.at)
    for action in added:
        longer = longer.play(action)
    return _shown(longer, house, start, played_on(start, longer, house, visitor), None), played.at


def _shown(address: Address, house: str, start: Start, game: LineReplay, at: int | None) -> Played:
    end = len(game.line)
    return Played(address, house, start, game, end if at is None else min(at, end))


def _context(played: Played) -> PlayOnContext:
    start, game, ply, at = played.start, played.game, played.ply, played.at
    seen, names, state = game.position(ply), start.names, game.state(ply)
    board = draw_board(seen, names, sowing=game.sowing(ply), current=current_tile(game, ply))
    seats = seats_at_end(start, game)
    is_own = not state.is_over and state.to_act == start.seat
    number = played.address.chance
    following = str(int(number) + 1) if number.isdecimal() and len(number) < 9 else "2"
    others = f"{Address(played.address.start, following).query}&{urlencode({'house': played.house})}"
    plain = Address(tuple(pair for pair in played.address.start if pair[0] != "seat"), number)
    return PlayOnContext(
        match=start.match,
        index=start.index,
        table=ShownLine(seen, table_parts(game, seats, ply), board, [(seat, None) for seat in seats]),
        fields=parse_qsl(played.query(at)),
        setting=parse_qsl(plain.query),
        chance=number,
        next_chance=others,
        legal=choices(seen, [action.text for action in state.legal], names) if is_own else None,
        moves=[
            LineMove(
                move_at(game, names, game.first + count), played.query(count), is_now=count == at, is_later=count > at
            )
            for count in range(1, played.end + 1)
        ],
        steps=Steps(
            first=played.query(0) if at else "",
            previous=played.query(at - 1) if at else "",
            next=played.query(at + 1) if at < played.end else "",
            last=played.query(played.end) if at < played.end else "",
            at=at,
            end=played.end,
        ),
        seat=start.seat,
        seats=list(range(1, start.ruleset.players + 1)),
        house=played.house,
        end=_end(played, seats) if game.is_over and at == played.end else None,
    )


def _end(played: Played, seats: list[SeatLine]) -> GameEnd:
    line = tuple(played.game.line)
    try:
        analysis = replace(played.address, line=line, at=len(line)).query
    except BadAddress:
        analysis = ""
    match = played.start.match
    real = match.seats[played.start.seat - 1] if match else None
    totals = played.game.totals(len(played.game.steps))
    return GameEnd(
        result=result_words(seats),
        totals=[(seat, totals[seat.seat - 1]) for seat in sorted(seats, key=lambda seat: seat.placement or 0)],
        real=real if real is not None and real.score is not None else None,
        analysis=analysis,
    )


def _between(played: Played, ply: int) -> list[dict[str, object]]:
    """Return for each decision after a ply what it changes on the table, and its motions."""
    game, names = played.game, played.start.names
    drawn: Drawn = {}
    before = table_parts(game, played.start.seats, ply, drawn)
    made: list[dict[str, object]] = []
    for now in range(ply + 1, played.ply + 1):
        after = table_parts(game, played.start.seats, now, drawn)
        parts: dict[str, str] = {name: part.render(name) for name, part in after.items() if part != before[name]}
        parts |= board_parts(game, names, now, since=now - 1)
        moved: list[Motion] = motions(game.steps[now - 1], game.position(now - 1), game.position(now))
        made.append({"parts": parts, "motions": moved})
        before = after
    return made


def _busy(response: HttpResponse) -> HttpResponse:
    response["Retry-After"] = "1"
    return response
