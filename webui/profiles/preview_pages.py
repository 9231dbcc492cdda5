"""Pictures: small boards for lists, and previews of pages for other sites."""

from collections.abc import Callable
from hashlib import sha256

from django.conf import settings
from django.core.cache import caches
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.translation import get_language
from django.views.decorators.http import require_safe

from webui.board.thumbnail import empty_board
from webui.bots import queries as bot_queries
from webui.core.pages import get_or_404
from webui.core.static_files import edition
from webui.core.visitors import address_of
from webui.fair_queue import Busy
from webui.profiles import previews, queries
from webui.ratings import queries as rating_queries
from webui.replays.pages import hides_result, visible_match
from webui.replays.pictures import thumbnail
from webui.replays.replay import ENDED
from webui.replays.single import one_at_a_time
from webui.replays.summary import sentence_of

WAIT_S = 4
SVG_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
"""Content Security Policy of a drawing, which contains its colours and loads nothing."""


@require_safe
def board(request: HttpRequest, match_id: str) -> HttpResponse:
    """Send a small board of a match: its final position, or the position that spectators see now."""
    line = visible_match(match_id).line
    try:
        drawn = thumbnail(line, address=address_of(request))
    except Busy:
        drawn = None
    caching = "no-store" if drawn is None else "public, max-age=86400" if line.state in ENDED else "public, max-age=5"
    response = HttpResponse(drawn or empty_board(6, 5), content_type="image/svg+xml")
    response["Content-Security-Policy"] = SVG_POLICY
    response["Cache-Control"] = caching
    return response


@require_safe
def match_preview(request: HttpRequest, match_id: str) -> HttpResponse:
    """Send the picture of a match. With `?spoilers=0` it does not show the result."""
    line = visible_match(match_id).line
    tells = not hides_result(request, line)
    sentence = sentence_of(line) if tells else ""
    return _picture(request, (line, sentence, tells), lambda: previews.match_picture(line, sentence, tells=tells))


@require_safe
def bot_preview(request: HttpRequest, slug: str) -> HttpResponse:
    """Send the picture of a bot."""
    bot = bot_queries.find_bot(slug)
    if bot is None or bot.slug != slug:
        raise Http404(f"there is no bot {slug!r}")
    (line,) = queries.bots(ids=[bot.id])
    return _picture(request, line, lambda: previews.bot_picture(line))


@require_safe
def ladder_preview(request: HttpRequest, slug: str) -> HttpResponse:
    """Send the picture of a ladder."""
    summary = next((summary for summary in rating_queries.ladders() if summary.ladder.slug == slug), None)
    if summary is None:
        raise Http404(f"there is no ladder {slug!r}")
    top = rating_queries.ladder_top(slug, previews.ROWS)
    return _picture(request, (summary, top), lambda: previews.ladder_picture(summary.ladder, top, summary.matches))


@require_safe
def user_preview(request: HttpRequest, name: str) -> HttpResponse:
    """Send the picture of an author."""
    page = get_or_404(queries.user_page, name, limit=previews.ROWS)
    return _picture(request, page, lambda: previews.user_picture(page))


def _picture(request: HttpRequest, shown: object, make: Callable[[], bytes]) -> HttpResponse:
    """Send a picture. `make` draws it if none is cached for `shown`, the values in the picture."""
    key = sha256(repr((shown, get_language(), edition())).encode()).hexdigest()[:32]
    tag = f'"{key}"'
    answer = get_conditional_response(request, etag=tag)
    if not isinstance(answer, HttpResponse):
        picture = caches["pictures"].get(key)
        if picture is None:
            try:
                with one_at_a_time(settings.PLACES.frames / "pictures-lock", WAIT_S, address_of(request)):
                    picture = make()
            except Busy:
                return HttpResponse(status=503, headers={"Retry-After": "2", "Cache-Control": "no-store"})
            caches["pictures"].set(key, picture)
        answer = HttpResponse(picture, content_type="image/png")
    answer["Cache-Control"] = "public, max-age=300"
    answer["ETag"] = tag
    patch_vary_headers(answer, ["Cookie"])  # a cookie may choose the language
    return answer
