"""Pages on which visitors write a bot, try it in a game at once, and hand it in."""

from __future__ import annotations

import json
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import Final

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe
from django.views.decorators.vary import vary_on_headers

from arena.hosting.bundle import Bundle
from arena.hosting.limits import TRIAL_PROCESSOR_S, TRIAL_SOURCE_BYTES
from webui.accounts.security import actor
from webui.bots import queries as bot_queries
from webui.bots.setting_pages import own_bot
from webui.bots.values import BotRef
from webui.core.compress import accepted
from webui.core.errors import LadderError, Refusal, TooMany
from webui.core.feeds import PartsFeed, feeds
from webui.core.pages import PageContext, attachment, get_or_404, render_page
from webui.core.streams import stream
from webui.core.visitors import Live, address_of, user_id
from webui.hosting import actions as hosting_actions
from webui.hosting import queries as hosting_queries
from webui.hosting.uploads import bundle_of
from webui.writing import actions, queries
from webui.writing.example import EXAMPLE
from webui.writing.shown import ShownTrial, shown_trial, trial_frames
from webui.writing.values import TrialValue

FRAMES_S: Final = 3600
"""Seconds for which browsers keep the frames of a trial."""


@dataclass(frozen=True, kw_only=True)
class WriteContext(PageContext):
    """The editor, with a trial beside it if there is one."""

    template: str = "writing/write.html"
    here: str = "write"
    source: str = EXAMPLE
    example: str = EXAMPLE
    opponent: str = "greedy"
    opponents: tuple[str, ...] = actions.OPPONENTS
    error: str = ""
    """Why the form was refused. Empty if it was not."""
    is_hosting: bool
    """Whether a runner is connected, so that trials are played."""
    own: list[BotRef]
    """Bots of the visitor that may get a new version."""
    most_kb: int = TRIAL_SOURCE_BYTES // 1024
    processor_s: int = int(TRIAL_PROCESSOR_S)
    trial: TrialValue | None = None
    shown: ShownTrial | None = None


@dataclass(frozen=True, kw_only=True)
class TrialContext(PageContext):
    """The parts of a trial's page that can change."""

    template: str = "writing/trial_fresh.html"
    trial: TrialValue
    shown: ShownTrial | None
    is_hosting: bool


def _page(request: HttpRequest) -> WriteContext:
    own = bot_queries.own_bots(user_id(request)) if request.user.is_authenticated else []
    return WriteContext(
        is_hosting=hosting_queries.runners_alive() > 0,
        own=[line.bot for line in own if line.retired_at is None],
    )


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def write(request: HttpRequest) -> HttpResponse:
    """Show the editor. A form with a source tries it in a game, hands it in as a version, or gets the bot's folder."""
    if request.method != "POST":
        return render_page(request, _page(request))
    source, opponent = request.POST.get("source", ""), request.POST.get("opponent", "")
    try:
        if request.POST.get("act") == "submit":
            return _submit(request, source)
        if request.POST.get("act") == "download":
            return attachment(_folder(source), "application/zip", "mybot.zip")
        if not hosting_queries.runners_alive():
            raise Refusal("NO_RUNNER", "no machine of this arena plays bots now: try again later")
        user = user_id(request) if request.user.is_authenticated else None
        is_examination = request.POST.get("act") == "examine"
        key = actions.try_source(user, address_of(request), source, opponent, is_examination=is_examination)
    except LadderError as error:
        known = opponent if opponent in actions.OPPONENTS else "greedy"
        page = replace(_page(request), source=source, opponent=known, error=sentence_of(error))
        return render_page(request, page, 429 if isinstance(error, TooMany) else 422)
    return redirect("trial", key=key)


def _submit(request: HttpRequest, source: str) -> HttpResponse:
    """Hand the source in as a version of the visitor's bot."""
    if not request.user.is_authenticated:
        return redirect_to_login(request.path, settings.LOGIN_URL)
    bot = own_bot(request, slug=request.POST.get("bot", "")).bot
    hosting_actions.check_submission(actor(request), bot.id, "")
    with _bundle(source) as bundle:
        made = hosting_actions.submit(actor(request), bot.id, "", "", bundle)
    return redirect("submission", slug=bot.slug, submission_id=made.id)


@contextmanager
def _bundle(source: str) -> Iterator[Bundle]:
    """Return the bundle of a source as a context. Raise `BadRequest`."""
    text = actions.check_source(source)
    with tempfile.TemporaryDirectory(prefix="write-") as folder:
        path = Path(folder) / "bot.py"
        path.write_text(text, encoding="utf-8")
        with bundle_of(path, path.name) as bundle:
            yield bundle


def _folder(source: str) -> bytes:
    """Return a zip of the bot's folder, which `arena play --sandbox` plays and `arena bot submit` hands in."""
    with _bundle(source) as bundle:
        command = json.dumps(list(bundle.manifest.command))
    archive = BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("mybot/bot.py", actions.check_source(source))
        file.writestr("mybot/bot.toml", f'language = "python"\ncommand = {command}\n')
    return archive.getvalue()


def sentence_of(error: LadderError) -> str:
    """Return a refusal in the visitor's language."""
    if isinstance(error, TooMany):
        return _("Your earlier programs are still being played, or you have tried many within an hour. Wait a moment.")
    if isinstance(error, Refusal):
        return {
            "NO_RUNNER": _("No machine of this arena plays bots now. Your program is kept in this browser."),
            "NO_SOURCE": _("There is no program. Write one, or take the example."),
            "SOURCE_TOO_LARGE": _("The program is larger than 64 KB. Hand it in as a file, on the page of your bot."),
        }.get(error.reason, str(error))
    return str(error)


@never_cache
@require_safe
def trial(request: HttpRequest, key: str) -> HttpResponse:
    """Show the editor with a trial: how far it is, or what came of it. `?step=3` shows a decision of the bot."""
    value = get_or_404(queries.trial, key)
    page = replace(
        _page(request),
        source=value.source,
        opponent=value.opponent,
        trial=value,
        shown=shown_trial(value, request.GET.get("step", "")),
    )
    return render_page(request, page)


@never_cache
@require_safe
def trial_parts(request: HttpRequest, key: str) -> HttpResponse:
    """Return the parts of that page that can change, as HTML, for a visitor who has it open."""
    value = get_or_404(queries.trial, key)
    return render_page(
        request,
        TrialContext(
            trial=value,
            shown=shown_trial(value, request.GET.get("step", "")),
            is_hosting=hosting_queries.runners_alive() > 0,
        ),
    )


@require_safe
@vary_on_headers("Accept-Encoding", "Accept-Language", "Cookie")
def trial_game(request: HttpRequest, key: str) -> HttpResponse:
    """Send all frames of the game, compressed, in the visitor's language."""
    value = get_or_404(queries.trial, key)
    if value.outcome is None or not value.outcome.replay:
        return HttpResponse(status=404)
    encoding = accepted(request) or "gzip"  # every browser accepts one of the two encodings
    response = HttpResponse(trial_frames(value, encoding), content_type="application/json")
    response["Content-Encoding"] = encoding
    response["Cache-Control"] = f"private, max-age={FRAMES_S}"
    return response


class TrialFeed(PartsFeed):
    """The feed of a trial's page."""

    LOOK_EVERY_S = 0.5  # runners do not wake this feed, and somebody waits
    PAUSE_S = 0.5


@require_safe
async def trial_live(request: HttpRequest, key: str) -> HttpResponseBase:
    """Announce changes of a trial's page as server-sent events."""

    def find() -> TrialValue:
        return get_or_404(queries.trial, key)

    def follow(value: TrialValue, after: int) -> Live:
        name = f"trial:{value.key}"
        return feeds.follow((name, ""), lambda: TrialFeed(name, lambda: queries.trial_mark(value.key)), after)

    return await stream(request, find, follow)
