"""Measures of a Swiss draw: the ranking, the brackets, and the cost of a table or a bye."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby

from arena.events.formats.seating import Taken, least_cost_of_seats, meetings, seats_taken, shuffled
from arena.events.tiebreaks import scores
from arena.events.values import ChanceStream, History

BITS = 80
"""Width of each part of a cost, in bits. The sum of a part over a whole round always fits."""
REPEAT = 1 << 6 * BITS
"""Cost of one repeated pair. All less important costs together are smaller."""
SEAT = 1 << 2 * BITS


def cost(
    byes: int = 0,
    repeats: int = 0,
    bye_points: int = 0,
    gaps: int = 0,
    squares: int = 0,
    seats: int = 0,
    strength: int = 0,
) -> int:
    """Combine costs into one number that orders by the first part, then by the second, and so on.

    The last part is reserved for a lot.
    """
    total = 0
    for part in (byes, repeats, bye_points, gaps, squares, seats, strength, 0):
        total = (total << BITS) + part
    return total


@dataclass(frozen=True, slots=True)
class DrawSpot:
    """A place in the ideal draw: in a bracket of `width` tables, in pot `pot` (0 is the strongest)."""

    bracket: int
    pot: int
    index: int
    """Index of the table within the bracket, which is also the rank within the pot."""
    width: int


@dataclass(frozen=True, slots=True)
class Groups:
    """Entrants by table, and those with a bye."""

    tables: tuple[tuple[int, ...], ...]
    byes: tuple[int, ...] = ()


class SwissField:
    """Entrants that can be drawn, and the costs of seating them together."""

    def __init__(self, history: History, chance: ChanceStream) -> None:
        self.players = history.players
        self.byes = len(history.present) % history.players
        """Number of byes in this round."""
        points = scores(history)
        self.points = {number: points[number].halves for number in history.present}
        lot = shuffled(sorted(history.present), chance)
        strength = {number: history.entrant(number).strength for number in lot}
        self.ranked = sorted(lot, key=lambda number: (-self.points[number], -strength[number]))
        """By points, then strength, then lot."""
        self.place = {number: place for place, number in enumerate(self.ranked)}
        self.met: Counter[tuple[int, int]] = meetings(history)
        self.taken: Taken = seats_taken(history)
        last_bye = {number: round.number for round in history.rounds for number in round.byes}
        self._turn = {number: (points[number].byes << 16) + last_bye.get(number, 0) for number in self.ranked}
        """Priority for a bye, smallest first: entrants with the fewest byes, then those whose last bye is oldest."""
        byes = sorted(self.ranked, key=lambda number: (self._turn[number], self.points[number], -self.place[number]))
        self.ideal = self._ideal(byes[: self.byes])
        """The draw if nobody had met or been seated before, table by table from the top."""

    def may_rest(self, number: int) -> bool:
        """Return whether this entrant's priority allows a bye in this round."""
        return self._turn[number] <= max((self._turn[other] for other in self.ideal.byes), default=-1)

    def is_their_turn(self, byes: Iterable[int]) -> bool:
        """Return whether these entrants together have the priority for the byes of this round."""
        return sum(self._turn[number] for number in byes) == sum(self._turn[number] for number in self.ideal.byes)

    def _ideal(self, byes: Sequence[int]) -> Groups:
        """Build brackets from the top: each score group fills as many tables as it can, and the rest join the next
        group."""
        seated = [number for number in self.ranked if number not in byes]
        sizes = [len(list(group)) for _, group in groupby(seated, key=self.points.__getitem__)]
        tables: list[tuple[int, ...]] = []
        self._spot: dict[int, DrawSpot] = {}
        start = end = bracket = 0
        for size in sizes:
            end += size
            while start < end:
                width = max(1, (end - start) // self.players)  # 1 also if the table needs some of the next group
                bracket += 1
                for at in range(width * self.players):
                    self._spot[seated[start + at]] = DrawSpot(bracket, at // width, at % width, width)
                members = seated[start : start + width * self.players]
                tables += [tuple(members[index::width]) for index in range(width)]
                start += width * self.players
        return Groups(tuple(tables), tuple(byes))

    def cost_of_bye(self, number: int) -> int:
        """Return the cost of a bye for this entrant."""
        from_last = len(self.ranked) - 1 - self.place[number]
        return cost(byes=self._turn[number], bye_points=self.points[number], strength=from_last**2)

    def cost_of_pair(self, a: int, b: int) -> int:
        """Return the cost of a meeting of these two, wherever they sit."""
        gap = abs(self.points[a] - self.points[b])
        repeats = self.met[(a, b) if a < b else (b, a)]
        return cost(repeats=repeats, gaps=gap, squares=gap**2, strength=self._strength(a, b))

    def cost_of_seats(self, table: Iterable[int]) -> int:
        """Return the cost of the seats of one table, with its entrants in the best order."""
        return cost(seats=least_cost_of_seats(table, self.taken))

    def cost_of(self, groups: Groups) -> int:
        """Return the cost of a whole round."""
        tables = sum(
            self.cost_of_seats(table) + sum(self.cost_of_pair(a, b) for a, b in combinations(table, 2))
            for table in groups.tables
        )
        return tables + sum(self.cost_of_bye(number) for number in groups.byes)

    def has_repeat(self, groups: Groups) -> bool:
        """Return whether a pair meets again."""
        return any(self.met[pair] for table in groups.tables for pair in combinations(sorted(table), 2))

    def _strength(self, a: int, b: int) -> int:
        """Return how far two entrants are from an ideal pairing by strength: different pots, equal ranks."""
        one, other = self._spot.get(a), self._spot.get(b)
        if one is None or other is None or one.bracket != other.bracket:
            return (self.place[a] - self.place[b]) ** 2
        apart = abs(one.index - other.index)
        return (apart if one.pot != other.pot else 2 * one.width - apart) ** 2
