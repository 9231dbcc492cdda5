"""Pages on which owners hand in versions of their bots, follow the build, and choose the version that plays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.csrf import csrf_failure
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from arena.hosting.limits import DEFAULT_LIMITS
from arena.sandbox.limits import MIB
from webui.accounts.security import actor
from webui.bots.setting_pages import own_bot
from webui.bots.values import BotRef
from webui.core.errors import BadRequest, LadderError, TooMany
from webui.core.feeds import PartsFeed, feeds
from webui.core.pages import PageContext, get_or_404, render_page
from webui.core.streams import stream
from webui.core.uploads import BodyAwaited, received, upload_of
from webui.core.visitors import Live, user_id
from webui.hosting import actions, publishing, queries
from webui.hosting.uploads import bundle_of, form_of
from webui.hosting.values import SubmissionPage, SubmissionValue

STEPS = ("UPLOADED", "BUILDING", "EXAMINING", "READY")


@dataclass(frozen=True, kw_only=True)
class SubmissionsContext(PageContext):
    """The versions of a visitor's bot that were handed in, and the form that hands in another one."""

    template: str = "hosting/submissions.html"
    here: str = "own"
    bot: BotRef
    lines: list[SubmissionValue]
    version: str = ""
    note: str = ""
    error: str = ""
    """Why the form was refused. Empty if it was not."""
    packed_mb: int = DEFAULT_LIMITS.packed_bytes // MIB
    unpacked_mb: int = DEFAULT_LIMITS.unpacked_bytes // MIB
    most_files: int = DEFAULT_LIMITS.files
    weights_mb: int = DEFAULT_LIMITS.weights_bytes // MIB
    stored_bytes: int
    """Bytes that all bots of the visitor keep."""
    most_stored_bytes: int = DEFAULT_LIMITS.stored_bytes


@dataclass(frozen=True, kw_only=True)
class SubmissionContext(PageContext):
    """One version that was handed in, with the log of its build."""

    template: str = "hosting/submission.html"
    here: str = "own"
    page: SubmissionPage
    line: SubmissionValue
    steps: list[tuple[str, str]]
    """State of each step of the way to a version that plays: its name, and `done`, `now` or `later`."""
    licences: Mapping[str, str]
    """Names of the licences under which its source may be published, by their SPDX identifiers."""


@csrf_exempt  # the body arrives after the check; see `_is_of_site`
@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def submissions(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Show the versions of a visitor's bot that were handed in. A form with files hands in another one."""
    bot = own_bot(request, slug=slug).bot
    if request.method != "POST":
        return render_page(request, _submissions_page(request, bot))
    if not _is_of_site(request):
        return csrf_failure(request, "the form was sent from another site")
    fields: dict[str, str] = {}
    try:
        actions.check_submission(actor(request), bot.id, "")
        upload = upload_of(request)
        content_type = request.META.get("CONTENT_TYPE", "") if upload is None else upload.content_type
        with received(request, user_id(request)) as body, form_of(body, content_type) as (fields, file, name):
            if file is None:
                raise BadRequest(_("Choose a file or a folder."))
            with bundle_of(file, name) as bundle:
                made = actions.submit(
                    actor(request), bot.id, fields.get("version", "").strip(), fields.get("note", ""), bundle
                )
    except BodyAwaited:
        return HttpResponse(status=204)  # nobody sees it
    except LadderError as error:
        page = replace(
            _submissions_page(request, bot),
            version=fields.get("version", ""),
            note=fields.get("note", ""),
            error=_("You handed in many versions within a day. Wait a while.")
            if isinstance(error, TooMany)
            else str(error),
        )
        return render_page(request, page, 422)
    return redirect("submission", slug=slug, submission_id=made.id)


def _submissions_page(request: HttpRequest, bot: BotRef) -> SubmissionsContext:
    stored = sum(queries.stored_sizes(user_id(request)).values())
    return SubmissionsContext(bot=bot, lines=queries.submissions_of(bot.id), stored_bytes=stored)


def _is_of_site(request: HttpRequest) -> bool:
    """Return whether a form was sent from a page of the site.

    Django compares a token in the body, which has not arrived yet when this is checked. All browsers name the origin of
    a form.
    """
    origin = request.headers.get("Origin", "")
    return origin.partition("://")[2] == request.get_host() or request.headers.get("Sec-Fetch-Site") == "same-origin"


@never_cache
@login_required
@require_safe
def submission(request: HttpRequest, slug: str, submission_id: int) -> HttpResponse:
    """Show one version that was handed in: how far it is, and the log of its build."""
    return render_page(request, _context(_own_submission(request, slug, submission_id)))


@never_cache
@login_required
@require_safe
def submission_parts(request: HttpRequest, slug: str, submission_id: int) -> HttpResponse:
    """Return the parts of that page that can change, as HTML, for an owner who has it open."""
    page = _context(_own_submission(request, slug, submission_id))
    return render_page(request, replace(page, template="hosting/submission_fresh.html"))


class SubmissionFeed(PartsFeed):
    """The feed of a submission's page."""

    LOOK_EVERY_S = 1.0  # runners do not wake this feed
    PAUSE_S = 1.0


@require_safe
async def submission_live(request: HttpRequest, slug: str, submission_id: int) -> HttpResponseBase:
    """Announce changes of a submission's page as server-sent events."""

    def find() -> SubmissionPage:
        if not request.user.is_authenticated:
            raise Http404("no such submission of yours")
        return _own_submission(request, slug, submission_id)

    def follow(page: SubmissionPage, after: int) -> Live:
        name = f"submission:{page.line.id}"
        return feeds.follow(
            (name, ""), lambda: SubmissionFeed(name, lambda: queries.submission_mark(page.line.id)), after
        )

    return await stream(request, find, follow)


def _own_submission(request: HttpRequest, slug: str, submission_id: int) -> SubmissionPage:
    return get_or_404(queries.submission, submission_id, own_bot(request, slug=slug).bot.id)


def _context(page: SubmissionPage) -> SubmissionContext:
    line = page.line
    at = STEPS.index(line.state) if line.state in STEPS else -1
    steps = [
        (step, "done" if n < at or line.state == "READY" else "now" if n == at else "later")
        for n, step in enumerate(STEPS)
    ]
    return SubmissionContext(page=page, line=line, steps=steps if at >= 0 else [], licences=publishing.LICENCES)


@login_required
@require_POST
def change_submission(request: HttpRequest, slug: str, submission_id: int) -> HttpResponse:
    """Withdraw a version, choose the one that plays, publish the source of one, or delete its files."""
    bot = own_bot(request, slug=slug).bot
    line = get_or_404(queries.submission, submission_id, bot.id).line
    try:
        if request.POST.get("act") == "withdraw":
            actions.withdraw_submission(bot.id, line.id)
        elif line.version_id is not None and request.POST.get("act") == "use":
            actions.use_version(bot.id, line.version_id)
            messages.success(request, _("The bot plays new matches as %(version)s.") % {"version": line.version})
        elif line.is_current and request.POST.get("act") == "stop":
            actions.use_version(bot.id, None)
            messages.success(request, _("The arena does not run the bot any more."))
        elif request.POST.get("act") == "empty":
            actions.delete_files(bot.id, line.id)
            messages.success(request, _("The files of %(version)s are deleted.") % {"version": line.version})
        elif request.POST.get("act") == "publish":
            publishing.publish_source(actor(request), bot.id, line.id, request.POST.get("licence", ""))
            return redirect("source", slug=slug, submission_id=line.id)
        elif request.POST.get("act") == "unpublish":
            publishing.unpublish_source(actor(request), bot.id, line.id)
            messages.success(request, _("Its source is not published any more."))
    except (BadRequest, TooMany) as error:
        messages.error(request, str(error))
    return redirect("submissions", slug=slug)
