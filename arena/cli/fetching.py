"""HTTP requests of commands to an arena."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from http import HTTPStatus
from http.client import HTTPException, HTTPResponse
from typing import Any, Final, TypeVar
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, ProxyHandler, Request, build_opener

from tenacity import RetryCallState, Retrying, retry_if_exception_type

from arena.cli.files import MAX_DOCUMENT, InputError, parse_document
from arena.host.sockets import is_loopback, proxy_advice

TIMEOUT_S: Final = 20
TRIES: Final = 6
"""Maximum number of tries in a row that receive nothing."""
FIRST_WAIT_S = 0.5
"""Seconds before the second try; each wait is twice as long as the previous one."""
LEAST_BYTES: Final = 64 << 10
"""Minimum number of bytes within `PACE_S`; below it the transfer counts as stalled."""
PACE_S = 60.0
PIECE: Final = 64 << 10
LONGEST_WAIT_S = 60.0
"""Maximum wait, even if the arena asks for a longer one."""

PROXY_VARIABLES: Final = ("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")
"""Environment variables in which `urllib` looks for the proxy of an https:// address."""

Found = TypeVar("Found")


class Away(Exception):
    """Raised when the arena does not answer, breaks off, or asks for fewer requests."""

    def __init__(self, message: str, wait_s: float = 0.0) -> None:
        super().__init__(message)
        self.wait_s = wait_s
        """Seconds until the next request is allowed, if the arena says so."""


def refuse_clear_text(url: str) -> None:
    """Raise `InputError` for an unencrypted address. Anybody on the way could replace the answer, so it would prove
    nothing."""
    if not _is_safe(url):
        raise InputError(f"the address of an arena must begin with https:// (on this machine http://), not {url!r:.80}")


def _is_safe(url: str) -> bool:
    try:
        parts = urlsplit(url)
        is_whole = bool(parts.hostname) and parts.port != 0
    except ValueError:  # the brackets of IPv6, the port
        return False
    return is_whole and (parts.scheme == "https" or (parts.scheme == "http" and _is_near(url)))


def _is_near(url: str) -> bool:
    """Return whether the address is on this machine."""
    return is_loopback(urlsplit(url).hostname or "")


class SafeRedirects(HTTPRedirectHandler):
    """Follows redirects only to safe addresses."""

    def redirect_request(self, request: Request, *answer: Any) -> Request | None:
        """Refuse what `refuse_clear_text` refuses, and a redirect from elsewhere to this machine."""
        target = answer[-1]
        refuse_clear_text(target)
        if _is_near(target) and not _is_near(request.full_url):
            raise InputError(f"{request.full_url} redirects to {target!r:.80}, which is on this machine")
        return super().redirect_request(request, *answer)


def open_answer(
    request: Request, redirects: type[HTTPRedirectHandler] = SafeRedirects, timeout_s: float = TIMEOUT_S
) -> HTTPResponse:
    """Send a request and return the answer.

    Raises `HTTPError` for a refusal, `Away` if there may be an answer later, and `InputError` for an unsafe address.
    """
    url = request.full_url
    refuse_clear_text(url)
    try:
        direct = [ProxyHandler({})] if _is_near(url) else []
        answer: HTTPResponse = build_opener(redirects, *direct).open(request, timeout=timeout_s)
    except HTTPError as error:
        if error.code >= 500 or _is_busy(error):
            raise Away(f"{url} answers {error.code}", _wait_s(error)) from None
        raise
    except (OSError, HTTPException) as error:
        advice = proxy_advice(urlsplit(url).hostname or "", PROXY_VARIABLES)
        raise Away("; ".join(filter(None, (f"cannot reach {url}: {error}", advice)))) from None
    return answer


class Pace:
    """Reads answers, and gives up one that hardly arrives."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._since, self._bytes = time.monotonic(), 0

    def read(self, answer: HTTPResponse | HTTPError) -> bytes:
        """Return the received bytes, at most `PIECE`; none at the end.

        Raises `InputError` if a minute has brought too little, because retries would never end.
        """
        piece: bytes = answer.read1(PIECE)
        self._bytes += len(piece)
        if piece and (now := time.monotonic()) - self._since >= PACE_S:
            if self._bytes < LEAST_BYTES:
                message = f"{self._url} sent only {self._bytes} bytes in {now - self._since:.0f} s: try again later"
                raise InputError(f"{message}, or from another network")
            self._since, self._bytes = now, 0
        return piece


def read_text(
    request: Request,
    most: int = MAX_DOCUMENT,
    redirects: type[HTTPRedirectHandler] = SafeRedirects,
    timeout_s: float = TIMEOUT_S,
) -> str:
    """Return the text of an answer; at most `most` + 1 bytes are read.

    Raises what `open_answer` raises, and `ValueError` if the text is not UTF-8.
    """
    with open_answer(request, redirects, timeout_s) as answer:
        content, pace = bytearray(), Pace(request.full_url)
        try:
            while len(content) <= most and (piece := pace.read(answer)):
                content += piece
            return content[: most + 1].decode()
        except (OSError, HTTPException) as error:
            raise Away(f"cannot read {request.full_url}: {error}") from None


class RequestRefused(InputError):
    """Raised for a request that the arena refuses with a reason. `code` is the one of its problem document."""

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message)
        self.code = code


def refused(error: HTTPError) -> InputError:
    """Return the arena's reason in one line, from its problem document (RFC 9457) if there is one."""
    try:
        document = parse_document(error.read(MAX_DOCUMENT).decode())
        values = [f"{problem['field']}: {problem['detail']}" for problem in document.get("errors") or ()]
        return RequestRefused(
            f"the arena refuses: {'; '.join(values) or document['detail']}", str(document.get("code", ""))
        )
    except (ValueError, TypeError, KeyError, AttributeError, OSError, HTTPException):
        return InputError(f"{error.url} answers {error.code} {error.reason}")


def with_patience(
    call: Callable[[], Found],
    has_moved: Callable[[], bool] = lambda: False,
    sleep: Callable[[float], None] | None = None,
) -> Found:
    """Call until `Away` is not raised. Raises `InputError` after too many tries in a row without progress."""
    in_vain = 0

    def stop(state: RetryCallState) -> bool:
        nonlocal in_vain
        in_vain = 0 if has_moved() else in_vain + 1
        return in_vain >= TRIES

    def wait(state: RetryCallState) -> float:  # called before `stop`
        error = state.outcome.exception() if state.outcome else None
        retry_after_s = error.wait_s if isinstance(error, Away) else 0.0
        return float(min(LONGEST_WAIT_S, max(retry_after_s, FIRST_WAIT_S * 2**in_vain)))

    attempts = Retrying(
        retry=retry_if_exception_type(Away), stop=stop, wait=wait, sleep=sleep or time.sleep, reraise=True
    )
    try:
        return attempts(call)
    except Away as error:
        raise InputError(str(error)) from None


def _is_busy(error: HTTPError) -> bool:
    """Return whether there are too many requests.

    A problem document without Retry-After is about something else that there is too much of, and waiting does not
    help.
    """
    is_problem = error.headers.get_content_type() == "application/problem+json"
    return error.code == HTTPStatus.TOO_MANY_REQUESTS and ("Retry-After" in error.headers or not is_problem)


def _wait_s(error: HTTPError) -> float:
    """Return the seconds until the next request: Retry-After, if it is a number (RFC 9110, 10.2.3)."""
    after = error.headers.get("Retry-After", "").strip()
    return min(float(after), LONGEST_WAIT_S) if re.fullmatch("[0-9]{1,9}", after) else 0.0
