"""The connections to the site's port: bounded in all, by address and in time, so that idle ones keep nobody out.

A connection *waits* while it is its client's turn: to send a whole request, or to take what is sent to it. When there
are too many connections the one that has waited longest is closed, and only where none waits is the new one refused.
A proxy in front has all visitors behind it: its address has no limit of its own here, but theirs have where requests
are answered (`webui.core.visitors`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from arena.host.proxies import Proxies
from arena.host.sockets import network_of
from webui.commands.bodies import with_small_bodies
from webui.commands.request_ids import with_request_ids

RECEIVES: Final = (h11.IDLE, h11.SEND_BODY)
"""States of a client that has not sent the whole of its request."""
WAITING_BYTES: Final = 16_384
"""A client that has so much left to take, beside what the kernel keeps for it, is sent no more: there may be thousands
of slow ones."""


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """What the site grants. Tests make them small."""

    connections: int = 8_000
    """Most of them for live readers (`webui.core.feeds`), whose connections take 18 KiB each."""
    connections_per_address: int = 100
    request_s: float = 20.0
    """A whole request has to arrive within this time after the connection was made, or after the last response."""
    take_s: float = 30.0
    """A client that takes no data for this long is disconnected."""


@dataclass(slots=True)
class Guard:
    """All connections of one server."""

    limits: ConnectionLimits = field(default_factory=ConnectionLimits)
    proxies: Proxies = field(default_factory=Proxies)
    connections: dict[GuardedProtocol, str] = field(default_factory=dict)
    """With the address that each counts for; empty: none."""

    def add(self, new: GuardedProtocol, host: str) -> None:
        """Make room for a connection; the new one is closed where there is none."""
        address = "" if host in self.proxies else network_of(host)
        self.connections[new] = address
        of_address = [one for one, other in self.connections.items() if other == address] if address else []
        if len(of_address) > self.limits.connections_per_address:
            _longest_waiting(of_address, instead=new).drop()
        elif len(self.connections) > self.limits.connections:
            _longest_waiting(self.connections, instead=new).drop()


def _longest_waiting(connections: Iterable[GuardedProtocol], *, instead: GuardedProtocol) -> GuardedProtocol:
    waiting = [one for one in connections if one is not instead and one.may_be_dropped]
    return min(waiting, key=lambda one: one.waits_since or 0.0, default=instead)


class GuardedProtocol(H11Protocol):
    """uvicorn's HTTP/1.1 with a guard, a time limit for what the client has to do, and a limit of what it may send."""

    guard: Guard
    waits_since: float | None = None
    """Since when it is the client's turn (time of the loop); None while it is ours."""
    _timer: asyncio.TimerHandle | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.app = with_request_ids(with_small_bodies(self.app), self.guard.proxies)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client has connected."""
        super().connection_made(transport)
        transport.set_write_buffer_limits(high=WAITING_BYTES)
        self._wait(self.guard.limits.request_s)
        self.guard.add(self, self.client[0] if self.client else "")

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection is over."""
        self._wait(None)
        self.guard.connections.pop(self, None)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """The client sends something: perhaps the end of its request."""
        super().data_received(data)
        self._take_turns()

    def on_response_complete(self) -> None:
        """It is the client's turn again."""
        super().on_response_complete()
        self._take_turns()

    def eof_received(self) -> None:
        """The client sends no more: the connection closes when it has taken what is left."""
        super().eof_received()
        self._wait(self.guard.limits.take_s)

    def pause_writing(self) -> None:
        """The client does not take what is sent to it."""
        super().pause_writing()
        self._wait(self.guard.limits.take_s)

    def resume_writing(self) -> None:
        """It has taken some."""
        super().resume_writing()
        self._wait(None)
        self._take_turns()

    @property
    def may_be_dropped(self) -> bool:
        """Whether the connection waits for its client; if only for it to take what is left, after an error of ours."""
        return self.waits_since is not None or self.transport.is_closing()

    def drop(self) -> None:
        """Close the connection now, whatever is on it."""
        self.transport.abort()
        self.guard.connections.pop(self, None)

    def _take_turns(self) -> None:
        if self.flow.write_paused:
            return  # the time to take runs already, whatever has come meanwhile
        if self.transport.is_closing():
            self._wait(self.guard.limits.take_s)  # for what is left
        elif self.conn.their_state not in RECEIVES:
            self._wait(None)
        elif self.waits_since is None:  # else the time runs already, however much has come
            self._wait(self.guard.limits.request_s)

    def _wait(self, seconds: float | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None if seconds is None else self.loop.call_later(seconds, self.drop)
        self.waits_since = None if seconds is None else self.loop.time()


def guarded(limits: ConnectionLimits, proxies: Proxies) -> type[GuardedProtocol]:
    """The protocol class for one server with these limits: `uvicorn.Config(http=…)`."""

    class SiteProtocol(GuardedProtocol):
        guard = Guard(limits, proxies)

    return SiteProtocol
