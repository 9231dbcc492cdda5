"""A ladder of a world: matches by the arena's matchmaking or another, with results drawn from the known strengths.

Results follow the model of `arena.ratings.choices`. Places in the first bidding are drawn evenly, and are worth up to
`PLACE_WORTH` points more or less than their mean. `TIE` is the weight of a tie of two seats.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from arena.ratings import Book, Finish
from arena.ratings.batch import POINTS, RatedGame
from arena.simulation.matchmakers import Field, Matchmaker, arena
from arena.simulation.worlds import World

PLACE_WORTH = 30
TIE = 0.02
LAST = -2000
"""Strength of a bot that helps another bot at its table, in points."""
BUSY = 0.5
"""Share of the online bots that play at the same time."""


class SimulatedMatch(NamedTuple):
    """A match that has ended."""

    game: RatedGame
    time: float
    """Time at which the match began."""


def play(
    world: World,
    players: int,
    games: int,
    book: Book,
    chance: np.random.Generator,
    matchmaker: Matchmaker = arena,
) -> Iterator[SimulatedMatch]:
    """Yield all matches of a ladder, with `games` games for each bot on average.

    `book` rates them as the ladder does for matchmaking.
    """
    field = Field(players, chance, book)
    matches = games * len(world.strengths) // players
    while field.made < matches:
        time = field.made / matches
        field.online = [bot for bot, arrival in enumerate(world.arrivals) if arrival <= time]
        wanted = min(matches - field.made, max(1, int(BUSY * len(field.online) / players)))
        for table in matchmaker(field, wanted):
            field.add(table)
            game = _game(world, table, time, chance)
            book.apply(Finish(field.made, game.bots, game.placements))
            yield SimulatedMatch(game, time)


def _game(world: World, bots: tuple[int, ...], time: float, chance: np.random.Generator) -> RatedGame:
    bidding = tuple(int(place) + 1 for place in chance.permutation(len(bots)))
    worth = np.linspace(PLACE_WORTH, -PLACE_WORTH, len(bots))
    now = world.at(time)
    strengths = [
        LAST if world.helps.get(bot) in bots else now[bot] + worth[place - 1]
        for bot, place in zip(bots, bidding, strict=True)
    ]
    return RatedGame(bots, draw_placements([float(strength) / POINTS for strength in strengths], chance), bidding)


def draw_placements(strengths: Sequence[float], chance: np.random.Generator) -> tuple[int, ...]:
    """Draw the placements of one game; `strengths` are natural logarithms."""
    left, placements = list(range(len(strengths))), [0] * len(strengths)
    while left:
        groups = [(seat,) for seat in left] + list(combinations(left, 2))
        weights = np.exp([sum(strengths[seat] for seat in group) / len(group) for group in groups])
        weights *= [1 if len(group) == 1 else TIE for group in groups]
        chosen = groups[int(chance.choice(len(groups), p=weights / weights.sum()))]
        for seat in chosen:
            placements[seat] = len(strengths) - len(left) + 1
        left = [seat for seat in left if seat not in chosen]
    return tuple(placements)
