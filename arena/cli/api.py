"""The arena's HTTP API, as commands call it."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from typing import Annotated, Any, Final
from urllib.error import HTTPError
from urllib.parse import quote, urlencode
from urllib.request import HTTPRedirectHandler, Request

import typer

from arena.cli.fetching import read_text, refuse_clear_text, refused, with_patience
from arena.cli.files import InputError, parse_document

SiteAddress = Annotated[
    str, typer.Option("--site", help="The address of the arena's pages, as in the browser.", envvar="ARENA_SITE")
]
NEAR_SITE: Final = "http://127.0.0.1:8000"


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

    def _call(
        self,
        method: str,
        path: tuple[str, ...],
        body: Mapping[str, Any] | None,
        headers: Mapping[str, str],
        query: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        address = "/".join([self._address, *(quote(part, safe="") for part in path)])
        address += f"?{urlencode(query)}" if query else ""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json", **headers}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        request = Request(address, data, headers, method=method)  # noqa: S310 - the scheme was checked
        try:
            document = parse_document(read_text(request, redirects=_NoRedirects))
        except HTTPError as error:
            raise refused(error) from None
        except ValueError as error:
            raise InputError(f"{address} is not an arena: {error}") from None
        if not isinstance(document, dict):
            raise InputError(f"{address} is not an arena")
        return document


class _NoRedirects(HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        """Follow no redirect: the token goes only to the address that the user named."""
        return
