"""One strength over several ladders, with an estimate of what they have in common.

The rating of bot b on ladder l is s[b] + d[b, l]. The strength s has the prior of the ratings of one ladder
(`arena.ratings.batch`), with a spread of `PRIOR_SD`. The difference d is what the bot gains or loses on that ladder;
it is normal with standard deviation tau, and independent. The games of each ladder enter as the normal density that
the batch fit found (`BatchFit.likelihood`, Laplace's approximation), with precision L and linear term h. Integrating
out d leaves, for s,

    precision  L (I + tau² L)⁻¹,    linear term  (I + tau² L)⁻¹ h,

and the factor exp(h · (L + I / tau²)⁻¹ h / 2) / √|I + tau² L|. The product over all ladders with the prior of s is
normal. Its mean and covariance are the result. Its integral is the likelihood of tau, which is maximised between
`LEAST` and `MOST`. Ratings are given relative to the mean of the reference bots, as in `arena.ratings.batch`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize_scalar

from arena.ratings.batch import (
    MEAN,
    POINTS,
    PRIOR_SD,
    BatchFit,
    Gaussian,
    Ratings,
    against,
    deviations,
    former_versions,
    prior_precision,
)
from arena.ratings.choices import Floats, Ints

LEAST, MOST = 1, 1000
"""Range in which tau is searched, in points."""
CLOSE = 0.02
"""Tolerance for the logarithm of tau."""


@dataclass(frozen=True)
class Overall:
    """Strengths over all ladders."""

    ratings: Ratings
    tau: float
    """Estimated standard deviation of a bot's differences between ladders, in points."""
    correlation: float
    """Correlation of the ratings of two ladders over the bots: the share of common strength in the variance of a
    rating."""


class _Ladder:
    """Information from one ladder, decomposed so that any tau is cheap to evaluate."""

    def __init__(self, fit: BatchFit) -> None:
        self.bots, self.games = fit.bots, fit.games
        values, self._vectors = np.linalg.eigh(fit.likelihood.precision)
        # Games carry no information about what all bots share: that eigenvalue is 0, up to rounding. If the drift is
        # uncertain, an eigenvalue may even be slightly negative.
        self._values = np.maximum(values, 0)
        self._linear = self._vectors.T @ fit.likelihood.linear

    def without_own(self, variance: float) -> tuple[Gaussian, float]:
        """Return the density after integrating out d, and the logarithm of the factor."""
        shrunk = 1 / (1 + variance * self._values)
        precision = (self._vectors * (self._values * shrunk)) @ self._vectors.T
        factor = float(variance * (shrunk * self._linear) @ self._linear + np.log(shrunk).sum()) / 2
        return Gaussian(precision, self._vectors @ (shrunk * self._linear)), factor


def overall(
    fits: Iterable[BatchFit], reference: Collection[int] = (), bot_of: Mapping[int, int] | None = None
) -> Overall:
    """Combine the fits of two or more ladders.

    Each fit is needed only until the next one is requested; one matrix of bots × bots is kept from it. `reference` and
    `bot_of` are as in `batch.fit`. Raise `ValueError` if there are fewer than two ladders, or if no bot of the
    reference has played.

    >>> from arena.ratings.batch import RatedGame, fit
    >>> duels, tables = [RatedGame((1, 2), (1, 2))] * 20, [RatedGame((2, 1, 3), (2, 1, 3))] * 20
    >>> found = overall([fit(duels), fit(tables)])
    >>> found.ratings.bots, found.ratings.games
    ((1, 2, 3), (40, 40, 20))
    """
    ladders = list(map(_Ladder, fits))  # nothing else refers to a fit here, so it can be freed
    bots = sorted({bot for ladder in ladders for bot in ladder.bots})
    if len(ladders) < 2 or (reference and not set(bots) & set(reference)):
        raise ValueError("an overall strength needs two ladders, and bots of the reference on them")
    place = {bot: number for number, bot in enumerate(bots)}
    places = [np.array([place[bot] for bot in ladder.bots]) for ladder in ladders]
    former = former_versions(bots, bot_of or {})
    prior: Floats = prior_precision(former, deviations(former, PRIOR_SD)).toarray()
    optimum = minimize_scalar(
        lambda at: -_strengths(ladders, places, prior, exp(at) / POINTS)[2],
        bounds=(log(LEAST), log(MOST)),
        method="bounded",
        options={"xatol": CLOSE},
    )
    tau = exp(float(optimum.x))
    strengths, covariance, _ = _strengths(ladders, places, prior, tau / POINTS)
    variance = POINTS**2 * float(strengths.var() + np.diag(covariance).mean() - covariance.mean())
    is_reference = np.array([not reference or bot in reference for bot in bots])
    ratings, joint = against(strengths, covariance, is_reference)
    games = np.zeros(len(bots), np.int64)
    for ladder, own in zip(ladders, places, strict=True):
        games[own] += ladder.games
    return Overall(
        Ratings(tuple(bots), MEAN + ratings, joint, tuple(games.tolist())),
        tau,
        variance / (variance + tau**2),
    )


def _strengths(
    ladders: Sequence[_Ladder], places: Sequence[Ints], prior: Floats, tau: float
) -> tuple[Floats, Floats, float]:
    """Return the means and covariance of all strengths, and tau's log-likelihood up to a constant; in units of the
    logarithm.

    `places` has the indices of each ladder's bots among all bots.
    """
    precision, bots = prior.copy(), len(prior)
    linear = np.zeros(bots)
    height = 0.0
    for ladder, own in zip(ladders, places, strict=True):
        gaussian, factor = ladder.without_own(tau**2)
        precision[np.ix_(own, own)] += gaussian.precision
        linear[own] += gaussian.linear
        height += factor
    root = cho_factor(precision, lower=True)
    means: Floats = cho_solve(root, linear)
    height += float(linear @ means) / 2 - float(np.log(np.diag(root[0])).sum())
    covariance: Floats = cho_solve(root, np.eye(bots))
    return means, covariance, height
