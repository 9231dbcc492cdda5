"""Compressed answers: by Zstandard where the browser takes it, else by gzip."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from functools import wraps

import zstandard
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers

FEWEST_BYTES = 200
"""Below that, packing makes an answer no smaller."""
ZSTD_LEVEL, GZIP_LEVEL = 9, 6
"""For what is packed at each request: a few milliseconds for a page."""

View = Callable[..., HttpResponse]


def accepted(request: HttpRequest) -> str:
    """The best encoding that the browser takes: `zstd`, `gzip`, or nothing."""
    offers = (offer.partition(";") for offer in request.headers.get("Accept-Encoding", "").lower().split(","))
    taken = {name.strip() for name, _, weight in offers if weight.replace(" ", "") not in ("q=0", "q=0.0")}
    return "zstd" if "zstd" in taken else "gzip" if "gzip" in taken else ""


def pack(content: bytes, encoding: str, zstd_level: int = ZSTD_LEVEL) -> bytes:
    """The content in an encoding."""
    if encoding == "zstd":
        return zstandard.ZstdCompressor(level=zstd_level).compress(content)
    return gzip.compress(content, GZIP_LEVEL, mtime=0)


def packed(view: View) -> View:
    """A view whose answer is packed. Not for pages with secrets beside what a visitor sent: their size would tell."""

    @wraps(view)
    def answer(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        response = view(request, *args, **kwargs)
        patch_vary_headers(response, ("Accept-Encoding",))
        encoding = accepted(request)
        if encoding and len(response.content) >= FEWEST_BYTES and not response.has_header("Content-Encoding"):
            response.content = pack(response.content, encoding)
            response["Content-Encoding"] = encoding
        return response

    return answer
