"""The arena's HTTP API, as commands call it."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Annotated, Any, Final
from urllib.error import HTTPError
from urllib.parse import quote, urlencode
from urllib.request import HTTPRedirectHandler, Request

import typer

from arena.cli.fetching import TIMEOUT_S, read_text, refuse_clear_text, refused, with_patience
from arena.cli.files import InputError, parse_document

SiteAddress = Annotated[
    str, typer.Option("--site", help="The address of the arena's pages, as in the browser.", envvar="ARENA_SITE")
]
NEAR_SITE: Final = "http://127.0.0.1:8000"
UPLOAD_TIMEOUT_S: Final = 300.0
"""Seconds in which the arena must read and store a file that was sent, or take more of it."""


class Api:
    """Client for `/api/v1` of the arena at an address, with one token. Without a token it reads what is public."""

    def __init__(self, site: str, token: str) -> None:
        refuse_clear_text(site)
        self._address = f"{site.rstrip('/')}/api/v1"
        self._token = token

    def get(self, *path: str, query: Mapping[str, str] | None = None) -> dict[str, Any]:
        """Return the JSON object at a path.

        Raises `InputError` for a refusal, and `Away` if there may be an answer later.
        """
        return self._call("GET", path, None, {}, query)

    def write(self, method: str, *path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Write to a path and return the answer.

        The request has an idempotency key, so it is retried when an answer is lost and is still done only once. Raises
        `InputError` for a refusal, and if the arena stays unreachable.
        """
        key = {"Idempotency-Key": secrets.token_urlsafe(16)}
        return with_patience(lambda: self._call(method, path, body, key))

    def upload(
        self, *path: str, query: Mapping[str, str], file: Path, on_bytes: Callable[[int], Any]
    ) -> dict[str, Any]:
        """Send a file to a path and return the answer. `on_bytes` is called with the number of bytes just sent.

        The request must be one that may be repeated: it is retried when an answer is lost. Raises as `write` does.
        """

        def send() -> dict[str, Any]:
            headers = {"Content-Type": "application/octet-stream", "Content-Length": str(file.stat().st_size)}
            with file.open("rb") as content:
                body = _Watched(content, on_bytes)
                return self._send("POST", path, body, headers, query, timeout_s=UPLOAD_TIMEOUT_S)

        return with_patience(send)

    def _call(
        self,
        method: str,
        path: tuple[str, ...],
        body: Mapping[str, Any] | None,
        headers: Mapping[str, str],
        query: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        data = None if body is None else json.dumps(body).encode()
        return self._send(method, path, data, {"Content-Type": "application/json", **headers}, query)

    def _send(
        self,
        method: str,
        path: tuple[str, ...],
        data: Any,
        headers: Mapping[str, str],
        query: Mapping[str, str] | None = None,
        timeout_s: float = TIMEOUT_S,
    ) -> dict[str, Any]:
        address = "/".join([self._address, *(quote(part, safe="") for part in path)])
        address += f"?{urlencode(query)}" if query else ""
        headers = {**headers, **({"Authorization": f"Bearer {self._token}"} if self._token else {})}
        request = Request(address, data, headers, method=method)  # noqa: S310 - the scheme was checked
        try:
            document = parse_document(read_text(request, redirects=_NoRedirects, timeout_s=timeout_s))
        except HTTPError as error:
            raise refused(error) from None
        except ValueError as error:
            raise InputError(f"{address} is not an arena: {error}") from None
        if not isinstance(document, dict):
            raise InputError(f"{address} is not an arena")
        return document


class _Watched:
    """A file whose reader is counted."""

    def __init__(self, file: IO[bytes], on_bytes: Callable[[int], Any]) -> None:
        self._file = file
        self._on_bytes = on_bytes

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes."""
        content = self._file.read(size)
        self._on_bytes(len(content))
        return content


class _NoRedirects(HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        """Follow no redirect: the token goes only to the address that the user named."""
        return
