"""Pages of a match: the match at any decision, its frames, and its replay as a file."""

import hashlib
import json
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils.cache import get_conditional_response
from django.utils.http import content_disposition_header
from django.utils.translation import get_language
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from webui.core.compress import accepted
from webui.core.errors import NotFound
from webui.core.feeds import feeds
from webui.core.headers import embeddable
from webui.core.static_files import edition
from webui.core.streams import stream
from webui.core.visitors import Live, address_of
from webui.matches import queries as match_queries
from webui.matches.values import HiddenResult, MatchLine, MatchPage
from webui.ratings import queries as rating_queries
from webui.ratings.charts import score_chart
from webui.replays import onward, timeline
from webui.replays.cards import match_card
from webui.replays.frames import packed_frames
from webui.replays.hooks import offers_rematch
from webui.replays.live import MatchFeed
from webui.replays.loading import ENDED, load_replay
from webui.replays.messages import asks_of
from webui.replays.parts import table_parts
from webui.replays.pictures import board_picture
from webui.replays.spoilers import hides_result, keep_hiding
from webui.replays.story import chance_totals, chapters, deciding, uncertainty
from webui.replays.summary import summary_of
from webui.replays.transcript import own_notes
from webui.stories import queries as story_queries
from webui.turns import Busy
from webui.words.titles import match_description, match_title, seat_names
from webui.words.verdicts import verdict_sentence


@require_safe
def match(request: HttpRequest, match_id: str) -> HttpResponse:
    """Show a match before the event at index `?d=137`, or at its latest position. `?view=2` is the view of seat 2."""
    try:
        page = visible_match(match_id, request)
    except Http404 as error:
        if isinstance(error.__cause__, HiddenResult):
            return render(request, "replays/match_hidden.html", {"here": "events"}, status=404)
        raise
    has_rematch = (
        page.line.is_challenge
        and request.user.pk is not None
        and page.line.state in ENDED
        and any(offers_rematch(page.line.id, request.user.pk))
    )
    context = {"here": "matches", "page": page, "has_rematch": has_rematch, **_table(request, page.line)}
    context["card"] = match_card(request, page.line, context["description"], hides=context["hides_result"])
    if context["replay"] is None:
        return render(request, "replays/match_none.html", context)
    told, ply = context["summary"], context["ply"]
    context["moves"] = told.move_list(ply)
    if page.line.state in ENDED:
        context["onward"] = onward.onward(page.line)
    if context["hides_result"]:
        context["moves"] = keep_hiding(context["moves"])
        return render(request, "replays/match.html", context)
    context |= _own(request, page.line, context["index"])
    if told.totals:
        context |= _charts(request, page.line, context)
    return render(request, "replays/match.html", context)


def _charts(request: HttpRequest, line: MatchLine, context: dict[str, Any]) -> dict[str, Any]:
    """Return the context of the chart of points or, with `?chart=chance`, of the chances to win.

    The chances are also included as JSON, so that a script can draw them.
    """
    told, ply, story = context["summary"], context["ply"], context["story"]
    totals, shows_chances = told.totals, story is not None and request.GET.get("chart") == "chance"
    found: dict[str, Any] = {"shows_chances": shows_chances}
    if story is not None:
        chances = chance_totals(story.points, context["replay"])
        found |= {"chances": json.dumps(chances, separators=(",", ":")), "uncertainty": uncertainty(story.points)}
        totals = chances if shows_chances else totals
    return {**found, "chart": score_chart(totals, told.rounds, seat_names(line), ply, is_percent=shows_chances)}


def _own(request: HttpRequest, line: MatchLine, index: int) -> dict[str, Any]:
    """Return the context that only owners of the match's bots see beside the board.

    `notes`: notes and faults of the visitor's bots, each with its bot's slug.
    `again`: for each seat of the visitor's bots in a finished match, the decisions that can be reproduced. `at` is the
    current one, or the last one before it.
    """
    own = {seat.seat: seat.version.bot.slug for seat in line.seats if seat.version.bot.owner_id == request.user.pk}
    log = match_queries.match_log(line.id, notes_of=list(own)) if own else []
    notes = [(note, own[note.seat]) for note in own_notes(log, own)]
    asks = {seat: asks_of(log, seat) for seat in own} if line.state == "FINISHED" else {}
    again = [
        {
            "seat": seat,
            "slug": own[seat],
            "asks": found,
            "at": max((ask for ask in found if ask <= index), default=found[0]),
        }
        for seat, found in asks.items()
        if found
    ]
    return {"notes": notes, "again": again}


@embeddable
@require_safe
def embed(request: HttpRequest, match_id: str) -> HttpResponse:
    """Show the table of a match with its controls, for other sites to embed in a frame."""
    return render(request, "replays/embed.html", _table(request, visible_match(match_id).line))


def _table(request: HttpRequest, line: MatchLine) -> dict[str, Any]:
    """Return the context of the table at the requested ply. `replay` is None if there is none (yet)."""
    seat = _seat(request, line)
    replay = load_replay(line, seat)
    hides = hides_result(request, line)
    story = story_queries.story(line.id) if line.state == "FINISHED" and not hides else None
    scores = replay.scores(len(replay.steps)) if replay is not None and story else None
    context = {
        "line": line,
        "title": match_title(line, hides_result=hides),
        "description": match_description(line, story.summary if story else None, scores),
        "verdict": verdict_sentence(line, story.summary, scores) if story else "",
        "hides_result": hides,
        "story": story,
        "view": seat,
        "replay": replay,
    }
    if replay is None:
        return context | {"is_waiting": line.state not in ENDED}
    ply = replay.ply_of(request.GET.get("d", "0" if hides else None))
    percent = round(100 * ply / (len(replay.steps) or 1), 2)
    summary = summary_of(replay, line, seat)
    position = replay.position(ply)
    assert position is not None  # every ply of a replay has one
    versions = [seat.version.id for seat in line.seats]
    ratings = rating_queries.published_ratings(line.ladder.slug, versions) if line.ladder and line.rated else {}
    return context | {
        "is_live": not replay.is_over,
        "seats": [(seat, ratings.get(seat.version.id)) for seat in line.seats],
        "parts": table_parts(replay, line.seats, ply),
        "position": position,
        "acting": position.to_act,
        "board": board_picture(line, replay, ply),
        "edition": edition(),
        "ply": ply,
        "last": len(replay.steps),
        "last_index": replay.index_of(len(replay.steps)),
        "links": timeline.links(replay, ply),
        "summary": summary.until(ply, percent) if hides else summary,
        "chapters": chapters(story, replay, seat_names(line)) if story else [],
        "deciding": deciding(story, summary.marks) if story else None,
        "percent": percent,
        "index": replay.index_of(ply),
        "before": replay.index_of(ply - 1) if ply else 0,
        "asked": f"?{urlencode(kept)}&" if (kept := _kept(seat, hides=hides)) else "?",
        "site": request.build_absolute_uri("/").rstrip("/"),
    }


def _kept(seat: int, *, hides: bool) -> dict[str, str]:
    """Return the query parameters to keep in links to other positions of the match."""
    return {**({"view": str(seat)} if seat else {}), **({"spoilers": "0"} if hides else {})}


@require_safe
def position(request: HttpRequest, match_id: str) -> HttpResponse:
    """Return the position document at a ply, as the page shows it."""
    line = visible_match(match_id, request).line
    replay = load_replay(line, _seat(request, line))
    if replay is None:
        raise Http404("nothing has been decided yet")
    ply = replay.ply_of(request.GET.get("d"))
    shown = replay.position(ply)
    assert shown is not None  # every ply of a replay has one
    text = json.dumps(shown.document, separators=(",", ":"), ensure_ascii=False)
    response = HttpResponse(text, content_type="application/json")
    name = f"naqala-{line.id}-{replay.index_of(ply)}.json"
    response["Content-Disposition"] = content_disposition_header(True, name) or ""
    return response


@require_safe
async def live(request: HttpRequest, match_id: str) -> HttpResponseBase:
    """Send the frames of a running match as server-sent events.

    With `?after=137` or `Last-Event-ID`, send only later frames.
    """
    language = get_language() or settings.LANGUAGE_CODE

    def follow(page: MatchPage, after: int) -> Live | None:
        line = page.line
        if line.state in ENDED:
            return None
        return feeds.follow((line.id, language), lambda: MatchFeed(line, language), after)

    return await stream(request, lambda: visible_match(match_id), follow)


@require_safe
@vary_on_headers("Accept-Encoding")
def frames(request: HttpRequest, match_id: str) -> HttpResponse:
    """Send all frames of a match so far, compressed. After the end, `?view=2` is the view of seat 2."""
    line = visible_match(match_id, request).line
    try:
        packed = packed_frames(line, _seat(request, line), address=address_of(request))
    except Busy:
        return HttpResponse(status=503, headers={"Retry-After": "1", "Cache-Control": "no-store"})
    if packed is None:
        raise Http404("nothing has been decided yet")
    encoding = accepted(request) or "gzip"  # browsers accept one of them
    response = HttpResponse(packed[encoding], content_type="application/json")
    response["Content-Encoding"] = encoding
    # Browsers cache frames by the site's edition, so that a newer viewer never gets frames in an older format.
    ended = "private, max-age=3600" if request.GET.get("e") == edition() else "no-cache"
    response["Cache-Control"] = ended if line.state in ENDED else "no-store"
    response["ETag"] = tag = f'"{hashlib.sha256(packed[encoding]).hexdigest()[:32]}"'
    answer = get_conditional_response(request, etag=tag, response=response)
    assert isinstance(answer, HttpResponse)
    return answer


def _seat(request: HttpRequest, line: MatchLine) -> int:
    """Return the seat number in `?view=`. Return 0 for the public view."""
    wanted = request.GET.get("view", "")
    return int(wanted) if wanted in [str(seat.seat) for seat in line.seats] else 0


@require_safe
def replay(request: HttpRequest, match_id: str) -> HttpResponse:
    """Send the replay document of a match as a file. Raise `Http404` before the end of the match."""
    page = visible_match(match_id, request)
    record = match_queries.match_record(page.line.id)
    if record is None:
        raise Http404("no replay before the end of the match")
    text = json.dumps(record, separators=(",", ":"), ensure_ascii=False)
    response = HttpResponse(text, content_type="application/json")
    response["Content-Disposition"] = content_disposition_header(True, f"naqala-{page.line.id}.json") or ""
    return response


def visible_match(match_id: str, request: HttpRequest | None = None) -> MatchPage:
    """Return a match that is public, or visible to the visitor of `request`. Otherwise raise `Http404`."""
    try:
        return match_queries.seen_match(match_id, request.user.pk if request else None)
    except (HiddenResult, NotFound) as error:
        raise Http404(str(error)) from error
