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
        found = self._matches.setdefault(match, _Match())
        wanted = frozenset(names)
        if found.table is None:
            table = next((one for one in self._waiting if one.names == wanted), None)
            if table is not None:
                self._waiting.remove(table)
                table.match, found.table = match, table
                table.matched.set()
        self._hear(found)

    def asked(self, match: str, index: int) -> None:
        """Record a request for a decision."""
        found = self._matches.setdefault(match, _Match())
        self._hear(found)
        if index == found.index:
            return  # a repeated request
        now = time.monotonic()
        if found.index < 0:
            self._tally.begin_match()
            if found.table is not None:
                self._tally.waiting.add(now - found.table.since)
        found.index = index
        self._tally.asked += 1
        if found.answered_at is not None:
            self._tally.overhead.add(now - found.answered_at)
            found.answered_at = None

    def answered(self, match: str) -> None:
        """Record that a decision is being sent."""
        self._tally.decisions += 1
        if (found := self._matches.get(match)) is not None:
            found.answered_at = time.monotonic()
            self._hear(found)

    def lost_time(self, match: str) -> None:
        """Skip the next measurement of the match: a bot was disconnected, so the time would not show only the arena."""
        if (found := self._matches.get(match)) is not None:
            found.answered_at = None

    def ended(self, match: str, forfeits: Collection[str], void: str = "") -> None:
        """Record the end of a match, with the reasons of its forfeits, or the reason why it is void.

        Each seat reports the end, and it counts once.
        """
        found = self._matches.pop(match, None)
        if found is None:
            return
        if found.index < 0:
            self._tally.begin_match()  # otherwise it would end without a start
        if void:
            self._tally.void[void] += 1
        else:
            self._tally.ended += 1
        self._tally.forfeits.update(forfeits)
        if found.table is not None:
            found.table.over.set()

    def given_up(self, table: MatchWait, *, on_wish: bool) -> None:
        """Stop waiting for a match."""
        found = self._matches.get(table.match or "")
        if found is not None and found.index >= 0:
            if on_wish:
                self._tally.unfinished += 1
            else:
                self._tally.silent += 1
        self.forget(table)

    def _hear(self, found: _Match) -> None:
        if found.table is not None:
            found.table.heard = time.monotonic()
