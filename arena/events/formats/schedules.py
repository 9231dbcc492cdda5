"""Schedules of round robins: every pair of entrants meets as equally often as can be found.

For two seats this is exact: the circle method (FIDE Handbook C.05, annex 1, has its tables). For three to five seats a
schedule is a block design in rounds. If no perfect one exists or is known, a local search looks for the nearest one.
Finding it is hard: the problem is a kind of social golfer problem.

The search is our own because it must give the same schedule for ever, which no solver promises from version to
version. It counts in whole numbers, visits everything in a fixed order, and shuffles by a stream with a fixed seed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from arena.events.formats.colouring import balanced_seats
from arena.rules.chance import Stream

Tables = list[list[int]]
ATTEMPTS: Final = 60
WORK: Final = 2_500_000
"""Limit of the search, in entries of the matrix of meetings visited: a few seconds."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """A whole round robin for entrants 0, 1, …, none of whom leaves."""

    rounds: tuple[tuple[tuple[int, ...], ...], ...]
    """Tables of each round, seat 1 first."""
    meetings: tuple[tuple[int, ...], ...]
    """Number of meetings of each pair; 0 on the diagonal."""

    @property
    def spread(self) -> int:
        """The most meetings of any pair minus the fewest; 0 is perfect."""
        return spread(self.meetings)


def rounds_for(entrants: int, players: int, cycles: int) -> int:
    """Return the number of rounds that brings the mean number of meetings of a pair nearest to `cycles`.

    If two numbers are equally near, the greater one is returned. With two seats, a cycle has one round fewer than
    entrants, or as many rounds as entrants if that number is odd.
    """
    in_a_round = entrants // players * players * (players - 1)
    return (2 * cycles * entrants * (entrants - 1) + in_a_round) // (2 * in_a_round)


@lru_cache(maxsize=256)
def schedule(entrants: int, players: int, cycles: int) -> Schedule:
    """Return the schedule for at least `players` entrants.

    Every round has as many tables as possible. Entrants take turns to sit out, so numbers of games differ by at most
    1, and so do the counts of each seat.
    """
    rounds = _circle(entrants) * cycles if players == 2 else _searched(entrants, players, cycles)
    meetings = no_meetings(entrants)
    for tables in rounds:
        count(meetings, tables)
    seated = iter(balanced_seats([table for tables in rounds for table in tables], players))
    return Schedule(tuple(tuple(next(seated) for _ in tables) for tables in rounds), tuple(map(tuple, meetings)))


def no_meetings(entrants: int) -> list[list[int]]:
    """Return a matrix of meetings that is all zeros."""
    return [[0] * entrants for _ in range(entrants)]


def count(meetings: list[list[int]], tables: Iterable[Sequence[int]], by: int = 1) -> None:
    """Add the meetings at these tables to the matrix, `by` for each; -1 subtracts them."""
    for table in tables:
        for one in table:
            for other in table:
                if one != other:
                    meetings[one][other] += by


def spread(meetings: Sequence[Sequence[int]]) -> int:
    """Return the most meetings of any pair minus the fewest."""
    counts = [met for one, row in enumerate(meetings) for met in row[:one]]
    return max(counts) - min(counts)


def next_tables(meetings: Sequence[Sequence[int]], games: Sequence[int], order: Sequence[int], players: int) -> Tables:
    """Draw one more round for the entrants in `order`. Those with the most games sit out.

    Tables are filled one after another, each with the entrants that have met the others there least. Then pairs of
    entrants swap tables while that lowers the sum of earlier meetings over all tables. An entrant that sits out takes
    part in swaps with entrants that have as many games.
    """
    ranked = sorted(order, key=lambda number: games[number])
    out = set(ranked[len(order) // players * players :])
    left = [number for number in order if number not in out]
    tables: Tables = []
    while left:
        table = [left.pop(0)]
        cost = meetings[table[0]]
        while len(table) < players:
            number = min(left, key=lambda number: cost[number])
            left.remove(number)
            table.append(number)
            cost = [so_far + more for so_far, more in zip(cost, meetings[number], strict=True)]
        tables.append(table)
    _improve(tables, meetings, sorted(out), games)
    return tables


def _improve(
    tables: Tables, weights: Sequence[Sequence[int]], out: Sequence[int] = (), games: Sequence[int] = ()
) -> bool:
    """Swap entrants while that lowers the sum of all pairs' weights at tables. Return whether anything changed.

    `out` are entrants without a table. They swap only with entrants that have as many `games`.
    """
    nowhere = len(tables)
    where = {one: at for at, table in enumerate([*tables, out]) for one in table}
    everybody = list(where)
    sums = [[sum([row[one] for one in table]) for table in tables] + [0] for row in weights]
    """By entrant and table: sum of the entrant's weights with those who sit there."""
    improved, has_changed = True, False
    while improved:
        improved = False
        for k, one in enumerate(everybody):
            own, row, here = sums[one], weights[one], where[one]
            for other in everybody[k + 1 :]:
                there = where[other]
                if here == there:
                    continue
                together = 2 * row[other]
                if nowhere in (here, there):
                    if games[one] != games[other]:
                        continue
                    together = row[other]
                theirs = sums[other]
                if theirs[here] - own[here] + own[there] - theirs[there] < together:
                    improved = has_changed = True
                    for each, mine, its in zip(sums, row, weights[other], strict=True):
                        each[here] += its - mine
                        each[there] += mine - its
                        each[nowhere] = 0
                    where[one], where[other] = there, here
                    here = there
    for at in range(len(tables)):
        tables[at] = [one for one in everybody if where[one] == at]
    return has_changed


def _circle(entrants: int) -> list[Tables]:
    """Return rounds in which every pair meets once. The last place is fixed and the others rotate.

    With an odd number of entrants the last place is empty.
    """
    places = entrants + entrants % 2
    turning = places - 1
    rounds = []
    for number in range(turning):
        pairs = [[number, turning]] + [[(number + k) % turning, (number - k) % turning] for k in range(1, places // 2)]
        rounds.append([pair for pair in pairs if max(pair) < entrants])
    return rounds


def _searched(entrants: int, players: int, cycles: int) -> list[Tables]:
    """Return the best schedule of several attempts. The first one with a spread of at most 2 ends the search."""
    number = rounds_for(entrants, players, cycles)
    attempts = max(1, min(ATTEMPTS, WORK // (number * entrants * entrants)))
    stream = Stream(bytes(32))
    best: list[Tables] = []
    least = 0
    for attempt in range(attempts):
        orders = [stream.shuffle(range(entrants)) if attempt else list(range(entrants)) for _ in range(number)]
        rounds, meetings = _attempt(orders, players, cycles)
        unevenness = spread(meetings)
        if not best or unevenness < least:
            best, least = rounds, unevenness
        if least <= 2:
            break
    return best


def _attempt(orders: Sequence[Sequence[int]], players: int, cycles: int) -> tuple[list[Tables], list[list[int]]]:
    """Build a schedule round by round, then improve each round in view of all others while that helps.

    A pair that meets m times costs (m - cycles)⁴, which leaves few pairs that are off by more than one.
    """
    entrants = len(orders[0])
    meetings, games, rounds = no_meetings(entrants), [0] * entrants, []
    for order in orders:
        tables = next_tables(meetings, games, order, players)
        count(meetings, tables)
        for table in tables:
            for number in table:
                games[number] += 1
        rounds.append(tables)
    has_changed = True
    while has_changed and spread(meetings) > 2:
        has_changed = False
        for tables in rounds:
            count(meetings, tables, -1)
            weights = [[(met + 1 - cycles) ** 4 - (met - cycles) ** 4 for met in row] for row in meetings]
            has_changed = _improve(tables, weights) or has_changed
            count(meetings, tables)
    return rounds, meetings
