"""Ladders as pages, and as CSV and JSON tables."""

import csv
from collections.abc import Mapping, Sequence
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from webui.bots import presence
from webui.core.errors import NotFound
from webui.core.paging import page_of
from webui.ladders.values import LadderRef
from webui.ratings import queries, standings
from webui.ratings.cards import ladder_card
from webui.ratings.charts import RatingAxis
from webui.ratings.standings import Filters
from webui.ratings.values import LadderPage, LadderRow, LadderSummary, OverallPage
from webui.words.titles import ladder_name, rules_words, tab_words

TOP = 3


@require_safe
def ladders(request: HttpRequest) -> HttpResponse:
    """Show an overview of all ladders, in an order that does not depend on their matches.

    If there is no ladder, show a page that says so.
    """
    summaries = queries.ladders()
    if not summaries:
        return render(request, "ratings/ladder_none.html", {"here": "ladder"})
    tops = queries.ladder_tops(TOP)
    groups: dict[tuple[str, ...], list[tuple[LadderSummary, list[LadderRow]]]] = {}
    for summary in summaries:
        groups.setdefault(summary.ladder.expansions, []).append((summary, tops.get(summary.ladder.id, [])))
    context = {
        "here": "ladder",
        "groups": [(rules_words(expansions), lines) for expansions, lines in groups.items()],
        "has_overall": _has_overall(summaries),
    }
    return render(request, "ratings/ladders.html", context)


def _has_overall(summaries: Sequence[LadderSummary]) -> bool:
    return sum(summary.matches > 0 for summary in summaries) > 1


@require_safe
def ladder(request: HttpRequest, slug: str) -> HttpResponse:
    """Show one ladder, filtered and sorted as requested."""
    page = _ladder(slug)
    summaries = queries.ladders()
    context = {
        "title": ladder_name(page.ladder),
        "ladder": page.ladder,
        "card": ladder_card(request, page.ladder, [row for row in page.rows if row.rated and row.rated.rank][:5]),
        "tabs": _tabs([one.ladder for one in summaries if one.ladder.expansions == page.ladder.expansions]),
        "rulesets": _rulesets(summaries, page.ladder),
        "clock": page.ladder.clock,
    }
    return _table(request, page, slug, summaries, context)


@require_safe
def overall(request: HttpRequest) -> HttpResponse:
    """Show the joint ratings over all ladders, filtered and sorted as requested."""
    page = queries.overall()
    summaries = queries.ladders()
    if page is None:
        return render(request, "ratings/ladder_none.html", {"here": "ladder"})
    context = {"title": _("Overall"), "rulesets": _rulesets(summaries), "clock": page.clock}
    return _table(request, page, None, summaries, context)


def _tabs(found: Sequence[LadderRef]) -> list[tuple[LadderRef, str]]:
    return list(zip(found, tab_words(found), strict=True))


def _table(
    request: HttpRequest,
    page: LadderPage | OverallPage,
    slug: str | None,
    summaries: Sequence[LadderSummary],
    context: Mapping[str, Any],
) -> HttpResponse:
    online = presence.online()
    filters = Filters.of(request.GET)
    shown = page_of(filters.apply(page.rows, online or {}), request.GET.get("page"), standings.PAGE)
    trends = queries.trends(slug, [row.version.id for row in shown.items])
    others = {} if filters.is_whole else standings.other_versions(page.rows, shown.items)
    common = {
        "here": "ladder",
        "page": page,
        "has_overall": _has_overall(summaries),
        "filters": filters,
        "shown": shown,
        "lines": [(row, trends.get(row.version.id, []), others.get(row.version.bot.id, [])) for row in shown.items],
        "axis": RatingAxis.of([row.rated for row in shown.items if row.rated]),
        "searched": len(page.rows if filters.is_whole else standings.front_rows(page.rows)),
        "online": online,
    }
    return render(request, "ratings/ladder.html", {**common, **context})


def _rulesets(summaries: Sequence[LadderSummary], ladder: LadderRef | None = None) -> list[LadderSummary]:
    """Return one ladder to link to for each set of expansions.

    It is the one with the same number of players as `ladder`, or the one with the most matches.
    """

    def rank(summary: LadderSummary) -> tuple[bool, int]:
        return (ladder is not None and summary.ladder.players == ladder.players, summary.matches)

    found: dict[tuple[str, ...], LadderSummary] = {}
    for summary in summaries:
        key = summary.ladder.expansions
        if key not in found or rank(summary) > rank(found[key]):
            found[key] = summary
    return [found[key] for key in sorted(found, key=lambda key: (len(key), key))]


COLUMNS = ("rank", "best", "worst", "bot", "version", "owner", "house", "points", "low", "high", "settled", "better",
           "games_needed", "games", "wins", "forfeits")  # fmt: skip


def _line(row: LadderRow) -> dict[str, Any]:
    """Return the columns of a row. Unknown and missing values are None."""
    bot, rated = row.version.bot, row.rated
    known: dict[str, Any] = dict.fromkeys(COLUMNS) | {
        "bot": bot.name, "version": row.version.name, "owner": bot.owner, "house": bot.is_house,
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
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = content_disposition_header(True, f"naqala-{slug}.csv") or ""
    page = _ladder(slug)
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
    page = _ladder(slug)
    return JsonResponse(
        {
            "ladder": slug,
            "players": page.ladder.players,
            "expansions": list(page.ladder.expansions),
            "clock": page.ladder.clock,
            "matches": page.matches,
            "rated_matches": page.fitted,
            "bots": [_line(row) for row in page.rows],
        }
    )


def _ladder(slug: str) -> LadderPage:
    try:
        return queries.ladder(slug)
    except NotFound as error:
        raise Http404(str(error)) from error
