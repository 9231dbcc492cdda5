"""All limits of the gateway, and the samples of its pings. No I/O: time is an argument."""

from __future__ import annotations

from collections import OrderedDict, deque
from dataclasses import dataclass
from typing import Final

SECOND: Final = 1_000_000_000
MILLISECOND: Final = 1_000_000
ONE_BOT_OPTIONS: Final = (
    ("grpc.max_allowed_incoming_connections", 32),
    ("grpc.max_concurrent_streams", 4),
    ("grpc.http2.min_recv_ping_interval_without_data_ms", 1_000),
    ("grpc.http2.max_ping_strikes", 100),
)
"""Options of a gRPC server for one bot.

They limit connections, streams of each connection, and pings of HTTP/2 that come too early. A client in Ruby closes its
former connections late. Clients send few such pings, and one that sends more than `max_ping_strikes` loses its
connection.
"""


@dataclass(frozen=True, slots=True)
class GatewayLimits:
    """Limits of one gateway. Tests make them small; a deployment uses the defaults."""

    max_matches: int = 100
    """Maximum number of matches that one session plays at once."""
    max_message_bytes: int = 16 * 1024
    """Maximum size of one message of a bot; a longer one is a fault."""
    hard_message_bytes: int = 256 * 1024
    """A message longer than this ends the stream."""
    transport_message_bytes: int = 1024 * 1024
    """gRPC itself refuses a message longer than this, and ends the call without an `Error`."""
    max_actions: int = 32
    max_note_bytes: int = 1024
    max_messages_per_second: int = 20
    """Messages that answer nothing; answers to open requests are not counted."""
    flood_window_s: int = 10
    """The allowance of this many seconds may be used up in one burst."""
    hello_timeout_s: float = 10.0
    hello_burst: int = 300
    """Hellos allowed in one burst.

    A refused hello costs ten. It is charged to its address, or to the token at that address if the token is valid. An
    accepted hello costs the token one.
    """
    hello_per_second: int = 10
    late_refusal_s: float = 1.0
    """Delay before the refusal of a client that says hello too often, so that its immediate retries cost little."""
    max_late_refusals: int = 100
    """Maximum number of refusals delayed at a time; further ones are sent at once."""
    max_streams_per_token: int = 256
    max_streams_per_connection: int = 128
    max_silent_streams: int = 1_000
    """Maximum number of streams that have not said hello yet."""
    max_silent_streams_per_address: int = 100
    """Maximum number of such streams from one address. One more replaces the oldest."""
    max_connections: int = 8_000
    """Maximum number of connections; one more is closed at once."""
    max_unused_connections: int = 1_000
    """Maximum number of connections without a bot whose hello was accepted."""
    max_unused_connections_per_address: int = 200
    """Maximum number of such connections from one address. Beyond it the oldest are closed."""
    unused_connection_s: float = 20.0
    """A connection is closed when no bot has used it for this long."""
    connection_check_s: float = 0.5
    """Seconds between two checks of the connections."""
    refusal_timeout_s: float = 2.0
    """Time in which a client must read the end of its stream; otherwise the connection is closed."""
    max_watches: int = 64
    """Maximum number of streams of the health and reflection services."""
    max_watches_per_address: int = 8
    """Maximum number of such streams from one address."""
    watch_s: float = 60.0
    """Maximum duration of such a stream."""
    token_check_s: float = 10.0
    """Seconds between two checks for revoked tokens, whose streams are then ended."""
    ping_interval_s: float = 5.0
    silence_factor: int = 3
    """A stream is closed after this many ping intervals without a sign of life."""
    outbox_messages: int = 64
    """Messages that may wait for a bot that does not read."""
    outbox_messages_per_match: int = 8
    """Messages that may wait in addition for every match that the bot can play."""
    outbox_bytes: int = 4 * 1024 * 1024
    write_timeout_s: float = 10.0
    """If one message cannot be handed to the connection for this long, the stream ends."""
    bus_backlog: int = 10_000
    """Messages to workers that may wait for Redis. Beyond it the oldest are dropped (asks are retried, answers are
    kept)."""
    excuse_s: float = 10.0
    """A stream that ends this soon after a long stall of the gateway was lost by the gateway, not by the bot."""
    hold_s: float = 600.0
    """A lost session, or a match without messages, is forgotten after this long."""

    @property
    def silence_s(self) -> float:
        """Seconds for which a stream may be silent."""
        return self.ping_interval_s * self.silence_factor

    def outbox_size(self, capacity: int) -> int:
        """Return how many messages may wait for a session that plays up to `capacity` matches."""
        return self.outbox_messages + self.outbox_messages_per_match * capacity


@dataclass(frozen=True, slots=True)
class RunnerServiceLimits:
    """Limits of what runners may ask of one gateway."""

    calls_per_second: float = 50.0
    """Calls of one runner."""
    call_burst: float = 500.0
    """Calls of one runner in one burst."""
    max_calls: int = 64
    """Maximum number of calls at a time."""
    max_calls_per_runner: int = 16
    max_transfers: int = 8
    """Maximum number of images and sources that are sent or received at a time. Each uses temporary disk space."""
    max_transfers_per_runner: int = 2
    max_blob_bytes: int = 64 * 1024 * 1024
    """Maximum size of an image, compressed. The server's own limit may be lower."""
    transfer_s: float = 600.0
    """Maximum duration of one transfer."""


class Pings:
    """Round trips of one stream. A bot's clock is not charged for the shortest one of the last minute.

    A bot can delay its pongs, so a sample is never longer than the round trip that the transport measured, nor than
    `CAP`. A mean would follow late pongs; the minimum does not.
    """

    WINDOW: Final = 60 * SECOND
    CAP: Final = SECOND // 4
    OPEN: Final = 256
    """Maximum number of unanswered pings; the pong of an older one is ignored."""

    def __init__(self) -> None:
        self._next = 1
        self._written: OrderedDict[int, int] = OrderedDict()
        self._least: deque[tuple[int, int]] = deque()  # (time, round trip), round trips rising: the first is the least

    def next_id(self) -> int:
        """Return the id for another ping."""
        self._next += 1
        return self._next - 1

    def was_written(self, ping: int, now: int) -> None:
        """Record that the ping is written now."""
        self._written[ping] = now
        if len(self._written) > self.OPEN:
            self._written.popitem(last=False)

    def was_answered(self, ping: int, now: int, transport_ns: int | None = None) -> bool:
        """Record the pong of a ping. Return false if no such ping was sent.

        `transport_ns` is the round trip without the bot's program. While it is 0 it is not known, and the pong is no
        sample. `None` means that pongs alone are believed, as in games without an arena.
        """
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
        """Return the network's share of a round trip, in nanoseconds; 0 before the first pong."""
        while self._least and self._least[0][0] < now - self.WINDOW:
            self._least.popleft()
        return min(self._least[0][1], self.CAP) if self._least else 0
