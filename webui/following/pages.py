"""Pages for following bots and authors: the buttons, the page of news, and the page to unsubscribe."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST

from webui.core.errors import BadRequest, TooMany
from webui.core.pages import PageContext, get_or_404, render_page
from webui.core.visitors import user_id
from webui.following import actions, digests, queries
from webui.following.values import DigestChoice, FollowLine, News
from webui.replays import summary

SHOWN = 50


@dataclass(frozen=True, kw_only=True)
class FollowingContext(PageContext):
    """Bots and authors that the visitor follows, and the news about them."""

    template: str = "following/following.html"
    here: str = "following"
    follows: list[FollowLine]
    lines: list[tuple[datetime, str, Any, str]]
    """The news, as `_by_time` returns it."""
    verdicts: Mapping[str, str]
    """A sentence on each finished match, by id."""
    digest: DigestChoice


@dataclass(frozen=True, kw_only=True)
class UnsubscribeContext(PageContext):
    """The end of the daily digest: the question, or the confirmation."""

    template: str = "following/unsubscribe.html"
    is_done: bool


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
def following(request: HttpRequest) -> HttpResponse:
    """Show the news about what the visitor follows. `act` switches the daily digest on or off."""
    user = user_id(request)
    act = request.POST.get("act", "")
    if request.method == "POST":
        if act in ("digest", "no-digest"):
            actions.choose_digest(user, is_wanted=act == "digest", language=get_language() or "")
            messages.success(request, _("Done."))
        return redirect("following")
    news = queries.news(user, most=SHOWN)
    context = FollowingContext(
        follows=queries.follows(user),
        lines=_by_time(news)[:SHOWN],
        verdicts=summary.sentences(news.matches),
        digest=queries.digest_choice(user),
    )
    return render_page(request, context)


def _by_time(news: News) -> list[tuple[datetime, str, Any, str]]:
    """Return the news, latest first. Each item is the time, the kind of news, the news, and its sentence (events
    only)."""
    news_items: list[tuple[datetime, str, Any, str]] = [
        *((line.finished_at, "match", line, "") for line in news.matches if line.finished_at),
        *((made.at, "version", made, "") for made in news.versions),
        *((over.at, "event", over, digests.event_words(over)) for over in news.events),
    ]
    return sorted(news_items, key=lambda item: item[0], reverse=True)


@login_required
@require_POST
def follow_bot(request: HttpRequest, slug: str) -> HttpResponse:
    """Follow a bot. If `act` is `leave`, stop following it."""
    return _change(request, actions.unfollow_bot if _leaves(request) else actions.follow_bot, slug, "bot")


@login_required
@require_POST
def follow_author(request: HttpRequest, name: str) -> HttpResponse:
    """Follow an author. If `act` is `leave`, stop following them."""
    return _change(request, actions.unfollow_author if _leaves(request) else actions.follow_author, name, "user")


def _leaves(request: HttpRequest) -> bool:
    return request.POST.get("act") == "leave"


def _change(request: HttpRequest, act: Callable[[int, str], None], key: str, where: str) -> HttpResponse:
    try:
        get_or_404(act, user_id(request), key)
    except BadRequest:
        messages.error(request, _("You need not follow your own bots: you get their notices anyway."))
    except TooMany:
        messages.error(
            request,
            _("You follow %(n)d bots and authors, which is the maximum. Unfollow one first.")
            % {"n": queries.MOST_FOLLOWS},
        )
    return redirect("following") if request.POST.get("from") == "following" else redirect(where, key)


@csrf_exempt  # the link itself is the permission, and mail programs have no cookie
@never_cache
@require_http_methods(["GET", "POST"])
def unsubscribe(request: HttpRequest, token: str) -> HttpResponse:
    """Unsubscribe from the daily digest without signing in.

    A GET request changes nothing, because programs that scan emails open their links.
    """
    user = digests.user_of(token)
    if user is None:
        raise Http404("no such link")
    if request.method == "POST":
        actions.choose_digest(user, is_wanted=False)
    return render_page(request, UnsubscribeContext(is_done=request.method == "POST"))
