"""Heats of a knockout: how many a round has, who sits in which, and in which order they end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from arena.events.formats.seating import seats_taken, take_seats
from arena.events.values import Chance, History, Table, halves

Pairs = Collection[tuple[int, int]]
"""Who has met whom, the lower number first."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A round of a knockout in numbers."""

    heats: int
    """All of them full."""
    byes: int
    goes_on: int
    """How many are in the next round: byes, the best of each heat, and as many of the others as are needed."""


def plan(alive: int, players: int, advance: int) -> Plan:
    """The next round of `alive` ≥ `players` entrants, the best `advance` of each heat go on; of the final none.

    The sizes … → `players` are those that come down to each other without anybody too many: from size s the next
    larger one is s + ⌊s / advance⌋ · (players - advance). A round goes down to the next smaller size if it can, which
    gives the fewest rounds, and byes mostly in the first one. A heat takes `players` - `advance` entrants out; where
    the number to take out is no multiple of that, the first round lets the remainder of the best losers go on.
    """
    if alive == players:
        return Plan(1, 0, 0)
    leave = players - advance
    target = players
    while (larger := target + target // advance * leave) < alive:
        target = larger
    more = -(alive - players) % leave
    heats = min(alive // players, (alive + more - target) // leave)
    return Plan(heats, alive - heats * players, alive - heats * leave + more)


def snake(ranked: Sequence[int], heats: int, met: Pairs = ()) -> list[list[int]]:
    """Full heats of these entrants, the best first: 1 … h, then h … 1, and so on, as boustrophedon.

    Within such a row who has met somebody of the heat already changes with the next one of the row who has not.
    """
    found: list[list[int]] = [[] for _ in range(heats)]
    for row in range(len(ranked) // heats):
        left = list(ranked[row * heats : (row + 1) * heats])
        for heat in found if row % 2 == 0 else reversed(found):
            fits = (one for one in left if not any((min(one, o), max(one, o)) in met for o in heat))
            heat.append(next(fits, left[0]))
            left.remove(heat[-1])
    return found


def in_bracket_order(heats: Sequence[list[int]], plan_: Plan, players: int, advance: int) -> list[list[int]]:
    """Heats in the order of a bracket page: those whose best would meet in the next round stand together.

    For 8 entrants of 2 seats 1-8, 4-5, 2-7, 3-6.
    """
    keys = []
    for number in range(len(heats)):
        at, alive, path = plan_.byes + number, plan_.goes_on, [number]
        while alive >= players:
            next_ = plan(alive, players, advance)
            if at >= next_.byes:
                row, place = divmod(at - next_.byes, next_.heats)
                at = next_.byes + (place if row % 2 == 0 else next_.heats - 1 - place)
            path.append(at)
            alive = next_.goes_on
        keys.append(path[::-1])
    return [heat for _, heat in sorted(zip(keys, heats, strict=True))]


def tables(
    heats: Sequence[Sequence[int]], history: History, chance: Chance, group: str = "", first: int = 1
) -> list[Table]:
    """Heats as tables, numbered from `first`; seats are balanced within each."""
    taken = seats_taken(history)
    return [Table(number, take_seats(heat, taken, chance), group) for number, heat in enumerate(heats, start=first)]


def seeds(history: History) -> dict[int, int]:
    """The seed of each entrant, from 0: the stronger, then the one who entered earlier."""
    ranked = sorted(history.entrants, key=lambda entrant: (-entrant.strength, entrant.number))
    return {entrant.number: seed for seed, entrant in enumerate(ranked)}


def merits(table: Table, seed_of: dict[int, int]) -> dict[int, tuple[int, int, int, int]]:
    """What decides a heat, by entrant, less is better: points of its games, games that it did not come to, the sum of
    its scores, its seed. Points and scores are negative."""
    points, missed, scores = Counter[int](), Counter[int](), Counter[int]()
    for game in table.games:
        for k, (seat, won) in enumerate(zip(game.seats, halves(game.placements), strict=True)):
            points[seat] += 0 if seat in game.out else won
            missed[seat] += seat in game.out
            scores[seat] += game.scores[k] if game.scores is not None else 0
    return {seat: (-points[seat], missed[seat], -scores[seat], seed_of[seat]) for seat in table.seats}


def finish(table: Table, seed_of: dict[int, int]) -> list[int]:
    """The entrants of a heat, the first first."""
    found = merits(table, seed_of)
    return sorted(table.seats, key=lambda seat: found[seat])


def is_over(table: Table, history: History) -> bool:
    """Whether a heat has all its games."""
    return len(table.games) == history.games_a_table
