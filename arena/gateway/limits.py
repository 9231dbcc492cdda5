"""Every number of the gateway, and the buckets and samples that go with them. No I/O: the time is an argument."""

from __future__ import annotations

from collections import OrderedDict, deque
from dataclasses import dataclass
from typing import Final

SECOND: Final = 1_000_000_000
MILLISECOND: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class GatewayLimits:
    """What one gateway grants. Tests make them small; a deployment takes them as they are."""

    max_matches: int = 100
    """Matches that one session is given at once."""
    max_message_bytes: int = 16 * 1024
    """One message of a bot; more is a fault, and …"""
    hard_message_bytes: int = 256 * 1024
    """… more than this ends the stream."""
    transport_message_bytes: int = 1024 * 1024
    """gRPC itself refuses more than this, and ends the call without an `Error`."""
    max_actions: int = 32
    max_note_bytes: int = 1024
    max_messages_per_second: int = 20
    """Messages that answer nothing; answers to open requests are not counted."""
    flood_window_s: int = 10
    """The allowance of this many seconds may be used up in one burst."""
    hello_timeout_s: float = 10.0
    hello_burst: int = 300
    """A refused hello costs ten of these: its address, or, with a good token, the token there. A good one costs the
    token one."""
    hello_per_second: int = 10
    late_refusal_s: float = 1.0
    """Who says hello too often is refused only after this long: a client that tries again at once costs little. Of …"""
    max_late_refusals: int = 100
    """… so many streams at a time; of more than these at once."""
    max_streams_per_token: int = 256
    max_streams_per_connection: int = 128
    max_silent_streams: int = 1_000
    """Streams that have not said hello yet, in all, and …"""
    max_silent_streams_per_address: int = 100
    """… from one address. One more takes the place of the oldest."""
    max_connections: int = 8_000
    """All connections; one more is closed at once."""
    max_unused_connections: int = 1_000
    """Connections without a bot that said a good hello, in all, and …"""
    max_unused_connections_per_address: int = 200
    """… from one address. Of more than these the oldest are closed."""
    unused_connection_s: float = 20.0
    """A connection is closed when no bot has used it for this long."""
    connection_check_s: float = 0.5
    """How often connections are looked at."""
    refusal_timeout_s: float = 2.0
    """A stream that cannot be ended within this time, because its client takes no data, ends with its connection."""
    max_watches: int = 64
    """Streams of the health and reflection services, in all, and …"""
    max_watches_per_address: int = 8
    """… from one address; each is ended …"""
    watch_s: float = 60.0
    """… after this long."""
    token_check_s: float = 10.0
    """How often the streams of tokens that were revoked are ended."""
    ping_interval_s: float = 5.0
    silence_factor: int = 3
    """A stream is closed after this many ping intervals without a sign of life."""
    outbox_messages: int = 64
    """Messages that may wait for a bot that does not read, and …"""
    outbox_messages_per_match: int = 8
    """… this many more for every match it can play."""
    outbox_bytes: int = 4 * 1024 * 1024
    write_timeout_s: float = 10.0
    """One message that cannot be handed to the connection for this long ends the stream."""
    bus_backlog: int = 10_000
    """Messages to workers that may wait for Redis; the oldest are dropped (asks are sent again, answers are kept)."""
    excuse_s: float = 10.0
    """A stream that ends this soon after a long standstill of the gateway was lost by the gateway, not by the bot."""
    hold_s: float = 600.0
    """A lost session, or a match without messages, is forgotten after this long."""

    @property
    def silence_s(self) -> float:
        """How long a stream may say nothing."""
        return self.ping_interval_s * self.silence_factor

    def outbox_size(self, capacity: int) -> int:
        """Messages that may wait for a session."""
        return self.outbox_messages + self.outbox_messages_per_match * capacity


class Bucket:
    """A token bucket: `burst` at most, refilled by `per_second`."""

    __slots__ = ("_at", "_burst", "_left", "_per_second")

    def __init__(self, burst: float, per_second: float, now: int) -> None:
        self._burst = burst
        self._per_second = per_second
        self._left = burst
        self._at = now

    def take(self, cost: float, now: int) -> bool:
        """Take `cost`; false if there is not even one left (the debt is kept, at most one burst of it)."""
        self._left = min(self._burst, self._left + (now - self._at) * self._per_second / SECOND)
        self._at = now
        granted = self._left >= 1
        self._left = max(-self._burst, self._left - cost) if granted else self._left
        return granted


class Pings:
    """Round trips of one stream. The least of the last minute is what a clock does not charge.

    The least, not the mean: a bot can only make its pongs slower, all of them for a minute to gain anything. What it
    gained by that is bounded by the round trip that the transport has seen, where it tells that, and by the cap.
    """

    WINDOW: Final = 60 * SECOND
    CAP: Final = SECOND // 4
    OPEN: Final = 256
    """Pings that may be unanswered; the pong of an older one is ignored."""

    def __init__(self) -> None:
        self._next = 1
        self._written: OrderedDict[int, int] = OrderedDict()
        self._least: deque[tuple[int, int]] = deque()  # (time, round trip), round trips rising: the first is the least

    def next_id(self) -> int:
        """The id of another ping."""
        self._next += 1
        return self._next - 1

    def was_written(self, ping: int, now: int) -> None:
        """The ping goes onto the wire now."""
        self._written[ping] = now
        if len(self._written) > self.OPEN:
            self._written.popitem(last=False)

    def was_answered(self, ping: int, now: int, transport_ns: int | None = None) -> bool:
        """Its pong is here; false if nobody sent that ping. `transport_ns` is the round trip without the bot's program;
        0: it is not known yet, None: it will not be."""
        written = self._written.pop(ping, None)
        if written is None:
            return False
        if transport_ns == 0:
            return True
        round_trip = now - written if transport_ns is None else min(now - written, transport_ns)
        while self._least and self._least[-1][1] >= round_trip:
            self._least.pop()
        self._least.append((now, round_trip))
        return True

    def network(self, now: int) -> int:
        """The network's share of a round trip, in nanoseconds; 0 before the first pong."""
        while self._least and self._least[0][0] < now - self.WINDOW:
            self._least.popleft()
        return min(self._least[0][1], self.CAP) if self._least else 0
