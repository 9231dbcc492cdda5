"""Static files, compressed once in each process; the edition of the site; and the drawings that pages embed."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from functools import cache, lru_cache
from hashlib import sha256
from http import HTTPStatus
from io import BytesIO
from math import cos, gcd, pi, sin
from pathlib import Path
from typing import Any, Final
from wsgiref.headers import Headers

from django.conf import settings
from whitenoise.middleware import WhiteNoiseMiddleware
from whitenoise.responders import Response, StaticFile

from arena.rules import RULES
from webui.core.compress import best_encoding, pack

# The scripts of a page, as separate modules or joined in one file.
#
# Two dozen modules load slowly on a line with some latency. `make scripts` joins and minifies them, and the file is
# committed, so nobody else needs Node. If a module has changed since then, the separate modules are sent.


SCRIPTS: Final = Path(__file__).parents[1] / "site" / "static" / "site"
JOINED: Final = {
    f"viewer/{name}.js": f"viewer/joined-{name}.js"
    for name in ("main", "tv", "lesson", "write", "analysis", "seat", "first-game")
}
"""Scripts that import others, with the file that joins all of them."""
ALONE: Final = "site.js"
"""Script that is never joined into another file. Every page has it, and it must run only once."""
_IMPORT: Final = re.compile(r'^import [^;]*? from "(\.[^"]+)";', re.MULTILINE)


def sources(script: str) -> list[Path]:
    """Return the files that a script consists of."""
    paths, waiting = set[Path](), [SCRIPTS / script]
    while waiting:
        path = waiting.pop()
        if path not in paths:
            paths.add(path)
            imported = [(path.parent / name).resolve() for name in _IMPORT.findall(path.read_text(encoding="utf-8"))]
            waiting += [other for other in imported if other != SCRIPTS / ALONE]
    return sorted(paths)


def heading(script: str) -> str:
    """Return the first line of the joined file, which names its sources."""
    digest = hashlib.sha256(b"\0".join(path.read_bytes() for path in sources(script)))
    return f"/* {script} {digest.hexdigest()[:16]} */"


def is_current(script: str) -> bool:
    """Return whether the joined file was made from the current sources."""
    path = SCRIPTS / JOINED[script]
    return path.exists() and path.read_text(encoding="utf-8").startswith(heading(script))


@cache
def sent(script: str) -> str:
    """Return the name of the file that pages load for a script."""
    return f"site/{JOINED[script] if is_current(script) and not settings.DEBUG else script}"


# Identicons of bots: star polygons {n/k} in a circle, chosen by the bot's name.


STARS = [(n, k) for n in range(5, 14) for k in range(2, (n + 1) // 2) if gcd(n, k) == 1]


def star_path(name: str) -> str:
    """Return the path data of the star in a square of 24 units. The same name always gives the same star."""
    points, step = STARS[int.from_bytes(sha256(name.encode()).digest()[:4], "big") % len(STARS)]
    corners = []
    for number in range(points):
        angle = 2 * pi * (number * step % points) / points
        corners.append(f"{12 + 10 * sin(angle):.1f} {12 - 10 * cos(angle):.1f}")
    return "M" + "L".join(corners) + "z"


TEXTS = (".css", ".js", ".json", ".svg", ".txt")
"""File types that are compressed. Fonts and pictures are compressed already."""
LEVELS = {"zstd": 19, "gzip": 9}
_COMMENT = re.compile(rb"/\*.*?\*/\s*", re.DOTALL)


@lru_cache(maxsize=1000)
def _packed(path: str, changed: float, encoding: str) -> bytes:
    content = Path(path).read_bytes()
    if path.endswith(".css"):
        content = _COMMENT.sub(b"", content)  # a tenth of a packed style sheet is comments
    return pack(content, encoding, LEVELS[encoding])


class TextFile(StaticFile):  # type: ignore[misc]  # WhiteNoise has no types
    """A file that is sent in the best encoding that the browser accepts."""

    def get_headers(self, headers_list: Any, files: Any) -> Headers:
        """Return the headers. `Vary` makes caches store each encoding separately."""
        self._path, self._changed = files[None].path, files[None].mtime
        headers: Headers = super().get_headers(headers_list, files)
        headers["Vary"] = "Accept-Encoding"
        return headers

    def get_response(self, method: str, request_headers: Mapping[str, str]) -> Response:
        """Return the file, compressed if the whole file is requested."""
        response = super().get_response(method, request_headers)
        encoding = best_encoding(request_headers.get("HTTP_ACCEPT_ENCODING", ""))
        if not encoding or response.status != HTTPStatus.OK:
            return response
        content = _packed(self._path, self._changed, encoding)
        headers = Headers(list(response.headers))
        headers["Content-Encoding"], headers["Content-Length"] = encoding, str(len(content))
        del headers["Last-Modified"]  # the ETag is enough, and a page has twenty of these
        if response.file is not None:
            response.file.close()
            response.file = BytesIO(content)
        return Response(response.status, headers.items(), response.file)


class StaticFiles(WhiteNoiseMiddleware):  # type: ignore[misc]  # as above
    """WhiteNoise with compressed texts."""

    def get_static_file(self, path: str, url: str, stat_cache: Any = None) -> StaticFile:
        """Return a file with its headers."""
        file: StaticFile = super().get_static_file(path, url, stat_cache)
        if not path.endswith(TEXTS):
            return file
        _pattern, _path, headers = file.alternatives[0]
        return TextFile(path, headers, stat_cache=stat_cache)


SITE = Path(__file__).parents[1]
SOURCES = (".py", ".html", ".svg", ".mo")
"""File types that determine how a match looks."""


@cache
def edition() -> str:
    """Return a name for the look of matches. It changes when a deployment changes texts or drawings."""
    digest = hashlib.sha256(RULES.encode())
    for place in sorted(SITE.iterdir()):
        if place.name != "node_modules":  # tools of the scripts, which only a checkout has
            for path in sorted(place.rglob("*")) if place.is_dir() else [place]:
                if path.suffix in SOURCES:
                    digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


FILE = Path(__file__).parents[1] / "site" / "static" / "site" / "drawings.svg"
_SYMBOL = re.compile(r'<symbol id="([\w-]+)".*?</symbol>', re.DOTALL)
_USE = re.compile(r'<use[^>]*? href="#([\w-]+)"')


@cache
def symbols() -> dict[str, str]:
    """Return all drawings by name."""
    return {match[1]: match[0] for match in _SYMBOL.finditer(FILE.read_text(encoding="utf-8"))}


def shown_in(markup: str) -> str:
    """Return the symbols that the markup uses, in the order of the file."""
    names = set(_USE.findall(markup))
    return "".join(symbol for name, symbol in symbols().items() if name in names)
