"""The outgoing mail of one match: in order, one push a gateway; and the asks that are sent again after a silence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import structlog

from arena.bus import Bus, BusError, BusUnavailable, ToBot
from workers.ways import SECOND, Route

log = structlog.get_logger(__name__)

FIRST_REPEAT: Final = 1 * SECOND
REPEAT: Final = 2 * SECOND
"""An ask without an answer is sent again after so long: the bus may lose mail. The gateway still writes it once."""


@dataclass(slots=True)
class Open:
    """An ask without an answer."""

    envelope: ToBot
    gateway: str
    repeat_at: int


class Outbox:
    """Mail of one match and one owner."""

    def __init__(self, bus: Bus, match: str, epoch: int, reply_to: str) -> None:
        self._bus = bus
        self._match, self._epoch, self._reply_to = match, epoch, reply_to
        self._waiting: list[tuple[str, ToBot]] = []
        self._open: dict[int, Open] = {}

    def put(
        self, route: Route, seat: int, payload: bytes, *, now: int, ask: int | None = None, is_final: bool = False
    ) -> None:
        """A message for a bot; `ask` is the index if it wants an answer."""
        envelope = ToBot(
            route.session,
            self._match,
            seat,
            self._epoch,
            self._reply_to,
            payload,
            ask=ask is not None,
            index=ask or 0,
            final=is_final,
        )
        self._waiting.append((route.gateway, envelope))
        if ask is not None:
            self._open[seat] = Open(envelope, route.gateway, now + FIRST_REPEAT)

    def put_plain(self, gateway: str, envelope: ToBot) -> None:
        """Mail that is not for a bot of the match."""
        self._waiting.append((gateway, envelope))

    def answered(self, seat: int, index: int) -> None:
        """This ask has its answer."""
        if (pending := self._open.get(seat)) is not None and pending.envelope.index == index:
            del self._open[seat]

    def forget(self, seat: int) -> None:
        """This seat is not waited for."""
        self._open.pop(seat, None)

    def repeat(self, now: int) -> None:
        """Put the asks in again that have been silent for too long."""
        for pending in self._open.values():
            if pending.repeat_at <= now:
                pending.repeat_at = now + REPEAT
                self._waiting.append((pending.gateway, pending.envelope))

    @property
    def repeat_at(self) -> int | None:
        """When there is something to repeat."""
        return min((pending.repeat_at for pending in self._open.values()), default=None)

    def flush(self, failed: Callable[[int], None]) -> set[int]:
        """Send all; returns the seats whose mail is on the bus, and calls `failed` for each of the others."""
        waiting, self._waiting = self._waiting, []
        sent: set[int] = set()
        lost: set[int] = set()
        for gateway in dict.fromkeys(gateway for gateway, _ in waiting):
            envelopes = [envelope for to, envelope in waiting if to == gateway]
            seats = {envelope.seat for envelope in envelopes}
            try:
                self._bus.send_to_gateway(gateway, *envelopes)
                sent |= seats
            except BusError as error:
                say = log.debug if isinstance(error, BusUnavailable) else log.warning  # of an outage the bus has told
                say("mail_not_sent", gateway=gateway, seats=sorted(seats), error=str(error))
                lost |= seats
        for seat in lost:
            self._open.pop(seat, None)
            failed(seat)
        return sent
