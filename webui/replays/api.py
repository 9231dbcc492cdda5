"""Routes for the public data of matches."""

import gzip
from typing import Annotated, Any, Final, get_args

from django.http import HttpResponse
from ninja import Query, Router

from webui.api.callers import Request, reader
from webui.api.lists import Listed, page_of
from webui.api.problems import Problem
from webui.api.schemas import Joined
from webui.core.compress import accepted
from webui.core.errors import NotFound
from webui.core.visitors import address_of
from webui.fair_queue import Busy
from webui.matches import queries as match_queries
from webui.matches.conditions import MatchFilters
from webui.matches.values import MatchLine, MatchPage
from webui.replays.frames import packed_frames
from webui.replays.proof import NoProof, proof_of_match
from webui.replays.replay import load_replay
from webui.replays.schemas import MatchDocument, MatchesDocument, MatchesQuery, Shown

router = Router(tags=["matches"])
Document = dict[str, Any]
View = Annotated[int, Query(ge=0, le=5, description="Seat whose view is returned after the end. 0 is the public view.")]
Decision = Annotated[str | None, Query(max_length=6, pattern="^[0-9]+$", description="Index of an event.")]

STATES: Final = [state.upper() for state in get_args(Shown)]


@router.get("/matches", response=MatchesDocument)
def list_matches(request: Request, query: Query[MatchesQuery]) -> Listed[MatchLine]:
    """Matches that have started, newest first.

    Matches with hidden results are left out until they are revealed.
    """
    matches = match_queries.matches(
        states=[query.state.upper()] if query.state else STATES,
        ladder=query.ladder,
        bot=query.bot,
        rated=query.rated,
        filters=MatchFilters(is_hosted=query.hosted),
        since=query.since,
        until=query.until,
        before=query.after(str),
        limit=query.limit + 1,
    )
    return page_of(matches, query, lambda line: line.id)


@router.get("/matches/{match_id}", response=MatchDocument)
def get_match(request: Request, match_id: str) -> Joined:
    """A match without its moves."""
    page = _seen(request, match_id)
    return Joined(page.line, page)


@router.get("/matches/{match_id}/replay", response=Document)
def get_replay(request: Request, match_id: str) -> Document:
    """The replay document of a match that has ended."""
    record = match_queries.match_record(_seen(request, match_id).line.id)
    if record is None:
        raise NotFound("there is no replay before the end of the match")
    return record


@router.get("/matches/{match_id}/frames", response=Document)
def get_frames(request: Request, match_id: str, view: View = 0) -> HttpResponse:
    """All positions of a match so far, in the format of the viewer on its page."""
    line = _seen(request, match_id).line
    try:
        packed = packed_frames(line, _seat(line.players, view), address=address_of(request))
    except Busy as error:
        raise Problem("TRY_AGAIN", "the frames are being made: try again in a second") from error
    if packed is None:
        raise NotFound("nothing has been decided yet")
    encoding = accepted(request)
    if not encoding:
        return HttpResponse(gzip.decompress(packed["gzip"]), content_type="application/json")
    headers = {"Content-Encoding": encoding, "Vary": "Accept-Encoding"}
    return HttpResponse(packed[encoding], content_type="application/json", headers=headers)


@router.get("/matches/{match_id}/position", response=Document)
def get_position(request: Request, match_id: str, d: Decision = None, view: View = 0) -> Document:
    """The position before the event at an index. Without an index, the latest position."""
    line = _seen(request, match_id).line
    replay = load_replay(line, _seat(line.players, view))
    if replay is None:
        raise NotFound("nothing has been decided yet")
    position = replay.position(replay.ply_of(d))
    assert position is not None  # every ply of a replay has one
    return dict(position.document)


@router.get("/matches/{match_id}/proof", response=Document)
def get_proof(request: Request, match_id: str) -> Document:
    """The data needed to verify a match that has ended."""
    try:
        return proof_of_match(_seen(request, match_id).line.id)
    except NoProof as error:
        raise NotFound("there is no proof before the end of the match") from error


def _seen(request: Request, match_id: str) -> MatchPage:
    return match_queries.seen_match(match_id, reader(request))


def _seat(players: int, view: int) -> int:
    return view if view <= players else 0
