"""All sessions of one gateway process. The registry connects the bots' streams with the gateway's mailbox on the bus.

Every change of a session happens here, in plain methods that never wait. Streams, mailbox and drain may therefore call
in any order, and each finds a consistent state. The tasks of `buslink` do what has to wait for Redis.
"""

from __future__ import annotations

import time

import structlog
from msgspec.structs import replace

from arena.bus import (
    NO_ASK,
    OFFER_INDEX,
    PROBE,
    Evict,
    Presence,
    ToBot,
    WireKind,
    WireReason,
    probed_session,
)
from arena.gateway import metrics
from arena.gateway.buslink import SessionLink
from arena.gateway.clock import ListeningClock
from arena.gateway.errors import GOING_DOWN, TAKEN_OVER, GatewayRefusal
from arena.gateway.limits import GatewayLimits
from arena.gateway.metrics import record_answer
from arena.gateway.notices import Notices
from arena.gateway.seats import SeatAtMatch
from arena.gateway.session import BotSession
from arena.gateway.stream import SessionStream
from arena.host import tracing

log = structlog.get_logger(__name__)

FAULTS_OF_STREAMS = {
    WireReason.SLOW_READER: WireReason.SLOW_READER,
    WireReason.TOO_MANY_MESSAGES: WireReason.FLOODING,
}
"""Ends of a stream that are the bot's fault, and the reason that the referee gets."""


class SessionRegistry:
    """The sessions of one gateway. All times are those of `clock`."""

    def __init__(self, gateway: str, buslink: SessionLink, limits: GatewayLimits, clock: ListeningClock) -> None:
        self.gateway = gateway
        self.limits = limits
        self.clock = clock
        self.draining = False
        self._buslink = buslink
        self._notices = Notices(gateway, buslink)
        self._sessions: dict[str, BotSession] = {}
        self._leaving: list[BotSession] = []
        self._answered_ns: dict[str, int] = {}
        """Arrival of the last answer in each match, until its next ask."""
        self._counted_standstill = 0
        """The part of the clock's stalls that the metrics already include."""

    # Streams

    def get(self, session_id: str) -> BotSession | None:
        """Return the session with this id, if the gateway holds it."""
        return self._sessions.get(session_id)

    def attach(self, presence: Presence, stream: SessionStream, claims: dict[str, bool]) -> BotSession:
        """Register the stream of a bot that said hello.

        An older stream of the session ends. Pending asks are written again, and so are match ends that the bot has not
        confirmed. `claims` are the matches that the bot says it is in, and whether each one runs.
        """
        session, now = self._sessions.get(presence.id), self.clock.now()
        if session is None:
            session = self._sessions[presence.id] = BotSession(presence, stream)
        else:
            if session.stream is not None:
                session.stream.end(TAKEN_OVER)
                if self._is_lost_by_us(session.stream):
                    self._notify_stalled(session)
                else:
                    self._notices.notify_all(session, WireKind.LOST, WireReason.TAKEN_OVER)
            else:
                session.returned(now)
            session.presence = presence
            session.stream = stream
            session.write_again(stream, now)
            self._notices.notify_all(session, WireKind.BACK)
        session.claims = {match: is_live for match, is_live in claims.items() if match not in session.seats}
        self._buslink.arrived(presence.id)
        return session

    def expect(self, presence: Presence) -> None:
        """Hold a session whose bot has no stream, by its own fault. Its asks are charged from now on."""
        session = self._sessions[presence.id] = BotSession(presence, None)
        session.lost_ns = self.clock.now()

    def detach(self, session: BotSession, stream: SessionStream) -> None:
        """Handle the end of a stream. A session with matches waits for another stream; one without is forgotten."""
        refusal = stream.ended.result() if stream.ended.done() else None
        stream.end(None)
        if session.stream is not stream:
            return
        session.stream = None
        session.lost_ns = self.clock.now()
        if refusal is None and self._is_lost_by_us(stream):
            self._forget(session)
            self._notify_stalled(session)
            return
        session.lost()
        reason = WireReason(refusal.reason) if refusal is not None else WireReason.STREAM_LOST
        if fault := FAULTS_OF_STREAMS.get(reason):
            metrics.FAULTS.labels(fault).inc()
            self._notices.notify_all(session, WireKind.FAULT, fault)
        self._notices.notify_all(session, WireKind.LOST, reason)
        if session.seats and not session.is_done:
            self._buslink.changed(session.presence.id)
        else:
            self._forget(session)

    def leave(self, session: BotSession) -> None:
        """Stop offering matches to this session; its stream ends after the last match.

        An open offer counts as declined. Otherwise a bot could look at its opponents and leave.
        """
        session.presence = replace(session.presence, leaving=True)
        self._buslink.changed(session.presence.id)
        for seat in list(session.seats.values()):
            if seat.ask is not None and seat.ask.index == OFFER_INDEX:
                self._notices.notify(seat, WireKind.UNDELIVERABLE, WireReason.LEFT)
                self._drop(session, seat.match)
        self._end_if_done(session)

    def fault(self, session: BotSession, match: str, reason: WireReason) -> None:
        """Report that the bot broke a limit of the wire with a message for this match."""
        metrics.FAULTS.labels(reason).inc()
        if (seat := session.seats.get(match)) is not None:
            self._notices.notify(seat, WireKind.FAULT, reason)

    def answer(self, session: BotSession, match: str, index: int, payload: bytes) -> bool | None:
        """Pass a message of the bot to the worker of the match.

        Returns true if it answers the pending ask, false if it is late, and `None` if the bot is not in that match.
        """
        seat = session.seats.get(match)
        if seat is None:
            return None
        now = self.clock.heard()
        network_ns = session.network_ns()
        message = seat.answered(
            index, payload, now=now, network_ns=network_ns, wall_ns=time.time_ns(), gateway=self.gateway
        )
        self._buslink.send(seat.reply_to, message)
        if message.is_answer:
            self._answered_ns[match] = now
            metrics.DECISIONS.inc()
            metrics.THINK.observe(message.think_ns / 1e9)
            metrics.NETWORK.observe(message.network_ns / 1e9)
            if tracing.is_on:
                record_answer(message)
        return message.is_answer

    # Mailbox

    def receive(self, envelope: ToBot | Evict) -> None:
        """Handle an envelope from a worker or from another gateway."""
        if isinstance(envelope, Evict):
            self._evict(envelope)
            return
        if envelope.session.startswith(PROBE):
            self._answer_probe(envelope)
            return
        now = self.clock.now()
        session = self._sessions.get(envelope.session)
        if session is None:
            self._notices.refuse(envelope, WireReason.GOING_DOWN if self.draining else WireReason.UNKNOWN_SESSION)
            return
        seat = session.seats.get(envelope.match)
        if seat is None:
            if session.presence.leaving and envelope.ask and envelope.index == OFFER_INDEX:
                self._notices.refuse(envelope, WireReason.LEAVING)
                return
            is_offer = envelope.ask and envelope.index == OFFER_INDEX
            if len(session.seats) >= 2 * self.limits.max_matches or (
                is_offer and len(session.running) >= session.presence.capacity
            ):
                self._notices.refuse(envelope, WireReason.TOO_MANY_MATCHES)
                return
            session.claims.pop(envelope.match, None)
            seat = session.seats[envelope.match] = SeatAtMatch(envelope, now)
            about = {"match": seat.match, "seat": seat.seat, "epoch": seat.epoch}
            log.info("seat_opened", presence=session.presence.id, **about)
            self._buslink.changed(session.presence.id)
        if seat.end is not None and not envelope.ask:
            return  # the end is rewritten until the bot confirms it
        match seat.take(envelope, now, connected=session.stream is not None):
            case "stale":
                self._notices.refuse(envelope, WireReason.STALE_EPOCH)
                return
            case "answered":
                self._buslink.send(seat.reply_to, seat.answer_again())
            case "write":
                if envelope.ask and seat.ask is not None:
                    seat.ask.after_ns = self._answered_ns.pop(envelope.match, None)
                if envelope.final:
                    self._end(session, seat, envelope.payload)
                elif session.stream is not None:
                    session.stream.send(envelope.payload, seat.ask if envelope.ask else None)
        if envelope.ask and session.stream is None:
            # The sender may be a new owner that does not know yet that the bot is disconnected.
            self._notices.notify(seat, WireKind.LOST, WireReason.STREAM_LOST)

    def ponged(self, session: BotSession, stream: SessionStream, ping: int) -> bool:
        """Handle a pong: the bot has read everything written before the ping. Return false if no such ping was sent."""
        if not stream.was_ponged(ping):
            return False
        if session.stream is stream:
            for match in session.confirmed_ends(ping):
                self._drop(session, match)
        return True

    # Tasks of the gateway

    def ids(self) -> list[str]:
        """Return the ids of all sessions."""
        return list(self._sessions)

    def presence(self, session_id: str) -> Presence | None:
        """Return the presence to announce for one session; `None` if the gateway does not hold it."""
        session = self._sessions.get(session_id)
        return session.announced() if session is not None else None

    def sweep(self) -> None:
        """Forget seats and sessions that were idle for too long, and update the gauges."""
        oldest = self.clock.now() - int(self.limits.hold_s * 1e9)
        for session in list(self._sessions.values()):
            for seat in [seat for seat in session.seats.values() if seat.touched_ns < oldest]:
                log.warning("seat_forgotten", presence=session.presence.id, match=seat.match)
                self._drop(session, seat.match)
            if session.stream is None and session.lost_ns < oldest and session.presence.id in self._sessions:
                self._forget(session)
        connected = sum(session.stream is not None for session in self._sessions.values())
        metrics.SESSIONS.labels("connected").set(connected)
        metrics.SESSIONS.labels("lost").set(len(self._sessions) - connected)
        metrics.MATCHES.set(sum(len(session.seats) for session in self._sessions.values()))
        stalled_ns = self.clock.stalled_ns
        metrics.STANDSTILL.inc((stalled_ns - self._counted_standstill) / 1e9)
        self._counted_standstill = stalled_ns

    def withdraw(self) -> None:
        """First half of a drain: withdraw all sessions and accept no more."""
        self.draining = True
        self._leaving = list(self._sessions.values())
        for session in self._leaving:
            self._forget(session)

    def dismiss(self) -> None:
        """Second half of a drain: send workers and bots to another gateway."""
        for session in self._leaving:
            self._give_up(session, GOING_DOWN)

    def return_session(self, session: BotSession) -> None:
        """Return the matches of a session to their workers, because this gateway has lost the bot by its own fault."""
        self._forget(session)
        self._give_up(session, GOING_DOWN)

    # Private methods

    def _evict(self, evict: Evict) -> None:
        session = self._sessions.get(evict.session)
        if session is not None and session.presence.connected_at_ns < evict.connected_at_ns:
            log.info("session_moved", presence=evict.session, to=evict.gateway)
            self._forget(session)
            self._give_up(session, TAKEN_OVER)

    def _answer_probe(self, probe: ToBot) -> None:
        """Report which ask is pending for the bot, and for how long."""
        session = self._sessions.get(probed_session(probe.session))
        seat = session.seats.get(probe.match) if session is not None else None
        if session is None or seat is None or seat.ask is None:
            self._notices.answer_probe(probe, NO_ASK, 0, 0)
            return
        now = self.clock.heard()
        open_ns = seat.ask.open_ns(now, session.network_ns())
        self._notices.answer_probe(probe, seat.ask.index, open_ns, seat.ask.gone_ns(now))

    def _is_lost_by_us(self, stream: SessionStream) -> bool:
        """Return whether this stream, which has ended, was open during a recent stall of the gateway."""
        at = self.clock.long_stall_at
        return stream.opened_ns <= at and self.clock.now() - at < self.limits.excuse_s * 1e9

    def _notify_stalled(self, session: BotSession) -> None:
        """Withdraw the bot's asks, with the times they had when the gateway stalled."""
        self._notices.notify_all(session, WireKind.MOVED, WireReason.STALLED, open_at=self.clock.long_stall_at)
        for seat in session.seats.values():
            seat.ask = None

    def _give_up(self, session: BotSession, refusal: GatewayRefusal) -> None:
        self._notices.notify_all(session, WireKind.MOVED, WireReason(refusal.reason), open_at=self.clock.heard())
        if session.stream is not None:
            session.stream.end(refusal)
            session.stream = None

    def _end(self, session: BotSession, seat: SeatAtMatch, payload: bytes) -> None:
        seat.ask, seat.end = None, payload
        if session.stream is not None:
            session.write_end(seat, session.stream)
        self._buslink.changed(session.presence.id)
        self._end_if_done(session)

    def _drop(self, session: BotSession, match: str) -> None:
        if (seat := session.seats.pop(match, None)) is not None:
            log.info("seat_closed", presence=session.presence.id, match=match, seat=seat.seat, epoch=seat.epoch)
        self._answered_ns.pop(match, None)
        self._buslink.changed(session.presence.id)
        if session.stream is None and not session.seats:
            self._forget(session)
        self._end_if_done(session)

    def _end_if_done(self, session: BotSession) -> None:
        if session.is_done and session.stream is not None:
            session.stream.end(None)

    def _forget(self, session: BotSession) -> None:
        self._sessions.pop(session.presence.id, None)
        self._buslink.gone(session.announced())
