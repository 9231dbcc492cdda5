"""The page "Five Tribes in 60 seconds"."""

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from webui.board.drawing import draw_board
from webui.core.compress import accepted
from webui.core.pages import PageContext, render_page
from webui.core.static_files import edition
from webui.replays.parts import ShownTable, table_parts
from webui.replays.pictures import current_tile
from webui.site.learn.lesson import NAMES, STEPS, LessonStep, lesson, lesson_frames


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


@require_safe
def learn(request: HttpRequest) -> HttpResponse:
    """Show one step of the lesson: the first, or the one of `?step=3`."""
    asked = request.GET.get("step", "")
    number = int(asked) if asked in [str(one) for one in range(1, len(STEPS) + 1)] else 1
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
