"""A POST to an address given by a stranger: only to the public internet, with limits on time and bytes.

The name is resolved once, each of its addresses is checked, and the connection goes to one of them. A name that
resolves differently a moment later therefore changes nothing. Certificates are checked against the name. Redirects are
not followed.
"""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final
from urllib.parse import urlsplit

import h11

from arena.host.public import is_of_this_machine, is_public

TIMEOUT_S: Final = 15.0
"""Time limit for everything except resolving the name, which the system limits."""
MOST_READ: Final = 16_384
"""Maximum number of bytes read from an answer."""
KEPT: Final = 500
"""Maximum number of bytes kept from its body."""
MOST_ADDRESSES: Final = 3
"""Maximum number of addresses of one name that are tried."""


class Failure(StrEnum):
    """The reason why there is no answer."""

    NO_ADDRESS = "NO_ADDRESS"
    """The name has no address."""
    NOT_PUBLIC = "NOT_PUBLIC"
    """An address of the name is private, or on this machine; nothing was sent."""
    NO_CONNECTION = "NO_CONNECTION"
    NO_TLS = "NO_TLS"
    """The certificate is not valid for the name, or TLS could not be negotiated."""
    TIMEOUT = "TIMEOUT"
    NO_HTTP = "NO_HTTP"
    """The connection ended without an answer, or the answer was not HTTP/1.1."""


@dataclass(frozen=True)
class Reply:
    """The result of a request."""

    status: int | None = None
    """Status of the answer; `None` if there was no answer."""
    text: str = ""
    """The first characters of the answer's body."""
    failure: Failure | None = None
    detail: str = ""
    """Details of the failure, in English."""

    @property
    def is_success(self) -> bool:
        """Whether the receiver accepted the request."""
        return self.status is not None and 200 <= self.status < 300


class _Failed(Exception):
    def __init__(self, failure: Failure, detail: object) -> None:
        super().__init__(str(detail))
        self.failure = failure


def post(
    url: str,
    headers: Mapping[str, str],
    body: bytes,
    *,
    is_own: Callable[[str], bool] = lambda host: False,
    private_too: bool = False,
    timeout_s: float = TIMEOUT_S,
    tls: ssl.SSLContext | None = None,
) -> Reply:
    """Send a POST to `url`, an http or https address in ASCII.

    Unless `private_too`, it is not sent to a host that `is_own`, to a private address, or to this machine.
    """
    parts = urlsplit(url)
    is_tls, host = parts.scheme == "https", parts.hostname or ""
    port = parts.port or (443 if is_tls else 80)
    try:
        if not private_too and is_own(host):
            raise _Failed(Failure.NOT_PUBLIC, f"{host} is this arena itself")
        addresses = _resolve(host, port, private_too=private_too)
        deadline = time.monotonic() + timeout_s
        with _connect(addresses, deadline) as plain:
            stream = plain
            if is_tls:
                plain.settimeout(_left(deadline))
                stream = (tls or _default_tls()).wrap_socket(plain, server_hostname=host)
            with stream:
                target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
                request = h11.Request(
                    method="POST",
                    target=target,
                    headers=[
                        ("Host", parts.netloc),
                        ("Content-Length", str(len(body))),
                        ("Connection", "close"),
                        *headers.items(),
                    ],
                )
                return _exchange(stream, request, body, deadline)
    except _Failed as error:
        return Reply(failure=error.failure, detail=str(error))
    except TimeoutError:
        return Reply(failure=Failure.TIMEOUT, detail=f"no answer within {timeout_s:g} s")
    except ssl.SSLError as error:
        return Reply(failure=Failure.NO_TLS, detail=getattr(error, "verify_message", "") or error.reason or "")
    except h11.ProtocolError as error:
        return Reply(failure=Failure.NO_HTTP, detail=str(error))
    except OSError as error:
        return Reply(failure=Failure.NO_CONNECTION, detail=error.strerror or str(error))


def _resolve(host: str, port: int, *, private_too: bool) -> list[tuple[str, int]]:
    """Return the numeric addresses of a name after checking all of them."""
    try:
        answers = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise _Failed(Failure.NO_ADDRESS, getattr(error, "strerror", None) or error) from None
    addresses = list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in answers))
    if not private_too:
        for address in addresses:
            if not is_public(address) or is_of_this_machine(address):
                # The address is not shown: it may be known only in a private network.
                raise _Failed(Failure.NOT_PUBLIC, f"{host} has an address that is not public")
    return [(address, port) for address in addresses[:MOST_ADDRESSES]]


def _connect(addresses: list[tuple[str, int]], deadline: float) -> socket.socket:
    """Connect to the first address that accepts. Each address gets an equal share of the remaining time."""
    for place, address in enumerate(addresses):
        try:
            # A numeric address is not resolved again.
            return socket.create_connection(address, timeout=_left(deadline) / (len(addresses) - place))
        except OSError:
            if place == len(addresses) - 1:
                raise
    raise _Failed(Failure.NO_ADDRESS, "no address")


def _exchange(stream: socket.socket, request: h11.Request, body: bytes, deadline: float) -> Reply:
    """Write the request and read the answer, up to the part of its body that is kept."""
    http = h11.Connection(our_role=h11.CLIENT, max_incomplete_event_size=MOST_READ)
    stream.settimeout(_left(deadline))
    parts = http.send(request), http.send(h11.Data(data=body)), http.send(h11.EndOfMessage())
    stream.sendall(b"".join(part or b"" for part in parts))
    status, kept, read = None, b"", 0
    try:
        while len(kept) < KEPT and read < MOST_READ:
            event = http.next_event()
            if event is h11.NEED_DATA:
                stream.settimeout(_left(deadline))
                data = stream.recv(4096)
                read += len(data)
                http.receive_data(data)
            elif isinstance(event, h11.Response):
                status = event.status_code
            elif isinstance(event, h11.Data):
                kept += bytes(event.data)
            elif not isinstance(event, h11.InformationalResponse):
                break  # the end of the answer, or of the connection
    except (OSError, h11.ProtocolError):
        if status is None:
            raise
        # The status has arrived, which is enough.
    if status is None:
        raise _Failed(Failure.NO_HTTP, "the connection ended without an answer")
    text = kept[:KEPT].decode(errors="replace")
    return Reply(status, "".join(c if c.isprintable() else " " for c in text).strip())


def _left(deadline: float) -> float:
    """Return the seconds that are left. Raises TimeoutError if there are none."""
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


@lru_cache(maxsize=1)
def _default_tls() -> ssl.SSLContext:
    return ssl.create_default_context()
