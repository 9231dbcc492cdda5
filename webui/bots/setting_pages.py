"""Pages on which owners change their bots: descriptions, notes of versions, and retirement."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from webui.accounts.security import actor
from webui.bots import actions, queries, retirement
from webui.bots.forms import DescriptionForm, NoteForm, RetirementForm
from webui.bots.values import BotRef, BotVersionLine, OwnBot
from webui.core.errors import TooMany
from webui.core.pages import FormContext, get_or_404, render_page
from webui.core.visitors import user_id

# The bots of the visitor who is signed in.


def own_bot(request: HttpRequest, *, slug: str = "", bot_id: int = 0) -> OwnBot:
    """Return one of the visitor's bots. Raise `Http404` if it is somebody else's."""
    for own in queries.own_bots(user_id(request)):
        if own.bot.slug == slug or own.bot.id == bot_id:
            return own
    raise Http404("no such bot of yours")


@dataclass(frozen=True, kw_only=True)
class EditBotContext(FormContext):
    """The form of a bot's description."""

    template: str = "bots/edit_bot.html"
    here: str = "own"
    bot: BotRef
    own: OwnBot


@dataclass(frozen=True, kw_only=True)
class EditVersionContext(FormContext):
    """The form of a version's note."""

    template: str = "bots/edit_version.html"
    here: str = "own"
    bot: BotRef
    line: BotVersionLine


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def edit_bot(request: HttpRequest, slug: str) -> HttpResponse:
    """Change the description of one of the visitor's bots. The page also offers its retirement."""
    own = own_bot(request, slug=slug)
    form = DescriptionForm(request.POST if request.method == "POST" else None, initial={"description": own.description})
    if form.is_valid():
        try:
            actions.describe_bot(own.bot.id, form.cleaned_data["description"], by=actor(request))
        except TooMany:
            form.add_error("description", _("You changed descriptions often within an hour. Wait a while."))
        else:
            messages.success(request, _("The description is changed."))
            return redirect("bot", slug=slug)
    return render_page(request, EditBotContext(bot=own.bot, own=own, form=form))


@login_required
@require_POST
def retire_bot(request: HttpRequest, slug: str) -> HttpResponse:
    """Retire one of the visitor's bots, or bring it back."""
    own = own_bot(request, slug=slug)
    _retire(
        request,
        lambda: retirement.retire_bot(own.bot.id, by=actor(request)),
        lambda: retirement.bring_back_bot(own.bot.id, by=actor(request)),
        own.bot.name,
    )
    return redirect("bot", slug=slug)


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def edit_version(request: HttpRequest, slug: str, version_id: int) -> HttpResponse:
    """Change the note of a version of one of the visitor's bots. The page also offers its retirement."""
    own = own_bot(request, slug=slug)
    line = get_or_404(queries.own_version, own.bot.id, version_id)
    form = NoteForm(request.POST if request.method == "POST" else None, initial={"note": line.note})
    if form.is_valid():
        actions.release_version(own.bot.id, line.version.name, form.cleaned_data["note"])
        messages.success(request, _("Version %(version)s has this note now.") % {"version": line.version.name})
        return redirect("bot", slug=slug)
    return render_page(request, EditVersionContext(bot=own.bot, line=line, form=form))


@login_required
@require_POST
def retire_version(request: HttpRequest, slug: str, version_id: int) -> HttpResponse:
    """Retire a version of one of the visitor's bots, or bring it back."""
    own = own_bot(request, slug=slug)
    name = get_or_404(queries.own_version, own.bot.id, version_id).version.name
    _retire(
        request,
        lambda: retirement.retire_version(own.bot.id, name, by=actor(request)),
        lambda: retirement.bring_back_version(own.bot.id, name, by=actor(request)),
        f"{own.bot.name} {name}",
    )
    return redirect("bot", slug=slug)


def _retire(request: HttpRequest, retire: Callable[[], Any], bring_back: Callable[[], Any], name: str) -> None:
    """Retire or bring back, as the form says, and confirm it."""
    form = RetirementForm(request.POST)
    if not form.is_valid():
        return
    is_leaving = form.cleaned_data["act"] == "retire"
    try:
        (retire if is_leaving else bring_back)()
    except TooMany:
        messages.error(request, _("You retired and brought back bots or versions often within a day. Wait a while."))
        return
    message = _("%(name)s has retired. Its matches stay.") if is_leaving else _("%(name)s plays again.")
    messages.success(request, message % {"name": name})
