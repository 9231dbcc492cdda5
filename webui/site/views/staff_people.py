"""Users and bots for staff."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from webui.ladder import actions, queries
from webui.ladder.values import Act
from webui.site import presence
from webui.site.paging import Page, page_number
from webui.site.security import ACTS, actor
from webui.site.staff import PER_PAGE, answer_act, found, new_number, sent, staff_act, staff_page
from webui.site.staff_forms import LockForm, MessageForm
from webui.site.staff_words import links_of, of_lock_bot, of_lock_user, of_unlock_bot, of_unlock_user

LONGEST = 150
SHOWN = 8
"""Entries of the history on a page."""


@staff_page("view_user")
@require_safe
def users(request: HttpRequest) -> HttpResponse:
    """Users, found by name or email address."""
    search, kind, number = _asked(request, ("locked", "staff"))
    lines = queries.search_users(search, kind, limit=PER_PAGE + 1, offset=(number - 1) * PER_PAGE)
    shown = Page(lines[:PER_PAGE], number, len(lines) > PER_PAGE)
    context = {"here": "staff", "section": "users", "search": search, "kind": kind, "shown": shown}
    return render(request, "site/staff/users.html", context)


@staff_page("view_bot")
@require_safe
def bots(request: HttpRequest) -> HttpResponse:
    """Bots, found by name or owner."""
    search, kind, number = _asked(request, ("locked", "paused", "house"))
    lines = queries.search_bots(search, kind, limit=PER_PAGE + 1, offset=(number - 1) * PER_PAGE)
    shown = Page(lines[:PER_PAGE], number, len(lines) > PER_PAGE)
    context = {
        "here": "staff",
        "section": "bots",
        "search": search,
        "kind": kind,
        "shown": shown,
        "online": presence.online(),
    }
    return render(request, "site/staff/bots.html", context)


def _asked(request: HttpRequest, kinds: tuple[str, ...]) -> tuple[str, str, int]:
    """What is looked for, of which kind, and which page."""
    search = " ".join(request.GET.get("q", "").split())[:LONGEST]
    kind = request.GET.get("kind", "")
    return search, kind if kind in kinds else "", page_number(request.GET.get("page"))


@staff_page("view_user")
@require_safe
def user(request: HttpRequest, name: str) -> HttpResponse:
    """One user, and what can be done."""
    page = found(queries.staff_user, name)
    entries = [(line, ACTS[line.act]) for line in queries.audit(page.line.id, most=SHOWN)]
    context = {"here": "staff", "section": "users", "page": page, "line": page.line, "entries": entries}
    return render(request, "site/staff/user.html", context)


@staff_page("view_bot")
@require_safe
def bot(request: HttpRequest, slug: str) -> HttpResponse:
    """One bot, and what can be done."""
    page = found(queries.staff_bot, slug)
    online = presence.online()
    lines = queries.history_of(page.bot.name, acts=(Act.BOT_LOCKED, Act.BOT_UNLOCKED, Act.BOT_PAUSED, Act.BOT_RESUMED))
    context = {
        "here": "staff",
        "section": "bots",
        "page": page,
        "bot": page.bot,
        "sessions": None if online is None else online.get(page.bot.id, []),
        "entries": [(line, ACTS[line.act]) for line in lines],
    }
    return render(request, "site/staff/bot.html", context)


@staff_act("change_user")
@require_http_methods(["GET", "POST"])
def lock_user(request: HttpRequest, name: str) -> HttpResponse:
    """Lock a user who is not; unlock one who is."""
    page = found(queries.staff_user, name)
    is_locked = not page.line.is_active
    # What was shown is done, and never the other way round.
    is_locking = request.POST.get("deed", "unlock" if is_locked else "lock") == "lock"

    def do(entered: dict[str, Any]) -> bool:
        act = actions.lock_user if is_locking else actions.unlock_user
        return act(page.line.id, entered["reason"], by=actor(request))

    form = LockForm(is_locking, sent(request), help_text=_("The user reads it in the history of the account."))
    return answer_act(
        request,
        form,
        do,
        title=(_("Lock %(name)s") if is_locking else _("Unlock %(name)s")) % {"name": name},
        button=_("Lock the account") if is_locking else _("Unlock the account"),
        done=_("The account is locked.") if is_locking else _("The account is unlocked."),
        back=reverse("staff-user", args=[name]),
        here="users",
        consequences=of_lock_user(page) if is_locking else of_unlock_user(page),
        links=links_of(page.in_flight) if is_locking else (),
        is_dangerous=is_locking,
    )


@staff_act("change_user")
@require_http_methods(["GET", "POST"])
def message(request: HttpRequest, name: str) -> HttpResponse:
    """Write to a user."""
    page = found(queries.staff_user, name)

    def do(entered: dict[str, Any]) -> bool:
        return actions.message_user(page.line.id, entered["text"], entered["number"], by=actor(request))

    by_mail = (
        _("It is sent by email, too, unless they want none.")
        if page.has_verified_email
        else _("There is no email address that was confirmed: it is on the site alone.")
    )
    return answer_act(
        request,
        MessageForm(sent(request), initial={"number": new_number()}),
        do,
        title=_("Write to %(name)s") % {"name": name},
        button=_("Send it"),
        done=_("The message is sent."),
        back=reverse("staff-user", args=[name]),
        here="users",
        consequences=[_("They find it among their notices, as a message of the people who run the arena."), by_mail],
        is_dangerous=False,
    )


@staff_act("change_bot")
@require_http_methods(["GET", "POST"])
def lock_bot(request: HttpRequest, slug: str) -> HttpResponse:
    """Lock a bot that is not; unlock one that is."""
    page = found(queries.staff_bot, slug)
    is_locking = request.POST.get("deed", "unlock" if page.state == "LOCKED" else "lock") == "lock"

    def do(entered: dict[str, Any]) -> bool:
        act = actions.lock_bot if is_locking else actions.unlock_bot
        return act(page.bot.id, entered["reason"], by=actor(request))

    form = LockForm(is_locking, sent(request), help_text=_("Its owner reads it."))
    return answer_act(
        request,
        form,
        do,
        title=(_("Lock %(name)s") if is_locking else _("Unlock %(name)s")) % {"name": page.bot.name},
        button=_("Lock the bot") if is_locking else _("Unlock the bot"),
        done=_("The bot is locked.") if is_locking else _("The bot is unlocked."),
        back=reverse("staff-bot", args=[slug]),
        here="bots",
        consequences=of_lock_bot(page) if is_locking else of_unlock_bot(page),
        links=links_of(page.in_flight) if is_locking else (),
        is_dangerous=is_locking,
    )
