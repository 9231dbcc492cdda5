"""Ways to rate the matches of a ladder, each with its usual settings. On all scales, 400 points are odds of 10 to 1."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from itertools import combinations
from typing import Final

import numpy as np

from arena.ratings import Finish, rebuild
from arena.ratings.batch import MEAN, RatedGame, Ratings, fit
from arena.ratings.model import MU, POINTS_PER_MU

ELO_K = 32
TRUESKILL_POINTS = 50.84
"""Points of one unit of mu. Odds of 10 to 1 are 1.3352 standard deviations of the difference of two performances,
which is sqrt(2) × 25/6."""
FLAT_SD = 4000


def batch(games: Sequence[RatedGame]) -> Ratings:
    """Rate all games at once by `arena.ratings.batch`."""
    return fit(games)


def constant_batch(games: Sequence[RatedGame], spread: float | None = None) -> Ratings:
    """Rate all games at once with constant strengths."""
    return fit(games, spread=spread, constant={bot for game in games for bot in game.bots})


def plain_batch(games: Sequence[RatedGame]) -> Ratings:
    """Rate all games at once with constant strengths, without place terms, and nearly without a prior."""
    return constant_batch([game._replace(bidding=()) for game in games], FLAT_SD)


def ladder(games: Sequence[RatedGame]) -> Ratings:
    """Rate match by match by OpenSkill's Plackett-Luce with its defaults, as the ladder does for pairing."""
    book, _ = rebuild(Finish(number, game.bots, game.placements) for number, game in enumerate(games, start=1))
    return _apart(
        {bot: POINTS_PER_MU * (held.rating.mu - MU) for bot, held in book.held.items()},
        {bot: POINTS_PER_MU * held.rating.sigma for bot, held in book.held.items()},
        games,
    )


def elo(games: Sequence[RatedGame]) -> Ratings:
    """Rate by Elo: every pair of a match is a game, with K divided by the number of rivals. There are no intervals."""
    points: dict[int, float] = {}
    for game in games:
        before = [points.setdefault(bot, 0.0) for bot in game.bots]
        for one, other in combinations(range(len(game.bots)), 2):
            score = (1 + np.sign(game.placements[other] - game.placements[one])) / 2
            gain = ELO_K / (len(game.bots) - 1) * (score - 1 / (1 + 10 ** ((before[other] - before[one]) / 400)))
            points[game.bots[one]] += gain
            points[game.bots[other]] -= gain
    return _apart(points, dict.fromkeys(points, 0.0), games)


def trueskill(games: Sequence[RatedGame]) -> Ratings:
    """Rate by TrueSkill with its defaults (Herbrich, Minka and Graepel 2006), using the package `trueskill`."""
    with warnings.catch_warnings():  # its docstrings warn when they are compiled
        warnings.simplefilter("ignore")
        from trueskill import TrueSkill
    model = TrueSkill()
    held = {bot: model.create_rating() for game in games for bot in game.bots}
    for game in games:
        rated = model.rate([(held[bot],) for bot in game.bots], ranks=game.placements)
        held.update(zip(game.bots, (rating for (rating,) in rated), strict=True))
    return _apart(
        {bot: TRUESKILL_POINTS * (rating.mu - MU) for bot, rating in held.items()},
        {bot: TRUESKILL_POINTS * rating.sigma for bot, rating in held.items()},
        games,
    )


def _apart(points: Mapping[int, float], errors: Mapping[int, float], games: Sequence[RatedGame]) -> Ratings:
    """Return independent ratings, around their mean."""
    bots = tuple(sorted(points))
    values = np.array([points[bot] for bot in bots])
    played = np.bincount([bot for game in games for bot in game.bots])
    return Ratings(
        bots,
        MEAN + values - values.mean(),
        np.diag([errors[bot] ** 2 for bot in bots]),
        tuple(int(played[bot]) for bot in bots),
    )


RIVALS: Final[Mapping[str, Callable[[Sequence[RatedGame]], Ratings]]] = {
    "batch": batch,
    "plain batch": plain_batch,
    "OpenSkill (ladder)": ladder,
    "Elo by pairs": elo,
    **({"TrueSkill": trueskill} if find_spec("trueskill") else {}),
}
