"""Pages for staff about hosted bots: the runners, and what authors have handed in."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from webui.accounts.security import in_words
from webui.accounts.values import Act
from webui.core.pages import get_or_404, render_page
from webui.core.paging import ListPage, read_page
from webui.staff import hosting_queries, people_queries
from webui.staff.acts_on_hosting import HOSTING, RUNNER, SUBMISSION
from webui.staff.rights import PER_PAGE, Entries, Offer, StaffContext, offers, staff_page
from webui.staff.values import Right, StaffHosting, StaffRunner, StaffSubmission

LONGEST = 150


@dataclass(frozen=True, kw_only=True)
class StaffHostingContext(StaffContext):
    """The runners, and submissions of one kind."""

    template: str = "staff/hosting.html"
    section: str = "hosting"
    page: StaffHosting
    offers: list[Offer]
    kind: str
    bot: str
    shown: ListPage[StaffSubmission]


@dataclass(frozen=True, kw_only=True)
class StaffRunnerContext(StaffContext):
    """One runner, and the acts that are possible."""

    template: str = "staff/runner.html"
    section: str = "hosting"
    runner: StaffRunner
    offers: list[Offer]
    entries: Entries


@dataclass(frozen=True, kw_only=True)
class StaffSubmissionContext(StaffContext):
    """One submission, and the acts that are possible."""

    template: str = "staff/submission.html"
    section: str = "hosting"
    line: StaffSubmission
    offers: list[Offer]
    entries: Entries


@staff_page(Right.VIEW_HOSTING)
@require_safe
def hosting(request: HttpRequest) -> HttpResponse:
    """Show the runners, and submissions, filtered by state and bot."""
    page = hosting_queries.staff_hosting()
    kind = value if (value := request.GET.get("kind", "")) in hosting_queries.KINDS else ""
    bot = request.GET.get("bot", "").strip()[:LONGEST]
    context = StaffHostingContext(
        page=page,
        offers=offers(request, HOSTING, page),
        kind=kind,
        bot=bot,
        shown=read_page(request.GET.get("page"), PER_PAGE, partial(hosting_queries.search_submissions, kind, bot)),
    )
    return render_page(request, context)


@staff_page(Right.VIEW_HOSTING)
@require_safe
def runner(request: HttpRequest, name: str) -> HttpResponse:
    """Show the seats and the jobs of one runner."""
    page = get_or_404(hosting_queries.staff_runner, name)
    acts = (Act.RUNNER_PAUSED, Act.RUNNER_RESUMED)
    context = StaffRunnerContext(
        runner=page,
        offers=offers(request, RUNNER, page),
        entries=in_words(people_queries.history_of(page.name, acts=acts)),
    )
    return render_page(request, context)


@staff_page(Right.VIEW_HOSTING)
@require_safe
def submission(request: HttpRequest, number: str) -> HttpResponse:
    """Show one submission."""
    line = get_or_404(hosting_queries.staff_submission, number)
    acts = (Act.SUBMISSION_WITHDRAWN, Act.SUBMISSION_LOCKED, Act.SUBMISSION_UNLOCKED)
    context = StaffSubmissionContext(
        line=line,
        offers=offers(request, SUBMISSION, line),
        entries=in_words(people_queries.history_of(f"{line.bot} {line.version}", acts=acts)),
    )
    return render_page(request, context)
