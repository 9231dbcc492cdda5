"""Limits for connections to the site's port: in all, for each address and in time. Idle connections keep nobody out.

A connection *waits* while its client has to act: to send a whole request, or to receive what is sent. When there are
too many connections, the one that has waited longest is closed. If none waits, the new connection is refused.

A proxy in front represents all visitors. Its address has no limit here. The visitors' addresses are limited where
requests are answered (`webui.core.visitors`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from arena.host.logs import HEADER, SCOPE_KEY, is_request_id
from arena.host.sockets import Proxies, network_of
from webui.commands.bodies import with_small_bodies
from webui.commands.uploads import UploadLimits, UploadSlots, with_uploads

# Ids of requests. A proxy in front of the site may set one, which its own log contains too.
#
# Ids from other clients are ignored. Otherwise a visitor could write log lines that seem to belong to another's
# request.


_NAME = HEADER.lower().encode()


def with_request_ids(app: Callable[..., Awaitable[None]], proxies: Proxies) -> Callable[..., Awaitable[None]]:
    """Wrap an application so that its scopes contain the id that a proxy has sent.

    This must be the outermost wrapper, because others change the client in the scope.
    """

    async def named(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http" and scope.get("client") and scope["client"][0] in proxies:
            request_id = next((value for name, value in scope["headers"] if name == _NAME), b"").decode("latin1")
            if is_request_id(request_id):
                scope[SCOPE_KEY] = request_id
        await app(scope, receive, send)

    return named


RECEIVES: Final = (h11.IDLE, h11.SEND_BODY)
"""States of a client that has not sent its whole request."""
WAITING_BYTES: Final = 16_384
"""Maximum number of bytes buffered for a client, beside the kernel's buffer. Sending pauses at this limit, because
there may be thousands of slow clients.
"""


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """Limits of the site. Tests make them small."""

    connections: int = 8_000
    """Maximum number of connections. Most are for live readers (`webui.core.feeds`), whose connections take 18 KiB
    each.
    """
    connections_per_address: int = 100
    request_s: float = 20.0
    """Seconds in which a whole request must arrive, from the start of the connection or from the last response."""
    take_s: float = 30.0
    """Seconds after which a client that receives no data is disconnected."""
    uploads: UploadLimits = field(default_factory=UploadLimits)


@dataclass(slots=True)
class Guard:
    """All connections of one server."""

    limits: ConnectionLimits = field(default_factory=ConnectionLimits)
    proxies: Proxies = field(default_factory=Proxies)
    connections: dict[GuardedProtocol, str] = field(default_factory=dict)
    """Address that each connection counts for. Empty: none."""
    upload_slots: UploadSlots = field(init=False, compare=False)

    def __post_init__(self) -> None:
        """Make the slots that the limits name."""
        self.upload_slots = UploadSlots(self.limits.uploads)

    def add(self, new: GuardedProtocol, host: str) -> None:
        """Register a connection. If there are too many, close the one that has waited longest, or else the new one."""
        address = "" if host in self.proxies else network_of(host)
        self.connections[new] = address
        of_address = (
            [connection for connection, other in self.connections.items() if other == address] if address else []
        )
        if len(of_address) > self.limits.connections_per_address:
            _longest_waiting(of_address, instead=new).drop()
        elif len(self.connections) > self.limits.connections:
            _longest_waiting(self.connections, instead=new).drop()


def _longest_waiting(connections: Iterable[GuardedProtocol], *, instead: GuardedProtocol) -> GuardedProtocol:
    waiting = [connection for connection in connections if connection is not instead and connection.may_be_dropped]
    return min(waiting, key=lambda connection: connection.waits_since or 0.0, default=instead)


class GuardedProtocol(H11Protocol):
    """uvicorn's HTTP/1.1 protocol with a guard, a deadline for the client, and a limit for what the client may send."""

    guard: Guard
    waits_since: float | None = None
    """Time of the loop since which the client has to act. None: the server has to act."""
    _timer: asyncio.TimerHandle | None = None
    _is_uploading = False
    """Whether the client sends an upload, which has limits of its own."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        uploads, slots = self.guard.limits.uploads, self.guard.upload_slots
        app = with_uploads(self.app, with_small_bodies(self.app), self, uploads, slots)
        self.app = with_request_ids(app, self.guard.proxies)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Register the new connection."""
        super().connection_made(transport)
        transport.set_write_buffer_limits(high=WAITING_BYTES)
        self._wait(self.guard.limits.request_s)
        self.guard.add(self, self.client[0] if self.client else "")

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the closed connection."""
        self._wait(None)
        self.guard.connections.pop(self, None)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Receive data, which may complete the request."""
        super().data_received(data)
        self._take_turns()

    def on_response_complete(self) -> None:
        """Wait for the client's next request."""
        self._is_uploading = False
        super().on_response_complete()
        self._take_turns()

    def eof_received(self) -> None:
        """Note that the client sends no more. The connection closes when the client has received the rest."""
        super().eof_received()
        self._wait(self.guard.limits.take_s)

    def pause_writing(self) -> None:
        """Start the deadline: the client does not receive what is sent."""
        super().pause_writing()
        self._wait(self.guard.limits.take_s)

    def resume_writing(self) -> None:
        """Stop the deadline: the client has received some data."""
        super().resume_writing()
        self._wait(None)
        self._take_turns()

    @property
    def may_be_dropped(self) -> bool:
        """Return whether the connection waits for its client, or is closing."""
        return self.waits_since is not None or self.transport.is_closing()

    def begin_upload(self) -> None:
        """Stop the deadline of the request: an upload has a least rate instead, and its number is limited."""
        self._is_uploading = True
        self._wait(None)

    def drop(self) -> None:
        """Close the connection now, even if a request is in progress."""
        self.transport.abort()
        self.guard.connections.pop(self, None)

    def _take_turns(self) -> None:
        if self.flow.write_paused:
            return  # the deadline for receiving runs already, and data from the client does not stop it
        if self.transport.is_closing():
            self._wait(self.guard.limits.take_s)  # until the client has received the rest
        elif self._is_uploading or self.conn.their_state not in RECEIVES:
            self._wait(None)
        elif self.waits_since is None:  # otherwise the deadline runs already, and data does not extend it
            self._wait(self.guard.limits.request_s)

    def _wait(self, seconds: float | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None if seconds is None else self.loop.call_later(seconds, self.drop)
        self.waits_since = None if seconds is None else self.loop.time()


def guarded(limits: ConnectionLimits, proxies: Proxies) -> type[GuardedProtocol]:
    """Return the protocol class for one server with these limits: `uvicorn.Config(http=…)`."""

    class SiteProtocol(GuardedProtocol):
        guard = Guard(limits, proxies)

    return SiteProtocol
