"""Matches for staff."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from arena.host import tracing
from webui.ladder import actions, queries
from webui.ladder.values import Act
from webui.ladder.values.staff import MatchSearch
from webui.site.paging import Page, page_number
from webui.site.security import ACTS, actor
from webui.site.staff import PER_PAGE, answer_act, found, sent, staff_act, staff_page
from webui.site.staff_forms import ReasonForm, VoidForm
from webui.site.staff_words import of_again, of_void

STATES = ("SCHEDULED", "RUNNING", "FINISHED", "ABORTED", "VOID")
TROUBLES = ("forfeit", "taken-over", "late")
AGES = ("hour", "day", "week", "old")
LONGEST = 80


@staff_page("view_match")
@require_safe
def matches(request: HttpRequest) -> HttpResponse:
    """Matches, found by id, bot, owner, state, ladder, what went wrong, and age."""
    asked = {name: request.GET.get(name, "").strip()[:LONGEST] for name in ("match", "bot", "owner", "ladder")}
    chosen = {
        name: value if (value := request.GET.get(name, "")) in known else ""
        for name, known in (("state", STATES), ("trouble", TROUBLES), ("age", AGES))
    }
    wanted = MatchSearch(**asked, **chosen)
    number = page_number(request.GET.get("page"))
    lines = queries.search_matches(wanted, limit=PER_PAGE + 1, offset=(number - 1) * PER_PAGE)
    context = {
        "here": "staff",
        "section": "matches",
        "wanted": wanted,
        "is_plain": wanted == MatchSearch(),
        "shown": Page(lines[:PER_PAGE], number, len(lines) > PER_PAGE),
        "ladders": queries.ladders(),
        "states": STATES,
    }
    return render(request, "site/staff/matches.html", context)


@staff_page("view_match")
@require_safe
def match(request: HttpRequest, match_id: str) -> HttpResponse:
    """How one match is worked at, and what can be done about it."""
    page = found(queries.staff_match, match_id)
    context = {
        "here": "staff",
        "section": "matches",
        "match": page,
        "line": page.page.line,
        "trace": tracing.trace_id(match_id),
        "is_tracing": tracing.is_on,
        "entries": [
            (line, ACTS[line.act]) for line in queries.history_of(match_id, acts=(Act.MATCH_VOIDED, Act.MATCH_AGAIN))
        ],
    }
    return render(request, "site/staff/match.html", context)


@staff_act("change_match")
@require_http_methods(["GET", "POST"])
def order(request: HttpRequest, match_id: str, kind: str) -> HttpResponse:
    """Void a match, or have it played again: `kind` is `void` or `again`. A worker does it."""
    page = found(queries.staff_match, match_id)
    if kind not in ("void", "again"):
        raise Http404("there is no such order")
    is_void = kind == "void"
    form: VoidForm | ReasonForm
    if is_void:
        form = VoidForm(sent(request), help_text=_("Everybody reads it on the page of the match."))
    else:
        form = ReasonForm(sent(request))

    def do(entered: dict[str, Any]) -> bool:
        wanted = ("void_again" if entered["again"] else "void") if is_void else "again"
        return actions.order_match(match_id, wanted, entered["reason"], by=actor(request))

    is_possible = page.can_be_voided if is_void else page.can_be_played_again
    return answer_act(
        request,
        form,
        do,
        title=(_("Void match %(id)s") if is_void else _("Play match %(id)s again")) % {"id": match_id},
        button=_("Void the match") if is_void else _("Play it again"),
        done=_("It is ordered. A worker carries it out within seconds."),
        back=reverse("staff-match", args=[match_id]),
        here="matches",
        consequences=(of_void(page) if is_void else of_again(page))
        if is_possible
        else [_("This cannot be done now: the match is not as it would have to be, or something is ordered already.")],
        is_dangerous=is_void,
    )
