"""Challenges over the HTTP API, at the one address that was checked. Redirects are not followed."""

from __future__ import annotations

import http.client
import json
import secrets
import socket
import ssl
import threading
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

from arena.load.addresses import ServerAddress

TIMEOUT_S: Final = 30.0
MOST_READ: Final = 1 << 20
"""Maximum number of bytes of an answer."""
FIRST_WAIT_S: Final = 1.0


class SiteBusy(Exception):
    """Raised when the site is unreachable or asks for a later retry: it may answer after `wait_s`."""

    def __init__(self, why: str, wait_s: float = FIRST_WAIT_S) -> None:
        super().__init__(why)
        self.wait_s = wait_s


class SiteRefused(Exception):
    """Raised when the site refuses. `code` is the problem document's code, or the status."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class _Connection(http.client.HTTPConnection):
    """Connection to a checked address. The host name is used for the request and for certificates."""

    def __init__(self, place: ServerAddress, tls: ssl.SSLContext | None) -> None:
        super().__init__(place.host, place.port, timeout=TIMEOUT_S)
        self._place, self._tls = place, tls

    def connect(self) -> None:
        self.sock = socket.create_connection((self._place.address, self._place.port), TIMEOUT_S)
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self._tls is not None:
            self.sock = self._tls.wrap_socket(self.sock, server_hostname=self._place.host)


class Site:
    """Client of `/api/v1` of an arena. Any thread may call it; each keeps a connection."""

    def __init__(self, place: ServerAddress, certificate: Path | None = None) -> None:
        self._place = place
        self._tls = ssl.create_default_context(cafile=certificate) if place.is_tls else None
        self._kept = threading.local()

    def challenge(self, token: str, bots: Sequence[str], key: str) -> str:
        """Challenge these bots to a match, seat 1 first. Return the id of the challenge.

        A second call with the same key gives the first answer. Raises `SiteBusy` or `SiteRefused`.
        """
        body = {"seats": [{"bot": name} for name in bots], "expansions": []}
        return str(self._call("POST", "/challenges", token, body, key)["id"])

    def state(self, token: str, challenge: str) -> str:
        """Return the state of a challenge, such as `waiting` or `matched`. Raises `SiteBusy` or `SiteRefused`."""
        return str(self._call("GET", f"/challenges/{challenge}", token)["state"])

    def withdraw(self, token: str, challenge: str) -> str:
        """Withdraw a challenge if it still waits, and return its state. Raises `SiteBusy` or `SiteRefused`."""
        return str(self._call("DELETE", f"/challenges/{challenge}", token, key=new_key())["state"])

    def _call(
        self, method: str, path: str, token: str, body: Mapping[str, Any] | None = None, key: str = ""
    ) -> dict[str, Any]:
        headers = {
            "Authorization": f"Bearer {token}",
            "Content-Type": "application/json",
            "Host": self._place.authority,
        }
        if key:
            headers["Idempotency-Key"] = key
        connection = getattr(self._kept, "connection", None) or _Connection(self._place, self._tls)
        self._kept.connection = None
        try:
            data = None if body is None else json.dumps(body)
            connection.request(method, f"{self._place.path}/api/v1{path}", data, headers)
            response = connection.getresponse()
            text = response.read(MOST_READ)
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise SiteBusy(f"{type(error).__name__}: {error}") from None
        self._kept.connection = connection
        if response.status in (HTTPStatus.TOO_MANY_REQUESTS, *range(500, 600)) and "Retry-After" in response.headers:
            raise SiteBusy(f"the site answers {response.status}", _seconds(response.headers["Retry-After"]))
        if response.status >= 500:
            raise SiteBusy(f"the site answers {response.status}")
        answer = _document(text)
        if response.status >= 300:
            code = answer.get("reason") or answer.get("code") or response.status
            raise SiteRefused(
                str(code), str(answer.get("detail") or f"the site answers {response.status} {response.reason}")
            )
        if not {"id", "state"} <= answer.keys():
            raise SiteRefused("NO_ARENA", "this is not an arena: its answer is not a challenge")
        return answer


def new_key() -> str:
    """Return an idempotency key for one write."""
    return secrets.token_urlsafe(16)


def _document(text: bytes) -> dict[str, Any]:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


def _seconds(after: str) -> float:
    return min(float(after), 60.0) if after.isascii() and after.isdigit() else FIRST_WAIT_S
