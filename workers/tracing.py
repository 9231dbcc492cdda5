"""The referee's spans of a match (`arena.host.tracing`), recorded only if tracing is on."""

from __future__ import annotations

from collections.abc import Sequence

from arena.host import tracing
from arena.referee import Entry, Kind


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
