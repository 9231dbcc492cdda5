"""State that a gateway keeps for one match of one session: the worker to reply to, and the pending ask. No I/O.

An unanswered ask is written once to every stream of its session, with the time that is left. Its clock starts at the
first write and does not restart at a reconnect: a bot that drops its stream is charged for its absence.

The answer is kept until the next ask. A worker may therefore ask again at any time: after a timeout, after an outage,
or as the match's next owner. All times are those of the gateway's `ListeningClock`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from msgspec.structs import replace

from arena.bus import FromBot, ToBot, WireKind, WireReason
from arena.gateway import metrics
from arena.gateway.limits import MILLISECOND
from arena.wire.v1.bot_pb2 import ServerMessage

Taken = Literal["write", "written", "answered", "stale"]


@dataclass(slots=True)
class PendingAsk:
    """A message that needs an answer."""

    index: int
    payload: bytes
    arrived_ns: int
    """Time of its arrival from the worker."""
    started_ns: int | None = None
    """Time at which the bot's clock started: the first write, or the arrival if the bot had no stream."""
    queue_ns: int = 0
    """Time that it waited here before that."""
    gone_since_ns: int | None = None
    """Time since which the bot has had no stream, while its clock runs; `None` while it has one."""
    gone_before_ns: int = 0
    """Total time without a stream before that."""
    untold_ns: int = 0
    """The part of the bot's absence that the worker did not know of when it made the payload."""
    uncharged_ns: int = 0
    """Time since the first write that nobody is charged. A runner sets it: its bots wait for a core. It is negative if
    more is charged than this clock has counted."""
    after_ns: int | None = None
    """Arrival of the previous answer in this match, if it came through here. The overhead is measured from this time.
    """

    def open_ns(self, now: int, network_ns: int) -> int:
        """Return how long the bot has had the ask."""
        return 0 if self.started_ns is None else max(0, now - self.started_ns - self.uncharged_ns - network_ns)

    def gone_ns(self, now: int) -> int:
        """Return for how much of that time the bot had no stream."""
        return self.gone_before_ns + (0 if self.gone_since_ns is None else max(0, now - self.gone_since_ns))

    def lost(self, now: int) -> None:
        """Record that the bot's stream ended. Absence counts only while the bot's clock runs."""
        if self.started_ns is not None:
            self.gone_since_ns = now

    def returned(self, now: int, lost_ns: int) -> None:
        """Record that the bot, which lost its stream at `lost_ns`, has a new one."""
        self.gone_before_ns, self.gone_since_ns = self.gone_ns(now), None
        self.untold_ns += now - lost_ns

    def current_payload(self, now: int) -> bytes:
        """Return the payload for another stream, with the times that are left now."""
        if self.started_ns is None:
            return self.payload
        message, used = ServerMessage.FromString(self.payload), self.open_ns(now, 0) // MILLISECOND
        gone = self.gone_ns(now) // MILLISECOND
        match message.WhichOneof("kind"):
            case "request":
                request = message.request
                request.bank_ms = max(0, request.bank_ms - used)
                request.cap_ms = max(0, request.cap_ms - max(0, used - gone))
                request.grace_ms = max(0, request.grace_ms - self.untold_ns // MILLISECOND)
            case "offer":
                message.offer.answer_within_ms = max(0, message.offer.answer_within_ms - used)
            case "reveal_request":
                message.reveal_request.answer_within_ms = max(0, message.reveal_request.answer_within_ms - used)
        return message.SerializeToString()

    def start(self, now: int) -> None:
        """Start the bot's clock at the first write; later calls do nothing."""
        if self.started_ns is None:
            self.started_ns = now
            self.queue_ns = now - self.arrived_ns
            metrics.QUEUE.observe(self.queue_ns / 1e9)
            if self.after_ns is not None:
                metrics.OVERHEAD.observe((now - self.after_ns) / 1e9)


class SeatAtMatch:
    """One seat of one match, played by this session."""

    __slots__ = ("answer", "ask", "end", "end_ping", "epoch", "match", "reply_to", "seat", "session", "touched_ns")

    def __init__(self, envelope: ToBot, now: int) -> None:
        self.session = envelope.session
        self.match = envelope.match
        self.seat = envelope.seat
        self.epoch = envelope.epoch
        self.reply_to = envelope.reply_to
        self.ask: PendingAsk | None = None
        self.answer: FromBot | None = None
        self.end: bytes | None = None
        """Last message of the match, kept until the bot has confirmed it."""
        self.end_ping = 0
        """The ping that was written after the last message."""
        self.touched_ns = now

    def take(self, envelope: ToBot, now: int, *, connected: bool) -> Taken:
        """Store a worker's message and return what to do with it.

        - `write`: write the message to the stream.
        - `written`: do nothing; it is already written, or waits for the bot's reconnect.
        - `answered`: send the kept answer again.
        - `stale`: refuse it; the sender no longer owns the match.
        """
        if envelope.epoch < self.epoch:
            return "stale"
        self.epoch = envelope.epoch
        self.reply_to = envelope.reply_to
        self.seat = envelope.seat
        self.touched_ns = now
        if not envelope.ask:
            return "write"
        if self.answer is not None and self.answer.index == envelope.index:
            return "answered"
        if self.ask is not None and self.ask.index == envelope.index:
            if self.ask.payload != envelope.payload:
                self.ask.payload, self.ask.untold_ns = envelope.payload, 0
            return "written"
        self.answer = None
        self.ask = PendingAsk(envelope.index, envelope.payload, arrived_ns=now)
        if not connected:
            self.ask.started_ns = self.ask.gone_since_ns = now
        return "write"

    def answered(self, index: int, payload: bytes, *, now: int, network_ns: int, wall_ns: int, gateway: str) -> FromBot:
        """Return the worker's message for a bot's message with this index: the answer to the pending ask, or a late
        one."""
        self.touched_ns = now
        message = self.notice(WireKind.MESSAGE, gateway=gateway, payload=payload, index=index)
        message = replace(message, received_at_ns=wall_ns)
        if self.ask is None or self.ask.index != index or self.ask.started_ns is None:
            return message
        think_ns = self.ask.open_ns(now, network_ns)
        message = replace(message, network_ns=self.ask.open_ns(now, 0) - think_ns)
        gone_ns = min(think_ns, self.ask.gone_ns(now))
        queue_ns = self.ask.queue_ns + max(0, self.ask.uncharged_ns)
        self.answer = replace(message, is_answer=True, think_ns=think_ns, queue_ns=queue_ns, gone_ns=gone_ns)
        self.ask = None
        return self.answer

    def answer_again(self) -> FromBot:
        """Return the kept answer for the current owner of the match."""
        assert self.answer is not None
        return replace(self.answer, epoch=self.epoch)

    def notice(
        self,
        kind: WireKind,
        *,
        gateway: str,
        reason: WireReason = WireReason.NONE,
        payload: bytes = b"",
        index: int | None = None,
    ) -> FromBot:
        """Build a notice about this seat."""
        if index is None:
            index = self.ask.index if self.ask is not None else 0
        return FromBot(
            self.match, self.seat, self.session, kind, payload, self.epoch, index, gateway=gateway, reason=reason
        )
