"""Standings of a fit: rating, interval and rank of every bot, and which neighbours are distinguishable.

Everything follows from the ratings and their joint covariance:

- An interval is the rating ± 1.96 standard errors.
- P(better) of two bots follows from the difference of their ratings, a normal distribution whose variance takes their
  covariance into account. Two bots are distinguishable if it is at least 97.5 % for one of them.
- The rank interval holds the middle 95 % of a bot's ranks when all ratings are drawn together from their joint
  distribution. There are `DRAWS` draws, always the same.
- A bot is settled if it is distinguishable from both neighbours.
"""

from __future__ import annotations

from math import ceil
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from arena.ratings.batch import Ratings
from arena.ratings.choices import Floats, Ints

Z = 1.96
"""Number of standard errors on either side of a 95 % interval."""
DRAWS = 2000
MANY = 5_000
"""Number of games from which `games_needed` is not reported any more."""


class RatedStanding(NamedTuple):
    """One row of the standings."""

    bot: int
    rating: float
    """Rating in points, as are the bounds."""
    low: float
    high: float
    rank: int
    """1 is best."""
    best_rank: int
    worst_rank: int
    better: float | None
    """Probability of being better than the next bot below; None for the last one."""
    is_settled: bool
    games_needed: int | None
    """Approximate number of further games that this bot and the next one below need to be distinguishable, if their
    difference stays as displayed. It is 0 if they are already, and None for the last bot or from `MANY` games on."""


def standings(fit: Ratings) -> list[RatedStanding]:
    """Return all bots, the best first; for equal ratings, the lower number first.

    >>> from arena.ratings.batch import RatedGame, fit
    >>> rows = standings(fit([RatedGame((1, 2, 3), (2, 1, 3))] * 30))
    >>> [(row.bot, row.rank, row.is_settled) for row in rows]
    [(2, 1, True), (1, 2, True), (3, 3, True)]
    """
    order = np.argsort(-fit.ratings, kind="stable")
    ratings, covariance = fit.ratings[order], fit.covariance[np.ix_(order, order)]
    errors = np.sqrt(np.diag(covariance))
    scores = z_scores(ratings, covariance)
    best, worst = _rank_intervals(ratings, covariance)
    shown = []
    for place, number in enumerate(order):
        is_last = place + 1 == len(order)
        score = None if is_last else float(scores[place, place + 1])
        above = None if place == 0 else float(scores[place - 1, place])
        fewest = 0 if is_last else min(fit.games[number], fit.games[order[place + 1]])
        shown.append(
            RatedStanding(
                bot=fit.bots[number],
                rating=float(ratings[place]),
                low=float(ratings[place] - Z * errors[place]),
                high=float(ratings[place] + Z * errors[place]),
                rank=place + 1,
                best_rank=int(best[place]),
                worst_rank=int(worst[place]),
                better=None if score is None else float(ndtr(score)),
                is_settled=all(value is None or value >= Z for value in (above, score)),
                games_needed=None if score is None else _games_needed(score, fewest),
            )
        )
    return shown


def _rank_intervals(ratings: Floats, covariance: Floats) -> tuple[Ints, Ints]:
    # A constant added to all ratings changes no rank, and makes the covariance positive definite.
    root = np.linalg.cholesky(covariance + np.diag(covariance).mean())
    drawn = ratings + np.random.default_rng(0).standard_normal((DRAWS, len(ratings))) @ root.T
    ranks = 1 + np.argsort(np.argsort(-drawn, axis=1), axis=1)
    best, worst = np.quantile(ranks, [0.025, 0.975], axis=0, method="inverted_cdf")
    return best.astype(np.int64), worst.astype(np.int64)


def z_scores(ratings: Floats, covariance: Floats) -> Floats:
    """Return the difference of each pair of ratings in its standard errors; 0 for a bot against itself."""
    variances = np.diag(covariance)
    spread = np.sqrt(np.maximum(variances[:, None] + variances - 2 * covariance, 0))
    np.fill_diagonal(spread, 1)
    scores: Floats = (ratings[:, None] - ratings) / spread
    return scores


def _games_needed(score: float, games: int) -> int | None:
    """Return the number of games needed: the variance of a difference falls as the games of the bot with fewer grow."""
    if score >= Z:
        return 0
    if games * (Z**2 - score**2) >= MANY * score**2:
        return None
    return ceil(games * ((Z / score) ** 2 - 1))
