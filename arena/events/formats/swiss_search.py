"""Search for the Swiss round of least cost: exact for two seats, by exchanges for more.

A round is built in sections of the ideal draw, from the top. A section has at most `SECTION` entrants, at neighbouring
ideal tables. If a section cannot avoid a repeat, it is joined with the next one. A field of up to `SECTION` entrants
is one section.

For two seats, a section is a perfect matching of least cost, by networkx (Edmonds' blossom algorithm, in whole
numbers). The last part of each pair's cost is a lot of 64 bits. The best matching is therefore unique, and every
correct solver finds it.

For three and more seats, finding the best tables is NP-hard, and what a solver finds in limited time differs between
its versions. Therefore the search begins with the ideal tables. In the order of the ranking, two entrants swap places
whenever that lowers the cost, until no swap does.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from arena.events.formats.swiss_field import SEAT, Groups, SwissField
from arena.events.values import ChanceStream

SECTION: Final = 64
SWEEPS: Final = 50
"""Maximum number of passes over all pairs; a few usually suffice."""
WORD: Final = 1 << 32


def best_groups(field: SwissField, chance: ChanceStream) -> Groups:
    """Return the round of least cost that this module finds."""
    solve = _matched if field.players == 2 else _exchanged
    sections = _sections(field)
    at = 0
    while at < len(sections):
        groups = solve(field, sections[at], chance)
        if field.has_repeat(groups) and len(sections) > 1:
            at = min(at, len(sections) - 2)
            sections[at : at + 2] = [_joined(sections[at : at + 2])]
        else:
            sections[at] = groups
            at += 1
    return _joined(sections)


def _joined(sections: Sequence[Groups]) -> Groups:
    tables = tuple(table for section in sections for table in section.tables)
    return Groups(tables, tuple(number for section in sections for number in section.byes))


def _sections(field: SwissField) -> list[Groups]:
    """Cut the ideal draw into equal parts. The last one has the byes."""
    tables = field.ideal.tables
    count = -(-len(tables) // (SECTION // field.players))
    cuts = [len(tables) * part // count for part in range(count + 1)]
    sections = [Groups(tables[start:end]) for start, end in pairwise(cuts)]
    sections[-1] = Groups(sections[-1].tables, field.ideal.byes)
    return sections


def _matched(field: SwissField, section: Groups, chance: ChanceStream) -> Groups:
    """Return the pairs of least cost. The entrant paired with 0 has the bye."""
    members = sorted(
        (number for group in (*section.tables, section.byes) for number in group), key=field.place.__getitem__
    )
    import networkx as nx  # imported here because it takes 0.2 s, which every server process would pay at start

    graph: nx.Graph[int] = nx.Graph()
    for at, a in enumerate(members):
        for b in members[:at]:
            graph.add_edge(a, b, weight=-field.cost_of_pair(a, b) - field.cost_of_seats((a, b)) - _lot(chance))
        if section.byes:
            graph.add_edge(a, 0, weight=-field.cost_of_bye(a) - _lot(chance))
    pairs = [tuple(sorted(pair)) for pair in nx.max_weight_matching(graph, maxcardinality=True)]
    tables = sorted((pair for pair in pairs if pair[0]), key=lambda pair: min(map(field.place.__getitem__, pair)))
    return Groups(tuple(tables), tuple(pair[1] for pair in pairs if not pair[0]))


def _lot(chance: ChanceStream) -> int:
    return chance.below(WORD) * WORD + chance.below(WORD)


def _exchanged(field: SwissField, section: Groups, _: ChanceStream) -> Groups:
    return exchanged(field, section)


def exchanged(field: SwissField, groups: Groups) -> Groups:
    """Return these groups after all exchanges that lower their cost."""
    return _Exchange(field, groups).run()


class _Exchange:
    """Groups whose members swap places. The byes are the last group."""

    def __init__(self, field: SwissField, groups: Groups) -> None:
        self.field = field
        self.groups = [list(table) for table in groups.tables] + [list(groups.byes)]
        self.last = len(groups.tables)
        self.members = sorted((number for group in self.groups for number in group), key=field.place.__getitem__)
        self.home = {number: at for at, group in enumerate(self.groups) for number in group}
        self.pair = {a: {b: field.cost_of_pair(a, b) if a != b else 0 for b in self.members} for a in self.members}
        self.bye = {number: field.cost_of_bye(number) for number in self.members}
        self.seats: dict[tuple[int, ...], int] = {}
        self.sums = {a: [self._sum(a, at) for at in range(len(self.groups))] for a in self.members}
        """By entrant and group: cost of this entrant with the members of that group."""

    def _sum(self, number: int, at: int) -> int:
        if at == self.last:
            return self.bye[number]
        row = self.pair[number]
        return sum(row[other] for other in self.groups[at])

    def _seats(self, table: Sequence[int]) -> int:
        key = tuple(sorted(table))
        cost = self.seats.get(key)
        if cost is None:
            cost = self.seats[key] = self.field.cost_of_seats(key)
        return cost

    def run(self) -> Groups:
        """Swap members until no swap lowers the cost."""
        for _ in range(SWEEPS):
            if not self._sweep():
                break
        *tables, byes = self.groups
        return Groups(tuple(tuple(table) for table in tables), tuple(byes))

    def _sweep(self) -> bool:
        is_better = False
        for at, a in enumerate(self.members):
            for b in self.members[:at]:
                if self.home[a] != self.home[b] and self._gains(a, b):
                    self._exchange(a, b)
                    is_better = True
        return is_better

    def _gains(self, a: int, b: int) -> bool:
        there, here = self.home[b], self.home[a]
        met = self.pair[a][b]
        difference = self.sums[a][there] + self.sums[b][here] - self.sums[a][here] - self.sums[b][there]
        difference -= met * ((here != self.last) + (there != self.last))
        if abs(difference) >= SEAT << 40:  # the cost of seats is never that large
            return difference < 0
        for at, one, other in ((here, a, b), (there, b, a)):
            if at != self.last:
                table = self.groups[at]
                difference += self._seats([other if n == one else n for n in table]) - self._seats(table)
        return difference < 0

    def _exchange(self, a: int, b: int) -> None:
        here, there = self.home[a], self.home[b]
        for at, one, other in ((here, a, b), (there, b, a)):
            group = self.groups[at]
            group[group.index(one)] = other
            self.home[other] = at
        for number in self.members:
            row = self.pair[number]
            change = row[b] - row[a]
            if here != self.last:
                self.sums[number][here] += change
            if there != self.last:
                self.sums[number][there] -= change
