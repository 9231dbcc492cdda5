"""The live feed of a running match as data, for programs."""

from __future__ import annotations

from typing import Annotated, Final, cast

from django.core.handlers.asgi import ASGIRequest
from django.http import HttpResponseBase, StreamingHttpResponse
from ninja import Header, Query, Router

from webui.api.callers import Request
from webui.api.problems import Problem
from webui.core.feeds import BEGINNING, feeds, live_slots
from webui.core.streams import live
from webui.core.visitors import address_of, held_by
from webui.matches import queries as match_queries
from webui.matches.values import MatchLine
from webui.replays.frames import Frame, FrameEncoder
from webui.replays.live import MatchFeed
from webui.replays.replay import ENDED, Replay
from webui.replays.stream_api import HEADERS, events_of

router = Router(tags=["matches"])
LONGEST: Final = 9
"""Maximum number of digits in an event's id."""
LastId = Annotated[
    str | None,
    Header(
        alias="Last-Event-ID",
        pattern=f"^[0-9]{{1,{LONGEST}}}$",
        description="Id of the last event that you have received. Only later ones are sent.",
    ),
]
After = Annotated[int | None, Query(ge=0, lt=10**LONGEST, description="`Last-Event-ID` for clients without headers.")]


class DataEncoder(FrameEncoder):
    """Encoder for the public data of each decision and the position after it."""

    def _frame(self, replay: Replay, ply: int) -> Frame:
        position = replay.position(ply)
        assert position is not None
        step = replay.steps[ply - 1] if ply else None
        frame = {
            "d": replay.index_of(ply),
            "ply": ply,
            "seat": step.seat if step else None,
            "action": step.text if step else None,
            "chance": list(step.chance) if step else [],
            "position": position.document,
        }
        return cast(Frame, frame)


class MatchDataFeed(MatchFeed):
    """The feed of a running match as data. It has the same decisions as its page, at the same time."""

    def __init__(self, line: MatchLine) -> None:
        super().__init__(line, "en")
        self._encoder = DataEncoder([])

    def _live_frame(self, replay: Replay, ply: int, frame: Frame) -> Frame:
        return frame


@router.get(
    "/matches/{match_id}/live",
    response=str,
    **events_of(
        frame={
            "description": "The set-up, or a decision. The `id` of the event is `d`.",
            "schema": {
                "type": "object",
                "properties": {
                    "d": {"type": "integer", "description": "Index of the next event, as for `get_position`."},
                    "ply": {"type": "integer", "description": "Number of decisions so far. 0 is the set-up."},
                    "seat": {"type": ["integer", "null"], "description": "Seat that decided. Null at the set-up."},
                    "action": {"type": ["string", "null"], "description": "Decision in notation. Null at the set-up."},
                    "chance": {
                        "type": "array",
                        "items": {"type": "string"},
                        "description": "Draws that followed the decision, in notation.",
                    },
                    "position": {"type": "object", "description": "Position after it, as from `get_position`."},
                },
                "required": ["d", "ply", "seat", "action", "chance", "position"],
                "additionalProperties": False,
            },
        },
    ),
)
def follow_match_data(request: Request, match_id: str, after: After = None, last_id: LastId = None) -> HttpResponseBase:
    """A running match, as server-sent events of JSON data.

    The feed sends what the page shows, at the same time. A ladder may show its matches with a delay. To resume after an
    interruption, send the id of the last event. For a match that has ended, the only event is `end`; read its replay
    instead.
    """
    is_head = request.META["REQUEST_METHOD"] == "HEAD"  # routes see HEAD as GET (`answering`)
    held = held_by(request) if isinstance(request, ASGIRequest) and not is_head else None
    # Take the slot before anything is read, so that a burst of readers cannot pass the limit.
    if held is not None and not held.enter_context(live_slots.take(address_of(request), request.path)):
        if live_slots.are_all_taken:
            raise Problem("TRY_AGAIN", "the site has the maximum number of readers: try again in a moment")
        raise Problem("TOO_MANY_REQUESTS", "you have too many feeds open: close another one first")
    line = match_queries.seen_match(match_id, None).line  # like the page, without matches that only organisers see
    if held is None:  # a HEAD request, or a server that cannot stream
        return StreamingHttpResponse([BEGINNING], content_type="text/event-stream", headers=HEADERS)
    since = int(last_id) if last_id is not None else -1 if after is None else after
    is_over = line.state in ENDED
    sending = None if is_over else feeds.follow((line.id, "data"), lambda: MatchDataFeed(line), since)
    return live(held, sending)
