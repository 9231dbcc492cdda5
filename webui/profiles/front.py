"""The front page, and the lists of matches, bots and users."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.safestring import SafeString
from django.utils.translation import ngettext
from django.views.decorators.http import require_safe

from arena.bus import Presence
from webui.bots import presence
from webui.bots import queries as bot_queries
from webui.bots.values import BotRef
from webui.core.pages import PageContext, get_or_404, link_card, render_page
from webui.core.paging import ListPage, page_number, read_page
from webui.core.visitors import gateway_address
from webui.following import queries as following_queries
from webui.hosting import queries as hosting_queries
from webui.matches import conditions
from webui.matches import queries as match_queries
from webui.matches.queries import ArenaCounts
from webui.matches.values import MatchLine
from webui.people import queries as people_queries
from webui.people.values import RatedPerson
from webui.profiles import queries
from webui.profiles.values import BotLine, UserPage
from webui.ratings import queries as rating_queries
from webui.ratings.charts import RatingAxis
from webui.ratings.values import LadderRow, LadderSummary
from webui.replays import summary as replay_summary
from webui.replays.pictures import FrontBoard, front_board
from webui.stories import queries as story_queries
from webui.tv.programme import shown_now

LIVE_SHOWN = 3
LIVE_KNOWN = 12
"""Number of newest running matches from which the match on the front page is chosen."""
LATEST_SHOWN = 6
TOP_SHOWN = 5
LADDERS_SHOWN = 3
MATCHES_SHOWN = 30
BOTS_SHOWN = 60
NAMES_IN_CARD = 5

EXCITEMENTS = {"some": 0.5, "much": 0.7}
"""Values of `?excitement=`, and the minimum excitement of a match for each."""
HOSTED = {"yes": True, "no": False}
"""Values of `?hosted=`: matches with a hosted bot, and matches without one."""
BEST_SHOWN = 3
WEEK = 6
"""Number of days before today that belong to the week."""

STATES = {
    "": ["RUNNING", "FINISHED", "VOID", "ABORTED"],
    "live": ["RUNNING"],
    "finished": ["FINISHED"],
    "void": ["VOID", "ABORTED"],
}
"""Values of `?state=`, and the states of matches that each shows."""


@dataclass(frozen=True, kw_only=True)
class FrontContext(PageContext):
    """The front page."""

    template: str = "profiles/front.html"
    here: str = "front"
    live: Sequence[MatchLine]
    latest: Sequence[MatchLine]
    best: Sequence[MatchLine]
    verdicts: Mapping[str, str]
    """A sentence on each finished match, by id."""
    counts: ArenaCounts
    ladder: LadderSummary | None
    more_ladders: Sequence[LadderSummary]
    top: Sequence[LadderRow]
    axis: RatingAxis
    shown: SafeString
    """Table of the match on TV. Empty if there is none; then there is a `board`."""
    board: FrontBoard | None
    server: str
    site: str
    is_hosting: bool
    """Whether bots can be submitted: a runner has called lately."""


@dataclass(frozen=True, kw_only=True)
class MatchesContext(PageContext):
    """A list of matches, with its filters."""

    template: str = "profiles/matches.html"
    here: str = "matches"
    shown: ListPage[MatchLine]
    verdicts: Mapping[str, str]
    """A sentence on each finished match, by id."""
    hides: bool
    """Whether results are hidden."""
    state: str
    is_best: bool
    ladders: Sequence[LadderSummary]
    ladder: str
    bot: str
    found_bot: BotRef | None
    filters: conditions.MatchFilters
    excitement: str
    is_plain: bool
    """Whether only ratings and excitement are filtered."""


@dataclass(frozen=True, kw_only=True)
class BotsContext(PageContext):
    """A list of bots."""

    template: str = "profiles/bots.html"
    here: str = "bots"
    shown: ListPage[BotLine]
    axis: RatingAxis
    online: Mapping[int, Sequence[Presence]] | None
    search: str
    kind: str


@dataclass(frozen=True, kw_only=True)
class UserContext(PageContext):
    """The page of a user, with the user's bots."""

    template: str = "profiles/user.html"
    here: str = "bots"
    page: UserPage
    shown: ListPage[BotLine]
    axis: RatingAxis
    online: Mapping[int, Sequence[Presence]] | None
    is_self: bool
    follows: bool
    person: RatedPerson | None
    """The user's own rating as a person who plays in the browser."""


@require_safe
def front(request: HttpRequest) -> HttpResponse:
    """Show the front page: running matches, latest results, the top of a ladder."""
    running = match_queries.matches(states=["RUNNING"], limit=LIVE_KNOWN)
    live = sorted(running, key=lambda line: line.has_person)  # people may let their table wait
    latest = match_queries.matches(states=["FINISHED"], limit=LATEST_SHOWN)
    best = match_queries.matches_by_id(story_queries.best_matches(BEST_SHOWN, days=WEEK))
    summaries = rating_queries.ladders()
    busiest = max(summaries, key=lambda summary: summary.matches, default=None)
    shown = shown_now(is_small=True)
    top = rating_queries.ladder_top(busiest.ladder.slug, TOP_SHOWN) if busiest else []
    context = FrontContext(
        live=live[:LIVE_SHOWN],
        latest=latest,
        best=best,
        verdicts=replay_summary.sentences([*latest, *best]),
        counts=match_queries.arena_counts(),
        ladder=busiest,
        more_ladders=sorted(summaries, key=lambda summary: -summary.matches)[1 : 1 + LADDERS_SHOWN],
        top=top,
        axis=RatingAxis.of([row.rated for row in top if row.rated]),
        shown=shown,
        board=None if shown else front_board(live, latest),
        server=gateway_address(request),
        site=request.build_absolute_uri("/").rstrip("/"),
        is_hosting=hosting_queries.runners_alive() > 0,
    )
    return render_page(request, context)


@require_safe
def matches(request: HttpRequest) -> HttpResponse:
    """Show matches, newest first, or the best matches of the week.

    Filters are the state, ladder, bot, ratings, excitement and hosting. With `?spoilers=0` results are not shown.
    """
    state, ladder, bot = (request.GET.get(name, "") for name in ("state", "ladder", "bot"))
    state = state if state in STATES else ""
    number = page_number(request.GET.get("page"))
    filters = _match_filters(request)
    is_best = request.GET.get("best") == "week"
    found_bot = bot_queries.find_bot(bot) if bot else None
    if is_best:
        if number > 1:
            raise Http404("the best are on one page")
        lines = match_queries.matches_by_id(story_queries.best_matches(MATCHES_SHOWN, days=WEEK))
    else:
        lines = match_queries.matches(
            states=STATES[state],
            ladder=ladder or None,
            bot=found_bot.slug if found_bot else bot or None,
            filters=filters,
            limit=MATCHES_SHOWN + 1,
            offset=(number - 1) * MATCHES_SHOWN,
        )
    hides = request.GET.get("spoilers") == "0"
    context = MatchesContext(
        shown=ListPage(lines[:MATCHES_SHOWN], number, len(lines) > MATCHES_SHOWN),
        verdicts={} if hides else replay_summary.sentences(lines[:MATCHES_SHOWN]),
        hides=hides,
        state=state,
        is_best=is_best,
        ladders=rating_queries.ladders(),
        ladder=ladder,
        bot=bot,
        found_bot=found_bot,
        filters=filters,
        excitement=request.GET.get("excitement", ""),
        is_plain=not (state or ladder or bot or is_best) and filters.is_anything,
    )
    return render_page(request, context)


def _match_filters(request: HttpRequest) -> conditions.MatchFilters:
    """Return the filters for ratings, excitement and hosting. Values that they do not have are ignored."""

    def points(name: str) -> int | None:
        text = request.GET.get(name, "")
        return int(text) if re.fullmatch("[0-9]{1,4}", text) and int(text) else None

    return conditions.MatchFilters(
        weakest=points("weakest"),
        strongest=points("strongest"),
        excitement=EXCITEMENTS.get(request.GET.get("excitement", "")),
        is_hosted=HOSTED.get(request.GET.get("hosted", "")),
    )


@require_safe
def bots(request: HttpRequest) -> HttpResponse:
    """Show bots, newest first: all, or only those that are online, of the house, hosted, or found by a search."""
    search = " ".join(request.GET.get("q", "").split())[:40]
    kind = request.GET.get("kind", "")
    online = presence.online()

    def read(limit: int, offset: int) -> list[BotLine]:
        return queries.bots(
            search=search,
            is_house={"house": True, "guests": False}.get(kind),
            is_hosted=True if kind == "hosted" else None,
            ids=sorted(online or {}) if kind == "online" else None,
            is_retired=None if search else False,
            limit=limit,
            offset=offset,
        )

    shown = read_page(request.GET.get("page"), BOTS_SHOWN, read)
    context = BotsContext(
        shown=shown,
        axis=_axis(shown.items),
        search=search,
        kind=kind if kind in ("house", "guests", "hosted", "online") else "",
        online=online,
    )
    return render_page(request, context)


def _axis(lines: Sequence[BotLine]) -> RatingAxis:
    """Return one axis for all ratings of a page. Ratings of different ladders have the same unit."""
    return RatingAxis.of([line.standing.rated for line in lines if line.standing and line.standing.rated])


@require_safe
def user(request: HttpRequest, name: str) -> HttpResponse:
    """Show a user and the user's bots."""
    number = page_number(request.GET.get("page"))
    page = get_or_404(queries.user_page, name, limit=BOTS_SHOWN + 1, offset=(number - 1) * BOTS_SHOWN)
    is_self = request.user.username == name
    names = ", ".join(line.bot.name for line in page.bots[:NAMES_IN_CARD])
    count = ngettext("%(n)s bot", "%(n)s bots", page.bot_count) % {"n": page.bot_count}
    context = UserContext(
        card=link_card(request, "user", page.name, page.name, f"{count}: {names}" if names else count),
        page=page,
        shown=ListPage(page.bots[:BOTS_SHOWN], number, len(page.bots) > BOTS_SHOWN),
        axis=_axis(page.bots[:BOTS_SHOWN]),
        online=presence.online(),
        is_self=is_self,
        follows=not is_self and following_queries.follows_author(request.user.pk, name),
        person=people_queries.rating_of(page.name),
    )
    return render_page(request, context)
