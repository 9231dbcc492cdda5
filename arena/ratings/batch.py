"""Ratings from all games at once: a fit of the Plackett-Luce model with ties, place terms and a joint covariance.

The log strength of a seat is the bot's rating plus a term for its place in the first bidding. There is one such term
for each number of players and place; a game without known places has none. `arena.ratings.choices` explains how
strengths determine an order, and ties.

**Scale.** `POINTS` points are one unit of the logarithm. A difference of 400 points therefore means odds of 10 to 1:
ten wins for each loss between two bots, without ties.

**Prior.** All parameters are normal:

- The rating of a bot's first version is centred on the mean of all. Its standard deviation, the *spread*, is
  estimated.
- The rating of each later version is centred on that of the previous version, with standard deviation `VERSION_SD`.
- Every place term is centred on 0, with standard deviation `PLACE_SD`.
- The logarithm of every delta is centred on 0, with standard deviation 10.

The estimate of the spread maximises its marginal likelihood, as if `KNOWN` more bots had been found `PRIOR_SD` from
the mean. It is computed by expectation and maximisation, with a fit at each step. This is empirical Bayes (Efron and
Morris 1973, *Journal of the American Statistical Association* 68). The algorithm is by Dempster, Laird and Rubin
(1977, *Journal of the Royal Statistical Society* B 39).

**Result.** The ratings maximise the posterior density. Their covariance is the inverse of minus the second derivatives
there (Laplace's approximation), with place terms and ties integrated out. Ratings are given relative to the mean of
the reference bots, which are all bots unless some are named. The covariance is that of these differences, so it
contains no uncertainty about the strength of the field as a whole.

NumPy and SciPy belong to the extra `server`. `import arena.ratings` does not load this module.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import cho_factor, inv
from scipy.linalg.lapack import dpotri
from scipy.sparse import block_array, coo_array, diags_array
from scipy.sparse.linalg import cg

from arena.ratings.choices import Choices, Floats, derivatives, find_choices, largest_group, log_likelihood
from arena.ratings.drift import differences, now
from arena.ratings.model import POINTS_AT_MU, VERSION_SD

POINTS = 400 / log(10)
"""Points for one unit of the natural logarithm of strength."""
MEAN = POINTS_AT_MU
"""Mean of the reference bots, in points."""
PRIOR_SD = 400
KNOWN = 4
DRIFTS = {0: 1 / 5, 140: 3 / 5, 280: 1 / 5}
"""Possible drifts in points, each with its probability before any game."""
DRIFT_GAMES = 80
"""Number of games over which a version typically gains or loses the drift."""
SAME_SPREAD = 5e-3
"""Relative change of the spread below which its estimate has converged."""
PLACE_SD = 100
"""Standard deviation of place terms, in points."""
TIE_SD = 10
FIRST_TIE = -4.0
"""Initial log delta: ties are rare."""
CLOSE = 1e-8
"""Newton's method ends when a step promises less than this, in log-likelihood."""
MOST_STEPS = 100


class RatedGame(NamedTuple):
    """A game for the fit, with seat 1 first. Bots are numbers; if versions are rated, they are numbers of versions.

    >>> RatedGame(bots=(7, 4, 9), placements=(1, 2, 2), bidding=(3, 1, 2)).bots
    (7, 4, 9)
    """

    bots: tuple[int, ...]
    placements: tuple[int, ...]
    """Placements by seat: the lowest is best, equal ones are ties."""
    bidding: tuple[int, ...] = ()
    """Place in the first bidding by seat, from 1; empty if unknown."""


class Gaussian(NamedTuple):
    """The density exp(linear · x − x · precision · x / 2) of logarithms of strengths, up to a factor.

    It may be improper, because games say nothing about the strength of all bots together.
    """

    precision: Floats
    """Matrix bots × bots."""
    linear: Floats


@dataclass(frozen=True)
class Ratings:
    """Ratings and their joint covariance."""

    bots: tuple[int, ...]
    """Bots in ascending order; ratings and covariance have the same order."""
    ratings: Floats
    """Ratings in points."""
    covariance: Floats
    """Covariance in points squared, bots × bots."""
    games: tuple[int, ...]
    """Number of games of each bot."""

    def only(self, bots: Collection[int]) -> Ratings:
        """Return the ratings of these bots only."""
        indices = [number for number, bot in enumerate(self.bots) if bot in bots]
        return Ratings(
            tuple(self.bots[number] for number in indices),
            self.ratings[indices],
            self.covariance[np.ix_(indices, indices)],
            tuple(self.games[number] for number in indices),
        )


@dataclass(frozen=True)
class BatchFit(Ratings):
    """Result of a fit of all games."""

    places: dict[tuple[int, int], tuple[float, float]]
    """Value of each (number of players, place in the first bidding) relative to the mean of all places, and its
    standard error; both in points."""
    ties: tuple[float, ...]
    """Delta of groups of 2, 3, …; empty if there were no ties."""
    likelihood: Gaussian
    """Information from the games about the ratings, without the prior; place terms and ties are integrated out."""
    spread: float
    """Standard deviation of the ratings of first versions in the prior, in points."""
    drift: float
    """Estimated standard deviation of what a version gains or loses over `DRIFT_GAMES` games, in points."""


def fit(
    games: Sequence[RatedGame],
    reference: Collection[int] = (),
    spread: float | None = None,
    bot_of: Mapping[int, int] | None = None,
    constant: Collection[int] = (),
) -> BatchFit:
    """Fit all games, in the order in which they ended.

    `reference` are the bots whose mean is `MEAN`; by default all. `spread` is the standard deviation of first versions
    in points; by default it is estimated. If versions are rated, `bot_of` names the bot of each version; the versions
    of a bot are in ascending order. `constant` are bots that are known not to change.

    Raise `ValueError` for an invalid game, or if there are no games, or if no bot of the reference has played.

    >>> games = [RatedGame((1, 2, 3), (1, 2, 3)), RatedGame((3, 1, 2), (2, 1, 3)), RatedGame((2, 3, 1), (1, 3, 2))] * 10
    >>> found = fit(games)
    >>> [(bot, round(rating)) for bot, rating in zip(found.bots, found.ratings)]
    [(1, 1685), (2, 1478), (3, 1338)]
    """
    for game in games:
        _check(game)
    bots = sorted({bot for game in games for bot in game.bots})
    if not bots or (reference and not set(bots) & set(reference)):
        raise ValueError("there are no games, or no bot of the reference has played")
    places = sorted({(len(game.bots), place) for game in games for place in game.bidding})
    column = {bot: number for number, bot in enumerate(bots)}
    place_column = {place: len(bots) + number for number, place in enumerate(places)}
    nothing = len(bots) + len(places)
    groups = max(largest_group(game.placements) for game in games)
    changing = [number for number, bot in enumerate(bots) if bot not in constant]
    change_column = {bots[number]: nothing + 1 + order for order, number in enumerate(changing)}
    played = Counter(bot for game in games for bot in game.bots)
    choices = _choices(games, column, place_column, change_column, nothing)
    unchanged = [each._replace(columns=each.columns[:, :, :2], weights=each.weights[:, :, :2]) for each in choices]
    # The last strength stands for "no place term"; its prior holds it at 0.
    of_others = np.concatenate([np.full(len(places), PLACE_SD / POINTS), [1e-6], np.full(groups - 1, TIE_SD)])
    parameters = np.concatenate([np.zeros(nothing + 1), np.full(groups - 1, FIRST_TIE)])
    former = former_versions(bots, bot_of or {})
    is_first = np.array([each is None for each in former])
    width = PRIOR_SD if spread is None else spread
    for _ in range(MOST_STEPS):
        of_bots = prior_precision(former, deviations(former, width))
        prior = coo_array(block_array([[of_bots, None], [None, diags_array(1 / of_others**2)]]))
        parameters, covariance = maximum(unchanged, prior, nothing + 1, parameters)
        squares = POINTS**2 * (parameters**2 + np.diag(covariance))[: len(bots)][is_first]
        expected = float(np.sqrt((squares.sum() + KNOWN * PRIOR_SD**2) / (len(squares) + KNOWN)))
        if spread is not None or abs(expected / width - 1) < SAME_SPREAD:
            break
        width = expected
    else:
        raise ArithmeticError(f"the spread did not converge within {MOST_STEPS} steps")
    is_reference = np.array([not reference or bot in reference for bot in bots])
    strengths, ties = parameters[: nothing + 1], parameters[nothing + 1 :]
    drifts = {drift / POINTS: probability for drift, probability in DRIFTS.items()} if changing else {0.0: 1.0}
    made = {number: played[bots[number]] / DRIFT_GAMES for number in changing}
    at_last = now(choices, strengths, ties, covariance, former, deviations(former, width), made, drifts)
    ratings, joint = against(at_last.values, at_last.covariance, is_reference)
    precision: Floats = inv(at_last.covariance)
    wider = [at_last.drift * made.get(number, 0) for number in range(len(bots))]
    of_now = prior_precision(former, np.hypot(deviations(former, width), wider))
    likelihood = Gaussian(precision - of_now.toarray(), precision @ at_last.values)
    worth: dict[tuple[int, int], tuple[float, float]] = {}
    for players in sorted({players for players, _ in places}):
        own = [place_column[place] for place in places if place[0] == players]
        values, errors = against(parameters[own], covariance[np.ix_(own, own)], np.ones(len(own), bool))
        for number, (value, variance) in enumerate(zip(values, np.diag(errors), strict=True), start=1):
            worth[players, number] = (float(value), float(np.sqrt(variance)))
    return BatchFit(
        tuple(bots),
        MEAN + ratings,
        joint,
        tuple(played[bot] for bot in bots),
        worth,
        tuple(np.exp(ties).tolist()),
        likelihood,
        width,
        POINTS * at_last.drift,
    )


def _choices(
    games: Sequence[RatedGame],
    column: Mapping[int, int],
    place_column: Mapping[tuple[int, int], int],
    change_column: Mapping[int, int],
    nothing: int,
) -> list[Choices]:
    """Return the choices of all games.

    Each seat has a rating, a place term and a change; `nothing` if it lacks one of these.
    """
    groups = max(largest_group(game.placements) for game in games)
    before: Counter[int] = Counter()
    columns, weights, placements = (defaultdict[int, list[Any]](list) for _ in range(3))
    for game in games:
        seats = len(game.bots)
        places = [place_column.get((seats, place), nothing) for place in game.bidding or (0,) * seats]
        changes = [change_column.get(bot, nothing) for bot in game.bots]
        columns[seats].append(list(zip([column[bot] for bot in game.bots], places, changes, strict=True)))
        weights[seats].append(
            [(1, 1, (before[bot] + 0.5) / DRIFT_GAMES if bot in change_column else 0) for bot in game.bots]
        )
        placements[seats].append(game.placements)
        before.update(game.bots)
    return [
        each
        for seats in sorted(columns)
        for each in find_choices(
            np.array(columns[seats]), np.array(weights[seats], float), np.array(placements[seats]), groups
        )
    ]


def former_versions(bots: Sequence[int], bot_of: Mapping[int, int]) -> list[int | None]:
    """Return the index of each version's previous version; None for a first version, or for a bot without versions.

    `bots` are in ascending order.
    """
    last: dict[int, int] = {}
    former: list[int | None] = []
    for place, bot in enumerate(bots):
        former.append(last.get(bot_of[bot]) if bot in bot_of else None)
        if bot in bot_of:
            last[bot_of[bot]] = place
    return former


def deviations(former: Sequence[int | None], spread: float) -> Floats:
    """Return the prior standard deviation of each rating, in units of the logarithm; `spread` is in points.

    For a first version it is that of the difference from the mean, for a later one that of the difference from the
    previous version (see `former_versions`).
    """
    return np.array([spread if previous is None else VERSION_SD for previous in former]) / POINTS


def prior_precision(former: Sequence[int | None], deviations: Floats) -> coo_array:
    """Return the prior precision of these ratings, bots × bots."""
    starts, _ = differences(former)
    return coo_array(starts.T @ diags_array(deviations**-2) @ starts)


def among(games: Sequence[RatedGame], bots: Collection[int]) -> list[RatedGame]:
    """Return the games restricted to these bots: the order of those of them that played in each.

    By the model, this order does not depend on who else played. Places in the first bidding are dropped from games in
    which others played.

    >>> among([RatedGame((1, 2, 3), (3, 1, 2)), RatedGame((2, 3), (1, 2))], {1, 3})
    [RatedGame(bots=(1, 3), placements=(3, 2), bidding=())]
    """
    restricted = []
    for game in games:
        seats = [seat for seat, bot in enumerate(game.bots) if bot in bots]
        if len(seats) == len(game.bots):
            restricted.append(game)
        elif len(seats) > 1:
            restricted.append(
                RatedGame(tuple(game.bots[seat] for seat in seats), tuple(game.placements[seat] for seat in seats))
            )
    return restricted


def _check(game: RatedGame) -> None:
    seats = len(game.bots)
    if seats < 2 or len(set(game.bots)) != seats or len(game.placements) != seats:
        raise ValueError(f"a game needs two or more different bots, and a placement for each: {game}")
    if game.bidding and sorted(game.bidding) != list(range(1, seats + 1)):
        raise ValueError(f"the places in the first bidding must be 1 to {seats}: {game}")


def maximum(
    choices: Sequence[Choices], prior: coo_array, many: int, at: Floats, centre: Floats | float = 0.0
) -> tuple[Floats, Floats]:
    """Return the maximum of the posterior density, searched from `at`, and the covariance there.

    The first `many` parameters are strengths. `prior` is the precision of all parameters before any game, and `centre`
    is their mean.
    """

    def density(at: Floats) -> float:
        off = at - centre
        return log_likelihood(choices, at[:many], at[many:]) - float(off @ (prior @ off)) / 2

    height = density(at)
    for _ in range(MOST_STEPS):
        gradient, curvature = derivatives(choices, at[:many], at[many:])
        gradient -= prior @ (at - centre)
        curvature[prior.row, prior.col] += prior.data
        step, _ = cg(curvature, gradient, rtol=1e-4, M=diags_array(1 / np.diag(curvature)))
        promised = float(gradient @ step) / 2
        if promised < CLOSE:
            factor, _ = cho_factor(curvature, lower=True, overwrite_a=True)
            inverse, _ = dpotri(factor, lower=True, overwrite_c=True)
            return at + step, np.tril(inverse) + np.tril(inverse, -1).T
        share = 1.0
        while (reached := density(at + share * step)) < height + share * promised / 2 - CLOSE and share > 1e-6:
            share /= 2
        at, height = at + share * step, reached
    raise ArithmeticError(f"Newton's method did not converge within {MOST_STEPS} steps")


def against(
    values: Floats, covariance: Floats, is_reference: np.ndarray[tuple[int], np.dtype[np.bool_]]
) -> tuple[Floats, Floats]:
    """Return the differences from the mean of the reference in points, and their covariance."""
    weights = is_reference / is_reference.sum()
    crossed = covariance - weights @ covariance
    joint = crossed - (crossed @ weights)[:, None]
    return POINTS * (values - weights @ values), POINTS**2 * joint
