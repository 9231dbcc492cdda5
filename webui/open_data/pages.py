"""Pages of open data: the list of files as a page and as JSON, and the files themselves."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Iterator
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from pathlib import Path
from typing import IO, Any, Final

from asgiref.sync import sync_to_async
from django.conf import settings
from django.core.handlers.asgi import ASGIRequest
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseNotModified,
    JsonResponse,
    StreamingHttpResponse,
)
from django.utils.cache import get_conditional_response
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe

from arena.host.limiters import Slots
from webui.core.pages import PageContext, render_page
from webui.core.paging import ListPage, page_of
from webui.core.visitors import address_of, held_by
from webui.open_data import queries
from webui.open_data.queries import DataLine

FORMAT: Final = "naqala/data/1"
MONTHS_LISTED: Final = 2
TYPES: Final = {".zst": "application/zstd", ".parquet": "application/vnd.apache.parquet"}
PIECE: Final = 256 << 10
"""Number of bytes of a file that are read at a time."""
RANGE: Final = re.compile(r"bytes=([0-9]{0,15})-([0-9]{0,15})")

data_slots: Final = Slots(in_all=32, per_address=4)
"""Limit on the downloads that this process serves at the same time."""


@dataclass(frozen=True, kw_only=True)
class DataContext(PageContext):
    """The published files, month by month."""

    template: str = "open_data/data.html"
    here: str = "docs"
    licence: tuple[str, str]
    months: ListPage[tuple[date, list[DataLine]]]
    size: int
    """Bytes of all files."""
    matches: int
    count: int
    """Number of all files."""
    site: str


@require_safe
def data(request: HttpRequest) -> HttpResponse:
    """List the files, month by month."""
    files = queries.data_files()
    by_month = groupby(files, lambda file: file.date.replace(day=1))
    months: list[tuple[date, list[DataLine]]] = [(month, _of_month(list(listed))) for month, listed in by_month]
    context = DataContext(
        licence=settings.DATA_LICENCE,
        months=page_of(months, request.GET.get("page"), MONTHS_LISTED),
        size=sum(file.size for file in files),
        matches=sum(file.rows for file in files if file.kind == "replays"),
        count=len(files),
        site=request.build_absolute_uri("/").rstrip("/"),
    )
    return render_page(request, context)


def _of_month(files: list[DataLine]) -> list[DataLine]:
    """Sort the files of a month: those of the whole month first, then those of its days."""
    return sorted(files, key=lambda file: (file.kind == "replays", file.kind != "matches"))


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """List the files as JSON."""
    name, address = settings.DATA_LICENCE
    files = [
        {
            "name": file.name,
            "kind": file.kind,
            "date": file.date.isoformat(),
            "size": file.size,
            "sha256": file.sha256,
            "rows": file.rows,
            "published_at": file.published_at.isoformat(timespec="seconds"),
        }
        for file in queries.data_files()
    ]
    response = JsonResponse({"format": FORMAT, "licence": {"name": name, "url": address}, "files": files})
    response["Cache-Control"] = "no-cache"
    return response


@require_safe
def checksums(request: HttpRequest) -> HttpResponse:
    """List the checksums in the format that `sha256sum --check` reads."""
    lines = [f"{file.sha256}  {file.name}\n" for file in queries.data_files()]
    response = HttpResponse("".join(lines), content_type="text/plain; charset=utf-8")
    response["Cache-Control"] = "no-cache"
    return response


@require_safe
async def data_file(request: HttpRequest, name: str) -> HttpResponseBase:
    """Send a file or a range of it, so that interrupted downloads can be resumed (RFC 9110, 14)."""
    files = await sync_to_async(queries.data_files)(name)
    if not files:
        raise Http404("no such file is published")
    file, path = files[0], settings.PLACES.data / name
    etag = f'"{file.sha256}"'
    headers = {
        "ETag": etag,
        "Accept-Ranges": "bytes",
        "Cache-Control": "public, max-age=31536000, immutable",
        "Content-Type": TYPES[path.suffix],
        "Content-Disposition": content_disposition_header(True, name) or "",
    }
    if isinstance(get_conditional_response(request, etag=etag), HttpResponseNotModified):
        return HttpResponseNotModified(headers=headers)
    if _size(path) != file.size:  # the file is lost, and will be made again
        return HttpResponse(status=503, headers={"Retry-After": "300"})
    first, end, status = 0, file.size, 200
    if (requested := _range(request, etag)) is not None:
        first, end, status = *_part(*requested, file.size), 206
        if first >= end:
            return HttpResponse(status=416, headers={"Content-Range": f"bytes */{file.size}"})
        headers["Content-Range"] = f"bytes {first}-{end - 1}/{file.size}"
    headers["Content-Length"] = str(end - first)
    if request.method == "HEAD":
        return HttpResponse(status=status, headers=headers)
    if not isinstance(request, ASGIRequest):
        return StreamingHttpResponse(_pieces(path, first, end), status=status, headers=headers)
    held = held_by(request)
    if not held.enter_context(data_slots.take(address_of(request))):
        return HttpResponse(status=429, headers={"Retry-After": "10"})
    opened = await sync_to_async(lambda: path.open("rb"), thread_sensitive=False)()
    held.callback(opened.close)
    return StreamingHttpResponse(_sending(opened, first, end), status=status, headers=headers)


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except OSError:
        return None


def _range(request: HttpRequest, etag: str) -> tuple[str, str] | None:
    """Return the two numbers of the requested range as text.

    Return None if the whole file must be sent: without a range, with an unsupported one, or if `If-Range` names
    another version of the file.
    """
    match = RANGE.fullmatch(request.headers.get("Range", ""))
    if match is None or not any(match.groups()) or request.headers.get("If-Range", etag) != etag:
        return None
    return match[1], match[2]


def _part(first: str, last: str, size: int) -> tuple[int, int]:
    """Return the first byte of a range, and the byte after its last one."""
    if not first:
        return max(0, size - int(last)), size
    return int(first), min(size, int(last) + 1) if last else size


def _pieces(path: Path, first: int, end: int) -> Iterator[bytes]:
    with path.open("rb") as opened:
        opened.seek(first)
        while first < end and (piece := opened.read(min(PIECE, end - first))):
            first += len(piece)
            yield piece


async def _sending(opened: IO[Any], first: int, end: int) -> AsyncGenerator[bytes, None]:
    """Yield a file in pieces, read in threads that pages do not use."""
    read = sync_to_async(opened.read, thread_sensitive=False)
    await sync_to_async(opened.seek, thread_sensitive=False)(first)
    while first < end and (piece := await read(min(PIECE, end - first))):
        first += len(piece)
        yield piece
