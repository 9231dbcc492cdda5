"""The loop of one match: events go to the referee, and its commands are carried out, one at a time.

1. Every write has the epoch of the claim. `LostOwnership` means: stop, because another process owns the match.
2. An append is durable before anything that follows from it is sent.
3. Failures of the arena are never charged to a bot. A database is retried. A broken path to a bot (bus, gateway) is
   dropped and found again while the clock is stopped. Only what a gateway has measured or reported about a bot is
   charged. While this process is stalled, so is the referee's clock.
4. A house bot that has dialled in shares the arena's processor, so its clock and grace do not run. A match that waits
   for it in vain is void, without blame.
5. Time is up only if the paths to the bots concerned are known to be sound, and their gateways confirm that the bots
   have had that time (`probes.py`).
6. Consequences of an event (a message that could not be sent, an ask that is on the bus) are handled right after it,
   before any other event.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Final

import structlog

from arena.bus import NO_ASK, OFFER_INDEX, REVEAL_INDEX, FromBot, ToBot
from arena.host.steps import encode_step
from arena.host.steps import steps as step_file
from arena.referee import (
    SECOND,
    ClockRead,
    Command,
    Event,
    MatchOpened,
    MoveArrived,
    PathLost,
    Referee,
    TimePassed,
)
from arena.wire.matches import MatchCodec, RoundTrip
from workers import metrics
from workers.inbound import Inbound
from workers.metrics import OverheadTimer
from workers.needs import SlowWork, Steps, Wait, Write
from workers.outbound import Outbound
from workers.outbox import Outbox
from workers.paths import NEVER, SeatPaths
from workers.probes import DeadlineCheck, NotYet, PathsBroken, Probe, Reading, SendProbes, TimeUp
from workers.publishing import Publisher
from workers.row import MatchRow
from workers.workerlink import WorkerLink

log = structlog.get_logger(__name__)

LONGEST_WAIT: Final = 1 * SECOND
STANDSTILL: Final = LONGEST_WAIT + 1 * SECOND
"""Time between two turns of the loop beyond which this process, or the database, counts as stalled."""
HOUSE_PATIENCE: Final = 600 * SECOND
"""Time for which a match waits for one answer of a house bot that has dialled in."""
FRESH_S: Final = 0.5
"""Age below which presence need not be read again when a match begins."""


class HandBack(Exception):
    """Raised when this process is stopping and the match is handed back."""


class HouseIsSilent(Exception):
    """Raised when a house bot that has dialled in has not answered for `HOUSE_PATIENCE`. No bot is to blame."""


class MatchLoop:
    """One match between its row, its referee and its bots. `run` goes in steps, to the end of the match."""

    def __init__(
        self,
        referee: Referee,
        codec: MatchCodec,
        paths: SeatPaths,
        row: MatchRow,
        link: WorkerLink,
        publisher: Publisher,
        *,
        replay_url: str = "",
        clock: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        overhead = OverheadTimer()
        self._match_id = codec.match
        self._referee = referee
        self._paths = paths
        self._row = row
        self._link = link
        self._clock = clock
        self._deadlines = DeadlineCheck()
        self._outbox = Outbox(codec.match, row.epoch, link.id)
        self._inbound = Inbound(row.epoch, paths, self._outbox, link, overhead)
        self._outbound = Outbound(referee, codec, row, paths, self._outbox, overhead, publisher, replay_url)
        self._queue: deque[Event] = deque()
        self._house_asks: set[tuple[int, int]] = set()
        """Seat and index of the pending asks to house bots that have dialled in …"""
        self._house_since = 0
        """… and since when the match has waited for exactly these."""
        self._strays_ended_at = NEVER
        """When the presence was read for which `_end_strays` was last called."""
        self._seen_at = clock()
        self._stalled_ns = 0
        """Total time for which this loop has been stalled, by which the referee's clock is behind."""

    def run(self) -> Steps[None]:
        """Referee the match to its end.

        Raise `HandBack` if this process is stopping, `LostOwnership` if another one owns the match, `HouseIsSilent` if
        a bot of the arena does not answer.
        """
        yield SlowWork(partial(self._link.refresh_presence, older_than_s=FRESH_S))
        self._paths.set_routes(self._link.presence)
        yield from self._handle([MatchOpened()])
        if not self._referee.is_over:
            yield from self._handle(PathLost(seat) for seat in self._paths.without_route(self._referee.record.unready))
        while not self._referee.is_over:
            if self._link.stopping.is_set():
                raise HandBack
            now = self._read_clock_now()
            if now > self._row.renew_at:
                yield Write(self._row.renewal())
                self._row.was_renewed()
            self._outbox.repeat(now)
            yield from self._flush()
            for message in (yield Wait(self._wake_at())):
                yield from self._receive(message)
            now = self._read_clock_now()
            self._check_house(now - self._stalled_ns)
            yield from self._handle(self._paths.follow(self._link.presence, self._referee.record.seats, now))
            self._end_strays()
            yield from self._check_deadline(now)

    # Events

    def _wake_at(self) -> int:
        """Return when there is something to do even if nothing has arrived."""
        times = (self._deadlines.wake_at(self._deadline()), self._outbox.repeat_at, self._row.renew_at)
        return min(self._clock() + LONGEST_WAIT, *(at for at in times if at is not None))

    def _receive(self, message: FromBot) -> Steps[None]:
        if not self._deadlines.answer(message) and not self._referee.is_over:
            yield from self._handle(self._inbound.events(message, self._clock()))
            if self._inbound.wants_presence:
                self._inbound.wants_presence = False
                yield SlowWork(self._link.refresh_presence)

    def _check_deadline(self, now: int) -> Steps[None]:
        finding = self._deadlines.check(
            self._deadline(), now, self._referee.waits_for, self._paths, self._link.presence
        )
        match finding:
            case NotYet():
                pass
            case SendProbes(probes):
                # Before the probes: an answer that was lost is delivered again.
                self._outbox.repeat_now(now, [probe.seat for probe in probes])
                yield from self._send(probes)
            case PathsBroken(seats, is_silence):
                if is_silence:
                    log.warning("gateway_silent", seats=seats)
                yield from self._handle(PathLost(seat) for seat in seats)
            case TimeUp(readings):
                yield from self._handle(map(self._read_clock, readings))
                if (deadline := self._deadline()) is not None and deadline <= self._clock():
                    yield from self._handle([TimePassed()])

    def _read_clock(self, reading: Reading) -> Event:
        if reading.index == NO_ASK and reading.seat in self._pending_asks():
            return PathLost(reading.seat)  # the gateway knows no ask: it was lost
        if self._paths[reading.seat].is_house:
            return ClockRead(reading.seat, reading.index, 0, 0)
        return ClockRead(reading.seat, reading.index, reading.open_ns, reading.gone_ns)

    def _check_house(self, now: int) -> None:
        """Raise `HouseIsSilent` if a house bot whose clock does not run has owed its answer for too long."""
        if not any(path.is_house for path in self._paths.values()):
            return
        asks = {ask for ask in self._pending_asks().items() if self._paths[ask[0]].is_house}
        if not asks or asks != self._house_asks:
            self._house_asks, self._house_since = asks, now
        elif now - self._house_since > HOUSE_PATIENCE:
            raise HouseIsSilent

    def _end_strays(self) -> None:
        """Send an empty last message to each runner that still plays a seat which another one has taken over."""
        presence = self._link.presence
        if presence.read_at == self._strays_ended_at:
            return
        self._strays_ended_at = presence.read_at
        for seat, stray in self._paths.strays(self._match_id, presence):
            envelope = ToBot(stray.id, self._match_id, seat, self._row.epoch, self._link.id, final=True)
            self._outbox.put_plain(stray.gateway, envelope)

    def _pending_asks(self) -> dict[int, int]:
        """Return the seats that have a pending ask, with its index."""
        referee = self._referee
        if referee.pending:
            return dict([referee.pending])
        index = REVEAL_INDEX if referee.record.has_all_hashes else OFFER_INDEX
        return dict.fromkeys(referee.record.unready, index)

    def _deadline(self) -> int | None:
        """Return when the referee needs to know that time has passed."""
        wake_at = self._referee.wake_at
        return None if wake_at is None else wake_at + self._stalled_ns

    # Consequences

    def _handle(self, events: Iterable[Event]) -> Steps[None]:
        """Hand events to the referee.

        The next event is taken only when the previous one has been handled, with all its consequences.
        """
        for event in events:
            self._queue.append(event)
            while self._queue:
                self._queue.extendleft(reversed((yield from self._step(self._queue.popleft()))))

    def _step(self, event: Event) -> Steps[Sequence[Event]]:
        """Handle one event. Return the events that follow from it."""
        if isinstance(event, PathLost):
            self._paths.drop(event.seat)
            self._outbox.forget(event.seat)
        elif isinstance(event, MoveArrived):
            event = self._referee.within_credit(event)
            path = self._paths[event.seat]
            path.round_trip = RoundTrip(event.network_ns, event.queue_ns, event.think_ns)
        now = self._read_clock_now()
        handle = partial(self._referee.handle, event, now - self._stalled_ns)
        commands = (yield SlowWork(partial(self._in_step, handle))) if self._referee.may_ask_house else handle()
        return (yield from self._outbound.carry_out(commands, now))

    def _in_step(self, handle: Callable[[], Sequence[Command]]) -> Sequence[Command]:
        """Let the referee handle an event in another thread. The step file names the match."""
        with step_file.doing(encode_step(self._match_id, self._row.epoch)):
            return handle()

    def _read_clock_now(self) -> int:
        now = self._clock()
        if (still := now - self._seen_at - STANDSTILL) > 0:
            self._stalled_ns += still
            metrics.STANDSTILL.inc(still / SECOND)
        self._seen_at = now
        return now

    def _send(self, probes: Iterable[Probe]) -> Steps[None]:
        for probe in probes:
            envelope = ToBot(probe.session, self._match_id, probe.seat, self._row.epoch, self._link.id, b"")
            self._outbox.put_plain(probe.gateway, envelope)
        yield from self._flush()

    def _flush(self) -> Steps[None]:
        done = yield from self._outbox.flush()
        if done.failed:
            yield from self._handle(PathLost(seat) for seat in done.failed)
