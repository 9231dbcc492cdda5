"""Ladders as pages, and as CSV and JSON tables."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from arena.bus import Presence
from arena.referee import Clock
from webui.bots import presence
from webui.core.pages import LinkCard, PageContext, attachment, get_or_404, link_card, render_page
from webui.core.paging import ListPage, page_of
from webui.ladders.values import LadderRef
from webui.ratings import queries, standings
from webui.ratings.charts import RatingAxis
from webui.ratings.standings import Filters
from webui.ratings.values import LadderPage, LadderRow, LadderSummary, OverallPage
from webui.words.titles import clock, game_words, ladder_name, rules_words, tab_words

TOP = 3
CARD_ROWS = 5
"""Number of rows named in the card of a ladder."""
NO_LADDER = PageContext(template="ratings/ladder_none.html", here="ladder")


@dataclass(frozen=True, kw_only=True)
class LaddersContext(PageContext):
    """The overview of all ladders, grouped by their rules, each with its best bots."""

    template: str = "ratings/ladders.html"
    here: str = "ladder"
    groups: list[tuple[str, list[tuple[LadderSummary, list[LadderRow]]]]]
    has_overall: bool


@dataclass(frozen=True, kw_only=True)
class LadderContext(PageContext):
    """One ladder, or the joint ratings over all ladders, filtered and sorted as requested."""

    template: str = "ratings/ladder.html"
    here: str = "ladder"
    title: str
    page: LadderPage | OverallPage
    ladder: LadderRef | None
    """None for the joint ratings."""
    tabs: list[tuple[LadderRef, str]]
    """Ladders with the same rules, each with its name."""
    rulesets: list[LadderSummary]
    clock: Clock
    has_overall: bool
    filters: Filters
    shown: ListPage[LadderRow]
    lines: list[tuple[LadderRow, list[int], list[LadderRow]]]
    """Rows, each with its recent ratings and with other versions of the bot."""
    axis: RatingAxis
    searched: int
    """Number of rows that were searched."""
    online: Mapping[int, Sequence[Presence]] | None


@require_safe
def ladders(request: HttpRequest) -> HttpResponse:
    """Show an overview of all ladders, in an order that does not depend on their matches.

    If there is no ladder, show a page that says so.
    """
    summaries = queries.ladders()
    if not summaries:
        return render_page(request, NO_LADDER)
    tops = queries.ladder_tops(TOP)
    groups: dict[tuple[str, ...], list[tuple[LadderSummary, list[LadderRow]]]] = {}
    for summary in summaries:
        groups.setdefault(summary.ladder.expansions, []).append((summary, tops.get(summary.ladder.id, [])))
    named = [(rules_words(expansions), lines) for expansions, lines in groups.items()]
    return render_page(request, LaddersContext(groups=named, has_overall=_has_overall(summaries)))


def _has_overall(summaries: Sequence[LadderSummary]) -> bool:
    return sum(summary.matches > 0 for summary in summaries) > 1


@require_safe
def ladder(request: HttpRequest, slug: str) -> HttpResponse:
    """Show one ladder, filtered and sorted as requested."""
    page = get_or_404(queries.ladder, slug)
    ranked = [(row.version.bot.name, row.rated) for row in page.rows if row.rated and row.rated.rank][:CARD_ROWS]
    best = ", ".join(f"{rated.rank}. {name} {rated.points}" for name, rated in ranked) or _("Nobody is rated here yet.")
    title = _("Ladder, %(name)s") % {"name": game_words(page.ladder.players, page.ladder.expansions)}
    card = link_card(request, "ladder", slug, title, f"{clock(page.ladder.clock)} · {best}")
    return render_page(request, _context(request, page, ladder_name(page.ladder), page.ladder.clock, page.ladder, card))


@require_safe
def overall(request: HttpRequest) -> HttpResponse:
    """Show the joint ratings over all ladders, filtered and sorted as requested."""
    page = queries.overall()
    return render_page(request, _context(request, page, _("Overall"), page.clock) if page else NO_LADDER)


def _context(
    request: HttpRequest,
    page: LadderPage | OverallPage,
    title: str,
    terms: Clock,
    ladder: LadderRef | None = None,
    card: LinkCard | None = None,
) -> LadderContext:
    """Return what the page of one ladder shows. Without `ladder` it is the page of the joint ratings."""
    summaries = queries.ladders()
    siblings = [summary.ladder for summary in summaries if ladder and summary.ladder.expansions == ladder.expansions]
    online = presence.online()
    filters = Filters.of(request.GET)
    shown = page_of(filters.apply(page.rows, online or {}), request.GET.get("page"), standings.PAGE)
    trends = queries.trends(ladder.slug if ladder else None, [row.version.id for row in shown.items])
    others = {} if filters.is_whole else standings.other_versions(page.rows, shown.items)
    return LadderContext(
        card=card,
        title=title,
        page=page,
        ladder=ladder,
        tabs=list(zip(siblings, tab_words(siblings), strict=True)),
        rulesets=_rulesets(summaries, ladder),
        clock=terms,
        has_overall=_has_overall(summaries),
        filters=filters,
        shown=shown,
        lines=[(row, trends.get(row.version.id, []), others.get(row.version.bot.id, [])) for row in shown.items],
        axis=RatingAxis.of([row.rated for row in shown.items if row.rated]),
        searched=len(page.rows if filters.is_whole else standings.front_rows(page.rows)),
        online=online,
    )


def _rulesets(summaries: Sequence[LadderSummary], ladder: LadderRef | None = None) -> list[LadderSummary]:
    """Return one ladder to link to for each set of expansions.

    It is the one with the same number of players as `ladder`, or the one with the most matches.
    """

    def rank(summary: LadderSummary) -> tuple[bool, int]:
        return (ladder is not None and summary.ladder.players == ladder.players, summary.matches)

    most_played: dict[tuple[str, ...], LadderSummary] = {}
    for summary in summaries:
        key = summary.ladder.expansions
        if key not in most_played or rank(summary) > rank(most_played[key]):
            most_played[key] = summary
    return [most_played[key] for key in sorted(most_played, key=lambda key: (len(key), key))]


COLUMNS = ("rank", "best", "worst", "bot", "version", "owner", "house", "hosted", "points", "low", "high", "settled",
           "better", "games_needed", "games", "wins", "forfeits")  # fmt: skip


def _line(row: LadderRow) -> dict[str, Any]:
    """Return the columns of a row. Unknown and missing values are None."""
    bot, rated = row.version.bot, row.rated
    known: dict[str, Any] = dict.fromkeys(COLUMNS) | {
        "bot": bot.name, "version": row.version.name, "owner": bot.owner, "house": bot.is_house,
        "hosted": row.version.is_hosted,
        "games": row.games, "wins": row.wins,
    }  # fmt: skip
    if rated:
        known |= {
            "rank": rated.rank, "best": rated.best, "worst": rated.worst, "points": rated.points, "low": rated.low,
            "high": rated.high, "settled": rated.is_settled, "games_needed": rated.games_needed,
            "better": rated.better and round(rated.better, 3), "forfeits": rated.forfeits,
        }  # fmt: skip
    return known


@require_safe
def ladder_csv(request: HttpRequest, slug: str) -> HttpResponse:
    """Return all lines of a ladder as CSV, best first."""
    response = attachment("", "text/csv; charset=utf-8", f"naqala-{slug}.csv")
    page = get_or_404(queries.ladder, slug)
    writer = csv.writer(response)
    writer.writerow(COLUMNS)
    for row in page.rows:
        writer.writerow(["" if value is None else plain(value) for value in _line(row).values()])
    return response


def plain(value: object) -> object:
    """Return the value, quoted if a spreadsheet would read it as a formula. Users choose these names."""
    text = str(value)
    return f"'{text}" if isinstance(value, str) and text[:1] in ("=", "+", "-", "@", "\t", "\r") else value


@require_safe
def ladder_json(request: HttpRequest, slug: str) -> JsonResponse:
    """Return all lines of a ladder as JSON, best first."""
    page = get_or_404(queries.ladder, slug)
    return JsonResponse(
        {
            "ladder": slug,
            "players": page.ladder.players,
            "expansions": list(page.ladder.expansions),
            "clock": page.ladder.clock.document(),
            "matches": page.matches,
            "rated_matches": page.fitted,
            "bots": [_line(row) for row in page.rows],
        }
    )
