"""Pages of people at tables: choosing opponents, waiting for them, and playing."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from webui.board.choices import choices as board_choices
from webui.bots import presence
from webui.challenges.values import ChallengeRefusal
from webui.challenges.words import refusal_sentence
from webui.core.errors import BadRequest, LadderError, NotFound
from webui.core.feeds import feeds
from webui.core.pages import FormContext, PageContext, render_page
from webui.core.paging import ListPage, read_page
from webui.core.streams import stream
from webui.core.visitors import Live, address_of, refused
from webui.fair_queue import Busy
from webui.matches import live as match_live
from webui.matches import queries as match_queries
from webui.matches.values import MatchLine, MatchPage
from webui.people import actions, queries
from webui.people.forms import CLOCK_NAMES, TableForm
from webui.people.gains import gains
from webui.people.hints import hints_for
from webui.people.seen import SeatLoader
from webui.people.sowing import MOST_TRIED, TriedSowing, tried_table
from webui.people.values import (
    CLOCKS,
    AnswerRefused,
    AskedSeat,
    OfferedOpponent,
    OwnSeat,
    RatedPerson,
    TableRefused,
    Visitor,
)
from webui.people.visitors import guest_of, new_guest, remember, visitor_of
from webui.ratings.charts import RatingAxis
from webui.replays.accuracy import LostPoints, SeatAccuracy, lost_points, seat_accuracies
from webui.replays.frames import frames_document
from webui.replays.live import MatchFeed
from webui.replays.onward import Onward
from webui.replays.pages import MatchTable, OwnersView, WatchedMatch, match_table, move_list
from webui.replays.replay import ENDED, FinishedReplay, load_replay
from webui.stories import queries as story_queries
from webui.words.titles import is_untimed, match_title, result_words, seat_names

MOST_BYTES: Final = 1_000
"""Maximum size of a decision that is sent."""
LARGEST_INDEX: Final = 100_000
PEOPLE_A_PAGE: Final = 50


@dataclass(frozen=True, kw_only=True)
class PlayContext(FormContext):
    """The form with which a visitor sits down."""

    template: str = "people/play.html"
    here: str = "play"
    can_play: bool
    """Whether a bot is there that plays against people."""
    tables: list[str]
    """The tables at which the visitor sits already."""
    is_guest: bool
    why: str = ""
    """Reason why the visitor cannot sit down."""


@dataclass(frozen=True, kw_only=True)
class WaitingTableContext(PageContext):
    """A table whose match has not begun."""

    template: str = "people/waiting.html"
    here: str = "play"
    table: str
    state: str
    """State of the challenge, or PLAYING when its match has been made."""
    is_open: bool
    """Whether a game may still begin."""


@dataclass(frozen=True, kw_only=True)
class PeopleContext(PageContext):
    """The ratings of people."""

    template: str = "people/people.html"
    here: str = "play"
    shown: ListPage[RatedPerson]
    axis: RatingAxis


@dataclass(frozen=True, kw_only=True)
class LeftContext(PageContext):
    """A match that a house player plays on for the visitor."""

    template: str = "people/left.html"
    here: str = "play"
    match: str


@dataclass(frozen=True, kw_only=True)
class OverContext(PageContext):
    """A game of the visitor's that is over."""

    template: str = "people/over.html"
    here: str = "play"
    line: MatchLine
    seat: int
    result: str
    """The result in words. Empty if there is none."""
    opponents: list[int]
    """Ids of the opponents' bots, for a rematch."""
    clock: str
    """Key of the clock in `CLOCKS`."""
    accuracies: list[SeatAccuracy]
    """Accuracy of each seat. Empty without a story."""
    sowings: list[LostPoints]
    """Sowings of the visitor, with their costs."""
    is_judged_later: bool
    """Whether a story of the game is still to be made."""


@dataclass(frozen=True, kw_only=True)
class SeatContext(PageContext):
    """The table at which the visitor plays."""

    template: str = "people/table.html"
    here: str = "play"
    page: MatchPage
    line: MatchLine
    match: WatchedMatch
    table: MatchTable
    seat: int
    clock: str
    """The clock in words."""
    moves: str
    onward: Onward | None = None
    own: OwnersView | None = None


@never_cache
@require_http_methods(["GET", "POST"])
def play(request: HttpRequest) -> HttpResponse:
    """Show the form of a new table, and let the visitor sit down."""
    visitor = visitor_of(request)
    _come_back(request)
    opponents = queries.opponents()
    online = presence.online() or {}
    opponents.sort(key=lambda each: each.bot.id not in online)
    wanted = [int(bot) for bot in request.GET.getlist("bot") if bot.isascii() and bot.isdigit()]
    sent = request.POST if request.method == "POST" else None
    form = TableForm(opponents, online, _chosen(opponents, wanted), sent)
    why = ""
    if form.is_valid():
        if too_many := refused(request, "sit_down"):
            return too_many
        secret = ""
        if visitor == Visitor(None, None):
            visitor, secret = new_guest()
        try:
            data = form.cleaned_data
            table = actions.sit_down(visitor, data["opponents"], form.expansions(), data["clock"])
        except (BadRequest, NotFound) as error:
            why = table_sentence(error)
        else:
            response = redirect("table", match_id=table)
            if secret:
                remember(response, secret)
            return response
    context = PlayContext(
        form=form,
        can_play=any(each.bot.id in online for each in opponents),
        tables=queries.open_tables(visitor),
        is_guest=visitor.user_id is None,
        why=why,
    )
    return render_page(request, context, 409 if why else None)


def _chosen(opponents: list[OfferedOpponent], wanted: list[int]) -> list[int]:
    """Return the bots that are ticked at first: those of the address, or else a gentle one."""
    bots = [each.bot for each in opponents]
    known = {bot.id for bot in bots}
    if chosen := [bot for bot in wanted if bot in known]:
        return chosen
    gentle = next((bot.id for bot in bots if bot.is_house and bot.slug == "greedy"), None)
    return [gentle] if gentle is not None else [bot.id for bot in bots[:1]]


def _come_back(request: HttpRequest) -> None:
    """Give the games of a guest to the account with which somebody has signed in."""
    guest = guest_of(request)
    if request.user.is_authenticated and guest is not None:
        actions.take_over(request.user.pk, guest)


@require_safe
def people(request: HttpRequest) -> HttpResponse:
    """Show the ratings of people against bots of the house."""
    shown = read_page(request.GET.get("page"), PEOPLE_A_PAGE, queries.rated_people)
    axis = RatingAxis.of([person.rated for person in shown.items])
    return render_page(request, PeopleContext(shown=shown, axis=axis))


@never_cache
@require_http_methods(["GET", "POST"])
def table(request: HttpRequest, match_id: str) -> HttpResponse:
    """Show the table at which the visitor plays, or what it waits for. A POST gives up a table that waits."""
    visitor = visitor_of(request)
    _come_back(request)
    actions.note_seen(visitor)
    if request.method == "POST":
        actions.stand_up(visitor, match_id)
        return redirect("table", match_id=match_id)
    seat = queries.own_seat(match_id, visitor)
    if seat is None:
        state = queries.waiting_table(match_id, visitor)
        if state is None:
            raise Http404("you have no seat at this table")
        return _waiting(request, match_id, state)
    page = match_queries.match_page(match_id)
    if seat.state in ENDED:
        return _over(request, page, seat)
    if seat.has_left:
        return render_page(request, LeftContext(match=match_id))
    replay = SeatLoader(page.line, seat.seat).load() if page.line.seats else None
    if replay is None:
        return _waiting(request, match_id, "PLAYING")
    line = page.line
    watched = WatchedMatch(line, 0, False, replay, None, title=match_title(line), description="", verdict="")
    shown = match_table(request, watched)
    assert shown is not None  # there is a replay
    context = SeatContext(
        page=page,
        line=line,
        match=watched,
        table=shown,
        seat=seat.seat,
        clock=next((str(CLOCK_NAMES[name]) for name, clock in CLOCKS.items() if clock == page.clock), ""),
        moves=move_list(shown, watched),
    )
    return render_page(request, context)


def _over(request: HttpRequest, page: MatchPage, seat: OwnSeat) -> HttpResponse:
    line = page.line
    names = seat_names(line)
    story = story_queries.story(line.id) if line.state == "FINISHED" else None
    replay = load_replay(line) if story is not None and story.losses else None
    context = OverContext(
        line=line,
        seat=seat.seat,
        result=result_words(line.seats) if line.state == "FINISHED" else "",
        opponents=[each.version.bot.id for each in line.seats if each.seat != seat.seat],
        clock=next((name for name, clock in CLOCKS.items() if clock == page.clock), "none"),
        accuracies=seat_accuracies(story, names) if story is not None else [],
        sowings=lost_points(story, replay, names, seat.seat) if story and isinstance(replay, FinishedReplay) else [],
        is_judged_later=line.state == "FINISHED" and story is None and bool(settings.STORY_SECONDS),
    )
    return render_page(request, context)


def _waiting(request: HttpRequest, match_id: str, state: str) -> HttpResponse:
    is_open = state in ("WAITING", "MATCHED", "PLAYING")
    return render_page(request, WaitingTableContext(table=match_id, state=state, is_open=is_open))


@never_cache
@require_safe
def frames(request: HttpRequest, match_id: str) -> HttpResponse:
    """Send the frames of the visitor's match so far, as the visitor's seat sees it."""
    page, seat = _own_match(request, match_id)
    replay = SeatLoader(page.line, seat.seat).load() if page.line.seats else None
    if replay is None:
        raise Http404("the match has not begun, or is over")
    return JsonResponse(frames_document(replay, page.line.seats))


@never_cache
@require_safe
async def live(request: HttpRequest, match_id: str) -> HttpResponseBase:
    """Send the frames of the visitor's match as server-sent events (`webui.replays.pages.live`)."""
    language = get_language() or settings.LANGUAGE_CODE

    def follow(found: tuple[MatchPage, OwnSeat], after: int) -> Live | None:
        page, seat = found
        if seat.state in ENDED or seat.has_left:
            return None
        line = page.line
        loader = SeatLoader(line, seat.seat)
        return feeds.follow((f"{line.id} {seat.seat}", language), lambda: MatchFeed(line, language, loader), after)

    return await stream(request, lambda: _own_match(request, match_id), follow)


@never_cache
@require_safe
def choices(request: HttpRequest, match_id: str) -> HttpResponse:
    """Send what the visitor's seat is asked for now: `index` and `choices`. Both are null if it is not its turn.

    `left_ms` is the time left on the seat's clock. It is null if the game has no clock.

    With `?after=take A1&after=drop A2 r`, send what it would be asked after the start of a sowing, which the page tries
    out: `choices`, and the `parts` and `motions` of the table. Answer 409 with the reason if that cannot be tried out.
    """
    page, seat = _own_match(request, match_id)
    actions.note_seen(visitor_of(request))
    try:
        return JsonResponse(_choices(page, seat, request.GET.getlist("after")[:MOST_TRIED]))
    except AnswerRefused as error:
        return JsonResponse({"why": table_sentence(error)}, status=409)


@never_cache
@require_safe
def hints(request: HttpRequest, match_id: str) -> HttpResponse:
    """Send the best choices of the visitor's seat: `index` and `hints`. Answer 503 if others wait for too long.

    `index` is null if it is not the seat's turn.
    """
    page, seat = _own_match(request, match_id)
    if too_many := refused(request, "alternatives"):
        return too_many
    asked = _asked(page, seat)
    if asked is None:
        return JsonResponse({"index": None, "hints": []})
    try:
        position = f"{page.line.id}/{asked.index}/{seat.seat}"
        made = hints_for(position, seat_names(page.line), asked, address_of(request))
        return JsonResponse({"index": asked.index, "hints": made})
    except Busy:
        return JsonResponse({"index": asked.index, "hints": []}, status=503, headers={"Retry-After": "2"})


@require_POST
def answer(request: HttpRequest, match_id: str) -> HttpResponse:
    """Make a decision of the visitor's seat, or all those of a sowing: JSON with `index` and `actions`.

    Answer 204, or 409 with the reason.
    """
    is_json = request.content_type == "application/json"  # the body of a form has been read already
    try:
        sent = json.loads(request.body) if is_json and len(request.body) <= MOST_BYTES else None
    except ValueError:
        sent = None
    match sent:
        case {"index": int(index), "actions": [str(), *_] as decisions} if (
            0 <= index < LARGEST_INDEX and index is not True and all(isinstance(each, str) for each in decisions)
        ):
            pass
        case _:
            return JsonResponse({"why": _("This decision cannot be read: load the page again.")}, status=400)
    try:
        actions.answer(visitor_of(request), match_id, index, decisions)
    except NotFound as error:
        raise Http404(str(error)) from error
    except AnswerRefused as error:
        return JsonResponse({"why": table_sentence(error)}, status=409)
    return HttpResponse(status=204)


@require_POST
def leave(request: HttpRequest, match_id: str) -> HttpResponse:
    """Give up a match that runs, and go back to the form of a new table."""
    try:
        actions.give_up(visitor_of(request), match_id)
    except NotFound as error:
        raise Http404(str(error)) from error
    messages.success(request, _("You have given up the game. A house player goes on in your place."))
    return redirect("play")


def table_sentence(error: LadderError) -> str:
    """Return the reason why something cannot be done at a table, as a sentence."""
    if isinstance(error, ChallengeRefusal):
        return refusal_sentence(error)
    if isinstance(error, TableRefused) and error.reason == "CLOCK":
        return _("Against bots that are not the house's, choose the clock of 10 minutes.")
    if isinstance(error, TableRefused) and error.reason == "GUESTS":
        return _("All tables for guests are taken. Sign in to sit down now, or try again in some minutes.")
    if isinstance(error, TableRefused) and error.reason == "PLACES":
        return _("Too many people play now. Choose fewer opponents, or try again in some minutes.")
    if isinstance(error, TableRefused):
        return _("All tables for people are taken. Try again in some minutes.")
    if isinstance(error, AnswerRefused) and error.reason == "OVER":
        return _("The game is over for you, and this decision was not played. Sit down at another table.")
    if isinstance(error, AnswerRefused) and error.reason == "STALE":
        return _("The game has gone on: this decision was made already, or it is not your turn.")
    if isinstance(error, AnswerRefused):
        return _("The rules do not allow this: %(why)s") % {"why": error}
    return _("This cannot be played: choose again.")


def _own_match(request: HttpRequest, match_id: str) -> tuple[MatchPage, OwnSeat]:
    """Return the match in which the visitor has a seat. Raise `Http404` if there is none."""
    seat = queries.own_seat(match_id, visitor_of(request))
    if seat is None:
        raise Http404("you have no seat at this table")
    return match_queries.match_page(match_id), seat


def _asked(page: MatchPage, seat: OwnSeat) -> AskedSeat | None:
    if seat.has_left or not page.line.seats:
        return None
    return queries.asked_seat(page.line.id, seat.seat)


def _choices(page: MatchPage, seat: OwnSeat, after: Sequence[str]) -> dict[str, Any]:
    line, asked = page.line, _asked(page, seat)
    if asked is None or queries.is_answered(line.id, asked.index):
        return {"index": None, "choices": None}
    index, shown = asked.index, {}
    if after:
        tried = TriedSowing(asked, after)
        asked, shown = tried.asked, tried_table(line, tried)
    legal = [action.text for action in asked.state.legal]
    made = board_choices(asked.view, legal, seat_names(line), gains(asked.state))
    return {"index": index, "choices": made, "left_ms": _left_ms(page, seat), **shown}


def _left_ms(page: MatchPage, seat: OwnSeat) -> int | None:
    """Return the milliseconds left on the clock of a seat that is asked. None if the game has no clock."""
    if is_untimed(page.clock):
        return None
    match_id = page.line.id
    thought_s = match_live.thought_s(match_id, seat.seat) + (match_live.decided_ago(match_id) or 0.0)
    return max(0, page.clock.bank_ms - int(1000 * thought_s))
