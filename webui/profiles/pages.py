"""The page of a bot."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from arena.bus import Presence
from webui.bots import presence
from webui.bots import queries as bot_queries
from webui.bots.forms import ReleaseForm
from webui.bots.values import BotRef, BotVersionLine, OwnBot
from webui.challenges import queries as challenge_queries
from webui.challenges.values import ChallengeLine
from webui.comparisons import queries as comparison_queries
from webui.comparisons.values import ComparisonLine
from webui.core.pages import LinkCard, PageContext, get_or_404, link_card, render_page
from webui.core.paging import ListPage, page_number
from webui.events import queries as event_queries
from webui.events.available_actions import next_game
from webui.events.values import EventLine
from webui.following import queries as following_queries
from webui.hosting import queries as hosting_queries
from webui.hosting.values import PublishedSource
from webui.ladders.values import LadderRef
from webui.matches.values import MatchLine, SeatLine
from webui.pairing import rests
from webui.pairing.idle_reason import idle_reason
from webui.people import queries as people_queries
from webui.profiles import queries
from webui.profiles.statistics import BotStatistics
from webui.profiles.values import BotLine, BotPage, ThinkTimes
from webui.ratings import queries as rating_queries
from webui.ratings.charts import RatingAxis, RatingChart, rating_chart
from webui.ratings.standings import half
from webui.ratings.values import BotStanding
from webui.words.house import about_bot
from webui.words.titles import ladder_name, tab_words

VERSIONS_SHOWN = 20
COMPARISONS_SHOWN = 3
CHALLENGES_SHOWN = 3


@dataclass(frozen=True)
class BotMatch:
    """A match from the point of view of a bot."""

    line: MatchLine
    own: SeatLine
    others: list[SeatLine]


@dataclass(frozen=True)
class OwnersPart:
    """Part of a bot's page that only its owner sees."""

    own: OwnBot
    why: str
    """Reason why the bot does not play now. Empty if it does."""
    release: ReleaseForm
    think: ThinkTimes | None
    comparisons: list[ComparisonLine]
    challenges: list[ChallengeLine]
    entries: list[tuple[EventLine, str]]
    """Events that the bot has entered, each with the time of its next game there."""


@dataclass(frozen=True, kw_only=True)
class BotContext(PageContext):
    """The page of a bot."""

    template: str = "profiles/bot.html"
    here: str = "bots"
    page: BotPage
    bot: BotRef
    about: str
    """Description of the bot."""
    played: list[BotMatch]
    best: BotStanding | None
    """Standing on the chosen ladder."""
    chart: RatingChart | None
    ladders: list[tuple[LadderRef, str]]
    axis: RatingAxis
    versions: list[tuple[BotVersionLine, BotStanding | None]]
    newest: BotVersionLine | None
    """Newest version that has connected, on the first page of versions."""
    shown: ListPage[BotVersionLine]
    statistics: BotStatistics
    sessions: Sequence[Presence] | None
    """Connected processes. None while this is not known."""
    sources: dict[str, PublishedSource]
    """Published sources, by the name of their version."""
    follows: bool
    can_follow: bool
    can_challenge: bool
    plays_people: bool
    owners: OwnersPart | None


@require_safe
def bot(request: HttpRequest, slug: str) -> HttpResponse:
    """Show rating, versions, opponents, matches and faults. `?ladder=` selects the ladder. The bot's owner sees
    more.
    """
    number = page_number(request.GET.get("page"))
    page = get_or_404(queries.bot_page, slug, limit=VERSIONS_SHOWN + 1, offset=(number - 1) * VERSIONS_SHOWN)
    online = presence.online()
    best = _chosen(page, request.GET.get("ladder"))
    here = {standing.version.id: standing for standing in page.standings if best and standing.ladder == best.ladder}
    ladders = list({standing.ladder.slug: standing.ladder for standing in page.standings}.values())
    line = BotLine(page.bot, page.created_at, page.state, best, page.retired_at)
    about = about_bot(page.bot, page.description)
    context = BotContext(
        page=page,
        bot=page.bot,
        played=[_played(line, page.bot.id) for line in page.matches],
        best=best,
        chart=rating_chart(rating_queries.rating_history(best.ladder.slug, page.version_ids)) if best else None,
        ladders=list(zip(ladders, tab_words(ladders), strict=True)),
        axis=RatingAxis.of([best.rated] if best and best.rated else []),
        versions=[(line, here.get(line.version.id)) for line in page.versions[:VERSIONS_SHOWN]],
        newest=_newest(page) if number == 1 else None,
        shown=ListPage(page.versions[:VERSIONS_SHOWN], number, len(page.versions) > VERSIONS_SHOWN),
        statistics=BotStatistics.of(page.past),
        sessions=None if online is None else online.get(page.bot.id, []),
        sources={source.version: source for source in hosting_queries.published_sources(page.bot.id)},
        about=about,
        card=_card(request, line, about),
        follows=following_queries.follows_bot(request.user.pk, page.bot.id),
        can_follow=request.user.pk != page.bot.owner_id,
        can_challenge=request.user.pk is not None and challenge_queries.is_challengeable(page.bot.id, request.user.pk),
        plays_people=people_queries.plays_people(page.bot.id),
        owners=_owners_part(page) if request.user.pk == page.bot.owner_id else None,
    )
    return render_page(request, context)


def _card(request: HttpRequest, bot: BotLine, description: str) -> LinkCard:
    """Return the card of a bot. `description` is its author's text."""
    words = [_("A bot by %(author)s.") % {"author": bot.bot.owner}]
    if bot.standing and bot.standing.rated:
        rated = bot.standing.rated
        retired = _("Retired; last rated %(points)s ± %(half)s: %(ladder)s.") if bot.retired_at else None
        words.append(
            (retired or _("Rated %(points)s ± %(half)s: %(ladder)s."))
            % {"points": rated.points, "half": half(rated), "ladder": ladder_name(bot.standing.ladder)}
        )
    text = " ".join([*words, " ".join(description.split())]).strip()
    return link_card(request, "bot", bot.bot.slug, bot.bot.name, text)


def _newest(page: BotPage) -> BotVersionLine | None:
    """Return the newest version that has connected (sent `Hello`)."""
    return next((line for line in page.versions if not line.is_ready), None)


def _chosen(page: BotPage, ladder: str | None) -> BotStanding | None:
    """Return the newest version's standing on the requested ladder. The default is the ladder with the most games."""
    order = {version_id: place for place, version_id in enumerate(page.version_ids)}
    standings = [standing for standing in page.standings if standing.ladder.slug == ladder]
    if not standings and page.standings:
        busiest = max(page.standings, key=lambda standing: standing.games).ladder
        standings = [standing for standing in page.standings if standing.ladder == busiest]
    return min(standings, key=lambda standing: order[standing.version.id], default=None)


def _owners_part(page: BotPage) -> OwnersPart | None:
    own = next((own for own in bot_queries.own_bots(page.bot.owner_id) if own.bot.id == page.bot.id), None)
    if own is None:
        return None
    return OwnersPart(
        own=own,
        why=idle_reason(own, presence.online(), rests.rests_of([own.bot]).get(own.bot.id), rests.seats_a_minute()),
        release=ReleaseForm(auto_id="release_%s"),
        think=queries.think_times(page.version_ids),
        comparisons=comparison_queries.comparisons_of(page.bot.id, COMPARISONS_SHOWN),
        challenges=challenge_queries.challenges_of(page.bot.owner_id, page.bot.id, CHALLENGES_SHOWN),
        entries=[_next_game(page, *entry) for entry in event_queries.entries_of(page.bot.id)],
    )


def _next_game(page: BotPage, slug: str, number: int) -> tuple[EventLine, str]:
    """Return an event that the bot has entered, and the time of its next game there."""
    event = event_queries.event_page(slug, page.bot.owner_id)
    return event.line, next_game(event, number)


def _played(line: MatchLine, bot_id: int) -> BotMatch:
    own = next(seat for seat in line.seats if seat.version.bot.id == bot_id)
    others: Sequence[SeatLine] = [seat for seat in line.seats if seat is not own]
    return BotMatch(line, own, sorted(others, key=lambda seat: (seat.placement or 9, seat.seat)))
