"""Pages on which owners change their bots: descriptions, notes of versions, and retirement."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from webui.accounts.security import actor
from webui.bots import actions, queries, retirement
from webui.bots.forms import DescriptionForm, NoteForm, RetirementForm
from webui.bots.values import BotVersionLine
from webui.bots.visitor import own_bot
from webui.core.errors import NotFound, TooMany


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
    context = {"here": "own", "bot": own.bot, "own": own, "form": form}
    return render(request, "bots/edit_bot.html", context, status=422 if form.is_bound else 200)


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
    line = _version(own.bot.id, version_id)
    form = NoteForm(request.POST if request.method == "POST" else None, initial={"note": line.note})
    if form.is_valid():
        actions.release_version(own.bot.id, line.version.name, form.cleaned_data["note"])
        messages.success(request, _("Version %(version)s has this note now.") % {"version": line.version.name})
        return redirect("bot", slug=slug)
    context = {"here": "own", "bot": own.bot, "line": line, "form": form}
    return render(request, "bots/edit_version.html", context, status=422 if form.is_bound else 200)


@login_required
@require_POST
def retire_version(request: HttpRequest, slug: str, version_id: int) -> HttpResponse:
    """Retire a version of one of the visitor's bots, or bring it back."""
    own = own_bot(request, slug=slug)
    name = _version(own.bot.id, version_id).version.name
    _retire(
        request,
        lambda: retirement.retire_version(own.bot.id, name, by=actor(request)),
        lambda: retirement.bring_back_version(own.bot.id, name, by=actor(request)),
        f"{own.bot.name} {name}",
    )
    return redirect("bot", slug=slug)


def _version(bot_id: int, version_id: int) -> BotVersionLine:
    try:
        return queries.own_version(bot_id, version_id)
    except NotFound as error:
        raise Http404(str(error)) from error


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
    said = _("%(name)s has retired. Its matches stay.") if is_leaving else _("%(name)s plays again.")
    messages.success(request, said % {"name": name})
