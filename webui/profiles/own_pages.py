"""Pages for owners of bots: the state of each bot, pausing a bot, and the logs of its matches."""

import json
from collections.abc import Collection
from dataclasses import dataclass

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from arena.bus import Presence
from arena.host import tracing
from webui.accounts.security import actor
from webui.bots import actions as bot_actions
from webui.bots import presence
from webui.bots import queries as bot_queries
from webui.bots.forms import ReleaseForm, StateForm
from webui.bots.setting_pages import own_bot
from webui.bots.values import BotRef, OwnBot, Release
from webui.core.errors import BadRequest, TooMany
from webui.core.pages import FormContext, PageContext, attachment, get_or_404, render_page
from webui.core.paging import ListPage, page_of
from webui.core.visitors import address_of, refused, user_id
from webui.fair_queue import Busy
from webui.hosting import queries as hosting_queries
from webui.hosting.values import HostedSeatValue
from webui.matches import queries as match_queries
from webui.matches.values import MatchLine
from webui.pairing import exclusions
from webui.pairing import rests as pairing_rests
from webui.pairing.idle_reason import idle_reason
from webui.replays.cache import cached_once
from webui.replays.transcript import (
    Times,
    TranscriptRow,
    asks_of,
    entry_document,
    messages_file,
    messages_text,
    owner_log,
    times_of,
    transcript_rows,
)

BOTS_SHOWN = 60
LOCK_S = 5.0
"""Seconds to wait for the lock, while another request makes the messages of the match."""
MESSAGES = {"binpb": (messages_file, "application/x-protobuf"), "txtpb": (messages_text, "text/plain; charset=utf-8")}
"""Formats of message files: the function that makes the file, and its content type."""


@dataclass(frozen=True, kw_only=True)
class OwnBotsContext(PageContext):
    """The visitor's bots."""

    template: str = "profiles/own_bots.html"
    here: str = "own"
    bots: list[tuple[OwnBot, str, list[Presence]]]
    """Bots, each with the reason why it does not play now and with its connected processes."""
    shown: ListPage[OwnBot]


@dataclass(frozen=True, kw_only=True)
class ReleaseContext(FormContext):
    """The form with which a version is announced."""

    template: str = "profiles/release.html"
    here: str = "own"
    bot: BotRef


@dataclass(frozen=True, kw_only=True)
class TranscriptContext(PageContext):
    """The log of a match, as the owner of one of its bots may see it."""

    template: str = "profiles/transcript.html"
    here: str = "own"
    own: OwnBot
    line: MatchLine
    entries: list[TranscriptRow]
    times: Times
    asks: Collection[int]
    """Decisions that can be reproduced."""
    trace: str
    """Id of the match's trace. Empty if there are no traces."""
    has_messages: bool
    hosted: list[HostedSeatValue]
    """Sandboxes in which the arena ran the visitor's bots in this match."""


@login_required
@require_safe
def own_bots(request: HttpRequest) -> HttpResponse:
    """Show the visitor's bots, each with its state."""
    online = presence.online()
    shown = page_of(bot_queries.own_bots(user_id(request)), request.GET.get("page"), BOTS_SHOWN)
    rests, pace = pairing_rests.rests_of(own.bot for own in shown.items), pairing_rests.seats_a_minute()
    bots = [
        (own, idle_reason(own, online, rests.get(own.bot.id), pace), (online or {}).get(own.bot.id, []))
        for own in shown.items
    ]
    return render_page(request, OwnBotsContext(bots=bots, shown=shown))


@login_required
@require_POST
def set_state(request: HttpRequest, slug: str) -> HttpResponse:
    """Pause a bot of the visitor, or let it play again."""
    own = own_bot(request, slug=slug)
    form = StateForm(request.POST)
    if form.is_valid():
        try:
            bot_actions.set_bot_state(own.bot.id, form.cleaned_data["state"], by=actor(request))
        except BadRequest:
            messages.error(request, _("This bot is locked by the people who run the arena."))
    return redirect("bot", slug=slug)


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def release(request: HttpRequest, slug: str) -> HttpResponse:
    """Announce a version of a bot of the visitor, with a note about what is new in it."""
    own = own_bot(request, slug=slug)
    form = ReleaseForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            released = bot_actions.release_version(own.bot.id, form.cleaned_data["version"], form.cleaned_data["note"])
        except (BadRequest, TooMany) as error:
            form.add_error("version", _release_error(error))
        else:
            messages.success(request, _release_message(released))
            return redirect("bot", slug=slug)
    return render_page(request, ReleaseContext(bot=own.bot, form=form))


def _release_message(released: Release) -> str:
    if released.is_ready:
        return _("Version %(version)s is ready: it begins with its first hello.") % {"version": released.version}
    return _("Version %(version)s has this note now.") % {"version": released.version}


def _release_error(error: BadRequest | TooMany) -> str:
    if isinstance(error, TooMany):
        return _("This bot has had many new versions within an hour. Wait a while, or name a known one.")
    return _(
        "Name a release in visible characters, and not by the hash of a commit: keep the name until the "
        "bot plays differently."
    )


@login_required
@require_POST
def put_back(request: HttpRequest, slug: str, exclusion_id: int) -> HttpResponse:
    """Have a version examined that was excluded from rated matches."""
    try:
        get_or_404(exclusions.put_back, exclusion_id, user_id(request), by=actor(request))
    except TooMany:
        messages.error(
            request,
            _("%(n)s examinations of this version were asked for within a day. Wait a while.")
            % {"n": exclusions.ASKED_A_DAY},
        )
    return redirect("bot", slug=slug)


@login_required
@require_safe
def transcript(request: HttpRequest, slug: str, match_id: str) -> HttpResponse:
    """Show the log of a match that a bot of the visitor has played, with its notes.

    `?format=jsonl` sends the log as a file. With a key of `MESSAGES` it sends the messages that the bot received.
    """
    own = own_bot(request, slug=slug)
    line = get_or_404(match_queries.match_page, match_id).line
    seats = [seat.seat for seat in line.seats if seat.version.bot.id == own.bot.id]
    if not seats:
        raise Http404("no match of this bot")
    log = owner_log(match_queries.match_log(match_id, notes_of=seats), seats)
    form = request.GET.get("format")
    if form == "jsonl":
        text = "".join(json.dumps(entry_document(entry), ensure_ascii=False) + "\n" for entry in log)
        return attachment(text.encode(), "application/jsonl; charset=utf-8", f"naqala-{match_id}-{slug}.jsonl")
    if form in MESSAGES:
        return _messages(request, line, seats[0], slug, form)
    context = TranscriptContext(
        own=own,
        line=line,
        entries=transcript_rows(log, seats),
        times=times_of(log, seats),
        asks=set(asks_of(log, seats[0])),
        trace=tracing.trace_id(match_id) if tracing.is_on else "",
        has_messages=bool(log) and line.state == "FINISHED",
        hosted=hosting_queries.seats_of_owner(match_id, user_id(request)),
    )
    return render_page(request, context)


def _messages(request: HttpRequest, line: MatchLine, seat: int, slug: str, form: str) -> HttpResponse:
    """Send the messages of a match as a file. It is made once, because that takes a second of processor time."""
    if too_many := refused(request, "messages"):
        return too_many
    make, kind = MESSAGES[form]
    try:
        data = cached_once(
            line, seat, f"messages {form}", lambda: make(line, seat), address=address_of(request), wait_s=LOCK_S
        )
    except Busy:
        return HttpResponse(status=503, headers={"Retry-After": "1", "Cache-Control": "no-store"})
    if not data:
        raise Http404("no messages before the end of the match, or of one that never began")
    return attachment(data, kind, f"naqala-{line.id}-{slug}.{form}")
