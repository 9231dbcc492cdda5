"""Live pages, one stream of server-sent events for each reader within the limits, and files in pieces."""

from collections.abc import AsyncGenerator, Callable, Iterator
from typing import TypeVar

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.db import connections
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse

from webui.core.feeds import ENDED, live_slots
from webui.core.visitors import Held, Live, address_of, held_by

T = TypeVar("T")


async def stream(
    request: HttpRequest, find: Callable[[], T], follow: Callable[[T, int], Live | None]
) -> HttpResponseBase:
    """Return the stream of events of what `find` returns. `find` raises `Http404` if there is nothing.

    `follow` gets the number in `?after=` or `Last-Event-ID`, and sends the events after it. It returns None if
    everything is over. `webui.asgi` serves the addresses of such views.
    """
    if not isinstance(request, ASGIRequest):
        await sync_to_async(find)()
        return HttpResponse(status=204)  # a server that cannot stream: browsers do not reconnect
    if request.method == "HEAD":  # nothing would ever be sent, so the server would not notice that the reader has left
        await sync_to_async(find)()
        return HttpResponse(content_type="text/event-stream", headers={"Cache-Control": "no-store"})
    held = held_by(request)
    # Take the slot before the first `await`, so that no reader of a burst gets past the limit.
    if not held.enter_context(live_slots.take(address_of(request), request.path)):
        return HttpResponse(status=503 if live_slots.are_all_taken else 429, headers={"Retry-After": "10"})
    subject = await sync_to_async(apart(find), thread_sensitive=False)()
    after = request.headers.get("Last-Event-ID") or request.GET.get("after", "")
    since = int(after[:9]) if after.isascii() and after.isdigit() else -1
    return live(held, follow(subject, since))


def live(held: Held, sending: Live | None) -> HttpResponseBase:
    """Return the head of the answer. The body is sent when Django has finished.

    If `sending` is None, everything is over, and the whole answer is returned.
    """
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}  # nginx must not collect it
    if sending is None:
        return HttpResponse(ENDED, content_type="text/event-stream", headers=headers)
    held.live = sending
    return StreamingHttpResponse(_nothing(), content_type="text/event-stream", headers=headers)


async def _nothing() -> AsyncGenerator[bytes, None]:
    for piece in list[bytes]():
        yield piece


def apart(find: Callable[[], T]) -> Callable[[], T]:
    """Wrap `find` so that its thread keeps no database connection while a reader stays."""

    def find_and_close() -> T:
        try:
            return find()
        finally:
            connections.close_all()

    return find_and_close


async def pieces_apart(pieces: Iterator[bytes]) -> AsyncGenerator[bytes, None]:
    """Yield the pieces of a file that are not empty. The thread that reads them keeps no database connection."""
    following = sync_to_async(apart(lambda: next(pieces, None)), thread_sensitive=False)
    while (piece := await following()) is not None:
        if piece:
            yield piece
