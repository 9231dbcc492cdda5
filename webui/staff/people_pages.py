"""Pages for staff about users and bots."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from webui.accounts import queries as account_queries
from webui.accounts.security import ACTS
from webui.accounts.values import Act
from webui.bots import presence
from webui.core.paging import ListPage, page_number
from webui.staff import audit_queries, people_queries
from webui.staff.acts import BOT, USER
from webui.staff.rights import PER_PAGE, found, offers, staff_page
from webui.staff.values import Right

LONGEST = 150
SHOWN = 8
"""Number of entries of the history on a page."""


@staff_page(Right.VIEW_USER)
@require_safe
def users(request: HttpRequest) -> HttpResponse:
    """Show users, found by name or email address."""
    search, kind, number = _asked(request, ("locked", "staff"))
    lines = people_queries.search_users(search, kind, limit=PER_PAGE + 1, offset=(number - 1) * PER_PAGE)
    shown = ListPage(lines[:PER_PAGE], number, len(lines) > PER_PAGE)
    context = {"here": "staff", "section": "users", "search": search, "kind": kind, "shown": shown}
    return render(request, "staff/users.html", context)


@staff_page(Right.VIEW_BOT)
@require_safe
def bots(request: HttpRequest) -> HttpResponse:
    """Show bots, found by name or owner."""
    search, kind, number = _asked(request, ("locked", "paused", "house"))
    lines = people_queries.search_bots(search, kind, limit=PER_PAGE + 1, offset=(number - 1) * PER_PAGE)
    shown = ListPage(lines[:PER_PAGE], number, len(lines) > PER_PAGE)
    context = {
        "here": "staff",
        "section": "bots",
        "search": search,
        "kind": kind,
        "shown": shown,
        "online": presence.online(),
    }
    return render(request, "staff/bots.html", context)


def _asked(request: HttpRequest, kinds: tuple[str, ...]) -> tuple[str, str, int]:
    """Return the search text, the kind, and the number of the page that were requested."""
    search = " ".join(request.GET.get("q", "").split())[:LONGEST]
    kind = request.GET.get("kind", "")
    return search, kind if kind in kinds else "", page_number(request.GET.get("page"))


@staff_page(Right.VIEW_USER)
@require_safe
def user(request: HttpRequest, name: str) -> HttpResponse:
    """Show one user, and the acts that are possible."""
    page = found(people_queries.staff_user, name)
    entries = [(line, ACTS[line.act]) for line in account_queries.audit(page.line.id, most=SHOWN)]
    context = {
        "here": "staff",
        "section": "users",
        "page": page,
        "line": page.line,
        "offers": offers(request, USER, page),
        "entries": entries,
    }
    return render(request, "staff/user.html", context)


@staff_page(Right.VIEW_BOT)
@require_safe
def bot(request: HttpRequest, slug: str) -> HttpResponse:
    """Show one bot, and the acts that are possible."""
    page = found(people_queries.staff_bot, slug)
    online = presence.online()
    lines = audit_queries.history_of(
        page.bot.name, acts=(Act.BOT_LOCKED, Act.BOT_UNLOCKED, Act.BOT_PAUSED, Act.BOT_RESUMED)
    )
    context = {
        "here": "staff",
        "section": "bots",
        "page": page,
        "bot": page.bot,
        "offers": offers(request, BOT, page),
        "sessions": None if online is None else online.get(page.bot.id, []),
        "entries": [(line, ACTS[line.act]) for line in lines],
    }
    return render(request, "staff/bot.html", context)
