"""Notices from a gateway to the workers about its sessions' matches. No I/O: `buslink` queues them."""

from __future__ import annotations

from msgspec.structs import replace

from arena.bus import FromBot, ToBot, WireKind, WireReason
from arena.gateway import metrics
from arena.gateway.buslink import SessionLink
from arena.gateway.seats import SeatAtMatch
from arena.gateway.session import BotSession


class Notices:
    """The notices of one gateway."""

    def __init__(self, gateway: str, buslink: SessionLink) -> None:
        self._gateway = gateway
        self._buslink = buslink

    def notify_all(
        self, session: BotSession, kind: WireKind, reason: WireReason = WireReason.NONE, open_at: int | None = None
    ) -> None:
        """Notify the workers of all unfinished matches of a session.

        `open_at`: add how long each pending ask had been open at that time.
        """
        for seat in session.seats.values():
            if seat.end is not None:
                continue
            notice = seat.notice(kind, gateway=self._gateway, reason=reason)
            if open_at is not None and seat.ask is not None:
                open_ns = seat.ask.open_ns(open_at, session.network_ns())
                notice = replace(notice, open_ns=open_ns, gone_ns=seat.ask.gone_ns(open_at))
            self._buslink.send(seat.reply_to, notice)

    def notify(self, seat: SeatAtMatch, kind: WireKind, reason: WireReason) -> None:
        """Notify the worker of one match."""
        self._buslink.send(seat.reply_to, seat.notice(kind, gateway=self._gateway, reason=reason))

    def refuse(self, envelope: ToBot, reason: WireReason) -> None:
        """Notify the sender that its envelope was not delivered."""
        metrics.UNDELIVERABLE.labels(reason).inc()
        self._buslink.send(envelope.reply_to, self._undelivered(envelope, reason))

    def answer_probe(self, probe: ToBot, index: int, open_ns: int, gone_ns: int) -> None:
        """Report to the sender which ask is pending, and for how long."""
        metrics.UNDELIVERABLE.labels(WireReason.UNKNOWN_SESSION).inc()
        answer = self._undelivered(probe, WireReason.UNKNOWN_SESSION)
        self._buslink.send(probe.reply_to, replace(answer, index=index, open_ns=open_ns, gone_ns=gone_ns))

    def _undelivered(self, envelope: ToBot, reason: WireReason) -> FromBot:
        return FromBot(
            envelope.match,
            envelope.seat,
            envelope.session,
            WireKind.UNDELIVERABLE,
            epoch=envelope.epoch,
            index=envelope.index,
            gateway=self._gateway,
            reason=reason,
        )
