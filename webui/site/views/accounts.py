"""Pages for owners: register and pause bots, issue and revoke tokens."""

import json

from allauth.decorators import rate_limit
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AbstractUser
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from webui.ladder import actions, queries
from webui.ladder.actions import NEW_BOTS_AN_HOUR, BadRequest, NameTaken, NotFound, TooMany
from webui.ladder.values import OwnBot
from webui.site import presence
from webui.site.addresses import gateway_address
from webui.site.forms import BotForm, EmailForm, StateForm
from webui.site.idle_reason import idle_reason
from webui.site.replay.transcript import entry_document, owner_log, transcript_row


@login_required
@never_cache
@sensitive_post_parameters("password")
@rate_limit(action="change_password")  # type: ignore[untyped-decorator]
@require_http_methods(["GET", "POST"])
def email(request: HttpRequest) -> HttpResponse:
    """Change the email address."""
    assert isinstance(request.user, AbstractUser)  # behind login_required
    form = EmailForm(request.user, request.POST if request.method == "POST" else None)
    if form.is_valid():
        actions.set_email(request.user.pk, form.cleaned_data["email"])
        messages.success(request, _("Your e-mail address is changed."))
        return redirect("own-bots")
    return render(request, "site/email.html", {"here": "own", "form": form}, status=422 if form.is_bound else 200)


@login_required
@require_safe
def own_bots(request: HttpRequest) -> HttpResponse:
    """The visitor's bots, each with its state."""
    online = presence.online()
    owned = queries.own_bots(_user_id(request))
    rests = queries.rests_of(own.bot for own in owned)
    bots = [(own, idle_reason(own, online, rests.get(own.bot.id)), (online or {}).get(own.bot.id, [])) for own in owned]
    return render(request, "site/own_bots.html", {"here": "own", "bots": bots})


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
def new_bot(request: HttpRequest) -> HttpResponse:
    """Register a bot. The answer shows its first token, this once."""
    form = BotForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            bot_id = actions.register_bot(
                _user_id(request),
                form.cleaned_data["name"],
                description=form.cleaned_data["description"],
                most_an_hour=NEW_BOTS_AN_HOUR,
            )
        except (NameTaken, BadRequest, TooMany) as error:
            form.add_error("name", _sentence(error))
        else:
            return _show_token(request, _own(request, bot_id=bot_id))
    return render(request, "site/new_bot.html", {"here": "own", "form": form}, status=422 if form.is_bound else 200)


def _sentence(error: NameTaken | BadRequest | TooMany) -> str:
    if isinstance(error, TooMany):
        return _("You have registered many bots within an hour. Wait a while; a changed program is a new version.")
    if isinstance(error, NameTaken):
        return _("A bot has this name, or nearly this name, already. Choose another one.")
    return _("A name has 1 to 40 characters that can be seen, at least one of them a letter or a digit.")


@login_required
@never_cache
@require_POST
def new_token(request: HttpRequest, slug: str) -> HttpResponse:
    """Another token for a bot of the visitor's."""
    return _show_token(request, _own(request, slug=slug))


def _show_token(request: HttpRequest, own: OwnBot) -> HttpResponse:
    """The answer to the request itself: the clear token is nowhere else, not in a session either."""
    token = actions.issue_token(own.bot.id).token
    context = {"here": "own", "bot": own.bot, "token": token, "server": gateway_address(request)}
    return render(request, "site/token.html", context)


@login_required
@require_POST
def revoke_token(request: HttpRequest, slug: str, token_id: int) -> HttpResponse:
    """End a token of one of the visitor's bots."""
    own = _own(request, slug=slug)
    if token_id not in {token.id for token in own.tokens}:
        raise Http404("no such token")
    actions.revoke_token(token_id)
    messages.success(request, _("The token is revoked. A bot that uses it cannot connect again."))
    return redirect("bot", slug=slug)


@login_required
@require_POST
def set_state(request: HttpRequest, slug: str) -> HttpResponse:
    """Pause a bot of the visitor's, or make it play again."""
    own = _own(request, slug=slug)
    form = StateForm(request.POST)
    if form.is_valid():
        actions.set_bot_state(own.bot.id, form.cleaned_data["state"])
    return redirect("bot", slug=slug)


@login_required
@require_safe
def transcript(request: HttpRequest, slug: str, match_id: str) -> HttpResponse:
    """The log of a match that a bot of the visitor's has played, with its notes; `?format=jsonl` as a file."""
    own = _own(request, slug=slug)
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
    context = {"here": "own", "own": own, "line": line, "entries": [transcript_row(entry, seats) for entry in log]}
    return render(request, "site/transcript.html", context)


def _user_id(request: HttpRequest) -> int:
    assert request.user.pk is not None  # behind login_required
    return int(request.user.pk)


def _own(request: HttpRequest, *, slug: str = "", bot_id: int = 0) -> OwnBot:
    """A bot of the visitor's. `Http404` for somebody else's."""
    for own in queries.own_bots(_user_id(request)):
        if own.bot.slug == slug or own.bot.id == bot_id:
            return own
    raise Http404("no such bot of yours")
