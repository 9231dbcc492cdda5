"""From the gateways to the referee: what each kind of message, and each reason in it, means for a match.

==================  ====================================================================================================
kind                what it means
==================  ====================================================================================================
``message``         the bot accepts, declines, reveals or answers; what answers no open ask is late, and dropped
``fault``           the bot broke a limit of the wire: a strike, or nothing where a loss follows (`REASONS`)
``lost``            the bot dropped its stream: charged to it
``back``            the bot has a stream again
``moved``           the gateway gives the bot up: the way is broken, and presence shows where the bot is now
``undeliverable``   the way is broken; or another process owns the match; or the bot accepts no more matches (`REASONS`)
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
from workers.ways import SeatWay, Ways
from workers.workerlink import WorkerLink

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a reason adds to the kind of the message that carries it."""

    fault: Reason | None = None
    """Of a `fault`: the strike. None: no strike, the loss of the stream that follows is charged instead."""
    is_full: bool = False
    """Of an `undeliverable` offer: this process of the bot accepts no more matches."""
    is_declined: bool = False
    """Of an `undeliverable` offer: the bot has turned it down, having seen it."""
    is_overtaken: bool = False
    """Of an `undeliverable`: another process owns the match."""
    sentence: str = ""
    """For the log of the match."""


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
"""For every reason what it means for the referee beyond the kind of its message."""


class Inbound:
    """The messages about one match, for one owner of it, turned into events for its referee."""

    def __init__(self, epoch: int, ways: Ways, outbox: Outbox, link: WorkerLink, overhead: OverheadTimer) -> None:
        self._epoch = epoch
        self._ways = ways
        self._outbox = outbox
        self._link = link
        self._overhead = overhead
        self.wants_presence = False
        """Whether a bot has gone elsewhere, and presence, as it was last read, does not have it there yet."""
        self._heard: dict[str, int] = {}
        """The number of the last message of each gateway."""

    def events(self, message: FromBot, now: int) -> Iterator[Event]:
        """What a message means, one event at a time, each to be handled before the next is asked for; nothing, when it
        was delivered before.

        `LostOwnership` if a gateway knows of a later owner of the match.
        """
        way = self._ways.get(message.seat)
        if way is None or self._is_repeated(message):
            return iter(())
        return HANDLERS[message.kind](self, message, way, now)

    def _is_repeated(self, message: FromBot) -> bool:
        """Whether a gateway's numbers, which it sends in order, have been this far before: an outage of Redis may
        deliver a message twice, and a bot must not pay for it."""
        if not message.number:
            return False
        if message.number <= self._heard.get(message.gateway, 0):
            return True
        self._heard[message.gateway] = message.number
        return False

    def _on_message(self, message: FromBot, way: SeatWay, now: int) -> Iterator[Event]:
        if not message.is_answer:
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
                if not way.pinned:
                    way.pinned = message.session
                yield OfferAccepted(seat, reply.nonce_hash, by=message.session)
            case Declined():
                yield OfferDeclined(seat, reply.reason)
            case Revealed():
                yield NonceRevealed(seat, reply.nonce)
            case Answered():
                self._overhead.start(message.received_at_ns)
                way.round_trip = RoundTrip(message.network_ns, message.queue_ns, message.think_ns)
                took = way.round_trip
                yield MoveArrived(
                    seat,
                    reply.index,
                    reply.actions,
                    reply.note,
                    took.think_ns,
                    took.network_ns,
                    took.queue_ns,
                    message.gone_ns,
                )

    def _on_fault(self, message: FromBot, way: SeatWay, now: int) -> Iterator[Event]:
        meaning = REASONS[message.reason]
        if meaning.fault is not None:
            yield SeatFaulted(message.seat, meaning.fault, meaning.sentence)

    def _on_lost(self, message: FromBot, way: SeatWay, now: int) -> Iterator[Event]:
        if way.is_through(message.session, message.gateway):
            way.mark_reported(now)
            log.info("seat_lost", seat=message.seat, reason=str(message.reason))
            yield SeatLost(message.seat, message.reason)

    def _on_back(self, message: FromBot, way: SeatWay, now: int) -> Iterator[Event]:
        if way.is_of(message.session):
            way.mark_reported(now)
            log.info("seat_back", seat=message.seat)
            yield SeatBack(message.seat)

    def _on_moved(self, message: FromBot, way: SeatWay, now: int) -> Iterator[Event]:
        if message.open_ns >= 0 and message.epoch == self._epoch:
            # Also if presence has shown the bot elsewhere before.
            yield TimeSpent(message.seat, message.index, message.open_ns, message.gone_ns)
        if way.is_through(message.session, message.gateway):
            log.info("seat_moved", seat=message.seat, reason=str(message.reason))
            yield PathLost(message.seat, left_by_bot=message.reason == WireReason.TAKEN_OVER)
            self.wants_presence = True

    def _on_undeliverable(self, message: FromBot, way: SeatWay, now: int) -> Iterator[Event]:
        meaning = REASONS[message.reason]
        if meaning.is_overtaken:
            if message.epoch == self._epoch:  # else it is for an earlier owner in this same process
                raise LostOwnership("a gateway knows of a later owner")
            return
        if not way.is_through(message.session, message.gateway):
            return
        log.info("message_undeliverable", seat=message.seat, reason=str(message.reason))
        way.mark_reported(now)
        if meaning.is_declined:
            yield OfferDeclined(message.seat, meaning.sentence)
        elif meaning.is_full and not self._has_another_process(message.session, way):
            yield OfferDeclined(message.seat, meaning.sentence, is_blamed=False)
        yield PathLost(message.seat, is_refused=message.reason != WireReason.GOING_DOWN)

    def _has_another_process(self, session: str, way: SeatWay) -> bool:
        bots = self._link.presence.bots
        other = way.choose({id: bot for id, bot in bots.items() if id != session})
        return other is not None and other.is_available


HANDLERS: Final[Mapping[WireKind, Callable[[Inbound, FromBot, SeatWay, int], Iterator[Event]]]] = {
    WireKind.MESSAGE: Inbound._on_message,
    WireKind.FAULT: Inbound._on_fault,
    WireKind.LOST: Inbound._on_lost,
    WireKind.BACK: Inbound._on_back,
    WireKind.MOVED: Inbound._on_moved,
    WireKind.UNDELIVERABLE: Inbound._on_undeliverable,
}
"""For every kind of message what is done about it."""
