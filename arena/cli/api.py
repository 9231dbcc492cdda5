"""The HTTP API of an arena, as commands call it."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import HTTPRedirectHandler, Request

from arena.cli.fetching import read_text, refuse_clear_text, refused, with_patience
from arena.cli.files import InputError, parse_document


class Api:
    """`/api/v1` of the arena at an address, for who has this token."""

    def __init__(self, site: str, token: str) -> None:
        refuse_clear_text(site)
        self._address = f"{site.rstrip('/')}/api/v1"
        self._token = token

    def get(self, *path: str) -> dict[str, Any]:
        """What is there. `InputError` with what is refused, `Away`."""
        return self._call("GET", path, None, {})

    def write(self, method: str, *path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """What came of a write, which is done once: it has a key, so it is asked for again where an answer is lost.
        `InputError` with what is refused, and if the arena stays away."""
        key = {"Idempotency-Key": secrets.token_urlsafe(16)}
        return with_patience(lambda: self._call(method, path, body, key))

    def _call(
        self, method: str, path: tuple[str, ...], body: Mapping[str, Any] | None, headers: Mapping[str, str]
    ) -> dict[str, Any]:
        address = "/".join([self._address, *(quote(part, safe="") for part in path)])
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json", **headers}
        request = Request(address, data, headers, method=method)  # noqa: S310 - the scheme was checked
        try:
            found = parse_document(read_text(request, redirects=_NoRedirects))
        except HTTPError as error:
            raise refused(error) from None
        except ValueError as error:
            raise InputError(f"{address} is no arena: {error}") from None
        if not isinstance(found, dict):
            raise InputError(f"{address} is no arena")
        return found


class _NoRedirects(HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        """The token goes where the user sends it, and nowhere else."""
        return
