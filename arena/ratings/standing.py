"""What a fit says of every bot: rating, interval, rank, and who is told apart from whom.

Everything follows from ratings and joint covariance. An interval is the rating ± 1.96 standard errors. P(better) of two
bots is that of the difference of their ratings, a normal distribution whose variance contains their covariance; they
are told apart if it is at least 97.5 % for one of them. The rank interval holds the middle 95 % of a bot's ranks where
all ratings are drawn together from their joint distribution, `DRAWS` times and always the same. A bot is settled if it
is told apart from both neighbours.
"""

from __future__ import annotations

from math import ceil
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from arena.ratings.batch import Ratings
from arena.ratings.choices import Floats, Ints

Z = 1.96
"""Standard errors to either side: 95 %."""
DRAWS = 2000
MANY = 5_000
"""So many games to tell two apart, or more, are not worth a number."""


class Standing(NamedTuple):
    """One bot, as it is shown."""

    bot: int
    rating: float
    """This and the bounds in points."""
    low: float
    high: float
    rank: int
    """1 is best."""
    best_rank: int
    worst_rank: int
    better: float | None
    """The probability of being better than the next one below; the last one has none."""
    is_settled: bool
    games_needed: int | None
    """About so many more games, of this bot and of the next one below each, to tell them apart if their difference is
    the one that is shown: 0 if they are; none for the last one, or if it were `MANY` or more."""


def standings(fit: Ratings) -> list[Standing]:
    """All bots, the best first; of equal ratings the lower number."""
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
            Standing(
                bot=fit.bots[number],
                rating=float(ratings[place]),
                low=float(ratings[place] - Z * errors[place]),
                high=float(ratings[place] + Z * errors[place]),
                rank=place + 1,
                best_rank=int(best[place]),
                worst_rank=int(worst[place]),
                better=None if score is None else float(ndtr(score)),
                is_settled=all(one is None or one >= Z for one in (above, score)),
                games_needed=None if score is None else _games_needed(score, fewest),
            )
        )
    return shown


def _rank_intervals(ratings: Floats, covariance: Floats) -> tuple[Ints, Ints]:
    # What is added to all ratings alike changes no rank, and makes the covariance positive definite.
    root = np.linalg.cholesky(covariance + np.diag(covariance).mean())
    drawn = ratings + np.random.default_rng(0).standard_normal((DRAWS, len(ratings))) @ root.T
    ranks = 1 + np.argsort(np.argsort(-drawn, axis=1), axis=1)
    best, worst = np.quantile(ranks, [0.025, 0.975], axis=0, method="inverted_cdf")
    return best.astype(np.int64), worst.astype(np.int64)


def z_scores(ratings: Floats, covariance: Floats) -> Floats:
    """Of every bot against every other: the difference of their ratings in standard errors of it; 0 against itself."""
    variances = np.diag(covariance)
    spread = np.sqrt(np.maximum(variances[:, None] + variances - 2 * covariance, 0))
    np.fill_diagonal(spread, 1)
    scores: Floats = (ratings[:, None] - ratings) / spread
    return scores


def _games_needed(score: float, games: int) -> int | None:
    """The variance of a difference falls as the games of the one with fewer grow."""
    if score >= Z:
        return 0
    if games * (Z**2 - score**2) >= MANY * score**2:
        return None
    return ceil(games * ((Z / score) ** 2 - 1))
