"""The best round of a Swiss event, as far as cost goes: exactly for two seats, by exchanges for more.

A round is put together in sections of the ideal draw, from the top: at most `SECTION` entrants whose ideal tables are
beside each other. A section in which somebody would have to meet again is joined with the next one. A field of up to
`SECTION` is one section.

Two seats: a perfect matching of least cost, by networkx (Edmonds' blossoms, in whole numbers). Each pair has a lot of
64 bits as the last part of its cost, so that one matching alone is best, and every correct solver finds it. Three and
more: to find the best tables is NP-hard, and what a solver finds in limited time differs between its versions.
Therefore: from the ideal tables on, in the order of the ranking, two entrants change places wherever that costs less,
until no exchange does.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from arena.events.formats.swiss_field import SEAT, Groups, SwissField
from arena.events.values import Chance

SECTION: Final = 64
SWEEPS: Final = 50
"""Exchanges end after so many passes over all pairs; a few are usual."""
WORD: Final = 1 << 32


def best_groups(field: SwissField, chance: Chance) -> Groups:
    """The round of least cost, as far as this module finds it."""
    solve = _matched if field.players == 2 else _exchanged
    sections = _sections(field)
    at = 0
    while at < len(sections):
        found = solve(field, sections[at], chance)
        if field.has_repeat(found) and len(sections) > 1:
            at = min(at, len(sections) - 2)
            sections[at : at + 2] = [_joined(sections[at : at + 2])]
        else:
            sections[at] = found
            at += 1
    return _joined(sections)


def _joined(sections: Sequence[Groups]) -> Groups:
    tables = tuple(table for section in sections for table in section.tables)
    return Groups(tables, tuple(number for section in sections for number in section.byes))


def _sections(field: SwissField) -> list[Groups]:
    """The ideal draw in equal parts; the byes are in the last one."""
    tables = field.ideal.tables
    count = -(-len(tables) // (SECTION // field.players))
    cuts = [len(tables) * part // count for part in range(count + 1)]
    sections = [Groups(tables[start:end]) for start, end in pairwise(cuts)]
    sections[-1] = Groups(sections[-1].tables, field.ideal.byes)
    return sections


def _matched(field: SwissField, section: Groups, chance: Chance) -> Groups:
    """The pairs of least cost; whoever is paired with nobody (0) has the bye."""
    members = sorted(
        (number for group in (*section.tables, section.byes) for number in group), key=field.place.__getitem__
    )
    import networkx as nx  # a fifth of a second, which every process of a server would take to start

    graph: nx.Graph[int] = nx.Graph()
    for at, a in enumerate(members):
        for b in members[:at]:
            graph.add_edge(a, b, weight=-field.cost_of_pair(a, b) - field.cost_of_seats((a, b)) - _lot(chance))
        if section.byes:
            graph.add_edge(a, 0, weight=-field.cost_of_bye(a) - _lot(chance))
    pairs = [tuple(sorted(pair)) for pair in nx.max_weight_matching(graph, maxcardinality=True)]
    tables = sorted((pair for pair in pairs if pair[0]), key=lambda pair: min(map(field.place.__getitem__, pair)))
    return Groups(tuple(tables), tuple(pair[1] for pair in pairs if not pair[0]))


def _lot(chance: Chance) -> int:
    return chance.below(WORD) * WORD + chance.below(WORD)


def _exchanged(field: SwissField, section: Groups, _: Chance) -> Groups:
    return exchanged(field, section)


def exchanged(field: SwissField, groups: Groups) -> Groups:
    """These groups after all exchanges that make them cost less."""
    return _Exchange(field, groups).done()


class _Exchange:
    """Groups in which members change places. The byes are the last group."""

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
        """What each would cost in each group, beside all who are there."""

    def _sum(self, number: int, at: int) -> int:
        if at == self.last:
            return self.bye[number]
        row = self.pair[number]
        return sum(row[other] for other in self.groups[at])

    def _seats(self, table: Sequence[int]) -> int:
        key = tuple(sorted(table))
        found = self.seats.get(key)
        if found is None:
            found = self.seats[key] = self.field.cost_of_seats(key)
        return found

    def done(self) -> Groups:
        """Exchange until nothing is gained."""
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
        if abs(difference) >= SEAT << 40:  # no seats are worth so much
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
