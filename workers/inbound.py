"""From the gateways to the referee: the meaning of each kind of message, and of each reason, for a match.

==================  ====================================================================================================
kind                meaning
==================  ====================================================================================================
``message``         the bot accepts, declines, reveals or answers; an answer to no pending ask is late, and dropped
``fault``           the bot broke a limit of the protocol: a strike, or nothing if a loss follows (`REASONS`)
``lost``            the bot dropped its stream: charged to it, unless it is a bot of the arena
``back``            the bot has a stream again
``moved``           the gateway gives the bot up: the path is broken, and presence shows where the bot is now
``undeliverable``   the path is broken, another process owns the match, or the bot accepts no more matches (`REASONS`)
==================  ====================================================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import structlog

from arena.bus import FromBot, WireKind, WireReason
from arena.referee import (
    Event,
    MoveArrived,
    NonceRevealed,
    OfferAccepted,
    OfferDeclined,
    PathLost,
    Reason,
    SeatBack,
    SeatFaulted,
    SeatLost,
    TimeSpent,
)
from arena.wire.codec import CodecError
from arena.wire.matches import Accepted, Answered, Declined, Revealed, RoundTrip, decode_reply
from webui.matches.values import LostOwnership
from workers.metrics import OverheadTimer
from workers.outbox import Outbox
from workers.paths import SeatPath, SeatPaths
from workers.workerlink import WorkerLink

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Meaning:
    """Meaning of a reason, in addition to the kind of its message."""

    fault: Reason | None = None
    """Strike for a `fault`. None: no strike, because the loss of the stream that follows is charged instead."""
    is_full: bool = False
    """For an `undeliverable` offer: whether this process of the bot accepts no more matches."""
    is_declined: bool = False
    """For an `undeliverable` offer: whether the bot has seen and declined it."""
    is_overtaken: bool = False
    """For an `undeliverable`: whether another process owns the match."""
    sentence: str = ""
    """Sentence for the log of the match."""


NOTHING: Final = Meaning()

REASONS: Final[Mapping[WireReason, Meaning]] = {
    WireReason.NONE: NOTHING,
    WireReason.OTHER: NOTHING,
    WireReason.STREAM_LOST: NOTHING,
    WireReason.SILENT: NOTHING,
    WireReason.SLOW_READER: NOTHING,
    WireReason.TOO_MANY_MESSAGES: NOTHING,
    WireReason.MESSAGE_TOO_LARGE: NOTHING,
    WireReason.BAD_TOKEN: NOTHING,
    WireReason.TAKEN_OVER: NOTHING,
    WireReason.STALLED: NOTHING,
    WireReason.GOING_DOWN: NOTHING,
    WireReason.ABSENT: NOTHING,
    WireReason.FLOODING: Meaning(Reason.FLOODING, sentence="too many messages that answer nothing"),
    WireReason.MALFORMED: Meaning(Reason.MALFORMED, sentence="a message that cannot be read"),
    WireReason.OVERSIZED: Meaning(Reason.MALFORMED, sentence="a message that is too large"),
    WireReason.UNKNOWN_SESSION: NOTHING,
    WireReason.STALE_EPOCH: Meaning(is_overtaken=True),
    WireReason.LEFT: Meaning(is_declined=True, sentence="the bot left with the offer open"),
    WireReason.LEAVING: Meaning(is_full=True, sentence="the bot was leaving"),
    WireReason.TOO_MANY_MATCHES: Meaning(is_full=True, sentence="its gateway already has too many matches for it"),
}
"""Meaning of every reason for the referee, beyond the kind of its message."""


class Inbound:
    """Turns the messages about one match, for one owner of it, into events for its referee."""

    def __init__(self, epoch: int, paths: SeatPaths, outbox: Outbox, link: WorkerLink, overhead: OverheadTimer) -> None:
        self._epoch = epoch
        self._paths = paths
        self._outbox = outbox
        self._link = link
        self._overhead = overhead
        self.wants_presence = False
        """Whether a bot has moved, and the presence last read does not show it there yet."""
        self._heard: dict[str, int] = {}
        """Number of the last message from each gateway."""

    def events(self, message: FromBot, now: int) -> Iterator[Event]:
        """Yield the events of a message; none if the message was delivered before.

        Handle each event before asking for the next one. Raise `LostOwnership` if a gateway knows a later owner of the
        match.
        """
        path = self._paths.get(message.seat)
        if path is None or self._is_repeated(message):
            return iter(())
        return HANDLERS[message.kind](self, message, path, now)

    def _is_repeated(self, message: FromBot) -> bool:
        """Return whether the message is a duplicate, by the gateway's numbers, which are in order.

        An outage of Redis may deliver a message twice, and a bot must not pay for it.
        """
        if message.number <= self._heard.get(message.gateway, 0):
            return True
        self._heard[message.gateway] = message.number
        return False

    def _on_message(self, message: FromBot, path: SeatPath, now: int) -> Iterator[Event]:
        # A process whose match was handed over may come back and still answer.
        if not message.is_answer or (path.pinned and message.session != path.pinned):
            return
        seat = message.seat
        self._outbox.answered(seat, message.index)
        try:
            reply = decode_reply(message.payload)
        except CodecError as error:
            yield SeatFaulted(seat, Reason.MALFORMED, str(error))
            return
        match reply:
            case Accepted():
                if not path.pinned:
                    path.pin(message.session)
                yield OfferAccepted(seat, reply.nonce_hash, by=message.session)
            case Declined():
                yield OfferDeclined(seat, said=reply.reason)
            case Revealed():
                yield NonceRevealed(seat, reply.nonce)
            case Answered():
                self._overhead.start(message.received_at_ns)
                took = RoundTrip(message.network_ns, message.queue_ns, message.think_ns)
                gone_ns = message.gone_ns
                if path.is_house:
                    took, gone_ns = RoundTrip(0, 0, 0), 0  # it has waited for the arena's own processor
                yield MoveArrived(
                    seat,
                    reply.index,
                    reply.actions,
                    reply.note,
                    took.think_ns,
                    took.network_ns,
                    took.queue_ns,
                    gone_ns,
                )

    def _on_fault(self, message: FromBot, path: SeatPath, now: int) -> Iterator[Event]:
        meaning = REASONS[message.reason]
        # Only the process that plays: a name that a runner knows must not be enough to blame a bot.
        plays = path.is_of(message.session) or message.session == path.pinned
        if meaning.fault is not None and plays:
            yield SeatFaulted(message.seat, meaning.fault, meaning.sentence)

    def _on_lost(self, message: FromBot, path: SeatPath, now: int) -> Iterator[Event]:
        if path.is_through(message.session, message.gateway):
            path.mark_reported(now)
            log.info("seat_lost", seat=message.seat, reason=str(message.reason))
            yield PathLost(message.seat) if path.is_house else SeatLost(message.seat, message.reason)

    def _on_back(self, message: FromBot, path: SeatPath, now: int) -> Iterator[Event]:
        if path.is_of(message.session):
            path.mark_reported(now)
            log.info("seat_back", seat=message.seat)
            yield SeatBack(message.seat)

    def _on_moved(self, message: FromBot, path: SeatPath, now: int) -> Iterator[Event]:
        plays = path.pinned in ("", message.session)  # a hand-over has charged the time of an earlier process
        if message.open_ns >= 0 and message.epoch == self._epoch and plays and not path.is_run_by_arena:
            # Even if presence has shown the bot elsewhere before.
            yield TimeSpent(message.seat, message.index, message.open_ns, message.gone_ns)
        if path.is_through(message.session, message.gateway):
            log.info("seat_moved", seat=message.seat, reason=str(message.reason))
            yield PathLost(message.seat, left_by_bot=message.reason == WireReason.TAKEN_OVER)
            self.wants_presence = True

    def _on_undeliverable(self, message: FromBot, path: SeatPath, now: int) -> Iterator[Event]:
        meaning = REASONS[message.reason]
        if meaning.is_overtaken:
            if message.epoch == self._epoch:  # otherwise it is for an earlier owner in this same process
                raise LostOwnership("a gateway knows a later owner")
            return
        if not path.is_through(message.session, message.gateway):
            return
        log.info("message_undeliverable", seat=message.seat, reason=str(message.reason))
        path.mark_reported(now)
        if meaning.is_declined:
            yield OfferDeclined(message.seat, meaning.sentence)
        elif meaning.is_full and not self._has_another_process(message.session, path):
            # A bot that has too many matches was given them by the arena, which makes matches in several threads.
            is_overbooked = message.reason == WireReason.TOO_MANY_MATCHES
            yield OfferDeclined(message.seat, meaning.sentence, is_blamed=False, is_overbooked=is_overbooked)
        yield PathLost(message.seat, is_refused=message.reason != WireReason.GOING_DOWN)

    def _has_another_process(self, session: str, path: SeatPath) -> bool:
        bots = self._link.presence.bots
        another = path.choose({id: bot for id, bot in bots.items() if id != session})
        return another is not None and another.is_available


HANDLERS: Final[Mapping[WireKind, Callable[[Inbound, FromBot, SeatPath, int], Iterator[Event]]]] = {
    WireKind.MESSAGE: Inbound._on_message,
    WireKind.FAULT: Inbound._on_fault,
    WireKind.LOST: Inbound._on_lost,
    WireKind.BACK: Inbound._on_back,
    WireKind.MOVED: Inbound._on_moved,
    WireKind.UNDELIVERABLE: Inbound._on_undeliverable,
}
"""Handler of every kind of message."""
