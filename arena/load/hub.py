"""The state of each match, from its bots' messages. It belongs to one event loop and does not know the streams."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection

from arena.load.tally import LoadTally


class MatchWait:
    """Waits for a match of certain bots, and for its end."""

    def __init__(self, names: Collection[str]) -> None:
        self.names = frozenset(names)
        self.since = time.monotonic()
        self.match: str | None = None
        self.heard = self.since
        """Time of the last message about the match."""
        self.matched = asyncio.Event()
        """Set when all seats of its match have accepted."""
        self.over = asyncio.Event()


class _Match:
    """A match between bots of the load test."""

    def __init__(self) -> None:
        self.table: MatchWait | None = None
        self.index = -1
        """Index of the last request."""
        self.answered_at: float | None = None


class Hub:
    """All running matches."""

    def __init__(self, tally: LoadTally) -> None:
        self._tally = tally
        self._matches: dict[str, _Match] = {}
        self._waiting: list[MatchWait] = []

    def expect(self, names: Collection[str]) -> MatchWait:
        """Wait for the next match of these bots."""
        table = MatchWait(names)
        self._waiting.append(table)
        return table

    def forget(self, table: MatchWait) -> None:
        """Stop waiting, and stop following the table's match."""
        if table in self._waiting:
            self._waiting.remove(table)
        if table.match is not None:
            self._matches.pop(table.match, None)

    def known(self, match: str, names: Collection[str]) -> None:
        """Record that all seats have accepted, and who plays."""
        state = self._matches.setdefault(match, _Match())
        wanted = frozenset(names)
        if state.table is None:
            table = next((waiting for waiting in self._waiting if waiting.names == wanted), None)
            if table is not None:
                self._waiting.remove(table)
                table.match, state.table = match, table
                table.matched.set()
        self._hear(state)

    def requested(self, match: str, index: int) -> None:
        """Record a request for a decision."""
        state = self._matches.setdefault(match, _Match())
        self._hear(state)
        if index == state.index:
            return  # a repeated request
        now = time.monotonic()
        if state.index < 0:
            self._tally.begin_match()
            if state.table is not None:
                self._tally.waiting.add(now - state.table.since)
        state.index = index
        self._tally.requests += 1
        if state.answered_at is not None:
            self._tally.overhead.add(now - state.answered_at)
            state.answered_at = None

    def answered(self, match: str) -> None:
        """Record that a decision is being sent."""
        self._tally.decisions += 1
        if (state := self._matches.get(match)) is not None:
            state.answered_at = time.monotonic()
            self._hear(state)

    def lost_time(self, match: str) -> None:
        """Skip the next measurement of the match: a bot was disconnected, so the time would not show only the arena."""
        if (state := self._matches.get(match)) is not None:
            state.answered_at = None

    def ended(self, match: str, forfeits: Collection[str], void: str = "") -> None:
        """Record the end of a match, with the reasons of its forfeits, or the reason why it is void.

        Each seat reports the end, and it counts once.
        """
        state = self._matches.pop(match, None)
        if state is None:
            return
        if state.index < 0:
            self._tally.begin_match()  # otherwise it would end without a start
        if void:
            self._tally.void[void] += 1
        else:
            self._tally.ended += 1
        self._tally.forfeits.update(forfeits)
        if state.table is not None:
            state.table.over.set()

    def given_up(self, table: MatchWait, *, on_wish: bool) -> None:
        """Stop waiting for a match."""
        state = self._matches.get(table.match or "")
        if state is not None and state.index >= 0:
            if on_wish:
                self._tally.unfinished += 1
            else:
                self._tally.silent += 1
        self.forget(table)

    def _hear(self, state: _Match) -> None:
        if state.table is not None:
            state.table.heard = time.monotonic()
