"""State that the local gateway keeps for one bot process: its stream, its matches, their pending asks. No I/O.

Everything happens in the gateway's loop.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from google.protobuf.message import DecodeError

from arena.gateway.errors import (
    HELLO_AGAIN,
    MATCH_UNKNOWN,
    OFFER_UNKNOWN,
    TAKEN_OVER,
    TOO_MANY_MESSAGES,
    UNREADABLE,
    nonce_size,
    too_large,
)
from arena.local.competitor import (
    OFFER,
    REVEAL,
    Announced,
    AskTime,
    BotLost,
    BotReturned,
    CompetitorEvent,
    MessageReceived,
    ProtocolBroken,
)
from arena.local.refusals import LIMITS
from arena.local.streams import LocalStream
from arena.referee import MAX_NONCE, Reason
from arena.rules import RULES
from arena.wire.service import PROTOCOL
from arena.wire.v1.bot_pb2 import BotMessage, Decline, Hello, Limits, Pong, ServerMessage, Welcome

SERVER: Final = "naqala-arena local"
ENDS: Final = 64
"""Number of match ends kept for a bot that has not received them."""


@dataclass(slots=True)
class Participation:
    """A match that the bot is in."""

    on_event: Callable[[CompetitorEvent], None]
    ask: int | None = None
    """The pending ask."""
    begun_ns: int | None = None
    """Time at which the ask was sent; a reconnect does not change it."""
    gone_since_ns: int | None = None
    """Time since which the bot has had no stream for the ask; `None` while it has one."""
    gone_before_ns: int = 0
    """Total time without a stream before that."""
    last: bytes = b""
    """The last message sent."""

    def begin(self, now: int) -> None:
        """Start the clock at the first write of the ask; later calls do nothing."""
        if self.begun_ns is None:
            self.begun_ns = now

    def lost(self, now: int) -> None:
        """Record that the bot has lost its stream."""
        if self.begun_ns is not None and self.gone_since_ns is None:
            self.gone_since_ns = now

    def returned(self, now: int) -> None:
        """Record that the bot has a stream again."""
        self.gone_before_ns, self.gone_since_ns = self.ask_time(now, 0).gone_ns, None

    def ask_time(self, now: int, network_ns: int) -> AskTime:
        """Return the time that the bot has had for the ask."""
        if self.begun_ns is None:
            return AskTime(0)
        gone_ns = self.gone_before_ns + (0 if self.gone_since_ns is None else now - self.gone_since_ns)
        open_ns = max(0, now - self.begun_ns - network_ns)
        return AskTime(open_ns, min(gone_ns, open_ns))

    def set_ask(self, ask: int) -> None:
        """Set the pending ask. The clock of an unchanged ask continues."""
        if ask != self.ask:
            self.ask, self.begun_ns, self.gone_since_ns, self.gone_before_ns = ask, None, None, 0


class LocalSession:
    """A bot process that said hello, over all its streams."""

    def __init__(self, hello: Hello, clock: Callable[[], int]) -> None:
        """`clock` gives the nanoseconds that count for the bot."""
        self.hello = hello
        self._clock = clock
        self.tables = 0
        """Number of tables that it plays at."""
        self.stream: LocalStream | None = None
        self.has_ended = False
        """Whether its process has ended, so that it cannot reconnect."""
        self._is_leaving = False
        self._participations: dict[str, Participation] = {}
        self._ends: dict[str, bytes] = {}

    @property
    def announced(self) -> Announced:
        """The facts that it announces about itself."""
        hello = self.hello
        counts, expansions = tuple(hello.player_counts), tuple(hello.expansions)
        return Announced(hello.version, counts, expansions, hello.wants_legal, tuple(hello.running))

    @property
    def is_free(self) -> bool:
        """Whether it can take another table."""
        return self.is_here and self.tables < min(self.hello.max_matches, LIMITS.max_matches)

    @property
    def is_here(self) -> bool:
        """Whether it can be asked."""
        return self.stream is not None and not self._is_leaving

    # The stream

    def attach(self, hello: Hello, stream: LocalStream, name: str) -> None:
        """Handle a hello, perhaps a repeated one."""
        if self.stream is not None:
            self.stream.end(TAKEN_OVER)
            self._notify_all(BotLost("TAKEN_OVER", is_final=False))
        self.hello, self.stream, self._is_leaving = hello, stream, False
        stream.send(self._welcome(name))
        for match in hello.running:
            if match in self._ends:
                stream.send(self._ends[match])
        for participation in self._participations.values():
            participation.returned(self._clock())
        self._notify_all(BotReturned())

    def detach(self, stream: LocalStream) -> None:
        """Handle the end of a stream."""
        refusal = stream.ended.result() if stream.ended.done() else None
        stream.end(None)
        if self.stream is stream:
            self.stream = None
            for participation in self._participations.values():
                participation.lost(self._clock())
            if refusal is TOO_MANY_MESSAGES:
                self._notify_all(ProtocolBroken(Reason.FLOODING, "too many messages that answer nothing"))
            self._notify_all(BotLost(refusal.reason if refusal else "STREAM_LOST", is_final=self.has_ended))

    def end(self) -> None:
        """Handle the end of its process."""
        self.has_ended = True
        if self.stream is None:
            self._notify_all(BotLost("its process has ended", is_final=True))

    def _notify_all(self, event: CompetitorEvent) -> None:
        for participation in self._participations.values():
            participation.on_event(event)

    def _welcome(self, name: str) -> bytes:
        limits = Limits(
            max_matches=min(self.hello.max_matches, LIMITS.max_matches),
            max_message_bytes=LIMITS.max_message_bytes,
            max_actions=LIMITS.max_actions,
            max_note_bytes=LIMITS.max_note_bytes,
            max_messages_per_second=LIMITS.max_messages_per_second,
            ping_interval_ms=int(LIMITS.ping_interval_s * 1000),
        )
        welcome = Welcome(
            bot=self.hello.bot or name,
            protocol=PROTOCOL,
            rules=RULES,
            server=SERVER,
            session=self.hello.process,
            limits=limits,
            running=list(self._participations),
            over=[match for match in self.hello.running if match not in self._participations],
        )
        return ServerMessage(welcome=welcome).SerializeToString()

    # Matches

    def enter(self, match: str, on_event: Callable[[CompetitorEvent], None]) -> None:
        """Begin a match."""
        self._participations[match] = Participation(on_event)
        if self.stream is None:
            on_event(BotLost("STREAM_LOST", is_final=self.has_ended))

    def send(self, match: str, message: bytes, ask: int | None) -> None:
        """Send a message."""
        if (participation := self._participations.get(match)) is None:
            return
        participation.last = message
        if ask is None:
            if self.stream is not None:
                self.stream.send(message)
            return
        participation.set_ask(ask)
        if self.stream is not None:
            self.stream.send(message, participation.begin)
        else:
            participation.begin(self._clock())
            participation.lost(self._clock())

    def leave(self, match: str) -> None:
        """End a match."""
        if (participation := self._participations.pop(match, None)) is not None:
            self._ends[match] = participation.last
            if len(self._ends) > ENDS:
                del self._ends[next(iter(self._ends))]
        self._end_if_done()

    def ask_time(self, match: str) -> AskTime:
        """Return the time that it has had for its pending ask. May be called from any thread."""
        now, participation = self._clock(), self._participations.get(match)
        return AskTime(0) if participation is None else participation.ask_time(now, self._network_ns(now))

    def _network_ns(self, now: int) -> int:
        stream = self.stream
        return stream.pings.network(now) if stream is not None else 0

    def _end_if_done(self) -> None:
        if self._is_leaving and not self._participations and self.stream is not None:
            self.stream.end(None)

    # Messages of the bot

    def take(self, data: bytes, stream: LocalStream, now: int) -> bool:
        """Handle a message of the bot. Return whether it answers something."""
        try:
            message = BotMessage.FromString(data)
        except DecodeError:
            stream.send(UNREADABLE.encode(fatal=False))
            return False
        kind = message.WhichOneof("kind")
        match = getattr(getattr(message, kind), "match_id", "") if kind else ""
        if len(data) > LIMITS.max_message_bytes:
            stream.send(too_large(len(data), LIMITS.max_message_bytes).encode(fatal=False, match=match[:64]))
            if (participation := self._participations.get(match)) is not None:
                participation.on_event(ProtocolBroken(Reason.MALFORMED, "a message that is too large"))
            return False
        match kind:
            case "answer":
                return self._answer(match, message.answer.index, data, stream, now)
            case "accept" | "decline":
                return self._answer(match, OFFER, data, stream, now)
            case "reveal":
                if (size := len(message.reveal.nonce)) > MAX_NONCE:
                    stream.send(nonce_size(size).encode(fatal=False, match=match[:64]))
                    return False
                return self._answer(match, REVEAL, data, stream, now)
            case "pong":
                return stream.ponged(message.pong.id, now)
            case "ping":
                stream.send(ServerMessage(pong=Pong(id=message.ping.id)).SerializeToString())
            case "leave":
                self._leave()
            case "hello":
                stream.send(HELLO_AGAIN.encode(fatal=False))
        return False

    def _answer(self, match: str, index: int, data: bytes, stream: LocalStream, now: int) -> bool:
        participation = self._participations.get(match)
        if participation is None:
            unknown = OFFER_UNKNOWN if index == OFFER else MATCH_UNKNOWN
            stream.send(unknown.encode(fatal=False, match=match[:64]))
            return False
        if index != participation.ask or participation.begun_ns is None:
            participation.on_event(MessageReceived(data, AskTime(0)))  # late
            return False
        network_ns = self._network_ns(now)
        participation.ask = None
        participation.on_event(MessageReceived(data, participation.ask_time(now, network_ns), network_ns))
        return True

    def _leave(self) -> None:
        """Accept no new matches: an open offer counts as declined."""
        self._is_leaving = True
        for match, participation in self._participations.items():
            if participation.ask == OFFER:
                decline = BotMessage(decline=Decline(match_id=match, reason="the bot left with the offer open"))
                participation.on_event(MessageReceived(decline.SerializeToString(), AskTime(0)))
        self._end_if_done()
