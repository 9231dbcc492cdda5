"""All sessions of one gateway process, between the streams of the bots and the mailbox on the bus.

Everything that changes a session happens here, in plain methods that never wait: streams, mailbox and drain may come in
any order, and each finds a whole state. What has to wait (Redis) is left for the tasks in `post`.
"""

from __future__ import annotations

import time
from dataclasses import replace

import structlog

from arena.bus import OFFER_INDEX, Evict, FromBot, Session, ToBot, WireKind, WireReason
from arena.gateway import metrics
from arena.gateway.errors import GOING_DOWN, TAKEN_OVER, Refusal
from arena.gateway.limits import GatewayLimits
from arena.gateway.post import Post
from arena.gateway.seats import SeatAtMatch
from arena.gateway.stream import Stream

log = structlog.get_logger(__name__)

FAULTS_OF_STREAMS = {
    WireReason.SLOW_READER: WireReason.SLOW_READER,
    WireReason.TOO_MANY_MESSAGES: WireReason.FLOODING,
}
"""Ends of a stream that are faults of the bot, as the referee hears of them."""


class Held:
    """A session that this gateway knows: its presence, its seats, and its stream while it has one."""

    __slots__ = ("lost_ns", "presence", "seats", "stream")

    def __init__(self, presence: Session, stream: Stream) -> None:
        self.presence = presence
        self.stream: Stream | None = stream
        self.seats: dict[str, SeatAtMatch] = {}
        self.lost_ns = 0

    def announced(self) -> Session:
        """The presence as it is now."""
        round_trip_ns = self.stream.pings.network(time.monotonic_ns()) if self.stream is not None else 0
        return replace(
            self.presence,
            running=len(self.seats),
            matches=tuple(self.seats),
            connected=self.stream is not None,
            round_trip_ns=round_trip_ns,
        )


class Hub:
    """The sessions of one gateway."""

    def __init__(self, gateway: str, post: Post, limits: GatewayLimits) -> None:
        self.gateway = gateway
        self.limits = limits
        self.draining = False
        self._post = post
        self._held: dict[str, Held] = {}
        self._leaving: list[Held] = []
        self._answered_ns: dict[str, int] = {}
        """When the last answer in a match came in, until its next ask."""
        post.presence = self.presence

    # Streams

    def get(self, session: str) -> Held | None:
        """The session, if it is known."""
        return self._held.get(session)

    def attach(self, presence: Session, stream: Stream) -> Held:
        """A bot has said hello on this stream; a stream it had before ends. Its pending asks are written again."""
        held = self._held.get(presence.id)
        if held is None:
            held = self._held[presence.id] = Held(presence, stream)
        else:
            if held.stream is not None:
                held.stream.end(TAKEN_OVER)
                self._tell_all(held, WireKind.LOST, WireReason.TAKEN_OVER)
            held.presence = presence
            held.stream = stream
            for seat in held.seats.values():
                if seat.ask is not None:
                    stream.send(seat.ask.payload, seat.ask)
            self._tell_all(held, WireKind.BACK)
        self._post.arrived(presence.id)
        return held

    def detach(self, held: Held, stream: Stream) -> None:
        """This stream is over. Its session waits for another one while it has matches."""
        refusal = stream.ended.result() if stream.ended.done() else None
        stream.end(None)
        if held.stream is not stream:
            return
        held.stream = None
        held.lost_ns = time.monotonic_ns()
        reason = WireReason(refusal.reason) if refusal is not None else WireReason.STREAM_LOST
        if fault := FAULTS_OF_STREAMS.get(reason):
            metrics.FAULTS.labels(fault).inc()
            self._tell_all(held, WireKind.FAULT, fault)
        self._tell_all(held, WireKind.LOST, reason)
        if held.seats:
            self._post.changed(held.presence.id)
        else:
            self._forget(held)

    def leave(self, held: Held) -> None:
        """No further matches for this session, nor what it has been offered; after the last match its stream ends."""
        held.presence = replace(held.presence, leaving=True)
        self._post.changed(held.presence.id)
        for seat in list(held.seats.values()):
            if seat.ask is not None and seat.ask.index == OFFER_INDEX:
                self._tell(seat, WireKind.UNDELIVERABLE, WireReason.LEAVING)
                self._drop(held, seat.match)
        self._end_if_done(held)

    def fault(self, held: Held, match: str, reason: WireReason) -> None:
        """The bot broke a limit of the wire with a message for this match."""
        metrics.FAULTS.labels(reason).inc()
        if (seat := held.seats.get(match)) is not None:
            self._tell(seat, WireKind.FAULT, reason)

    def answer(self, held: Held, match: str, index: int, payload: bytes, now: int) -> bool | None:
        """Hand what the bot said to the match's worker: true if it answers the open ask, false if it is late, None if
        the bot is not in that match."""
        seat = held.seats.get(match)
        if seat is None:
            return None
        network_ns = held.stream.pings.network(now) if held.stream is not None else 0
        message = seat.answered(
            index, payload, now=now, network_ns=network_ns, wall_ns=time.time_ns(), gateway=self.gateway
        )
        self._post.send(seat.reply_to, message)
        if message.is_answer:
            self._answered_ns[match] = now
            metrics.DECISIONS.inc()
            metrics.THINK.observe(message.think_ns / 1e9)
            metrics.NETWORK.observe(message.network_ns / 1e9)
        return message.is_answer

    # Mailbox

    def receive(self, envelope: ToBot | Evict) -> None:
        """Mail from a worker or another gateway."""
        if isinstance(envelope, Evict):
            self._evict(envelope)
            return
        now = time.monotonic_ns()
        held = self._held.get(envelope.session)
        if held is None:
            self._refuse(envelope, WireReason.GOING_DOWN if self.draining else WireReason.UNKNOWN_SESSION)
            return
        seat = held.seats.get(envelope.match)
        if seat is None:
            if held.presence.leaving and envelope.ask and envelope.index == OFFER_INDEX:
                self._refuse(envelope, WireReason.LEAVING)
                return
            if len(held.seats) >= 2 * self.limits.max_matches:
                self._refuse(envelope, WireReason.TOO_MANY_MATCHES)
                return
            seat = held.seats[envelope.match] = SeatAtMatch(envelope, now)
            self._post.changed(held.presence.id)
        match seat.take(envelope, now, connected=held.stream is not None):
            case "stale":
                self._refuse(envelope, WireReason.STALE_EPOCH)
                return
            case "answered":
                self._post.send(seat.reply_to, seat.answer_again())
            case "write":
                if envelope.ask and seat.ask is not None:
                    seat.ask.after_ns = self._answered_ns.pop(envelope.match, None)
                if held.stream is not None:
                    held.stream.send(envelope.payload, seat.ask if envelope.ask else None)
        if envelope.ask and held.stream is None:
            # The sender may be a new owner, who does not know yet that the bot is gone.
            self._tell(seat, WireKind.LOST, WireReason.STREAM_LOST)
        if envelope.final:
            self._drop(held, envelope.match)

    # Tasks of the gateway

    def presence(self, session: str | None = None) -> list[Session]:
        """What is to be announced of one session, or of all."""
        if session is None:
            return [held.announced() for held in self._held.values()]
        held = self._held.get(session)
        return [held.announced()] if held is not None else []

    def sweep(self) -> None:
        """Forget what nobody speaks of any more, and show the numbers."""
        oldest = time.monotonic_ns() - int(self.limits.hold_s * 1e9)
        for held in list(self._held.values()):
            for seat in [seat for seat in held.seats.values() if seat.touched_ns < oldest]:
                log.warning("seat_forgotten", session=held.presence.id, match=seat.match)
                self._drop(held, seat.match)
            if held.stream is None and held.lost_ns < oldest and held.presence.id in self._held:
                self._forget(held)
        connected = sum(held.stream is not None for held in self._held.values())
        metrics.SESSIONS.labels("connected").set(connected)
        metrics.SESSIONS.labels("lost").set(len(self._held) - connected)
        metrics.MATCHES.set(sum(len(held.seats) for held in self._held.values()))

    def withdraw(self) -> None:
        """The first half of a drain: no session is here any more, and none comes."""
        self.draining = True
        self._leaving = list(self._held.values())
        for held in self._leaving:
            self._forget(held)

    def dismiss(self) -> None:
        """The second half: workers look for the sessions elsewhere, bots reconnect elsewhere."""
        for held in self._leaving:
            self._give_up(held, GOING_DOWN)

    # Inside

    def _evict(self, evict: Evict) -> None:
        held = self._held.get(evict.session)
        if held is not None and held.presence.connected_at_ns < evict.connected_at_ns:
            log.info("session_moved", session=evict.session, to=evict.gateway)
            self._forget(held)
            self._give_up(held, TAKEN_OVER)

    def _give_up(self, held: Held, refusal: Refusal) -> None:
        self._tell_all(held, WireKind.MOVED, WireReason(refusal.reason))
        if held.stream is not None:
            held.stream.end(refusal)
            held.stream = None

    def _drop(self, held: Held, match: str) -> None:
        held.seats.pop(match, None)
        self._answered_ns.pop(match, None)
        self._post.changed(held.presence.id)
        if held.stream is None and not held.seats:
            self._forget(held)
        self._end_if_done(held)

    def _end_if_done(self, held: Held) -> None:
        if held.presence.leaving and not held.seats and held.stream is not None:
            held.stream.end(None)

    def _forget(self, held: Held) -> None:
        self._held.pop(held.presence.id, None)
        self._post.gone(held.announced())

    def _tell_all(self, held: Held, kind: WireKind, reason: WireReason = WireReason.NONE) -> None:
        for seat in held.seats.values():
            self._tell(seat, kind, reason)

    def _tell(self, seat: SeatAtMatch, kind: WireKind, reason: WireReason) -> None:
        self._post.send(seat.reply_to, seat.tell(kind, gateway=self.gateway, reason=reason))

    def _refuse(self, envelope: ToBot, reason: WireReason) -> None:
        metrics.UNDELIVERABLE.labels(reason).inc()
        notice = FromBot(
            envelope.match,
            envelope.seat,
            envelope.session,
            WireKind.UNDELIVERABLE,
            epoch=envelope.epoch,
            index=envelope.index,
            gateway=self.gateway,
            reason=reason,
        )
        self._post.send(envelope.reply_to, notice)
