"""Pages for owners of bots: what each of them is doing, a pause, and the logs of its matches."""

import json

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_POST, require_safe

from webui.ladder import actions, queries
from webui.ladder.actions import NotFound
from webui.site import presence
from webui.site.forms import StateForm
from webui.site.idle_reason import idle_reason
from webui.site.paging import page_of
from webui.site.replay.transcript import entry_document, owner_log, times_of, transcript_row
from webui.site.security import actor
from webui.site.views.own import own_bot, user_id

BOTS_SHOWN = 60


@login_required
@require_safe
def own_bots(request: HttpRequest) -> HttpResponse:
    """The visitor's bots, each with its state."""
    online = presence.online()
    shown = page_of(queries.own_bots(user_id(request)), request.GET.get("page"), BOTS_SHOWN)
    rests, pace = queries.rests_of(own.bot for own in shown.items), queries.seats_a_minute()
    bots = [
        (own, idle_reason(own, online, rests.get(own.bot.id), pace), (online or {}).get(own.bot.id, []))
        for own in shown.items
    ]
    return render(request, "site/own_bots.html", {"here": "own", "bots": bots, "shown": shown})


@login_required
@require_POST
def set_state(request: HttpRequest, slug: str) -> HttpResponse:
    """Pause a bot of the visitor's, or make it play again."""
    own = own_bot(request, slug=slug)
    form = StateForm(request.POST)
    if form.is_valid():
        actions.set_bot_state(own.bot.id, form.cleaned_data["state"], by=actor(request))
    return redirect("bot", slug=slug)


@login_required
@require_POST
def put_back(request: HttpRequest, slug: str, exclusion_id: int) -> HttpResponse:
    """Let a version that was taken off play rated matches again."""
    try:
        actions.put_back(exclusion_id, user_id(request), by=actor(request))
    except NotFound as error:
        raise Http404(str(error)) from error
    return redirect("bot", slug=slug)


@login_required
@require_safe
def transcript(request: HttpRequest, slug: str, match_id: str) -> HttpResponse:
    """The log of a match that a bot of the visitor's has played, with its notes; `?format=jsonl` as a file."""
    own = own_bot(request, slug=slug)
    try:
        line = queries.match_page(match_id).line
    except NotFound as error:
        raise Http404(str(error)) from error
    seats = [seat.seat for seat in line.seats if seat.version.bot.id == own.bot.id]
    if not seats:
        raise Http404("no match of this bot")
    log = owner_log(queries.match_log(match_id, notes_of=seats), seats)
    if request.GET.get("format") == "jsonl":
        text = "".join(json.dumps(entry_document(entry), ensure_ascii=False) + "\n" for entry in log)
        response = HttpResponse(text, content_type="application/jsonl; charset=utf-8")
        name = f"naqala-{match_id}-{slug}.jsonl"
        response["Content-Disposition"] = content_disposition_header(True, name) or ""
        return response
    entries = [transcript_row(entry, seats) for entry in log]
    context = {"here": "own", "own": own, "line": line, "entries": entries, "times": times_of(log, seats)}
    return render(request, "site/transcript.html", context)
