"""Earlier meetings and seats of entrants, and the assignment of seats at the next table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import permutations
from typing import TypeVar

from arena.events.values import ChanceStream, EventTable, History

T = TypeVar("T")
Taken = Mapping[int, Sequence[int]]
"""By entrant: number of times it was drawn for each seat."""


def shuffled(items: Iterable[T], chance: ChanceStream) -> list[T]:
    """Return a new list in random order."""
    order = list(items)
    for i in range(len(order) - 1, 0, -1):
        j = chance.below(i + 1)
        order[i], order[j] = order[j], order[i]
    return order


def all_tables(history: History) -> list[EventTable]:
    """Return every table that was drawn, whether it was played or not."""
    return [table for round in history.rounds for table in round.tables]


def meetings(history: History) -> Counter[tuple[int, int]]:
    """Return the number of tables for which each pair was drawn together, the lower number first."""
    return Counter(pair for table in all_tables(history) for pair in table.pairs)


def seats_taken(history: History) -> dict[int, list[int]]:
    """Return how often each entrant was drawn for each seat. Deal blocks count 0, since everybody sits everywhere."""
    taken = {entrant.number: [0] * history.players for entrant in history.entrants}
    if history.unit == "match":
        for table in all_tables(history):
            for seat, entrant in enumerate(table.seats):
                taken[entrant][seat] += 1
    return taken


def cost_of_seats(seats: Sequence[int], taken: Taken) -> int:
    """Return what these seats add to the imbalance. The least cost minimises the sum of the squares of all counts."""
    return sum(taken[entrant][seat] for seat, entrant in enumerate(seats))


def least_cost_of_seats(table: Iterable[int], taken: Taken) -> int:
    """Return the cost of the best order of these entrants.

    This is a dynamic programme: entrant by entrant, it keeps the least cost for each set of occupied seats.
    """
    best = {0: 0}
    for entrant in table:
        following: dict[int, int] = {}
        counts = [(1 << seat, count) for seat, count in enumerate(taken[entrant])]
        for filled, cost in best.items():
            for seat, count in counts:
                if not filled & seat:
                    now = filled | seat
                    if cost + count < following.get(now, cost + count + 1):
                        following[now] = cost + count
        best = following
    return min(best.values())


def take_seats(table: Collection[int], taken: Taken, chance: ChanceStream) -> tuple[int, ...]:
    """Return the order of these entrants with the least cost; ties are decided by lot."""
    orders = permutations(shuffled(sorted(table), chance))
    return min(orders, key=lambda seats: cost_of_seats(seats, taken))
