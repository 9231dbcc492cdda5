"""Compression of responses: Zstandard if the browser accepts it, otherwise gzip."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from functools import wraps

import zstandard
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers

FEWEST_BYTES = 200
"""Minimum size of a response that is compressed. Smaller ones do not shrink."""
ZSTD_LEVEL, GZIP_LEVEL = 9, 6
"""Levels for responses that are compressed at each request: a few milliseconds for each page."""

View = Callable[..., HttpResponse]


def accepted(request: HttpRequest) -> str:
    """Return the best encoding that the browser accepts: `zstd`, `gzip` or an empty text."""
    return best_encoding(request.headers.get("Accept-Encoding", ""))


def best_encoding(header: str) -> str:
    """Return the best encoding of a header `Accept-Encoding`."""
    offers = (offer.partition(";") for offer in header.lower().split(","))
    taken = {name.strip() for name, _, weight in offers if weight.replace(" ", "") not in ("q=0", "q=0.0")}
    return "zstd" if "zstd" in taken else "gzip" if "gzip" in taken else ""


def pack(content: bytes, encoding: str, level: int | None = None) -> bytes:
    """Return the content, compressed."""
    if encoding == "zstd":
        return zstandard.ZstdCompressor(level=level or ZSTD_LEVEL).compress(content)
    return gzip.compress(content, level or GZIP_LEVEL, mtime=0)


def packed(view: View) -> View:
    """Decorate a view so that its response is compressed.

    Do not use it for pages that contain both a secret and something that a visitor sent. The size would reveal the
    secret (BREACH).
    """

    @wraps(view)
    def answer(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        return pack_response(request, view(request, *args, **kwargs))

    return answer


def pack_response(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Return the response, compressed if that is worth it."""
    patch_vary_headers(response, ("Accept-Encoding",))
    encoding = accepted(request)
    if encoding and len(response.content) >= FEWEST_BYTES and not response.has_header("Content-Encoding"):
        response.content = pack(response.content, encoding)
        response["Content-Encoding"] = encoding
    return response
