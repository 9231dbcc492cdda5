"""Pages for staff about matches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from arena.host import tracing
from webui.accounts.security import in_words
from webui.accounts.values import Act
from webui.core.pages import get_or_404, render_page
from webui.core.paging import ListPage, read_page
from webui.matches.values import MatchLine
from webui.ratings import queries as rating_queries
from webui.ratings.values import LadderSummary
from webui.staff import match_queries, people_queries
from webui.staff.acts_on_matches import MATCH
from webui.staff.rights import PER_PAGE, Entries, Offer, StaffContext, offers, staff_page
from webui.staff.values import MatchSearch, Right, StaffMatch, StaffMatchLine

STATES = ("SCHEDULED", "RUNNING", "FINISHED", "ABORTED", "VOID")
TROUBLES = ("forfeit", "taken-over", "late")
AGES = ("hour", "day", "week", "old")
LONGEST = 80


@dataclass(frozen=True, kw_only=True)
class StaffMatchesContext(StaffContext):
    """Matches, with the filters."""

    template: str = "staff/matches.html"
    section: str = "matches"
    wanted: MatchSearch
    is_plain: bool
    """Whether nothing is filtered."""
    shown: ListPage[StaffMatchLine]
    ladders: Sequence[LadderSummary]
    states: Sequence[str] = STATES


@dataclass(frozen=True, kw_only=True)
class StaffMatchContext(StaffContext):
    """One match, and the acts that are possible."""

    template: str = "staff/match.html"
    section: str = "matches"
    match: StaffMatch
    line: MatchLine
    offers: list[Offer]
    trace: str
    is_tracing: bool
    entries: Entries


@staff_page(Right.VIEW_MATCH)
@require_safe
def matches(request: HttpRequest) -> HttpResponse:
    """Show matches, filtered by id, bot, owner, state, ladder, trouble and age."""
    texts = {name: request.GET.get(name, "").strip()[:LONGEST] for name in ("match", "bot", "owner", "ladder")}
    chosen = {
        name: value if (value := request.GET.get(name, "")) in known else ""
        for name, known in (("state", STATES), ("trouble", TROUBLES), ("age", AGES))
    }
    wanted = MatchSearch(**texts, **chosen)
    context = StaffMatchesContext(
        wanted=wanted,
        is_plain=wanted == MatchSearch(),
        shown=read_page(request.GET.get("page"), PER_PAGE, partial(match_queries.search_matches, wanted)),
        ladders=rating_queries.ladders(),
    )
    return render_page(request, context)


@staff_page(Right.VIEW_MATCH)
@require_safe
def match(request: HttpRequest, match_id: str) -> HttpResponse:
    """Show the state of one match, and the acts that are possible."""
    page = get_or_404(match_queries.staff_match, match_id)
    context = StaffMatchContext(
        match=page,
        line=page.page.line,
        offers=offers(request, MATCH, page),
        trace=tracing.trace_id(match_id),
        is_tracing=tracing.is_on,
        entries=in_words(people_queries.history_of(match_id, acts=(Act.MATCH_VOIDED, Act.MATCH_AGAIN))),
    )
    return render_page(request, context)
