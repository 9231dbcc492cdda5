"""Ratings from all games at once: a fit of Plackett and Luce's model with ties, place terms and a joint covariance.

The logarithm of a seat's strength is the bot's rating plus a term for its place in the first bidding, one for each
number of players and place; games without that place have no such term. How strengths make an order, and ties, stands
in `arena.ratings.choices`.

**Scale.** `POINTS` points are one unit of the logarithm, so that 400 points are odds of 10 to 1: so many wins for each
loss between two bots, ties aside.

**Prior.** The rating of the first version of a bot is normal around the mean of all, that of each later one around that
of the version before it, with standard deviation `VERSION_SD`; every place term around 0 with `PLACE_SD`; the logarithm
of every delta around 0 with 10. The standard deviation of first versions, the *spread* of the field, is estimated: it
is where its marginal likelihood is highest, as if `KNOWN` more bots had been found `PRIOR_SD` from the mean (empirical
Bayes; Efron and Morris 1973, *Journal of the American Statistical Association* 68). It is found by expectation and
maximisation (Dempster, Laird and Rubin 1977, *Journal of the Royal Statistical Society* B 39), a fit at each step.

The result is the maximum of the posterior density. Its
covariance is the inverse of minus the second derivatives there (Laplace's approximation), the place terms and ties
being integrated out. Ratings are given against the mean of the reference bots, of all unless some are named; the
covariance is that of these differences, and therefore knows nothing of how strong the field is as a whole.

NumPy and SciPy are parts of the extra `server`. Nothing here is loaded by `import arena.ratings`.
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
"""Points a unit of the natural logarithm of strength."""
MEAN = POINTS_AT_MU
"""The points of the mean of the reference bots."""
PRIOR_SD = 400
KNOWN = 4
DRIFTS = {0: 1 / 5, 140: 3 / 5, 280: 1 / 5}
"""Of each drift that is thought possible, in points, its probability before any game."""
DRIFT_GAMES = 80
"""It is what a version gains or loses, typically, over so many games."""
SAME_SPREAD = 5e-3
"""The spread is found where a step would change it by a smaller share."""
PLACE_SD = 100
"""Points."""
TIE_SD = 10
FIRST_TIE = -4.0
"""Log delta at the start: ties are rare."""
CLOSE = 1e-8
"""Newton's method ends where a step promises less: log-likelihood."""
MOST_STEPS = 100


class Game(NamedTuple):
    """A game for the fit: who played, seat 1 first."""

    bots: tuple[int, ...]
    placements: tuple[int, ...]
    """The lowest is best; equal placements are ties."""
    bidding: tuple[int, ...] = ()
    """Of every seat its place in the first bidding, from 1; empty: not known."""


class Gaussian(NamedTuple):
    """The density exp(linear · x − x · precision · x / 2) of logarithms of strengths, up to a factor. It may be
    improper: games say nothing of how strong all bots are together."""

    precision: Floats
    """Bots × bots."""
    linear: Floats


@dataclass(frozen=True)
class Ratings:
    """Ratings with what is known of them together."""

    bots: tuple[int, ...]
    """Ascending; ratings and covariance have this order."""
    ratings: Floats
    """Points."""
    covariance: Floats
    """Points squared, bots × bots."""
    games: tuple[int, ...]
    """Of every bot."""

    def only(self, bots: Collection[int]) -> Ratings:
        """Those of these bots alone."""
        kept = [number for number, bot in enumerate(self.bots) if bot in bots]
        return Ratings(
            tuple(self.bots[number] for number in kept),
            self.ratings[kept],
            self.covariance[np.ix_(kept, kept)],
            tuple(self.games[number] for number in kept),
        )


@dataclass(frozen=True)
class Fit(Ratings):
    """What all games together say."""

    places: dict[tuple[int, int], tuple[float, float]]
    """By number of players and place in the first bidding: its worth against the mean of all places, and the
    standard error; points."""
    ties: tuple[float, ...]
    """Delta of groups of 2, 3, …; empty if nothing was tied."""
    likelihood: Gaussian
    """What the games say of the ratings without their prior, place terms and ties being integrated out."""
    spread: float
    """The standard deviation of the ratings of first versions in the prior; points."""
    drift: float
    """The standard deviation of what a version gains or loses over `DRIFT_GAMES` games, as far as is known; points."""


def fit(
    games: Sequence[Game],
    reference: Collection[int] = (),
    spread: float | None = None,
    bot_of: Mapping[int, int] | None = None,
    constant: Collection[int] = (),
) -> Fit:
    """Fit all games, in the order in which they ended. Raises `ValueError` for a game that is none, or if no bot of the
    reference has played.

    Where versions are rated, `bot_of` names the bot of each: those of one bot follow each other in ascending order.
    The spread is estimated unless it is given, in points. `constant`: who is known not to change.
    """
    for game in games:
        _check(game)
    bots = sorted({bot for game in games for bot in game.bots})
    if not bots or (reference and not set(bots) & set(reference)):
        raise ValueError("there are no games, or none with a bot of the reference")
    places = sorted({(len(game.bots), place) for game in games for place in game.bidding})
    column = {bot: number for number, bot in enumerate(bots)}
    place_column = {place: len(bots) + number for number, place in enumerate(places)}
    nothing = len(bots) + len(places)
    groups = max(largest_group(game.placements) for game in games)
    changing = [number for number, bot in enumerate(bots) if bot not in constant]
    change_column = {bots[number]: nothing + 1 + order for order, number in enumerate(changing)}
    played = Counter(bot for game in games for bot in game.bots)
    choices = _choices(games, column, place_column, change_column, nothing)
    unchanged = [one._replace(columns=one.columns[:, :, :2], weights=one.weights[:, :, :2]) for one in choices]
    # The last parameter stands for "no place term" and is held at 0 by its prior.
    of_others = np.concatenate([np.full(len(places), PLACE_SD / POINTS), [1e-6], np.full(groups - 1, TIE_SD)])
    found = np.concatenate([np.zeros(nothing + 1), np.full(groups - 1, FIRST_TIE)])
    former = former_versions(bots, bot_of or {})
    is_first = np.array([one is None for one in former])
    width = PRIOR_SD if spread is None else spread
    for _ in range(MOST_STEPS):
        of_bots = prior_precision(former, deviations(former, width))
        prior = coo_array(block_array([[of_bots, None], [None, diags_array(1 / of_others**2)]]))
        found, covariance = _maximum(unchanged, prior, nothing + 1, found)
        squares = POINTS**2 * (found**2 + np.diag(covariance))[: len(bots)][is_first]
        expected = float(np.sqrt((squares.sum() + KNOWN * PRIOR_SD**2) / (len(squares) + KNOWN)))
        if spread is not None or abs(expected / width - 1) < SAME_SPREAD:
            break
        width = expected
    else:
        raise ArithmeticError(f"the spread was not found within {MOST_STEPS} steps")
    is_reference = np.array([not reference or bot in reference for bot in bots])
    strengths, ties = found[: nothing + 1], found[nothing + 1 :]
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
        values, errors = against(found[own], covariance[np.ix_(own, own)], np.ones(len(own), bool))
        for number, (value, variance) in enumerate(zip(values, np.diag(errors), strict=True), start=1):
            worth[players, number] = (float(value), float(np.sqrt(variance)))
    return Fit(
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
    games: Sequence[Game],
    column: Mapping[int, int],
    place_column: Mapping[tuple[int, int], int],
    change_column: Mapping[int, int],
    nothing: int,
) -> list[Choices]:
    """The choices of all games; of each seat the rating, the place term and the change, or `nothing` for these two."""
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
        one
        for seats in sorted(columns)
        for one in find_choices(
            np.array(columns[seats]), np.array(weights[seats], float), np.array(placements[seats]), groups
        )
    ]


def former_versions(bots: Sequence[int], bot_of: Mapping[int, int]) -> list[int | None]:
    """Of each of these bots, ascending, or versions of bots (`bot_of`): where among them the version before it is."""
    last: dict[int, int] = {}
    found: list[int | None] = []
    for place, bot in enumerate(bots):
        found.append(last.get(bot_of[bot]) if bot in bot_of else None)
        if bot in bot_of:
            last[bot_of[bot]] = place
    return found


def deviations(former: Sequence[int | None], spread: float) -> Floats:
    """Of ratings whose versions follow each other so (`former_versions`): that of a first version from the mean, that
    of a later one from the former one; in units of the logarithm, with a spread in points."""
    return np.array([spread if one is None else VERSION_SD for one in former]) / POINTS


def prior_precision(former: Sequence[int | None], deviations: Floats) -> coo_array:
    """Of such ratings: bots × bots."""
    starts, _ = differences(former)
    return coo_array(starts.T @ diags_array(deviations**-2) @ starts)


def among(games: Sequence[Game], bots: Collection[int]) -> list[Game]:
    """What the games say of these bots alone: the order of those of them that played in each, which by the model does
    not depend on who else did; without a place in the first bidding where others had one."""
    found = []
    for game in games:
        kept = [seat for seat, bot in enumerate(game.bots) if bot in bots]
        if len(kept) == len(game.bots):
            found.append(game)
        elif len(kept) > 1:
            found.append(Game(tuple(game.bots[seat] for seat in kept), tuple(game.placements[seat] for seat in kept)))
    return found


def _check(game: Game) -> None:
    seats = len(game.bots)
    if seats < 2 or len(set(game.bots)) != seats or len(game.placements) != seats:
        raise ValueError(f"a game has two or more bots, each once, and as many placements: {game}")
    if game.bidding and sorted(game.bidding) != list(range(1, seats + 1)):
        raise ValueError(f"the places in the first bidding are 1 to {seats}: {game}")


def _maximum(choices: Sequence[Choices], prior: coo_array, many: int, at: Floats) -> tuple[Floats, Floats]:
    """Where the posterior density is highest, sought from `at`, and the covariance there; the first `many` parameters
    are strengths, and `prior` is the precision of all before any game."""

    def density(at: Floats) -> float:
        return log_likelihood(choices, at[:many], at[many:]) - float(at @ (prior @ at)) / 2

    height = density(at)
    for _ in range(MOST_STEPS):
        gradient, curvature = derivatives(choices, at[:many], at[many:])
        gradient -= prior @ at
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
    raise ArithmeticError(f"Newton's method did not end within {MOST_STEPS} steps")


def against(
    values: Floats, covariance: Floats, is_reference: np.ndarray[tuple[int], np.dtype[np.bool_]]
) -> tuple[Floats, Floats]:
    """Differences to the mean of the reference, in points, and their covariance."""
    weights = is_reference / is_reference.sum()
    crossed = covariance - weights @ covariance
    joint = crossed - (crossed @ weights)[:, None]
    return POINTS * (values - weights @ values), POINTS**2 * joint
