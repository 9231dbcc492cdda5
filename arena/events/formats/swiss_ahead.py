"""Search for later rounds in which nobody meets again.

A draw that only takes the best round each time can run out of rounds. Some rounds that are good now leave no complete
round without a repeat later. Deciding this is NP-hard for three and more seats.

The search is depth first and stops after `WORK` steps. It depends only on who is present, who has met, and who has had
a bye. Its result is therefore a promise. If the search finds n further rounds for a draw, it finds them again at the
next draw, unless somebody has left or entered.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

WORK: Final = 800_000
"""Maximum number of tables tried, times the number of entrants: a table takes time in proportion to it."""

Parts = tuple[tuple[int, ...], int]
"""A round: a set for each table, and the set of entrants with a bye. Entrants are 0 … n - 1; a set is a bit mask."""


@dataclass(frozen=True, slots=True)
class SwissOutlook:
    """Pairs that may still meet."""

    players: int
    byes: int
    """Number of byes in each round."""
    unmet: tuple[int, ...]
    """By entrant: the set of entrants it has not met."""
    may_rest: int
    """The set of entrants without a bye so far."""

    def after(self, parts: Parts) -> SwissOutlook:
        """Return the outlook after this round."""
        tables, byes = parts
        unmet = list(self.unmet)
        for table in tables:
            for number in _members(table):
                unmet[number] &= ~table
        return SwissOutlook(self.players, self.byes, tuple(unmet), self.may_rest & ~byes)

    def rounds(self, most: int) -> list[Parts]:
        """Return up to `most` consecutive rounds without a repeat, as many as the search finds."""
        search = _Search(WORK // len(self.unmet))
        search.extend(self, [], most)
        return search.longest

    def first(self) -> Parts | None:
        """Return one round without a repeat; None if the search finds none."""
        return next(iter(self.rounds(1)), None)


def _members(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


class _Search:
    def __init__(self, steps: int) -> None:
        self.steps = steps
        self.longest: list[Parts] = []

    def extend(self, outlook: SwissOutlook, rounds: Sequence[Parts], most: int) -> None:
        """Add rounds until there are `most` of them."""
        if len(rounds) > len(self.longest):
            self.longest = list(rounds)
        if len(self.longest) >= most:
            return
        may_rest = outlook.may_rest
        if may_rest.bit_count() < outlook.byes:
            may_rest = (1 << len(outlook.unmet)) - 1
        for parts in self._parts(outlook, (1 << len(outlook.unmet)) - 1, outlook.byes, may_rest):
            self.extend(outlook.after(parts), [*rounds, parts], most)
            if self.steps <= 0 or len(self.longest) >= most:
                return

    def _parts(self, outlook: SwissOutlook, free: int, byes: int, may_rest: int) -> Iterator[Parts]:
        """Yield all ways to seat the entrants in `free`, beginning with the one that has the fewest possible
        partners."""
        if not free:
            yield (), 0
            return
        unmet = outlook.unmet
        number = min(_members(free), key=lambda number: (unmet[number] & free).bit_count())
        rest = free & ~(1 << number)
        for others in self._cliques(unmet, unmet[number] & rest, outlook.players - 1):
            self.steps -= 1
            if self.steps <= 0:
                return
            table = others | 1 << number
            for tables, resting in self._parts(outlook, rest & ~others, byes, may_rest):
                yield (table, *tables), resting
        if byes and may_rest >> number & 1:
            for tables, resting in self._parts(outlook, rest, byes - 1, may_rest):
                yield tables, resting | 1 << number

    def _cliques(self, unmet: Sequence[int], candidates: int, size: int) -> Iterator[int]:
        """Yield all sets of `size` candidates of whom no two have met."""
        if not size:
            yield 0
            return
        while candidates.bit_count() >= size:
            low = candidates & -candidates
            candidates ^= low
            for others in self._cliques(unmet, unmet[low.bit_length() - 1] & candidates, size - 1):
                yield others | low
