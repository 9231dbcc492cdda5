"""The published ratings computed a second time, from the formulas in docs/ratings.md and by other means.

This checks `batch`, `standing` and `overall`. It shares constants and result types with them, but no calculation.
Weights are plain numbers, groups are listed, all derivatives are differences, and SciPy searches the maximum. It takes
about ten times as long.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from scipy.linalg import inv
from scipy.optimize import minimize

from arena.ratings.batch import (
    DRIFT_GAMES,
    DRIFTS,
    KNOWN,
    MEAN,
    PLACE_SD,
    POINTS,
    PRIOR_SD,
    TIE_SD,
    Gaussian,
    RatedGame,
    Ratings,
)
from arena.ratings.choices import Floats, Ints
from arena.ratings.model import VERSION_SD
from arena.ratings.standing import RatedStanding

STEP = 1e-4
"""Step of numerical derivatives, in units of the logarithm."""
DRAWS = 20_000


@dataclass(frozen=True)
class SlowFit:
    """Result of a fit of one ladder."""

    ratings: Ratings
    likelihood: Gaussian
    expected_spread: float
    """Spread expected from the games when this spread was assumed, in points. The two are equal if the assumption is
    right."""
    drift: float
    """Root mean square of the drift given the games, in points over `DRIFT_GAMES` games."""


@dataclass(frozen=True)
class _Alike:
    """Games with the same number of seats and the same ties; seats are in the order of placements."""

    groups: tuple[int, ...]
    """Number of seats that share the first place, the second, and so on."""
    bots: Ints
    """Games × seats: parameter of each bot."""
    places: Ints
    """Parameter of each place in the first bidding; -1 if unknown."""
    changes: Ints
    """Parameter of each change; -1 if there is none."""
    shares: Floats
    """Share of the change that has happened by this game."""


class _Posterior:
    """The density of all parameters, in units of the logarithm.

    The parameters are ratings, place terms, logarithms of delta from 2 on, and with a drift (in points) the changes of
    all bots that are not constant. If there are changes, the ratings are those at the start.
    """

    def __init__(
        self,
        games: Sequence[RatedGame],
        bot_of: Mapping[int, int],
        spread: float,
        constant: Collection[int] = (),
        drift: float = 0,
    ) -> None:
        self.bots = sorted({bot for game in games for bot in game.bots})
        self.changing = [bot for bot in self.bots if bot not in constant] if drift else []
        places = sorted({(len(game.bots), place) for game in games for place in game.bidding})
        self.first_tie = len(self.bots) + len(places)
        self.largest = max(game.placements.count(place) for game in games for place in game.placements)
        self.first_change = self.first_tie + self.largest - 1
        others = [PLACE_SD / POINTS] * len(places) + [TIE_SD] * (self.largest - 1)
        total = Counter(bot for game in games for bot in game.bots)
        at_end = {bot: drift * total[bot] / DRIFT_GAMES for bot in self.changing}
        self.prior = _prior(self.bots, bot_of, others, spread, at_end)
        by_form: dict[tuple[int, ...], list[tuple[list[int], list[int], list[int], list[float]]]] = {}
        played: Counter[int] = Counter()
        for game in games:
            order = sorted(range(len(game.bots)), key=lambda seat: game.placements[seat])
            groups = tuple(game.placements.count(place) for place in sorted(set(game.placements)))
            seated = [game.bots[seat] for seat in order]
            own = [
                len(self.bots) + places.index((len(game.bots), game.bidding[seat])) if game.bidding else -1
                for seat in order
            ]
            changes = [self.first_change + self.changing.index(bot) if bot in self.changing else -1 for bot in seated]
            played.update(seated)
            shares = [(played[bot] - 0.5) / total[bot] for bot in seated]
            by_form.setdefault(groups, []).append(([self.bots.index(bot) for bot in seated], own, changes, shares))
        self.alike = [
            _Alike(groups, *(np.array(column) for column in zip(*rows, strict=True)))
            for groups, rows in by_form.items()
        ]

    @property
    def at_last(self) -> Floats:
        """Matrix from all parameters to the ratings at the last game of each bot."""
        matrix = np.eye(len(self.bots), len(self.prior))
        for number, bot in enumerate(self.changing):
            matrix[self.bots.index(bot), self.first_change + number] = 1
        return matrix

    def value_and_slope(self, at: Floats) -> tuple[float, Floats]:
        """Return the log density and its derivatives."""
        value, slope = -float(at @ self.prior @ at) / 2, -self.prior @ at
        for alike in self.alike:
            local, parameters = self._local(alike, at)
            value += float(self._likelihood(alike, local).sum())
            for column, one in enumerate(_steps(local)):
                change = self._likelihood(alike, local + one) - self._likelihood(alike, local - one)
                for owner, weight in parameters[column]:
                    np.add.at(slope, owner[owner >= 0], (weight * change / (2 * STEP))[owner >= 0])
        return value, slope

    def curvature(self, at: Floats) -> Floats:
        """Return minus the matrix of second derivatives."""
        matrix = self.prior.copy()
        for alike in self.alike:
            local, parameters = self._local(alike, at)
            steps = list(_steps(local))
            for a, one in enumerate(steps):
                for b, other in enumerate(steps):
                    second = (
                        self._likelihood(alike, local + one + other)
                        - self._likelihood(alike, local + one - other)
                        - self._likelihood(alike, local - one + other)
                        + self._likelihood(alike, local - one - other)
                    ) / (4 * STEP**2)
                    for row, of_row in parameters[a]:
                        for column, of_column in parameters[b]:
                            known = (row >= 0) & (column >= 0)
                            weighted = of_row * of_column * second
                            np.add.at(matrix, (row[known], column[known]), -weighted[known])
        return matrix

    def _local(self, alike: _Alike, at: Floats) -> tuple[Floats, list[list[tuple[Ints, Floats]]]]:
        """Return, for each game, the strengths of its seats and the logarithms of delta, with the parameters that move
        each.

        Each parameter has the share by which it moves the value.
        """
        strengths = at[alike.bots] + np.where(alike.places >= 0, at[alike.places], 0)
        strengths += np.where(alike.changes >= 0, alike.shares * at[alike.changes], 0)
        ties = np.tile(at[self.first_tie : self.first_change], (len(strengths), 1))
        whole = np.ones(len(strengths))
        seats = [
            [
                (alike.bots[:, seat], whole),
                (alike.places[:, seat], whole),
                (alike.changes[:, seat], alike.shares[:, seat]),
            ]
            for seat in range(strengths.shape[1])
        ]
        own = [[(np.full(len(strengths), self.first_tie + number), whole)] for number in range(ties.shape[1])]
        return np.hstack([strengths, ties]), [*seats, *own]

    def _likelihood(self, alike: _Alike, local: Floats) -> Floats:
        """Return the log probability of each game, choice by choice."""
        seats = alike.bots.shape[1]
        weights = np.exp(local[:, :seats])
        deltas = np.hstack([np.ones((len(local), 1)), np.exp(local[:, seats:])])
        total = np.zeros(len(local))
        first = 0
        for size in alike.groups:
            remaining = range(first, seats)
            if len(remaining) > 1:
                of_all = sum(
                    deltas[:, t - 1] * weights[:, list(group)].prod(axis=1) ** (1 / t)
                    for t in range(1, min(self.largest, len(remaining)) + 1)
                    for group in combinations(remaining, t)
                )
                chosen = deltas[:, size - 1] * weights[:, first : first + size].prod(axis=1) ** (1 / size)
                total += np.log(chosen / of_all)
            first += size
        return total


def _prior(
    versions: Sequence[int],
    bot_of: Mapping[int, int],
    others: Sequence[float],
    spread: float = PRIOR_SD,
    changes: Mapping[int, float] | None = None,
) -> Floats:
    """Return the prior precision of all parameters. It is built from the differences that are drawn one by one.

    `spread` is the standard deviation of first versions in points. `others` are the standard deviations of the other
    parameters. `changes` are those of the changes in points, by version.
    """
    changing = list(changes or {})
    deviations = np.array([spread / POINTS] * len(versions) + [*others])
    deviations = np.append(deviations, [deviation / POINTS for deviation in (changes or {}).values()])
    differences = np.eye(len(deviations))
    for place, version in enumerate(versions):
        if earlier := _before(version, versions, bot_of):
            former = max(earlier)
            deviations[place] = VERSION_SD / POINTS
            differences[place, versions.index(former)] = -1
            if former in changing:
                differences[place, len(versions) + len(others) + changing.index(former)] = -1
    scaled: Floats = differences / deviations[:, None]
    return scaled.T @ scaled


def _before(version: int, versions: Sequence[int], bot_of: Mapping[int, int]) -> list[int]:
    bot = bot_of.get(version)
    return [earlier for earlier in versions if earlier < version and bot is not None and bot_of.get(earlier) == bot]


def _steps(local: Floats) -> Iterator[Floats]:
    yield from STEP * np.eye(local.shape[1])


def slow_fit(
    games: Sequence[RatedGame],
    reference: Collection[int] = (),
    bot_of: Mapping[int, int] | None = None,
    spread: float = PRIOR_SD,
    constant: Collection[int] = (),
) -> SlowFit:
    """Return the result of `batch.fit` for this spread."""
    bot_of = bot_of or {}
    posterior = _Posterior(games, bot_of, spread)

    def downwards(at: Floats) -> tuple[float, Floats]:
        value, slope = posterior.value_and_slope(at)
        return -value, -slope

    start = np.zeros(len(posterior.prior))
    start[posterior.first_tie :] = -1
    options = {"maxiter": 5000, "maxfun": 20_000, "ftol": 1e-13, "gtol": 1e-6}
    at = minimize(downwards, start, jac=True, method="L-BFGS-B", options=options).x
    for _ in range(2):  # refine the last digits
        at = at + np.linalg.solve(posterior.curvature(at), posterior.value_and_slope(at)[1])
    bots = posterior.bots
    variances = np.diag(inv(posterior.curvature(at)))
    first = [place for place, each in enumerate(bots) if not _before(each, bots, bot_of)]
    squares = [POINTS**2 * (at[place] ** 2 + variances[place]) for place in first] + [PRIOR_SD**2] * KNOWN
    possible = {drift: share for drift, share in DRIFTS.items() if not drift or not set(bots) <= set(constant)}
    by_drift = [_at_last(_Posterior(games, bot_of, spread, constant, drift), at) for drift in possible]
    evidence = np.array([each.evidence for each in by_drift])
    weights = np.array(list(possible.values())) * np.exp(evidence - evidence.max())
    weights /= weights.sum()
    means: Floats = np.average([each.means for each in by_drift], axis=0, weights=weights)
    # Mean of the squares minus the square of the mean.
    squared = np.average(
        [each.covariance + np.outer(each.means, each.means) for each in by_drift], axis=0, weights=weights
    )
    covariance: Floats = squared - np.outer(means, means)
    drift = float(weights @ np.square(list(possible))) ** 0.5
    before = _Posterior(games, bot_of, spread, constant, drift)
    precision = inv(covariance)
    # A mixture may carry slightly less information than the prior; negative eigenvalues count as 0.
    values, vectors = np.linalg.eigh(precision - inv(before.at_last @ inv(before.prior) @ before.at_last.T))
    of_games: Floats = vectors @ np.diag(np.maximum(values, 0)) @ vectors.T
    played = tuple(sum(bot in game.bots for game in games) for bot in bots)
    return SlowFit(
        _against_mean(bots, means, covariance, played, reference),
        Gaussian(of_games, precision @ means),
        float(np.mean(squares)) ** 0.5,
        drift,
    )


class _AtLast(NamedTuple):
    """Ratings at the last game of each bot for a known drift, in units of the logarithm."""

    means: Floats
    covariance: Floats
    evidence: float
    """Log-likelihood of the drift, up to a constant."""


def _at_last(posterior: _Posterior, constant: Floats) -> _AtLast:
    """Compute them by one step from the maximum of the constant-strength fit, for all parameters together."""
    start = np.zeros(len(posterior.prior))
    start[: len(constant)] = constant
    curvature = posterior.curvature(start)
    value, slope = posterior.value_and_slope(start)
    step = np.linalg.solve(curvature, slope)
    determinants = np.linalg.slogdet(posterior.prior)[1] - np.linalg.slogdet(curvature)[1]
    of_all = posterior.at_last
    return _AtLast(
        of_all @ (start + step), of_all @ inv(curvature) @ of_all.T, value + float(slope @ step + determinants) / 2
    )


def _against_mean(
    bots: Sequence[int], means: Floats, covariance: Floats, played: tuple[int, ...], reference: Collection[int]
) -> Ratings:
    """Return the differences from the mean of the reference, or of all bots if it is empty."""
    centre = np.eye(len(bots))
    for column, bot in enumerate(bots):
        if not reference:
            centre[:, column] -= 1 / len(bots)
        elif bot in reference:
            centre[:, column] -= 1 / len(set(reference).intersection(bots))
    return Ratings(tuple(bots), MEAN + POINTS * centre @ means, POINTS**2 * centre @ covariance @ centre.T, played)


def slow_standings(ratings: Ratings) -> list[RatedStanding]:
    """Return the result of `standing.standings`, with rank intervals from separate draws."""
    order = sorted(range(len(ratings.bots)), key=lambda bot: (-ratings.ratings[bot], ratings.bots[bot]))
    drawn = np.random.default_rng(1).multivariate_normal(ratings.ratings, ratings.covariance, DRAWS, method="eigh")
    normal = NormalDist()
    scores = []
    for one, other in pairwise(order):
        spread = ratings.covariance[one, one] + ratings.covariance[other, other] - 2 * ratings.covariance[one, other]
        scores.append(float((ratings.ratings[one] - ratings.ratings[other]) / spread**0.5))
    rows = []
    for place, bot in enumerate(order):
        ranks = np.sort(1 + (drawn > drawn[:, [bot]]).sum(axis=1))
        error = float(ratings.covariance[bot, bot]) ** 0.5
        below = scores[place] if place < len(scores) else None
        neighbours = [score for score in (below, scores[place - 1] if place else None) if score is not None]
        fewest = min(ratings.games[one] for one in order[place : place + 2])
        rows.append(
            RatedStanding(
                bot=ratings.bots[bot],
                rating=float(ratings.ratings[bot]),
                low=float(ratings.ratings[bot]) - 1.96 * error,
                high=float(ratings.ratings[bot]) + 1.96 * error,
                rank=place + 1,
                best_rank=int(ranks[DRAWS // 40]),
                worst_rank=int(ranks[-DRAWS // 40]),
                better=None if below is None else normal.cdf(below),
                is_settled=all(score >= 1.96 for score in neighbours),
                games_needed=None if below is None else _games_needed(below, fewest),
            )
        )
    return rows


def _games_needed(score: float, games: int) -> int | None:
    more = games * max(0.0, 1.96**2 / score**2 - 1) if score else float("inf")
    return None if more >= 5_000 else int(-(-more // 1))


def slow_overall(
    fits: Sequence[SlowFit], tau: float, reference: Collection[int] = (), bot_of: Mapping[int, int] | None = None
) -> tuple[Ratings, float]:
    """Return the result of `overall.overall` for this tau in points, and tau's log-likelihood up to a constant.

    It uses one normal density of the strengths and of all differences on the ladders.
    """
    bots = sorted({bot for fit in fits for bot in fit.ratings.bots})
    many, size = len(bots), len(bots) * (1 + len(fits))
    precision, linear = _prior(bots, bot_of or {}, [tau / POINTS] * (size - many)), np.zeros(size)
    of_prior = float(np.linalg.slogdet(precision)[1])
    for number, fit in enumerate(fits, start=1):
        common = np.array([bots.index(bot) for bot in fit.ratings.bots])
        own = common + number * many
        for rows in (common, own):
            linear[rows] += fit.likelihood.linear
            for columns in (common, own):
                precision[np.ix_(rows, columns)] += fit.likelihood.precision
    covariance: Floats = inv(precision)
    evidence = float(linear @ covariance @ linear - np.linalg.slogdet(precision)[1] + of_prior) / 2
    played = tuple(
        sum(dict(zip(fit.ratings.bots, fit.ratings.games, strict=True)).get(bot, 0) for fit in fits) for bot in bots
    )
    ratings = _against_mean(bots, (covariance @ linear)[:many], covariance[:many, :many], played, reference)
    return ratings, evidence
