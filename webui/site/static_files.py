"""The static files, compressed once a process, when they are first asked for.

Their address says what they hold (`STATIC_URL`), so browsers and caches on the way keep them for ever.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from http import HTTPStatus
from io import BytesIO
from pathlib import Path
from typing import Any
from wsgiref.headers import Headers

from whitenoise.middleware import WhiteNoiseMiddleware
from whitenoise.responders import Response, StaticFile

from webui.site.compress import best_encoding, pack

TEXTS = (".css", ".js", ".json", ".svg", ".txt")
"""What shrinks; fonts and pictures are compressed already."""
LEVELS = {"zstd": 19, "gzip": 9}


@lru_cache(maxsize=1000)
def _packed(path: str, changed: float, encoding: str) -> bytes:
    return pack(Path(path).read_bytes(), encoding, LEVELS[encoding])


class TextFile(StaticFile):  # type: ignore[misc]  # WhiteNoise has no types
    """A file that is sent in the encoding that the browser likes best."""

    def get_headers(self, headers_list: Any, files: Any) -> Headers:
        """Caches keep one of each encoding."""
        self._path, self._changed = files[None].path, files[None].mtime
        headers: Headers = super().get_headers(headers_list, files)
        headers["Vary"] = "Accept-Encoding"
        return headers

    def get_response(self, method: str, request_headers: Mapping[str, str]) -> Response:
        """The file, packed where all of it is asked for."""
        response = super().get_response(method, request_headers)
        encoding = best_encoding(request_headers.get("HTTP_ACCEPT_ENCODING", ""))
        if not encoding or response.status != HTTPStatus.OK:
            return response
        content = _packed(self._path, self._changed, encoding)
        headers = Headers(list(response.headers))
        headers["Content-Encoding"], headers["Content-Length"] = encoding, str(len(content))
        del headers["Last-Modified"]  # the ETag says as much, and a page has twenty of these
        if response.file is not None:
            response.file.close()
            response.file = BytesIO(content)
        return Response(response.status, headers.items(), response.file)


class StaticFiles(WhiteNoiseMiddleware):  # type: ignore[misc]  # as above
    """WhiteNoise, with texts packed."""

    def get_static_file(self, path: str, url: str, stat_cache: Any = None) -> StaticFile:
        """A file with its headers."""
        found: StaticFile = super().get_static_file(path, url, stat_cache)
        if not path.endswith(TEXTS):
            return found
        _pattern, _path, headers = found.alternatives[0]
        return TextFile(path, headers, stat_cache=stat_cache)
