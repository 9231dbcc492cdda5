"""Pages for staff about matches."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from arena.host import tracing
from webui.accounts.security import ACTS
from webui.accounts.values import Act
from webui.core.paging import ListPage, page_number
from webui.ratings import queries as rating_queries
from webui.staff import audit_queries, match_queries
from webui.staff.acts import MATCH
from webui.staff.rights import PER_PAGE, found, offers, staff_page
from webui.staff.values import MatchSearch, Right

STATES = ("SCHEDULED", "RUNNING", "FINISHED", "ABORTED", "VOID")
TROUBLES = ("forfeit", "taken-over", "late")
AGES = ("hour", "day", "week", "old")
LONGEST = 80


@staff_page(Right.VIEW_MATCH)
@require_safe
def matches(request: HttpRequest) -> HttpResponse:
    """Show matches, filtered by id, bot, owner, state, ladder, trouble and age."""
    asked = {name: request.GET.get(name, "").strip()[:LONGEST] for name in ("match", "bot", "owner", "ladder")}
    chosen = {
        name: value if (value := request.GET.get(name, "")) in known else ""
        for name, known in (("state", STATES), ("trouble", TROUBLES), ("age", AGES))
    }
    wanted = MatchSearch(**asked, **chosen)
    number = page_number(request.GET.get("page"))
    lines = match_queries.search_matches(wanted, limit=PER_PAGE + 1, offset=(number - 1) * PER_PAGE)
    context = {
        "here": "staff",
        "section": "matches",
        "wanted": wanted,
        "is_plain": wanted == MatchSearch(),
        "shown": ListPage(lines[:PER_PAGE], number, len(lines) > PER_PAGE),
        "ladders": rating_queries.ladders(),
        "states": STATES,
    }
    return render(request, "staff/matches.html", context)


@staff_page(Right.VIEW_MATCH)
@require_safe
def match(request: HttpRequest, match_id: str) -> HttpResponse:
    """Show the state of one match, and the acts that are possible."""
    page = found(match_queries.staff_match, match_id)
    context = {
        "here": "staff",
        "section": "matches",
        "match": page,
        "line": page.page.line,
        "offers": offers(request, MATCH, page),
        "trace": tracing.trace_id(match_id),
        "is_tracing": tracing.is_on,
        "entries": [
            (line, ACTS[line.act])
            for line in audit_queries.history_of(match_id, acts=(Act.MATCH_VOIDED, Act.MATCH_AGAIN))
        ],
    }
    return render(request, "staff/match.html", context)
