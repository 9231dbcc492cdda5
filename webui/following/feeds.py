"""Atom feeds of the matches of a bot and of a ladder."""

from collections.abc import Sequence

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.feedgenerator import Atom1Feed
from django.utils.html import escape
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from webui.bots import queries as bot_queries
from webui.matches import queries as match_queries
from webui.matches.values import MatchLine
from webui.ratings import queries as rating_queries
from webui.replays import summary
from webui.words.titles import game_words, ladder_name, margin, match_title

ENTRIES = 30


@require_safe
def bot_feed(request: HttpRequest, slug: str) -> HttpResponse:
    """Return the latest results of a bot. With `?spoilers=0` the feed names the players, but not the results."""
    bot = bot_queries.find_bot(slug)
    if bot is None or bot.slug != slug:
        raise Http404(f"there is no bot {slug!r}")
    matches = match_queries.matches(states=["FINISHED"], bot=slug, limit=ENTRIES)
    title = _("Matches of %(bot)s") % {"bot": bot.name}
    return _feed(request, title, reverse("bot", args=[slug]), matches)


@require_safe
def ladder_feed(request: HttpRequest, slug: str) -> HttpResponse:
    """Return the latest results of a ladder. It takes the same parameter as `bot_feed`."""
    ladder = next((row.ladder for row in rating_queries.ladders() if row.ladder.slug == slug), None)
    if ladder is None:
        raise Http404(f"there is no ladder {slug!r}")
    matches = match_queries.matches(states=["FINISHED"], ladder=slug, limit=ENTRIES)
    return _feed(request, ladder_name(ladder), reverse("ladder", args=[slug]), matches)


def _feed(request: HttpRequest, title: str, path: str, matches: Sequence[MatchLine]) -> HttpResponse:
    shows_results = request.GET.get("spoilers") != "0"
    sentences = summary.sentences(matches) if shows_results else {}
    feed = Atom1Feed(
        title=f"Naqala Arena: {title}",
        link=request.build_absolute_uri(path),
        description=title,
        language=get_language(),
        feed_url=request.build_absolute_uri(),
    )
    for line in matches:
        address = request.build_absolute_uri(reverse("match", args=[line.id]))
        result = sentences.get(line.id) or margin(line) if shows_results else ""
        words = (game_words(line.players, line.expansions), result)
        feed.add_item(
            title=match_title(line, hides_result=not shows_results),
            link=address if shows_results else f"{address}?spoilers=0",
            description=escape(" · ".join(filter(None, words))),  # feed readers interpret it as HTML
            unique_id=address,
            pubdate=line.finished_at,
            updateddate=line.finished_at,
        )
    return HttpResponse(feed.writeString("utf-8"), content_type="application/atom+xml; charset=utf-8")
