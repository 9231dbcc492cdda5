"""From the referee to the database and the bots: the effect of each command, in the order given.

==============  ========================================================================================================
command         effect
==============  ========================================================================================================
`Append`        the entries are stored durably, with what spectators see of them; live readers are notified
`OfferMatch`    the offer is sent, and sent again until it is answered
`AskReveal`     the request for the nonce is sent, and sent again until it is answered
`AskMove`       the request is sent, and sent again until it is answered; once it is on the bus: `AskWritten`
`ResumeSeat`    the bot gets its running match back
`TellFault`     the bot is notified; its pending ask is cancelled
`FinishMatch`   the result is stored; every bot is notified
`AbortMatch`    the abort is stored; every bot is notified
==============  ========================================================================================================

The messages of all commands of one event leave together, after its entries are durable. Messages to a seat without a
route are dropped; `SeatBack` creates them again. A message that could not be sent causes `PathLost`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final

import structlog
from django.db import connection

from arena.bus import OFFER_INDEX, REVEAL_INDEX
from arena.host import tracing
from arena.referee import (
    AbortMatch,
    Append,
    AskMove,
    AskReveal,
    AskWritten,
    Command,
    Entry,
    FinishMatch,
    Kind,
    OfferMatch,
    PathLost,
    Referee,
    ResumeSeat,
    TellFault,
)
from arena.wire.matches import MatchCodec
from workers import failpoints, metrics
from workers.metrics import OverheadTimer
from workers.needs import SlowWork, Steps, Write
from workers.outbox import Outbox
from workers.paths import SeatPaths
from workers.publishing import Publisher
from workers.row import MatchRow

# The referee's spans of a match (`arena.host.tracing`), recorded only if tracing is on.


class MatchTrace:
    """Spans of one owner's part of a match."""

    def __init__(self, match: str, epoch: int, database: str) -> None:
        self._match = match
        self._epoch = epoch
        self._database = database
        self._began_ns = 0
        """When the current request was begun."""
        self._open: tuple[int, int, int] | None = None
        """Index and seat of the pending decision, and when it began."""

    def begin_ask(self) -> None:
        """Record that a request is being made."""
        self._began_ns = tracing.now()

    def ask_sent(self, index: int, seat: int) -> None:
        """Record that the request is on the bus."""
        if self._open is None or self._open[0] != index:
            self._open = (index, seat, self._began_ns)
        parent = tracing.decision_id(self._match, self._epoch, index)
        facts = {"arena.index": index, "arena.seat": seat}
        tracing.record("ask", self._began_ns, tracing.now(), match=self._match, parent=parent, attributes=facts)

    def appended(self, entries: Sequence[Entry], began_ns: int) -> None:
        """Record that entries are durable; their write began at `began_ns`. A decision among them ends the pending
        ask."""
        ended_ns, parent = tracing.now(), None
        if self._open is not None and any(entry.kind == Kind.DECISION for entry in entries):
            index, seat, asked_ns = self._open
            self._open = None
            parent = tracing.decision_id(self._match, self._epoch, index)
            facts: dict[str, tracing.Value] = {"arena.index": index, "arena.seat": seat, "arena.epoch": self._epoch}
            tracing.record("decision", asked_ns, ended_ns, match=self._match, own_id=parent, attributes=facts)
        written: dict[str, tracing.Value] = {"db.system.name": self._database, "arena.entries": len(entries)}
        tracing.record("append", began_ns, ended_ns, match=self._match, parent=parent, attributes=written)


log = structlog.get_logger(__name__)


class Outbound:
    """Carries out the commands of one match's referee."""

    def __init__(
        self,
        referee: Referee,
        codec: MatchCodec,
        row: MatchRow,
        paths: SeatPaths,
        outbox: Outbox,
        overhead: OverheadTimer,
        publisher: Publisher,
        replay_url: str = "",
    ) -> None:
        self._referee = referee
        self._codec = codec
        self._row = row
        self._paths = paths
        self._outbox = outbox
        self._overhead = overhead
        self._publisher = publisher
        self._replay_url = replay_url
        # A trace that does not exist costs one look-up.
        self._trace = MatchTrace(codec.match, row.epoch, connection.vendor) if tracing.is_on else None
        self._has_grown = False
        """Whether the log has entries of which the live readers were not notified."""

    def carry_out(self, commands: Iterable[Command], now: int) -> Steps[list[PathLost | AskWritten]]:
        """Carry out all commands. Return the events that follow, in order."""
        ask: AskMove | None = None
        for command in commands:
            steps = HANDLERS[type(command)](self, command, now)
            if steps is not None:
                yield from steps
            if isinstance(command, AskMove):
                ask = command
        has_grown, self._has_grown = self._has_grown, False
        sent, failed = yield from self._outbox.flush(wakes=has_grown)
        events: list[PathLost | AskWritten] = [PathLost(seat) for seat in failed]
        if ask is not None and ask.seat in sent:
            failpoints.reach("after_ask", ask.index)
            self._overhead.stop()
            if self._trace is not None:
                self._trace.ask_sent(ask.index, ask.seat)
            events.append(AskWritten(ask.seat, ask.index))
        self._overhead.reset()
        return events

    # Every handler takes the command and the time; some yield needs.

    def _append(self, command: Append, now: int) -> Steps[None]:
        failpoints.reach("before_append", self._referee.record.index)
        began_ns = tracing.now() if self._trace is not None else 0
        seen = self._publisher.steps(self._referee.record.game, command.positions)
        yield Write(self._row.addition(command.entries, seen))
        self._row.was_renewed()
        if self._trace is not None:
            self._trace.appended(command.entries, began_ns)
        failpoints.reach("after_append", self._referee.record.index)
        self._has_grown = True
        for entry in command.entries:
            if entry.kind == Kind.DECISION:
                metrics.DECISIONS.labels(_decider(entry)).inc()
            elif entry.kind == Kind.FAULT:
                metrics.FAULTS.labels(entry.text).inc()

    def _offer(self, command: OfferMatch, now: int) -> None:
        self._send(command.seat, self._codec.offer(command.seat), now, ask=OFFER_INDEX)

    def _ask_reveal(self, command: AskReveal, now: int) -> None:
        self._send(command.seat, self._codec.reveal_request(command), now, ask=REVEAL_INDEX)

    def _ask(self, command: AskMove, now: int) -> None:
        path = self._paths[command.seat]
        if self._trace is not None:
            self._trace.begin_ask()
        if path.route is not None:
            payload = self._codec.request(command, path.round_trip, wants_legal=path.route.wants_legal)
            self._send(command.seat, payload, now, ask=command.index)

    def _resume(self, command: ResumeSeat, now: int) -> None:
        self._send(command.seat, self._codec.resumed(command), now)

    def _fault(self, command: TellFault, now: int) -> None:
        log.info("fault", seat=command.seat, index=command.index, reason=command.reason, strikes=command.strikes)
        self._outbox.forget(command.seat)
        self._send(command.seat, self._codec.fault(command), now)

    def _finish(self, command: FinishMatch, now: int) -> Steps[None]:
        payload = yield SlowWork(partial(self._write_end, command))
        for seat in self._paths:
            self._send(seat, payload, now, is_final=True)

    def _write_end(self, command: FinishMatch) -> bytes:
        """Store the result. Return the message for the bots."""
        names = [{"name": player["name"], "version": player["version"]} for player in self._codec.participants]
        document = self._referee.replay(names)
        failpoints.reach("before_finish", self._referee.record.index)
        done = self._row.finish(command.verdict.document(), document)
        failpoints.reach("after_finish", self._referee.record.index)
        metrics.ENDED.labels("finished").inc()
        log.info("match_finished", verdict=command.verdict.kind, ladder=done.ladder, number=done.ladder_number)
        return self._codec.end(document, self._replay_url)

    def _abort(self, command: AbortMatch, now: int) -> Steps[None]:
        rests = yield SlowWork(partial(self._write_abort, command))
        for seat in self._paths:
            payload = self._codec.aborted(command.reason, command.message, rests.get(seat, 0))
            self._send(seat, payload, now, is_final=True)

    def _write_abort(self, command: AbortMatch) -> dict[int, int]:
        """Store the abort. Return the seats that are left out of ladders, with the time."""
        self._row.abort(command.reason, command.seats)
        metrics.ENDED.labels("aborted").inc()
        log.info("match_aborted", reason=command.reason, seats=command.seats, why=command.message)
        return self._row.rests_ms(command.seats)

    def _send(self, seat: int, payload: bytes, now: int, *, ask: int | None = None, is_final: bool = False) -> None:
        if (route := self._paths.route(seat)) is not None:
            self._outbox.put(route, seat, payload, now=now, ask=ask, is_final=is_final)


HANDLERS: Final[Mapping[type[Command], Callable[[Outbound, Any, int], Steps[None] | None]]] = {
    Append: Outbound._append,
    OfferMatch: Outbound._offer,
    AskReveal: Outbound._ask_reveal,
    AskMove: Outbound._ask,
    ResumeSeat: Outbound._resume,
    TellFault: Outbound._fault,
    FinishMatch: Outbound._finish,
    AbortMatch: Outbound._abort,
}
"""Handler of every command."""


def _decider(entry: Entry) -> str:
    data = entry.data or {}
    return next((decider for decider in ("house", "default", "forced") if decider in data), "bot")
