"""One match: its page at any decision, its frames, and its replay as a file."""

import hashlib
import json

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import get_conditional_response
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe

from webui.ladder import queries
from webui.ladder.values import MatchLine, MatchPage, NotFound
from webui.site import course
from webui.site.charts import score_chart
from webui.site.frames import ENDED, picture, seat_names, story_of
from webui.site.parts import table_parts
from webui.site.reel import packed_reel
from webui.site.story import FinishedStory
from webui.site.titles import match_title


@require_safe
def match(request: HttpRequest, match_id: str) -> HttpResponse:
    """A match at one decision: `?d=137`, `?d=setup`, or the latest."""
    page = _page(match_id)
    line = page.line
    seat = _seat(request, line)
    story = story_of(line, seat)
    context = {"here": "matches", "page": page, "line": line, "title": match_title(line), "view": seat}
    if story is None:
        return render(request, "site/match_none.html", context)
    last = len(story.steps)
    place = story.place_of(request.GET.get("d"))
    if story.position(place) is None:
        place = last
    position = story.position(place)
    assert position is not None  # the head is always there
    names = seat_names(line)
    context |= {
        "is_live": not story.is_over,
        "story": story,
        "parts": table_parts(story, line.seats, place),
        "position": position,
        "acting": position["to_act"],
        "board": picture(line, story, place),
        "step": place,
        "moves": course.moves(story, names, place, with_positions=True),
        "links": course.links(story, place),
    }
    if isinstance(story, FinishedStory):
        context |= {
            "lane": course.lane(story, names, place),
            "chart": None if seat else score_chart(story, names, place),
        }
    return render(request, "site/match.html", context)


@require_safe
def frames(request: HttpRequest, match_id: str) -> HttpResponse:
    """The reel of a match, gzipped: whole once it has ended (`?view=2`: as seat 2 could see it), else so far."""
    line = _page(match_id).line
    packed = packed_reel(line, _seat(request, line))
    if packed is None:
        raise Http404("nothing has been decided yet")
    response = HttpResponse(packed, content_type="application/json")
    response["Content-Encoding"] = "gzip"
    response["Cache-Control"] = "private, max-age=3600" if line.state in ENDED else "no-store"
    response["ETag"] = tag = f'"{hashlib.sha256(packed).hexdigest()[:32]}"'
    answer = get_conditional_response(request, etag=tag, response=response)
    assert isinstance(answer, HttpResponse)
    return answer


def _seat(request: HttpRequest, line: MatchLine) -> int:
    """The seat whose view is asked for; 0 for everything that may be seen."""
    wanted = request.GET.get("view", "")
    return int(wanted) if wanted in [str(seat.seat) for seat in line.seats] else 0


@require_safe
def replay(request: HttpRequest, match_id: str) -> HttpResponse:
    """The replay document of a match that has ended, as a file. Nothing before the end."""
    page = _page(match_id)
    record = queries.match_record(page.line.id)
    if record is None:
        raise Http404("no replay before the end of the match")
    text = json.dumps(record, separators=(",", ":"), ensure_ascii=False)
    response = HttpResponse(text, content_type="application/json")
    response["Content-Disposition"] = content_disposition_header(True, f"naqala-{page.line.id}.json") or ""
    return response


def _page(match_id: str) -> MatchPage:
    try:
        return queries.match_page(match_id)
    except NotFound as error:
        raise Http404(str(error)) from error
