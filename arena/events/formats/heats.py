"""Heats of a knockout: their number, their entrants, and the order in which they finish."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from arena.events.formats.seating import seats_taken, take_seats
from arena.events.values import ChanceStream, EventTable, History, halves

Pairs = Collection[tuple[int, int]]
"""Pairs of entrants that have met, the lower number first."""


@dataclass(frozen=True, slots=True)
class HeatPlan:
    """Numbers of one round of a knockout."""

    heats: int
    """Number of heats; all of them are full."""
    byes: int
    goes_on: int
    """Number of entrants in the next round: byes, the best of each heat, and the best losers if they are needed."""


def plan(alive: int, players: int, advance: int) -> HeatPlan:
    """Return the next round for `alive` ≥ `players` entrants, when the best `advance` of each heat go on.

    Nobody goes on from the final. The rounds pass through sizes at which no entrant is left over. The smallest size is
    `players`; the next larger one after s is s + ⌊s / advance⌋ · (players - advance). A round goes down to the next
    smaller size if it can. This gives the fewest rounds, with byes mostly in the first.

    A heat eliminates `players` - `advance` entrants. If the number to eliminate is not a multiple of that, the best
    losers of the first round fill up the remainder.
    """
    if alive == players:
        return HeatPlan(1, 0, 0)
    leave = players - advance
    target = players
    while (larger := target + target // advance * leave) < alive:
        target = larger
    more = -(alive - players) % leave
    heats = min(alive // players, (alive + more - target) // leave)
    return HeatPlan(heats, alive - heats * players, alive - heats * leave + more)


def snake(ranked: Sequence[int], heats: int, met: Pairs = ()) -> list[list[int]]:
    """Fill heats with ranked entrants, the best first, in boustrophedon order: 1 … h, then h … 1, and so on.

    If an entrant has already met somebody of the heat, the next entrant of the same row that has not is taken instead.
    """
    filled: list[list[int]] = [[] for _ in range(heats)]
    for row in range(len(ranked) // heats):
        left = list(ranked[row * heats : (row + 1) * heats])
        for heat in filled if row % 2 == 0 else reversed(filled):
            fits = (number for number in left if not any((min(number, o), max(number, o)) in met for o in heat))
            heat.append(next(fits, left[0]))
            left.remove(heat[-1])
    return filled


def in_bracket_order(heats: Sequence[list[int]], plan_: HeatPlan, players: int, advance: int) -> list[list[int]]:
    """Return heats in the order of a bracket page: heats whose best entrants would meet next are neighbours.

    For 8 entrants at 2 seats the order is 1-8, 4-5, 2-7, 3-6.
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
    heats: Sequence[Sequence[int]], history: History, chance: ChanceStream, group: str = "", first: int = 1
) -> list[EventTable]:
    """Return heats as tables, numbered from `first`. Seats are balanced within each table."""
    taken = seats_taken(history)
    return [
        EventTable(number, take_seats(heat, taken, chance), group) for number, heat in enumerate(heats, start=first)
    ]


def seeds(history: History) -> dict[int, int]:
    """Return the seed of each entrant, from 0: by strength, then by the order of entry."""
    ranked = sorted(history.entrants, key=lambda entrant: (-entrant.strength, entrant.number))
    return {entrant.number: seed for seed, entrant in enumerate(ranked)}


def merits(table: EventTable, seed_of: dict[int, int]) -> dict[int, tuple[int, int, int, int]]:
    """Return the key that decides a heat, by entrant; the smallest key wins.

    A key is (-points, games missed, -sum of scores, seed).
    """
    points, missed, scores = Counter[int](), Counter[int](), Counter[int]()
    for game in table.games:
        for k, (seat, won) in enumerate(zip(game.seats, halves(game.placements), strict=True)):
            points[seat] += 0 if seat in game.out else won
            missed[seat] += seat in game.out
            scores[seat] += game.scores[k] if game.scores is not None and seat not in game.out else 0
    return {seat: (-points[seat], missed[seat], -scores[seat], seed_of[seat]) for seat in table.seats}


def finish(table: EventTable, seed_of: dict[int, int]) -> list[int]:
    """Return the entrants of a heat in the order of placement."""
    merit_of = merits(table, seed_of)
    return sorted(table.seats, key=lambda seat: merit_of[seat])


def is_over(table: EventTable, history: History) -> bool:
    """Return whether all games of a heat have results."""
    return len(table.games) == history.games_a_table
