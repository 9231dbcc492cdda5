"""The stream of all finished matches, one a line, for clients that keep a copy of them."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any, Final

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import StreamingHttpResponse
from ninja import Query, Router
from ninja.responses import NinjaJSONEncoder

from arena.host.limiters import Slots
from webui.api.callers import Request
from webui.api.lists import Continuation, cursor
from webui.api.problems import Problem
from webui.api.schemas import Joined
from webui.core.streams import apart
from webui.core.subjects import Document
from webui.core.visitors import address_of, held_by
from webui.matches import queries as match_queries
from webui.replays.feed_document import OF_ALL
from webui.replays.schemas import StreamedMatch

# Options of routes that send a stream, for the OpenAPI document.


STREAM: Final[Document] = {"openapi_extra": {"x-stream": "application/x-ndjson"}}
"""Options of a route that sends a stream of documents, one a line, each as in `response`. Pass it as `**STREAM`."""


def events_of(**kinds: Document) -> Document:
    """Return the options of a route that sends these kinds of events and those that all match feeds have."""
    return {"openapi_extra": {"x-stream": "text/event-stream", "x-events": {**kinds, **OF_ALL}}}


router = Router(tags=["matches"])

BATCH: Final = 200
"""Number of matches in memory at a time."""
LONGEST_S: Final = 120.0
"""Timeout of a stream, in seconds, so that slow readers free their slots. The cursor resumes the stream."""
SHORTEST_S: Final = 10.0
"""Timeout of a stream while all slots are taken, in seconds, so that slow readers do not block others for long."""
LOOK_EVERY_S: Final = 1.0
"""Seconds between two checks of the timeout for a reader that accepts no data."""
PIECE: Final = 16_384
"""Approximate number of bytes between two checks of the timeout. A slow reader takes long for a whole batch."""
HEADERS: Final = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}  # nginx must not buffer it
_threads: Final = ThreadPoolExecutor(2, "stream")
"""Threads that read the later batches, so that no other work waits for them."""
slots: Final = Slots(in_all=20, per_address=2)
"""Limit on the streams that this process sends at the same time."""


@router.get("/matches.ndjson", response=StreamedMatch, **STREAM)
def stream_matches(request: Request, query: Query[Continuation]) -> StreamingHttpResponse:
    """All finished matches in the order in which they ended, one JSON document a line.

    The stream ends with the latest match that ended at least half a minute ago. It also ends after two minutes, or
    after ten seconds if many streams are open. To continue, or to resume after an interruption, send the `cursor` of
    the last complete line.

    Matches with hidden results are left out. When a match is revealed, its position is the time of its end, which may
    be before your cursor. Its event lists all its matches.

    An address may have at most two streams at a time.
    """
    slot = ExitStack()
    # Take the slot before the first batch is read, so that a rejected request costs no query.
    if isinstance(request, ASGIRequest):
        held_by(request).enter_context(slot)
        if not slot.enter_context(slots.take(address_of(request))):
            raise Problem("TOO_MANY_REQUESTS", "end another stream first")
    is_head = request.META["REQUEST_METHOD"] == "HEAD"  # routes see HEAD as GET (`answering`)
    first = _batch(query.after(str), 0 if is_head else BATCH)
    is_later = isinstance(request, ASGIRequest)
    lines: Iterator[bytes] | AsyncIterator[bytes] = _later(*first, slot) if is_later else _now(*first)
    return StreamingHttpResponse(lines, content_type="application/x-ndjson", headers=HEADERS)


def _batch(after: str | None, limit: int) -> tuple[bytes, str | None]:
    """Return at most `limit` lines after a match, and the id of their last match.

    The id is None if there are no more lines.
    """
    matches = match_queries.finished_matches(limit, after=after)
    shown = (StreamedMatch.model_validate(Joined(line, cursor=cursor(line.id))).model_dump() for line in matches)
    lines = "".join(json.dumps(match, cls=NinjaJSONEncoder) + "\n" for match in shown)  # encoded like all other answers
    return lines.encode(), matches[-1].id if matches and len(matches) == limit else None


def _now(lines: bytes, last: str | None) -> Iterator[bytes]:
    yield lines
    while last is not None:
        lines, last = _batch(last, BATCH)
        yield lines


async def _later(lines: bytes, last: str | None, slot: ExitStack) -> AsyncIterator[bytes]:
    began = time.monotonic()
    watch = asyncio.create_task(_give_back_in_time(slot, began))
    try:
        while True:
            for piece in _pieces(lines):
                yield piece
                if watch.done() or _is_over(began):
                    return
            if last is None:
                return
            lines, last = await sync_to_async(apart(_next(last)), thread_sensitive=False, executor=_threads)()
    finally:
        watch.cancel()


def _is_over(began: float) -> bool:
    return time.monotonic() - began >= (SHORTEST_S if slots.are_all_taken else LONGEST_S)


async def _give_back_in_time(slot: ExitStack, began: float) -> None:
    """Free the slot at the timeout. The stream itself cannot check it while a reader accepts no data."""
    while not _is_over(began):
        await asyncio.sleep(LOOK_EVERY_S)
    slot.close()


def _pieces(lines: bytes) -> Iterator[bytes]:
    """Yield pieces of about `PIECE` bytes that end at the end of a line."""
    begin = 0
    while begin < len(lines):
        end = lines.find(b"\n", begin + PIECE) + 1 or len(lines)
        yield lines[begin:end]
        begin = end


def _next(last: str) -> Any:
    return lambda: _batch(last, BATCH)
