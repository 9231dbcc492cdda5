"""The HTTP API of an arena, as commands call it."""

from __future__ import annotations

import json
import re
import secrets
import time
from collections.abc import Mapping
from http import HTTPStatus
from http.client import HTTPException
from typing import Any, Final
from urllib.error import HTTPError, URLError
from urllib.parse import quote
from urllib.request import HTTPRedirectHandler, Request, build_opener

from arena.cli.fetching import TIMEOUT_S, refuse_clear_text
from arena.cli.files import MAX_DOCUMENT, InputError, parse_document

TRIES: Final = 4
"""Of a write that is not answered."""
FIRST_WAIT_S: Final = 1.0
"""Before the second one; each wait is twice as long as the one before."""
BUSY_S: Final = 10.0
"""Until the next request, where the arena asks for fewer and does not say when."""
MOST_WAIT_S: Final = 60.0
"""However many seconds the arena asks for."""


class Away(Exception):
    """The arena does not answer, or asks for fewer requests."""

    def __init__(self, message: str, wait_s: float = 0.0) -> None:
        super().__init__(message)
        self.wait_s = wait_s
        """Seconds until it may be asked again, if it says so."""


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
        wait_s = FIRST_WAIT_S
        for tries in range(1, TRIES + 1):
            try:
                return self._call(method, path, body, key)
            except Away as error:
                if tries == TRIES:
                    raise InputError(str(error)) from None
                time.sleep(max(wait_s, error.wait_s))
                wait_s *= 2
        raise AssertionError

    def _call(
        self, method: str, path: tuple[str, ...], body: Mapping[str, Any] | None, headers: Mapping[str, str]
    ) -> dict[str, Any]:
        address = "/".join([self._address, *(quote(part, safe="") for part in path)])
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json", **headers}
        request = Request(address, data, headers, method=method)  # noqa: S310 - the scheme was checked
        try:
            with build_opener(_NoRedirects).open(request, timeout=TIMEOUT_S) as answer:
                found = parse_document(answer.read(MAX_DOCUMENT).decode())
        except HTTPError as error:
            if error.code >= 500 or (error.code == HTTPStatus.TOO_MANY_REQUESTS and _is_busy(error)):
                raise Away(f"{address} answers {error.code}", _wait_s(error)) from None
            raise InputError(_refusal(error)) from None
        except (URLError, OSError, HTTPException) as error:
            raise Away(f"cannot reach {address}: {error}") from None
        except ValueError as error:
            raise InputError(f"{address} is no arena: {error}") from None
        if not isinstance(found, dict):
            raise InputError(f"{address} is no arena")
        return found


def _is_busy(error: HTTPError) -> bool:
    """Whether it is about requests; otherwise there are too many of something else, which waiting does not change."""
    return "Retry-After" in error.headers


def _wait_s(error: HTTPError) -> float:
    """Seconds until the arena may be asked again: Retry-After, if it is a number (RFC 9110, 10.2.3)."""
    after = error.headers.get("Retry-After", "").strip()
    if re.fullmatch("[0-9]{1,9}", after):
        return min(float(after), MOST_WAIT_S)
    return BUSY_S if error.code == HTTPStatus.TOO_MANY_REQUESTS else 0.0


def _refusal(error: HTTPError) -> str:
    """Why the arena refuses, in one line: its problem document (RFC 9457)."""
    try:
        document = parse_document(error.read(MAX_DOCUMENT).decode())
        values = [f"{one['field']}: {one['detail']}" for one in document.get("errors") or ()]
        return f"the arena refuses: {'; '.join(values) or document['detail']}"
    except (ValueError, TypeError, KeyError, AttributeError, OSError, HTTPException):
        return f"the arena answers {error.code} {error.reason}"


class _NoRedirects(HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        """The token goes where the user sends it, and nowhere else."""
        return
