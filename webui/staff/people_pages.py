"""Pages for staff about users and bots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from arena.bus import Presence
from webui.accounts import queries as account_queries
from webui.accounts.security import in_words
from webui.accounts.values import Act
from webui.bots import presence
from webui.bots.values import BotRef
from webui.core.pages import get_or_404, render_page
from webui.core.paging import ListPage, read_page
from webui.profiles.values import BotLine
from webui.staff import people_queries
from webui.staff.acts_on_people import BOT, USER
from webui.staff.rights import PER_PAGE, Entries, Offer, StaffContext, offers, staff_page
from webui.staff.values import Right, StaffBot, StaffUser, UserLine

LONGEST = 150
SHOWN = 8
"""Number of entries of the history on a page."""


@dataclass(frozen=True, kw_only=True)
class UsersContext(StaffContext):
    """Users, found by name or email address."""

    template: str = "staff/users.html"
    section: str = "users"
    search: str
    kind: str
    shown: ListPage[UserLine]


@dataclass(frozen=True, kw_only=True)
class StaffBotsContext(StaffContext):
    """Bots, found by name or owner."""

    template: str = "staff/bots.html"
    section: str = "bots"
    search: str
    kind: str
    shown: ListPage[BotLine]
    online: Mapping[int, Sequence[Presence]] | None


@dataclass(frozen=True, kw_only=True)
class StaffUserContext(StaffContext):
    """One user, and the acts that are possible."""

    template: str = "staff/user.html"
    section: str = "users"
    page: StaffUser
    line: UserLine
    offers: list[Offer]
    entries: Entries


@dataclass(frozen=True, kw_only=True)
class StaffBotContext(StaffContext):
    """One bot, and the acts that are possible."""

    template: str = "staff/bot.html"
    section: str = "bots"
    page: StaffBot
    bot: BotRef
    offers: list[Offer]
    sessions: Sequence[Presence] | None
    """Connected processes. None while this is not known."""
    entries: Entries


@staff_page(Right.VIEW_USER)
@require_safe
def users(request: HttpRequest) -> HttpResponse:
    """Show users, found by name or email address."""
    search, kind = _search_and_kind(request, ("locked", "staff"))
    shown = read_page(request.GET.get("page"), PER_PAGE, partial(people_queries.search_users, search, kind))
    return render_page(request, UsersContext(search=search, kind=kind, shown=shown))


@staff_page(Right.VIEW_BOT)
@require_safe
def bots(request: HttpRequest) -> HttpResponse:
    """Show bots, found by name or owner."""
    search, kind = _search_and_kind(request, ("locked", "paused", "house"))
    shown = read_page(request.GET.get("page"), PER_PAGE, partial(people_queries.search_bots, search, kind))
    context = StaffBotsContext(
        search=search,
        kind=kind,
        shown=shown,
        online=presence.online(),
    )
    return render_page(request, context)


def _search_and_kind(request: HttpRequest, kinds: tuple[str, ...]) -> tuple[str, str]:
    """Return the search text and the kind that were requested."""
    search = " ".join(request.GET.get("q", "").split())[:LONGEST]
    kind = request.GET.get("kind", "")
    return search, kind if kind in kinds else ""


@staff_page(Right.VIEW_USER)
@require_safe
def user(request: HttpRequest, name: str) -> HttpResponse:
    """Show one user, and the acts that are possible."""
    page = get_or_404(people_queries.staff_user, name)
    context = StaffUserContext(
        page=page,
        line=page.line,
        offers=offers(request, USER, page),
        entries=in_words(account_queries.audit(page.line.id, most=SHOWN)),
    )
    return render_page(request, context)


@staff_page(Right.VIEW_BOT)
@require_safe
def bot(request: HttpRequest, slug: str) -> HttpResponse:
    """Show one bot, and the acts that are possible."""
    page = get_or_404(people_queries.staff_bot, slug)
    online = presence.online()
    lines = people_queries.history_of(
        page.bot.name, acts=(Act.BOT_LOCKED, Act.BOT_UNLOCKED, Act.BOT_PAUSED, Act.BOT_RESUMED)
    )
    context = StaffBotContext(
        page=page,
        bot=page.bot,
        offers=offers(request, BOT, page),
        sessions=None if online is None else online.get(page.bot.id, []),
        entries=in_words(lines),
    )
    return render_page(request, context)
