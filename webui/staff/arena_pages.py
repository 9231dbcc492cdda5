"""Pages for staff about the state of the arena, its ladders, the acts of staff, and suspicions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from arena.fairness.figures import Pair
from webui.accounts.security import ACTS, in_words
from webui.accounts.values import Act, AuditLine
from webui.bots import presence
from webui.core.pages import render_page
from webui.core.paging import ListPage, read_page
from webui.fairness import suspicions as fairness_suspicions
from webui.fairness.suspicions import Suspicion
from webui.staff import ladder_queries, operations, people_queries
from webui.staff.acts_on_matches import GAME
from webui.staff.rights import PER_PAGE, Entries, StaffContext, staff_page
from webui.staff.values import AuditSearch, Operations, Right, StaffGame
from webui.status.values import ProcessLine
from webui.status.words import WHAT

LONGEST = 200
PAIRS_SHOWN = 50


@dataclass(frozen=True, kw_only=True)
class NowContext(StaffContext):
    """The processes, the queues, and the findings of the nightly doctor."""

    template: str = "staff/now.html"
    section: str = "now"
    page: Operations
    at: datetime
    processes: list[tuple[ProcessLine, str]]
    """Processes, each with the name of its kind."""
    is_redis_up: bool
    online: int
    """Number of connected processes of bots."""


@dataclass(frozen=True, kw_only=True)
class AuditContext(StaffContext):
    """A page of the audit log, with the filters."""

    template: str = "staff/audit.html"
    section: str = "audit"
    wanted: AuditSearch
    is_plain: bool
    """Whether nothing is filtered."""
    acts: list[tuple[str, str]]
    shown: ListPage[AuditLine]
    entries: Entries


@dataclass(frozen=True, kw_only=True)
class SuspicionsContext(StaffContext):
    """Bots that may help others, and accounts that may have the same owner."""

    template: str = "staff/suspicions.html"
    section: str = "suspicions"
    day: date | None
    games: int
    pairs: Sequence[Pair]
    has_looked: bool
    """Whether the accounts were asked for."""
    accounts: Sequence[Suspicion]


@dataclass(frozen=True, kw_only=True)
class StaffLaddersContext(StaffContext):
    """All games with their ladders, and the latest changes."""

    template: str = "staff/ladders.html"
    section: str = "ladders"
    games: list[tuple[StaffGame, str]]
    entries: Entries


@staff_page()
@require_safe
def now(request: HttpRequest) -> HttpResponse:
    """Show the processes, the queues, and the findings of the nightly doctor."""
    page = operations.operations()
    online = presence.online()
    context = NowContext(
        page=page,
        at=timezone.now(),
        processes=[(process, WHAT[process.kind][0]()) for process in page.processes],
        is_redis_up=online is not None,
        online=sum(len(sessions) for sessions in (online or {}).values()),
    )
    return render_page(request, context)


@staff_page(Right.VIEW_AUDIT)
@require_safe
def audit(request: HttpRequest) -> HttpResponse:
    """Show the audit log, filtered and page by page."""
    texts = {name: request.GET.get(name, "").strip()[:LONGEST] for name in ("actor", "account", "subject")}
    act = request.GET.get("act", "")
    wanted = AuditSearch(**texts, act=act if act in Act.__members__ else "", is_all="all" in request.GET)
    shown = read_page(
        request.GET.get("page"),
        PER_PAGE,
        lambda limit, offset: people_queries.search_audit(wanted, first=offset, most=limit),
    )
    context = AuditContext(
        wanted=wanted,
        is_plain=wanted == AuditSearch(),
        acts=[(str(name), str(words)) for name, words in ACTS.items()],
        shown=shown,
        entries=in_words(shown.items),
    )
    return render_page(request, context)


@staff_page(Right.VIEW_SUSPICIONS)
@require_safe
def suspicions(request: HttpRequest) -> HttpResponse:
    """Show bots that may help others, as measured every night. This says where to look, and is never a verdict.

    On request, also show accounts that may have the same owner. This reads all accounts and addresses.
    """
    measured = fairness_suspicions.who_helps_whom()
    context = SuspicionsContext(
        day=measured[0] if measured else None,
        games=measured[1].games if measured else 0,
        pairs=measured[1].pairs[:PAIRS_SHOWN] if measured else [],
        has_looked="accounts" in request.GET,
        accounts=fairness_suspicions.accounts_alike()[:PAIRS_SHOWN] if "accounts" in request.GET else [],
    )
    return render_page(request, context)


@staff_page(Right.VIEW_LADDER)
@require_safe
def ladders(request: HttpRequest) -> HttpResponse:
    """Show all games with their ladders, and the latest changes."""
    games = ladder_queries.staff_games()
    names = [name for game in games for name in (game.terms.game, *(each.ladder.slug for each in game.ladders))]
    changes = people_queries.history_of(*names, acts=(Act.LADDER_CHANGED,))
    context = StaffLaddersContext(games=[(game, GAME.name(game)) for game in games], entries=in_words(changes))
    return render_page(request, context)
