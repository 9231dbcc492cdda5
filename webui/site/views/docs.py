"""Pages of the documentation, and its downloads."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from arena.wire.sources import protocol_zip
from webui.board.drawing import draw_board
from webui.core import wheel
from webui.core.compress import accepted
from webui.core.pages import PageContext, render_page
from webui.core.static_files import edition
from webui.core.visitors import gateway_address
from webui.game_statistics.queries import arena_facts
from webui.game_statistics.values import ArenaFacts
from webui.hosting import queries as hosting_queries
from webui.replays.parts import ShownTable, table_parts
from webui.replays.pictures import current_tile
from webui.site.docs.api import Member, members_of
from webui.site.docs.http_api import SITE
from webui.site.docs.markdown import Text
from webui.site.docs.markup import link_terms
from webui.site.docs.pages import GATEWAY, ORIGINAL, PAGES, RUNTIMES, DocsPage, find, read
from webui.site.learn.lesson import NAMES, STEPS, LessonStep, lesson, lesson_frames

# The page "Five Tribes in 60 seconds".


@dataclass(frozen=True, kw_only=True)
class LessonContext(PageContext):
    """One step of the lesson, with the table that it explains."""

    template: str = "site/learn.html"
    here: str = "docs"
    steps: list[tuple[int, LessonStep, int]]
    """Number, text and ply of each step."""
    number: int
    step: LessonStep
    table: ShownTable
    facts: ArenaFacts | None
    """Figures of the games of this arena. None before there are enough games."""


@require_safe
def learn(request: HttpRequest) -> HttpResponse:
    """Show one step of the lesson: the first, or the one of `?step=3`."""
    step = request.GET.get("step", "")
    number = int(step) if step in [str(n) for n in range(1, len(STEPS) + 1)] else 1
    shown = lesson()
    replay, ply = shown.replay, shown.plies[number - 1]
    position = replay.position(ply)
    context = LessonContext(
        steps=list(zip(range(1, len(STEPS) + 1), STEPS, shown.plies, strict=True)),
        number=number,
        step=STEPS[number - 1],
        table=ShownTable(
            position=position,
            parts=table_parts(replay, shown.lines, ply),
            board=draw_board(position, NAMES, sowing=replay.sowing(ply), current=current_tile(replay, ply)),
            seats=[(line, None) for line in shown.lines],
            index=replay.index_of(ply),
            is_live=False,
            edition=edition(),
        ),
        facts=arena_facts(),
    )
    return render_page(request, context)


@require_safe
@vary_on_headers("Accept-Encoding", "Accept-Language", "Cookie")
def learn_frames(request: HttpRequest) -> HttpResponse:
    """Send all frames of the lesson's game, compressed, in the visitor's language."""
    encoding = accepted(request) or "gzip"  # every browser accepts one of the two encodings
    response = HttpResponse(lesson_frames(encoding), content_type="application/json")
    response["Content-Encoding"] = encoding
    response["Cache-Control"] = "private, max-age=3600" if request.GET.get("e") == edition() else "no-cache"
    return response


WORDS: Final = {
    "view": ("arena.bots", "View"), "me": ("arena.rules", "SeatView"), "seat": ("arena.rules", "SeatView"),
    "seats": ("arena.rules", "SeatView"), "tile": ("arena.rules", "TileView"), "tiles": ("arena.rules", "TileView"),
    "turn": ("arena.rules", "TurnView"), "self": ("arena.bots", "Bot"), "ask": ("arena.bots", "Ask"),
    "match": ("arena.bots", "MatchInfo"),
}  # fmt: skip
"""Classes whose members the editor of bots completes, by the word before the point."""
PLAIN: Final = (
    Member("view", "View", "Everything that your seat may see of the game."),
    Member("legal", "Sequence[str]", "The legal actions as text. Return one of them."),
)
"""Words that the editor completes and explains by themselves."""


@cache
def _editor_words() -> bytes:
    words = {"": PLAIN, **{owner: members_of(*place) for owner, place in WORDS.items()}}
    return json.dumps(
        {
            owner: [{"name": m.name, "detail": m.kind, "help": m.meaning} for m in found]
            for owner, found in words.items()
        },
        separators=(",", ":"),
    ).encode()


@require_safe
def editor_words(request: HttpRequest) -> HttpResponse:
    """Send the words that the editor of bots completes, with their meanings in the reference of the client."""
    response = HttpResponse(_editor_words(), content_type="application/json")
    response["Cache-Control"] = "public, max-age=3600"
    return response


@dataclass(frozen=True, kw_only=True)
class DocsIndexContext(PageContext):
    """The index of the documentation."""

    template: str = "site/docs/index.html"
    here: str = "docs"
    pages: Sequence[DocsPage] = PAGES


@dataclass(frozen=True, kw_only=True)
class DocsContext(DocsIndexContext):
    """One page of the documentation, with its neighbours."""

    template: str = "site/docs/page.html"
    page: DocsPage
    text: Text
    html: SafeString
    before: DocsPage | None
    after: DocsPage | None


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """Show the index."""
    return render_page(request, DocsIndexContext())


@require_safe
def page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show one page, with links to its neighbours."""
    entry = find(slug)
    if entry is None:
        raise Http404(f"no page {slug!r}")
    place = PAGES.index(entry)
    text = read(slug, get_language() or ORIGINAL)
    html: str = link_terms(text.html, text.language) if entry.has_terms else text.html
    if slug == "runtime":
        runtimes = render_to_string("site/docs/runtimes.html", {"runtimes": hosting_queries.runtimes()})
        html = html.replace(f"<p>{RUNTIMES}</p>", runtimes)
    context = DocsContext(
        page=entry,
        text=text,
        html=mark_safe(  # noqa: S308 - our own page
            html.replace(GATEWAY, escape(gateway_address(request))).replace(
                SITE, escape(request.build_absolute_uri("/").rstrip("/"))
            )
        ),
        before=PAGES[place - 1] if place else None,
        after=PAGES[place + 1] if place + 1 < len(PAGES) else None,
    )
    return render_page(request, context)


@require_safe
def protocol(_request: HttpRequest) -> HttpResponse:
    """Send the .proto files and their descriptors."""
    headers = {"Content-Disposition": 'attachment; filename="naqala-protocol.zip"'}
    return HttpResponse(protocol_zip(), content_type="application/zip", headers=headers)


@require_safe
def download(request: HttpRequest) -> HttpResponse:
    """Redirect to the Python package for bot authors, whichever version it has."""
    return redirect("docs-wheel", wheel.NAME)


@require_safe
def download_wheel(request: HttpRequest, name: str) -> HttpResponse:
    """Send the Python package, under the one name that pip accepts."""
    if name != wheel.NAME:
        raise Http404(f"this site has {wheel.NAME}")
    return HttpResponse(wheel.wheel(), content_type="application/octet-stream")
