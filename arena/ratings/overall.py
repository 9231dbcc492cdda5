"""One strength over several ladders, with what they share estimated.

The rating of bot b on ladder l is s[b] + d[b, l]: its strength, whose prior is that of the ratings of one ladder
(`arena.ratings.batch`) with a spread of `PRIOR_SD`, and what it gains or loses on that ladder, normal with standard
deviation tau, independent. Of each ladder its games say what the batch fit found, as a normal density
(`Fit.likelihood`, Laplace's approximation) with precision L and linear term h. Integrating d out leaves of it

    precision  L (I + tau² L)⁻¹,    linear term  (I + tau² L)⁻¹ h,

of s, and the factor exp(h · (L + I / tau²)⁻¹ h / 2) / √|I + tau² L|. The product over all ladders with the prior of s
is normal: its mean and covariance are the result, and its integral is the likelihood of tau, which is maximised between
`LEAST` and `MOST`. Ratings are given against the mean of the reference bots, as in `arena.ratings.batch`.
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
    Fit,
    Gaussian,
    Ratings,
    against,
    deviations,
    former_versions,
    prior_precision,
)
from arena.ratings.choices import Floats, Ints

LEAST, MOST = 1, 1000
"""Points: between these tau is sought."""
CLOSE = 0.02
"""The logarithm of tau is found to within this."""


@dataclass(frozen=True)
class Overall:
    """The strengths over all ladders."""

    ratings: Ratings
    tau: float
    """Points."""
    correlation: float
    """Of the ratings of two ladders, over the bots: the share that is the common strength in a rating's variance."""


class _Ladder:
    """What one ladder says, taken apart so that any tau is cheap."""

    def __init__(self, fit: Fit) -> None:
        self.bots, self.games = fit.bots, fit.games
        values, self._vectors = np.linalg.eigh(fit.likelihood.precision)
        # What all bots share is not seen: its eigenvalue is 0, up to rounding; and where a drift is uncertain, a little
        # less may be known than before any game.
        self._values = np.maximum(values, 0)
        self._linear = self._vectors.T @ fit.likelihood.linear

    def without_own(self, variance: float) -> tuple[Gaussian, float]:
        """After the integration over d, and the logarithm of the factor."""
        shrunk = 1 / (1 + variance * self._values)
        precision = (self._vectors * (self._values * shrunk)) @ self._vectors.T
        factor = float(variance * (shrunk * self._linear) @ self._linear + np.log(shrunk).sum()) / 2
        return Gaussian(precision, self._vectors @ (shrunk * self._linear)), factor


def overall(fits: Iterable[Fit], reference: Collection[int] = (), bot_of: Mapping[int, int] | None = None) -> Overall:
    """From the fits of two ladders or more. Each is needed only until the next is asked for; one matrix of bots × bots
    stays of it. Raises `ValueError` for fewer, or if no bot of the reference has played. `bot_of` as for a fit."""
    ladders = list(map(_Ladder, fits))  # nothing else refers to a fit here, so that it is freed
    bots = sorted({bot for ladder in ladders for bot in ladder.bots})
    if len(ladders) < 2 or (reference and not set(bots) & set(reference)):
        raise ValueError("one strength needs two ladders, and bots of the reference on them")
    place = {bot: number for number, bot in enumerate(bots)}
    places = [np.array([place[bot] for bot in ladder.bots]) for ladder in ladders]
    former = former_versions(bots, bot_of or {})
    prior: Floats = prior_precision(former, deviations(former, PRIOR_SD)).toarray()
    found = minimize_scalar(
        lambda at: -_strengths(ladders, places, prior, exp(at) / POINTS)[2],
        bounds=(log(LEAST), log(MOST)),
        method="bounded",
        options={"xatol": CLOSE},
    )
    tau = exp(float(found.x))
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
    """Means and covariance of all strengths, and the logarithm of tau's likelihood but for a constant; all in units of
    the logarithm. `places`: of each ladder where its bots are among all."""
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
