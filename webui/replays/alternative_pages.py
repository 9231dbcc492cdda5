"""The page of the alternatives to a decision in a finished match."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from webui.core.visitors import address_of, refused
from webui.replays.alternatives import alternatives_at
from webui.replays.loading import load_replay
from webui.replays.pages import visible_match
from webui.replays.replay import FinishedReplay
from webui.replays.spoilers import hides_result
from webui.turns import Busy
from webui.words.titles import seat_names


@require_safe
def alternatives(request: HttpRequest, match_id: str) -> HttpResponse:
    """Show the best alternatives to the decision at an index, `?d=137`. Answer 503 if the computation is too busy."""
    line = visible_match(match_id).line  # only public matches, whoever asks
    replay = load_replay(line) if line.state == "FINISHED" else None
    if not isinstance(replay, FinishedReplay):
        raise Http404("only of a match that has finished")
    ply = replay.ply_of(request.GET.get("d"))
    if ply == len(replay.steps):
        raise Http404("there is no such decision")
    context = {
        "here": "matches",
        "line": line,
        "asked_at": replay.steps[ply].index,
        "d": replay.steps[ply].next_index,
        "kept": "&spoilers=0" if hides_result(request, line) else "",
    }
    if too_many := refused(request, "alternatives"):
        return too_many
    try:
        told = alternatives_at(line, replay, ply, address_of(request))
    except Busy:
        busy = render(request, "replays/alternatives.html", context, status=503)
        busy["Retry-After"] = "2"
        return busy
    if not told.others:
        earlier = next((before for before in range(ply - 1, -1, -1) if replay.options(before + 1) > 1), None)
        if earlier is not None:
            step = replay.steps[earlier]
            context |= {"earlier": step.index, "bot": seat_names(line)[step.seat - 1]}
    return render(request, "replays/alternatives.html", {**context, "told": told})
