"""Pages of published sources: the files of a version, one file, and the archive of all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe

from arena.host.limiters import Slots
from webui.core.pages import PageContext, get_or_404, render_page
from webui.core.streams import pieces_apart
from webui.core.visitors import address_of, held_by
from webui.hosting import queries
from webui.hosting.blobs import blob_parts
from webui.hosting.values import PublishedFileValue, PublishedSource

archive_slots: Final = Slots(in_all=4, per_address=1)
"""Limit of simultaneous downloads of sources in this process."""


@dataclass(frozen=True, kw_only=True)
class SourceContext(PageContext):
    """The published source of a version: its files."""

    template: str = "hosting/source.html"
    here: str = "bots"
    source: PublishedSource
    files: list[PublishedFileValue]
    page_url: str
    """Address of this page, from which `arena bot new` starts."""


@dataclass(frozen=True, kw_only=True)
class SourceFileContext(PageContext):
    """A file of a published source."""

    template: str = "hosting/source_file.html"
    here: str = "bots"
    source: PublishedSource
    file: PublishedFileValue
    lines: list[str]
    """Lines of its text. Empty if it is not shown."""


@require_safe
def source(request: HttpRequest, slug: str, submission_id: int) -> HttpResponse:
    """Show the files of a version whose source is published."""
    found = get_or_404(queries.published_source, slug, submission_id)
    files = queries.published_files(submission_id)
    page_url = request.build_absolute_uri(reverse("source", args=[slug, submission_id]))
    return render_page(request, SourceContext(source=found, files=files, page_url=page_url))


@require_safe
def source_file(request: HttpRequest, slug: str, submission_id: int, path: str) -> HttpResponse:
    """Show one file of a published source as plain text."""
    found = get_or_404(queries.published_source, slug, submission_id)
    file, text = get_or_404(queries.published_file, submission_id, path)
    lines = (text or "").removesuffix("\n").split("\n") if text else []
    return render_page(request, SourceFileContext(source=found, file=file, lines=lines))


@require_safe
async def source_archive(request: HttpRequest, slug: str, submission_id: int) -> HttpResponseBase:
    """Send all files of a published source, as a compressed tar."""
    # Take the slot before anything is awaited, so that a burst of readers cannot exceed the limit.
    if isinstance(request, ASGIRequest) and not held_by(request).enter_context(archive_slots.take(address_of(request))):
        return HttpResponse(status=429, headers={"Retry-After": "10"})
    found = await sync_to_async(get_or_404)(queries.published_source, slug, submission_id)
    name = f"{found.bot.slug}-{found.id}.tar.gz"
    headers = {
        # An upload may be anything: no browser should look into it or show it.
        "Content-Type": "application/octet-stream",
        "Content-Disposition": content_disposition_header(True, name) or "",
        "Content-Length": str(found.size),
        "Cache-Control": "no-cache",
        "X-Content-Type-Options": "nosniff",
    }
    if request.method == "HEAD":
        return HttpResponse(headers=headers)
    parts = blob_parts(found.sha256)
    return StreamingHttpResponse(pieces_apart(parts) if isinstance(request, ASGIRequest) else parts, headers=headers)
