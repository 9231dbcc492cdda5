"""Rating of one player by games against players whose ratings are known.

The model is that of `arena.ratings.batch`: Plackett-Luce with ties, on the same scale and with the same prior of the
first version of a bot. There are no place terms and no drift. The ratings of the others are normal, with the means and
standard errors that were published. Therefore the interval of the player contains their uncertainty as well.

NumPy and SciPy belong to the extra `server`. `import arena.ratings` does not load this module.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array, diags_array

from arena.ratings.batch import FIRST_TIE, MEAN, POINTS, PRIOR_SD, TIE_SD, RatedGame, maximum
from arena.ratings.choices import Choices, find_choices, largest_group
from arena.ratings.standing import Z


class Known(NamedTuple):
    """The known rating of a player, in points."""

    points: float
    error: float
    """Standard error."""


UNKNOWN = Known(MEAN, PRIOR_SD)
"""Rating of a player before any game: that of a bot's first version."""


class Anchored(NamedTuple):
    """The rating that was found, in points, with its 95 % interval."""

    points: float
    low: float
    high: float


def rate_against(player: int, games: Sequence[RatedGame], known: Mapping[int, Known]) -> Anchored:
    """Return the rating of a player by these games. Others that are missing in `known` are as uncertain as newcomers.

    Raise `ValueError` if there are no games, or if the player is missing in one.

    >>> lost = RatedGame((1, 2), (2, 1))
    >>> found = rate_against(1, [lost] * 10, {2: Known(1500, 20)})
    >>> found.high < 1500
    True
    """
    if not games or any(player not in game.bots for game in games):
        raise ValueError("there are no games, or the player is missing in one")
    others = sorted({bot for game in games for bot in game.bots} - {player})
    column = {bot: number for number, bot in enumerate((player, *others))}
    groups = max(largest_group(game.placements) for game in games)
    expected = [UNKNOWN, *(known.get(bot, UNKNOWN) for bot in others)]
    centre = np.array([(each.points - MEAN) / POINTS for each in expected] + [0.0] * (groups - 1))
    errors = np.array([each.error / POINTS for each in expected] + [TIE_SD] * (groups - 1), float)
    start = np.concatenate([centre[: len(column)], np.full(groups - 1, FIRST_TIE)])
    prior = coo_array(diags_array(errors**-2))
    values, covariance = maximum(_choices(games, column, groups), prior, len(column), start, centre)
    points, half = MEAN + POINTS * float(values[0]), Z * POINTS * float(np.sqrt(covariance[0, 0]))
    return Anchored(points, points - half, points + half)


def _choices(games: Sequence[RatedGame], column: Mapping[int, int], groups: int) -> list[Choices]:
    by_seats: dict[int, list[RatedGame]] = defaultdict(list)
    for game in games:
        by_seats[len(game.bots)].append(game)
    return [
        each
        for seats in sorted(by_seats)
        for each in find_choices(
            np.array([[[column[bot]] for bot in game.bots] for game in by_seats[seats]]),
            np.ones((len(by_seats[seats]), seats, 1)),
            np.array([game.placements for game in by_seats[seats]]),
            groups,
        )
    ]
