"""The outgoing messages of one match: in order, one push for each gateway. Asks are sent again after a silence."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final, NamedTuple

import structlog

from arena.bus import BusUnavailable, ToBot
from arena.referee import SECOND
from workers.needs import Send, Steps
from workers.paths import Route

log = structlog.get_logger(__name__)

FIRST_REPEAT: Final = 1 * SECOND
REPEAT: Final = 2 * SECOND
"""Time after which an unanswered ask is sent again, because the bus may lose messages. The gateway writes it once."""


@dataclass(slots=True)
class OpenAsk:
    """An ask without an answer."""

    envelope: ToBot
    gateway: str
    repeat_at: int


class Flushed(NamedTuple):
    """Outcome of a flush, by seat."""

    sent: set[int]
    """Seats whose messages are on the bus."""
    failed: set[int]
    """Seats whose messages could not be sent and were dropped."""


class Outbox:
    """The outgoing messages of one match, for one owner."""

    def __init__(self, match: str, epoch: int, reply_to: str) -> None:
        self._match, self._epoch, self._reply_to = match, epoch, reply_to
        self._waiting: list[tuple[str, ToBot]] = []
        self._open: dict[int, OpenAsk] = {}

    def put(
        self, route: Route, seat: int, payload: bytes, *, now: int, ask: int | None = None, is_final: bool = False
    ) -> None:
        """Queue a message for a bot; `ask` is the index if it needs an answer."""
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
        """Queue a message that is not for a bot of the match."""
        self._waiting.append((gateway, envelope))

    def answered(self, seat: int, index: int) -> None:
        """Record that this ask has been answered."""
        if (pending := self._open.get(seat)) is not None and pending.envelope.index == index:
            del self._open[seat]

    def forget(self, seat: int) -> None:
        """Cancel the pending ask of a seat."""
        self._open.pop(seat, None)

    def repeat(self, now: int) -> None:
        """Queue asks again that have been unanswered for too long."""
        for pending in self._open.values():
            if pending.repeat_at <= now:
                pending.repeat_at = now + REPEAT
                self._waiting.append((pending.gateway, pending.envelope))

    def repeat_now(self, now: int, seats: Collection[int]) -> None:
        """Queue the pending asks of these seats again."""
        for seat in seats:
            if (pending := self._open.get(seat)) is not None:
                pending.repeat_at = now
        self.repeat(now)

    @property
    def repeat_at(self) -> int | None:
        """When an ask is to be sent again; None if there is none."""
        return min((pending.repeat_at for pending in self._open.values()), default=None)

    def flush(self, *, wakes: bool = False) -> Steps[Flushed]:
        """Send all messages once, and notify the readers of the match if `wakes` is set.

        Pending asks of seats whose messages could not be sent are cancelled.
        """
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
            log_failure = (
                log.debug if isinstance(error, BusUnavailable) else log.warning
            )  # the bus has logged its outage
            log_failure("messages_not_sent", gateway=gateway, seats=sorted(seats), error=str(error))
            done.failed.update(seats)
        for seat in done.failed:
            self.forget(seat)
        return done
