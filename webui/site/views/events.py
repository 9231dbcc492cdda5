"""Events as pages, and as documents for programs."""

import csv
import json
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe

from arena.events import EventState
from arena.events.exports import standings_rows
from arena.events.verify import FORMAT, event_document
from webui.ladder import queries
from webui.ladder.values import NotFound
from webui.ladder.values.events import EventPage
from webui.site.events import bracket, room, rounds, standings, words
from webui.site.views.ladders import plain

LIVE = (EventState.RUNNING, EventState.PAUSED, EventState.FROZEN, EventState.OPEN)
"""In the order of the list."""
OVER = (EventState.FINISHED, EventState.ARCHIVED, EventState.CANCELLED)
ROWS_SHOWN = 64
"""Of the standings, without `?standings=all`."""
LOG_SHOWN = 20
"""Of the log, without `?log=all`."""


@require_safe
def events(request: HttpRequest) -> HttpResponse:
    """What runs and what is open, then what is over; drafts of the visitor's own."""
    own = queries.own_events(request.user.pk) if request.user.pk else []
    live = queries.events(states=tuple(map(str, LIVE)))
    context = {
        "here": "events",
        "drafts": [line for line in own if line.state == EventState.DRAFT],
        "live": sorted(live, key=lambda line: LIVE.index(EventState(line.state))),
        "over": queries.events(states=tuple(map(str, OVER))),
    }
    return render(request, "site/events.html", context)


@require_safe
def event(request: HttpRequest, slug: str) -> HttpResponse:
    """An event as the visitor may see it."""
    return render(request, "site/event.html", event_context(request, event_page(request, slug)))


def event_page(request: HttpRequest, slug: str) -> EventPage:
    """The event as the visitor may see it; `Http404`."""
    try:
        return queries.event_page(slug, request.user.pk)
    except NotFound as error:
        raise Http404(str(error)) from error


def event_context(request: HttpRequest, page: EventPage) -> dict[str, Any]:
    """What the page of an event shows to everybody."""
    rows = standings.rows(page)
    user_id = request.user.pk
    own = queries.own_entries(page.line.slug, user_id) if user_id and page.event.state is not EventState.DRAFT else []
    log = words.log_lines(page.event, page.facts)
    return {
        "here": "events",
        "page": page,
        "line": page.line,
        "terms": page.event.terms,
        "format": words.format_words(page.event),
        "is_over": page.event.state in OVER,
        "rows": rows if request.GET.get("standings") == "all" else rows[:ROWS_SHOWN],
        "all_rows": len(rows),
        "tie_breaks": standings.tie_break_heads(page),
        "crosstable": standings.crosstable(page),
        "stages": bracket.stages(page),
        "rounds": rounds.rounds(page, request.GET.get("page")),
        "log": log if request.GET.get("log") == "all" else log[:LOG_SHOWN],
        "all_log": len(log),
        "own": room.own_bots(page, own),
        "room": room.room(page) if page.is_organiser else None,
        "is_hidden": page.event.terms.hidden and page.event.revealed < len(page.event.rounds),
    }


@require_safe
def event_json(request: HttpRequest, slug: str) -> HttpResponse:
    """The document of `arena event verify`, without results that are hidden; before the end it has no standings."""
    page = event_page(request, slug)
    document = {"format": FORMAT, "facts": [fact.document() for fact in page.facts], "standings": []}
    if page.event.seed is not None and page.shown == len(page.event.rounds):
        document = event_document(page.facts)
    text = json.dumps(document, separators=(",", ":"), ensure_ascii=False)
    response = HttpResponse(text, content_type="application/json")
    response["Content-Disposition"] = content_disposition_header(True, f"naqala-{slug}.json") or ""
    return response


@require_safe
def event_csv(request: HttpRequest, slug: str) -> HttpResponse:
    """The standings as comma separated values, as far as they are shown."""
    page = event_page(request, slug)
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = content_disposition_header(True, f"naqala-{slug}.csv") or ""
    csv.writer(response).writerows([plain(cell) for cell in row] for row in standings_rows(page.event, page.standings))
    return response
