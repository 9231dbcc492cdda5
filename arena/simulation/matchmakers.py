"""Matchmakers for a simulated ladder: the arena's, its predecessor, and three rivals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final

import numpy as np

from arena.ratings import INITIAL, Book
from arena.scheduling import Candidate, Load, TableFormat, information, next_matches

GAMES_APART = 2
"""Number of games above the fewest that the former matchmaker still treats as few."""

Table = tuple[int, ...]
"""Bots by seat, seat 1 first."""


class SimulatedChance:
    """A stream of random numbers for matchmaking."""

    def __init__(self, generator: np.random.Generator) -> None:
        self._generator = generator

    def below(self, n: int) -> int:
        """Return a number from 0 to n - 1."""
        return int(self._generator.integers(n))


@dataclass
class Field:
    """A ladder between two matches. Each bot plays one match at a time, and has an owner of its own."""

    players: int
    chance: np.random.Generator
    book: Book
    """Ratings that the ladder keeps for matchmaking."""
    online: Sequence[int] = ()
    made: int = 0
    """Number of matches so far."""
    games: Counter[int] = field(default_factory=Counter)
    last: dict[int, int] = field(default_factory=dict)
    """Number of matches made when each bot was last seated."""
    seats: Counter[tuple[int, int]] = field(default_factory=Counter)
    met: Counter[tuple[int, int]] = field(default_factory=Counter)
    """Matches of each pair of bots, the smaller number first."""

    def add(self, table: Table) -> None:
        """Record that a match begins."""
        self.made += 1
        self.games.update(table)
        self.last.update(dict.fromkeys(table, self.made))
        self.seats.update((bot, seat) for seat, bot in enumerate(table, start=1))
        self.met.update(combinations(sorted(table), 2))

    def mu(self, bot: int) -> float:
        """Return the mu of a bot's rating so far."""
        return self.book.held[bot].rating.mu if bot in self.book.held else INITIAL.mu

    def sigma(self, bot: int) -> float:
        """Return the sigma of a bot's rating so far."""
        return self.book.held[bot].rating.sigma if bot in self.book.held else INITIAL.sigma

    def mixed(self, bots: Sequence[int]) -> list[int]:
        """Return these bots in random order."""
        return [int(bot) for bot in self.chance.permutation(list(bots))]

    def times_met(self, one: int, other: int) -> int:
        """Return how often two bots have met."""
        return self.met[min(one, other), max(one, other)]


Matchmaker = Callable[[Field, int], Sequence[Table]]
"""Returns at most the wanted number of tables; no bot sits at two of them."""


def arena(field: Field, wanted: int) -> list[Table]:
    """Return the tables of `arena.scheduling`, as it runs."""
    format = TableFormat(field.players)
    formats = frozenset([format])
    candidates = [Candidate(bot, bot, bot, False, 1, formats, {format: field.mu(bot)}) for bot in field.online]
    load = Load(
        made={format: field.made},
        seated={(format, bot): last for bot, last in field.last.items()},
        games={(format, bot): games for bot, games in field.games.items()},
        seats={(format, bot, seat): sat for (bot, seat), sat in field.seats.items()},
    )
    return [
        made.versions for made in next_matches(candidates, load, {format: 1}, wanted, SimulatedChance(field.chance))
    ]


def former(field: Field, wanted: int) -> list[Table]:
    """Return the tables of the arena before version 0.1.

    The bot with the fewest games comes first. The others are drawn: of two bots with few games, the nearer one.
    """

    def fill(first: int, free: list[int]) -> list[int]:
        table = [first]
        while len(table) < field.players:
            allowed = [bot for bot in free if bot not in table]
            fewest = min(field.games[bot] for bot in allowed)
            few = field.chance.choice([bot for bot in allowed if field.games[bot] <= fewest + GAMES_APART], 2)
            table.append(min(map(int, few), key=lambda bot: abs(field.mu(bot) - field.mu(first))))
        return table

    return _one_by_one(field, wanted, lambda free: min(free, key=lambda bot: field.games[bot]), fill)


def evenly(field: Field, wanted: int) -> list[Table]:
    """Return random tables."""
    return _one_by_one(field, wanted, lambda free: free[0], lambda _, free: free[: field.players])


def swiss(field: Field, wanted: int) -> list[Table]:
    """Return tables that begin with the bot with the fewest games, joined by those it has met least and that are
    nearest."""

    def fill(first: int, free: list[int]) -> list[int]:
        def order(bot: int) -> tuple[int, float]:
            return field.times_met(first, bot), abs(field.mu(bot) - field.mu(first))

        return [first, *sorted((bot for bot in free if bot != first), key=order)[: field.players - 1]]

    return _one_by_one(field, wanted, lambda free: min(free, key=lambda bot: field.games[bot]), fill)


def informative(field: Field, wanted: int) -> list[Table]:
    """Return tables that begin with the least certain bot, joined by those with which the match is most informative.

    A match's value is the expected information about each difference times the variance of that difference.
    """

    def fill(first: int, free: list[int]) -> list[int]:
        def value(bot: int) -> float:
            return sum(
                information(field.mu(bot), field.mu(other)) * (field.sigma(bot) ** 2 + field.sigma(other) ** 2)
                for other in table
            )

        table = [first]
        while len(table) < field.players:
            table.append(max((bot for bot in free if bot not in table), key=value))
        return table

    return _one_by_one(field, wanted, lambda free: max(free, key=field.sigma), fill)


def _one_by_one(
    field: Field, wanted: int, begin: Callable[[list[int]], int], fill: Callable[[int, list[int]], list[int]]
) -> list[Table]:
    """Return tables, each from its first bot and those who join. Ties, and the seats, are decided by chance."""
    free = field.mixed(field.online)
    tables: list[Table] = []
    while len(tables) < wanted and len(free) >= field.players:
        table = fill(begin(free), free)
        free = [bot for bot in free if bot not in table]
        tables.append(tuple(field.mixed(table)))
    return tables


MATCHMAKERS: Final[Mapping[str, Matchmaker]] = {
    "arena": arena,
    "former": former,
    "random": evenly,
    "Swiss": swiss,
    "most informative": informative,
}
