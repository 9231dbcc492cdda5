"""A bot's page."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from webui.ladder import queries
from webui.ladder.values import MatchLine, NotFound, OwnBot, SeatLine
from webui.site.bands import Axis
from webui.site.charts import rating_chart


@dataclass(frozen=True)
class Played:
    """A match from a bot's side."""

    line: MatchLine
    own: SeatLine
    others: list[SeatLine]


@dataclass(frozen=True)
class SeatShare:
    """How a bot does at one seat: its wins there beside an equal share of them."""

    seat: int
    games: int
    wins: int
    percent: int
    equal: int
    """The percent that equal bots would win."""


@require_safe
def bot(request: HttpRequest, slug: str) -> HttpResponse:
    """Rating, versions, recent matches and seats; for its owner tokens and state as well."""
    try:
        page = queries.bot_page(slug)
    except NotFound as error:
        raise Http404(str(error)) from error
    played = [_played(line, page.bot.id) for line in page.matches]
    best = max(page.standings, key=lambda standing: standing.rated.games, default=None)
    history = queries.rating_history(best.ladder.slug, best.version.id) if best else []
    context = {
        "here": "bots",
        "page": page,
        "bot": page.bot,
        "played": played,
        "best": best,
        "chart": rating_chart(history),
        "axis": Axis.of([standing.rated for standing in page.standings]),
        "seats": seat_shares(played),
        "own": _own(request, page.bot.owner_id, page.bot.id),
    }
    return render(request, "site/bot.html", context)


def _own(request: HttpRequest, owner_id: int, bot_id: int) -> OwnBot | None:
    """What the owner alone sees."""
    if request.user.pk != owner_id:
        return None
    return next((own for own in queries.own_bots(owner_id) if own.bot.id == bot_id), None)


def _played(line: MatchLine, bot_id: int) -> Played:
    own = next(seat for seat in line.seats if seat.version.bot.id == bot_id)
    others = [seat for seat in line.seats if seat is not own]
    return Played(line, own, sorted(others, key=lambda seat: (seat.placement or 9, seat.seat)))


def seat_shares(played: Sequence[Played]) -> list[SeatShare]:
    """Wins by seat over these matches, those with a result alone."""
    ended = [match for match in played if match.own.placement is not None]
    shares = []
    for seat in sorted({match.own.seat for match in ended}):
        here = [match for match in ended if match.own.seat == seat]
        wins = sum(match.own.placement == 1 for match in here)
        equal = sum(1 / match.line.players for match in here) / len(here)
        shares.append(SeatShare(seat, len(here), wins, round(100 * wins / len(here)), round(100 * equal)))
    return shares
