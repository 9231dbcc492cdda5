"""Pages of events, and their documents for programs."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.utils.cache import get_conditional_response
from django.utils.translation import get_language
from django.views.decorators.http import require_safe

from arena.events import EventState, Terms
from arena.events.exports import standings_rows
from arena.events.verify import FORMAT, event_document
from webui.bots.queries import has_bots
from webui.core.feeds import feeds
from webui.core.headers import embeddable
from webui.core.pages import (
    PageContext,
    attachment,
    get_or_404,
    json_attachment,
    link_card,
    render_page,
    with_etag,
)
from webui.core.paging import ListPage
from webui.core.shared import STRANGERS, VERSIONED_S, Sharing, is_for_strangers, shared_response
from webui.core.static_files import edition
from webui.core.streams import stream
from webui.core.times import zone_of
from webui.core.visitors import Live, refused
from webui.events import (
    available_actions,
    boards,
    bracket,
    dry_run,
    eligibility,
    podium,
    queries,
    rounds,
    standings,
    tree,
    words,
)
from webui.events.available_actions import OrganiserActions, OwnBotView
from webui.events.boards import EventBoard, picture
from webui.events.bracket import BracketColumn
from webui.events.dry_run import DraftTrial
from webui.events.live import EventFeed
from webui.events.podium import Podium
from webui.events.rounds import RoundView
from webui.events.standings import CrossRow, StandingRow, TieBreakHead
from webui.events.tree import Drawing
from webui.events.values import EventLine, EventPage
from webui.events.words import LogLine
from webui.ratings.pages import plain

LIVE = (EventState.RUNNING, EventState.PAUSED, EventState.FROZEN, EventState.OPEN)
"""States of unfinished events, in the order of the list."""
OVER = (EventState.FINISHED, EventState.ARCHIVED, EventState.CANCELLED)
ROWS_SHOWN = 64
"""Number of rows of the standings shown without `?standings=all`."""
LOG_SHOWN = 20
"""Number of lines of the log shown without `?log=all`."""
PAGE_PARAMETERS = ("standings", "log", "page")
"""Query parameters that choose how much of the page is shown."""


@dataclass(frozen=True, kw_only=True)
class EventsContext(PageContext):
    """The list of events, with the visitor's own drafts."""

    template: str = "events/events.html"
    here: str = "events"
    drafts: list[EventLine]
    live: list[EventLine]
    over: list[EventLine]


@dataclass(frozen=True, kw_only=True)
class EventContext(PageContext):
    """An event as far as the visitor may see it."""

    here: str = "events"
    page: EventPage
    line: EventLine
    terms: Terms
    format: str
    """The format in words."""
    course: str
    """The course of the event in words."""
    is_over: bool
    is_settled: bool
    boards: list[EventBoard]
    podium: Podium | None
    rows: list[StandingRow]
    all_rows: int
    """Number of rows of the whole standings."""
    tie_breaks: list[TieBreakHead]
    columns: int
    """Number of columns of the standings."""
    crosstable: list[CrossRow]
    stages: list[BracketColumn]
    tree: Drawing | None
    rounds: ListPage[RoundView]
    log: Sequence[LogLine]
    all_log: int
    """Number of lines of the whole log."""
    own: list[OwnBotView]
    organiser: OrganiserActions | None
    """Actions of the visitor as an organiser. None for everybody else."""
    is_hidden: bool
    trial: DraftTrial | None = None
    """Dry run of a draft."""


@require_safe
def events(request: HttpRequest) -> HttpResponse:
    """Show the unfinished events, then the finished ones, and the visitor's own drafts."""
    own = queries.own_events(request.user.pk) if request.user.pk else []
    live = queries.events(states=tuple(map(str, LIVE)))
    context = EventsContext(
        drafts=[line for line in own if line.state == EventState.DRAFT],
        live=sorted(live, key=lambda line: LIVE.index(EventState(line.state))),
        over=queries.events(states=tuple(map(str, OVER))),
    )
    return render_page(request, context)


def sharing(request: HttpRequest, slug: str) -> Sharing | None:
    """Let strangers share the page of an event while the event does not change."""
    if not is_for_strangers(request):
        return None
    get_or_404(queries.sees_all, slug, None)
    _remove_other_parameters(request)
    return Sharing(VERSIONED_S, eligibility.event_mark(slug, sees_all=False).mark)


@require_safe
def event(request: HttpRequest, slug: str) -> HttpResponse:
    """Show an event as far as the visitor may see it."""
    page = event_page(request, slug)
    is_draft = page.event.state is EventState.DRAFT
    if is_draft and "bots" in request.GET and (too_many := refused(request, "dry_run")):
        return too_many
    context = replace(
        event_context(page, request.GET, request.user.pk, "events/event.html"),
        card=link_card(request, "event", slug, page.line.name, words.in_short(page), has_picture=not is_draft),
        trial=dry_run.trial(page.event.terms, request.GET.get("bots")) if is_draft else None,
    )
    return render_page(request, context)


def _page_parameters(request: HttpRequest) -> dict[str, str]:
    """Return the query parameters that change the page."""
    given = {name: request.GET[name] for name in PAGE_PARAMETERS if name in request.GET}
    return {name: value for name, value in given.items() if name == "page" or value == "all"}


def _remove_other_parameters(request: HttpRequest) -> None:
    """Remove query parameters that do not change the page. A shared page would repeat those of one visitor to all."""
    request.GET = QueryDict(urlencode(_page_parameters(request)))
    request.META["QUERY_STRING"] = request.GET.urlencode()


@embeddable
@require_safe
def event_embed(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the public standings and bracket of an event, for frames on any other page."""
    page = get_or_404(queries.event_page, slug)
    return render_page(request, event_context(page, request.GET, None, "events/event_embed.html"))


@require_safe
def event_preview(request: HttpRequest, slug: str) -> HttpResponse:
    """Return the public picture of an event, for link previews."""
    page = get_or_404(queries.event_page, slug)
    language = get_language() or settings.LANGUAGE_CODE
    png = picture_of(slug, page.event.length, page.line.created_at.isoformat(), language)
    response = HttpResponse(png, content_type="image/png")
    response["Cache-Control"] = "public, max-age=300"
    return with_etag(request, response)


@lru_cache(maxsize=64)
def picture_of(slug: str, length: int, created_at: str, language: str) -> bytes:
    """Return the public picture of an event after its first `length` facts."""
    return picture(get_or_404(queries.event_page, slug))


@require_safe
def event_parts(request: HttpRequest, slug: str) -> HttpResponse:
    """Return the changed parts of an event's page as HTML, for visitors who have it open."""
    sees_all = _sees_all(request, slug)
    user_id: int | None = request.user.pk
    is_shared = not sees_all and (user_id is None or not has_bots(user_id))
    if is_shared:
        _remove_other_parameters(request)
    audience = STRANGERS if user_id is None else "users without bots" if is_shared else str(user_id)
    mark = eligibility.event_mark(slug, sees_all=sees_all).mark
    made_of = (slug, mark, get_language(), zone_of(request), audience, _page_parameters(request), edition())
    tag = sha256(repr(made_of).encode()).hexdigest()[:32]

    def parts() -> HttpResponse:
        return render_page(request, event_context(event_page(request, slug), request.GET, user_id, "events/fresh.html"))

    response = get_conditional_response(request, etag=f'"{tag}"')
    if not isinstance(response, HttpResponse):
        # All readers of a live page ask at the same moment. Those without bots who are no organisers share the parts:
        # these have nothing of a visitor's own, also no form and no CSRF token.
        response = shared_response(request, Sharing(VERSIONED_S, tag, audience) if is_shared else None, parts)
    response["ETag"] = f'"{tag}"'
    response["Cache-Control"] = "private, no-cache"
    return response


@require_safe
async def live(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Announce changes of an event's page as server-sent events."""

    def follow(sees_all: bool, after: int) -> Live:
        key = f"event:{slug}", "all" if sees_all else "public"
        return feeds.follow(key, lambda: EventFeed(slug, sees_all=sees_all), after)

    return await stream(request, lambda: _sees_all(request, slug), follow)


def _sees_all(request: HttpRequest, slug: str) -> bool:
    return get_or_404(queries.sees_all, slug, request.user.pk)


def event_page(request: HttpRequest, slug: str) -> EventPage:
    """Return the event as far as the visitor may see it. Raise `Http404` if there is none."""
    return get_or_404(queries.event_page, slug, request.user.pk)


def event_context(page: EventPage, parameters: Mapping[str, str], user_id: int | None, template: str) -> EventContext:
    """Return what the page of an event shows. `parameters` are the query parameters in `PAGE_PARAMETERS`."""
    rows, heads = standings.rows(page), standings.tie_break_heads(page)
    own = (
        eligibility.own_entries(page.line.slug, user_id) if user_id and page.event.state is not EventState.DRAFT else []
    )
    stages = bracket.stages(page)
    log = words.log_lines(page.event, page.facts)
    return EventContext(
        template=template,
        page=page,
        line=page.line,
        terms=page.event.terms,
        format=words.format_words(page.event),
        course=words.course_words(page.event),
        is_over=page.event.state in OVER,
        is_settled=page.event.state in queries.SETTLED,
        boards=boards.boards(page),
        podium=podium.podium(page),
        rows=rows if parameters.get("standings") == "all" else rows[:ROWS_SHOWN],
        all_rows=len(rows),
        tie_breaks=heads,
        columns=5 + sum(head.has_column for head in heads),
        crosstable=standings.crosstable(page),
        stages=stages,
        tree=tree.drawing(stages),
        rounds=rounds.rounds(page, parameters.get("page")),
        log=log if parameters.get("log") == "all" else log[:LOG_SHOWN],
        all_log=len(log),
        own=available_actions.own_bots(page, own),
        organiser=available_actions.organiser_actions(page) if page.is_organiser else None,
        is_hidden=page.event.terms.hidden and page.event.revealed < len(page.event.rounds),
    )


def shown_document(page: EventPage) -> dict[str, Any]:
    """Return the document of `arena event verify`, as far as its results are shown."""
    if page.event.seed is not None and page.shown == len(page.event.rounds):
        return event_document(page.facts)
    return {"format": FORMAT, "facts": [fact.document() for fact in page.facts], "standings": []}


@require_safe
def event_json(request: HttpRequest, slug: str) -> HttpResponse:
    """Return the document of `arena event verify` without hidden results. Before the end it has no standings."""
    return json_attachment(shown_document(event_page(request, slug)), f"naqala-{slug}.json")


@require_safe
def event_csv(request: HttpRequest, slug: str) -> HttpResponse:
    """Return the standings as comma-separated values, as far as they are shown."""
    page = event_page(request, slug)
    response = attachment("", "text/csv; charset=utf-8", f"naqala-{slug}.csv")
    csv.writer(response).writerows([plain(cell) for cell in row] for row in standings_rows(page.event, page.standings))
    return response
