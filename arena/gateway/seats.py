"""What a gateway remembers of one match at one session: where answers go, and the ask that is out. No I/O.

An ask is written once to every stream that its session has while it is unanswered, with the time that is left. Its
clock starts at the first writing and does not start again at a reconnect: a bot that drops its stream is charged for
its absence. Its answer is kept until the next ask, so that a worker may ask again at any time: after a silence, after
an outage, or as the match's next owner. All times are of the gateway's `ListeningClock`.
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
    """A message that wants an answer."""

    index: int
    payload: bytes
    arrived_ns: int
    """When it came from the worker."""
    started_ns: int | None = None
    """When the bot's clock started: first writing, or arrival while the bot was gone."""
    queue_ns: int = 0
    """How long it waited here before that."""
    gone_since_ns: int | None = None
    """Since when the bot has no stream, within its time; None: it has one."""
    gone_before_ns: int = 0
    """For how long it had none before that."""
    untold_ns: int = 0
    """How much of its absence the worker did not know of when it made the payload."""
    after_ns: int | None = None
    """When the last answer in this match came in, if it came through here: the overhead is counted from there."""

    def open_ns(self, now: int, network_ns: int) -> int:
        """How long the bot has had it."""
        return 0 if self.started_ns is None else max(0, now - self.started_ns - network_ns)

    def gone_ns(self, now: int) -> int:
        """For how long of that it had no stream."""
        return self.gone_before_ns + (0 if self.gone_since_ns is None else max(0, now - self.gone_since_ns))

    def lost(self, now: int) -> None:
        """The bot's stream has ended; of that, only what is within its time counts as absence."""
        if self.started_ns is not None:
            self.gone_since_ns = now

    def returned(self, now: int, lost_ns: int) -> None:
        """The bot, which lost its stream then, has another one."""
        self.gone_before_ns, self.gone_since_ns = self.gone_ns(now), None
        self.untold_ns += now - lost_ns

    def again(self, now: int) -> bytes:
        """The payload for another stream: what it says of time is what is left now."""
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
        """It goes onto the wire; only the first time counts."""
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
        """The last message of the match, once there is one; kept until the bot has it."""
        self.end_ping = 0
        """The ping that was written after it."""
        self.touched_ns = now

    def take(self, envelope: ToBot, now: int, *, connected: bool) -> Taken:
        """A worker's message has come. What is to be done with it: `write` it; nothing, because it is `written`
        already (or waits for the bot's return); give the kept answer again (`answered`); or tell the sender that it is
        `stale`."""
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
        """The bot has said something with this index: the answer to the open ask, or something late."""
        self.touched_ns = now
        message = self.tell(WireKind.MESSAGE, gateway=gateway, payload=payload, index=index)
        message = replace(message, network_ns=network_ns, received_at_ns=wall_ns)
        if self.ask is None or self.ask.index != index or self.ask.started_ns is None:
            return message
        think_ns = self.ask.open_ns(now, network_ns)
        gone_ns = min(think_ns, self.ask.gone_ns(now))
        self.answer = replace(message, is_answer=True, think_ns=think_ns, queue_ns=self.ask.queue_ns, gone_ns=gone_ns)
        self.ask = None
        return self.answer

    def answer_again(self) -> FromBot:
        """The kept answer, for whoever owns the match now."""
        assert self.answer is not None
        return replace(self.answer, epoch=self.epoch)

    def tell(
        self,
        kind: WireKind,
        *,
        gateway: str,
        reason: WireReason = WireReason.NONE,
        payload: bytes = b"",
        index: int | None = None,
    ) -> FromBot:
        """A notice about this seat."""
        if index is None:
            index = self.ask.index if self.ask is not None else 0
        return FromBot(
            self.match, self.seat, self.session, kind, payload, self.epoch, index, gateway=gateway, reason=reason
        )
