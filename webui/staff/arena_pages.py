"""Pages for staff about the state of the arena, the acts of staff, and suspicions."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from webui.accounts.security import ACTS
from webui.accounts.values import Act
from webui.bots import presence
from webui.core.paging import ListPage, page_number
from webui.fairness import suspicions as fairness_suspicions
from webui.staff import audit_queries, operations
from webui.staff.rights import PER_PAGE, staff_page
from webui.staff.values import AuditSearch, Right
from webui.status.words import WHAT

LONGEST = 200
PAIRS_SHOWN = 50


@staff_page()
@require_safe
def now(request: HttpRequest) -> HttpResponse:
    """Show the processes, the queues, and the findings of the nightly doctor."""
    page = operations.operations()
    online = presence.online()
    context = {
        "here": "staff",
        "section": "now",
        "page": page,
        "at": timezone.now(),
        "processes": [(process, WHAT[process.kind][0]()) for process in page.processes],
        "is_redis_up": online is not None,
        "online": sum(len(sessions) for sessions in (online or {}).values()),
    }
    return render(request, "staff/now.html", context)


@staff_page(Right.VIEW_AUDIT)
@require_safe
def audit(request: HttpRequest) -> HttpResponse:
    """Show the audit log, filtered and page by page."""
    asked = {name: request.GET.get(name, "").strip()[:LONGEST] for name in ("actor", "account", "subject")}
    act = request.GET.get("act", "")
    wanted = AuditSearch(**asked, act=act if act in Act.__members__ else "", is_all="all" in request.GET)
    number = page_number(request.GET.get("page"))
    lines = audit_queries.search_audit(wanted, first=(number - 1) * PER_PAGE, most=PER_PAGE + 1)
    context = {
        "here": "staff",
        "section": "audit",
        "wanted": wanted,
        "is_plain": wanted == AuditSearch(),
        "acts": [(str(name), words) for name, words in ACTS.items()],
        "shown": ListPage(lines[:PER_PAGE], number, len(lines) > PER_PAGE),
        "entries": [(line, ACTS[line.act]) for line in lines[:PER_PAGE]],
    }
    return render(request, "staff/audit.html", context)


@staff_page(Right.VIEW_SUSPICIONS)
@require_safe
def suspicions(request: HttpRequest) -> HttpResponse:
    """Show bots that may help others, as measured every night. This says where to look, and is never a verdict.

    On request, also show accounts that may have the same owner. This reads all accounts and addresses.
    """
    measured = fairness_suspicions.who_helps_whom()
    context = {
        "here": "staff",
        "section": "suspicions",
        "day": measured[0] if measured else None,
        "games": measured[1]["games"] if measured else 0,
        "pairs": measured[1]["pairs"][:PAIRS_SHOWN] if measured else [],
        "has_looked": "accounts" in request.GET,
        "accounts": fairness_suspicions.accounts_alike()[:PAIRS_SHOWN] if "accounts" in request.GET else [],
    }
    return render(request, "staff/suspicions.html", context)
