"""Rounds ahead in which nobody meets again: how many there still are, found by search.

Whoever draws the best round each time can be left without a round in the end: of the rounds that are good now, some
leave no complete round without a repeat later. To know which is NP-hard for three and more seats. The search here is
depth first, and ends after so much `WORK`; it depends on nothing but who is there, who has met whom and who has
had a bye. That makes what it finds a promise: a round that it has found to be followed by so many more is drawn, and
the same search finds these again when the next round is drawn, if nobody has left or entered.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

WORK: Final = 800_000
"""How many tables are tried at most, times the number of entrants: a table takes time in proportion to it."""

Parts = tuple[tuple[int, ...], int]
"""A round: a set for each table, and the set of those with a bye. Entrants are 0 … n - 1, a set is a bit mask."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """Who may still meet whom."""

    players: int
    byes: int
    """In each round."""
    unmet: tuple[int, ...]
    """By entrant: the set of those it has not met."""
    may_rest: int
    """The set of those without a bye so far."""

    def after(self, parts: Parts) -> Outlook:
        """What is left after this round."""
        tables, byes = parts
        unmet = list(self.unmet)
        for table in tables:
            for number in _members(table):
                unmet[number] &= ~table
        return Outlook(self.players, self.byes, tuple(unmet), self.may_rest & ~byes)

    def rounds(self, most: int) -> list[Parts]:
        """Rounds without a repeat, one after the other: as many as the search finds, and at most so many."""
        search = _Search(WORK // len(self.unmet))
        search.extend(self, [], most)
        return search.longest

    def first(self) -> Parts | None:
        """One round without a repeat; None if the search finds none."""
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

    def extend(self, outlook: Outlook, rounds: Sequence[Parts], most: int) -> None:
        """Add rounds to these until there are enough."""
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

    def _parts(self, outlook: Outlook, free: int, byes: int, may_rest: int) -> Iterator[Parts]:
        """All ways to seat those who are free; whoever has the fewest possible partners is seated first."""
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
        """All sets of so many candidates of which no two have met."""
        if not size:
            yield 0
            return
        while candidates.bit_count() >= size:
            low = candidates & -candidates
            candidates ^= low
            for others in self._cliques(unmet, unmet[low.bit_length() - 1] & candidates, size - 1):
                yield others | low
