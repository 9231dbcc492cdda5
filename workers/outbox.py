"""The outgoing messages of one match: in order, one push a gateway; asks are sent again after a silence."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final, NamedTuple

import structlog

from arena.bus import BusUnavailable, ToBot
from arena.referee import SECOND
from workers.needs import Send, Steps
from workers.ways import Route

log = structlog.get_logger(__name__)

FIRST_REPEAT: Final = 1 * SECOND
REPEAT: Final = 2 * SECOND
"""An ask without an answer is sent again after this long: the bus may lose messages. The gateway writes it once."""


@dataclass(slots=True)
class OpenAsk:
    """An ask without an answer."""

    envelope: ToBot
    gateway: str
    repeat_at: int


class Flushed(NamedTuple):
    """What became of the messages of a flush, by seat."""

    sent: set[int]
    """On the bus."""
    failed: set[int]
    """Not on the bus, and dropped."""


class Outbox:
    """The messages of one match and one owner."""

    def __init__(self, match: str, epoch: int, reply_to: str) -> None:
        self._match, self._epoch, self._reply_to = match, epoch, reply_to
        self._waiting: list[tuple[str, ToBot]] = []
        self._open: dict[int, OpenAsk] = {}

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
            self._open[seat] = OpenAsk(envelope, route.gateway, now + FIRST_REPEAT)

    def put_plain(self, gateway: str, envelope: ToBot) -> None:
        """A message that is not for a bot of the match."""
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

    def repeat_now(self, now: int, seats: Collection[int]) -> None:
        """Put the open asks of these seats in again."""
        for seat in seats:
            if (pending := self._open.get(seat)) is not None:
                pending.repeat_at = now
        self.repeat(now)

    @property
    def repeat_at(self) -> int | None:
        """When there is something to repeat."""
        return min((pending.repeat_at for pending in self._open.values()), default=None)

    def flush(self, *, wakes: bool = False) -> Steps[Flushed]:
        """Send all, each once, and tell the readers of the match with it. Asks to seats whose messages could not be
        sent are not sent again."""
        waiting, self._waiting = self._waiting, []
        done = Flushed(set(), set())
        if not waiting and not wakes:
            return done
        mail: dict[str, list[ToBot]] = {}
        for gateway, envelope in waiting:
            mail.setdefault(gateway, []).append(envelope)
        failed = yield Send(mail, wakes)
        for gateway, envelopes in mail.items():
            seats = {envelope.seat for envelope in envelopes}
            error = failed.get(gateway)
            if error is None:
                done.sent.update(seats)
                continue
            tell = log.debug if isinstance(error, BusUnavailable) else log.warning  # the bus has logged its outage
            tell("messages_not_sent", gateway=gateway, seats=sorted(seats), error=str(error))
            done.failed.update(seats)
        for seat in done.failed:
            self.forget(seat)
        return done
