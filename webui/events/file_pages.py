"""Downloads of an event for other programs: an archive with all its replays, and FIDE's report file."""

import json
from collections.abc import Iterator
from functools import partial
from typing import Any, Final

import zstandard
from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe

from arena.events.exports import report_file
from arena.events.verify import event_document
from arena.host.limiters import Slots
from webui.core.pages import attachment, get_or_404
from webui.core.streams import apart, pieces_apart
from webui.core.visitors import address_of, held_by
from webui.events import queries
from webui.events.values import EventPage
from webui.matches import queries as match_queries

archive_slots: Final = Slots(in_all=4, per_address=1)
"""Limit of simultaneous archive downloads in this process."""


@require_safe
async def event_archive(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Stream the document of a finished event, followed by all its replays. The format is that of `arena event
    export`."""
    if not isinstance(request, ASGIRequest):
        page = await sync_to_async(_public)(slug)
        return _archive(slug, _pieces(page))
    held = held_by(request)
    # Take the slot before anything is awaited, so that a burst of readers cannot exceed the limit.
    if not held.enter_context(archive_slots.take(address_of(request))):
        return HttpResponse(status=429, headers={"Retry-After": "10"})
    page = await sync_to_async(apart(partial(_public, slug)), thread_sensitive=False)()
    sending = pieces_apart(_pieces(page))
    held.push_async_callback(sending.aclose)
    return _archive(slug, sending)


def _archive(slug: str, pieces: Any) -> StreamingHttpResponse:
    response = StreamingHttpResponse(pieces, content_type="application/zstd")
    response["Content-Disposition"] = content_disposition_header(True, f"naqala-{slug}.jsonl.zst") or ""
    return response


def _pieces(page: EventPage) -> Iterator[bytes]:
    compressor = zstandard.ZstdCompressor().compressobj()

    def packed(document: dict[str, Any]) -> bytes:
        return compressor.compress((json.dumps(document, ensure_ascii=False, separators=(",", ":")) + "\n").encode())

    yield packed(event_document(page.facts))
    for match in page.event.matches.values():
        if match and (record := match_queries.match_record(match)) is not None:
            yield packed(record)
    yield compressor.flush()


def _public(slug: str) -> EventPage:
    """Return a finished event as the public sees it. Raise `Http404` before its end."""
    page = get_or_404(queries.event_page, slug)
    if page.event.seed is None or page.shown < len(page.event.rounds):
        raise Http404("not before the end of the event")
    return page


@require_safe
def event_trf(request: HttpRequest, slug: str) -> HttpResponse:
    """Return an event of tables of two as FIDE's report file, once it has finished."""
    page = _public(slug)
    if page.event.seed is None or page.event.terms.ruleset.players != 2 or not page.event.entrants:
        raise Http404("FIDE's report file is for two seats")
    return attachment(report_file(page.event, page.event.seed), "text/plain; charset=utf-8", f"naqala-{slug}.trf")
