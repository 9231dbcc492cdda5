"""The published ratings once more, from the formulas in docs/ratings.md and by other means: a check of `batch`,
`standing` and `overall`, with which this shares constants and forms of results, and no calculation.

Weights are plain numbers, groups are listed, all derivatives are differences, the maximum is sought by SciPy. It takes
some ten times as long.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from statistics import NormalDist

import numpy as np
from scipy.linalg import inv
from scipy.optimize import minimize

from arena.ratings.batch import KNOWN, MEAN, PLACE_SD, POINTS, PRIOR_SD, TIE_SD, Game, Gaussian, Ratings
from arena.ratings.choices import Floats, Ints
from arena.ratings.model import VERSION_SD
from arena.ratings.standing import Standing

STEP = 1e-4
"""Of differences, in units of the logarithm."""
DRAWS = 20_000


@dataclass(frozen=True)
class SlowFit:
    """Of one ladder."""

    ratings: Ratings
    likelihood: Gaussian
    expected_spread: float
    """Of the field, given what the games say with the spread that was assumed; points. They are equal where the
    assumed one is right."""


@dataclass(frozen=True)
class _Alike:
    """Games with equally many seats and equal ties: strengths are those of the first place first."""

    groups: tuple[int, ...]
    """How many seats share the first place, the second one, and so on."""
    bots: Ints
    """Games × seats: the parameter of each."""
    places: Ints
    """The parameter of its place in the first bidding; -1 where it is not known."""


class _Posterior:
    """The density of all parameters: ratings, place terms, logarithms of delta from 2 on; in units of the logarithm."""

    def __init__(self, games: Sequence[Game], bot_of: Mapping[int, int], spread: float) -> None:
        self.bots = sorted({bot for game in games for bot in game.bots})
        places = sorted({(len(game.bots), place) for game in games for place in game.bidding})
        self.largest = max(game.placements.count(place) for game in games for place in game.placements)
        self.first_tie = len(self.bots) + len(places)
        others = [PLACE_SD / POINTS] * len(places) + [TIE_SD] * (self.largest - 1)
        self.prior = _prior(self.bots, bot_of, others, spread)
        by_form: dict[tuple[int, ...], list[tuple[list[int], list[int]]]] = {}
        for game in games:
            order = sorted(range(len(game.bots)), key=lambda seat: game.placements[seat])
            groups = tuple(game.placements.count(place) for place in sorted(set(game.placements)))
            bots = [self.bots.index(game.bots[seat]) for seat in order]
            own = [
                len(self.bots) + places.index((len(game.bots), game.bidding[seat])) if game.bidding else -1
                for seat in order
            ]
            by_form.setdefault(groups, []).append((bots, own))
        self.alike = [
            _Alike(groups, np.array([bots for bots, _ in all_]), np.array([own for _, own in all_]))
            for groups, all_ in by_form.items()
        ]

    def value_and_slope(self, at: Floats) -> tuple[float, Floats]:
        """The logarithm of the density, and its derivatives."""
        value, slope = -float(at @ self.prior @ at) / 2, -self.prior @ at
        for alike in self.alike:
            local, parameters = self._local(alike, at)
            value += float(self._likelihood(alike, local).sum())
            for column, one in enumerate(_steps(local)):
                change = self._likelihood(alike, local + one) - self._likelihood(alike, local - one)
                for owner in parameters[column]:
                    np.add.at(slope, owner[owner >= 0], (change / (2 * STEP))[owner >= 0])
        return value, slope

    def curvature(self, at: Floats) -> Floats:
        """Minus the matrix of second derivatives."""
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
                    for row in parameters[a]:
                        for column in parameters[b]:
                            known = (row >= 0) & (column >= 0)
                            np.add.at(matrix, (row[known], column[known]), -second[known])
        return matrix

    def _local(self, alike: _Alike, at: Floats) -> tuple[Floats, list[list[Ints]]]:
        """Per game the strengths of its seats and the logarithms of delta, and the parameters that each moves with."""
        strengths = at[alike.bots] + np.where(alike.places >= 0, at[alike.places], 0)
        ties = np.tile(at[self.first_tie :], (len(strengths), 1))
        seats = [[alike.bots[:, seat], alike.places[:, seat]] for seat in range(strengths.shape[1])]
        own = [[np.full(len(strengths), self.first_tie + number)] for number in range(ties.shape[1])]
        return np.hstack([strengths, ties]), [*seats, *own]

    def _likelihood(self, alike: _Alike, local: Floats) -> Floats:
        """The logarithm of the probability of each game, choice after choice."""
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
    versions: Sequence[int], bot_of: Mapping[int, int], others: Sequence[float], spread: float = PRIOR_SD
) -> Floats:
    """The precision of all parameters before any game: of the ratings by the differences that are drawn one by one,
    those of first versions with this spread in points, and of others, with these standard deviations."""
    deviations = np.array([spread / POINTS] * len(versions) + [*others])
    differences = np.eye(len(deviations))
    for place, version in enumerate(versions):
        if former := _before(version, versions, bot_of):
            deviations[place] = VERSION_SD / POINTS
            differences[place, versions.index(max(former))] = -1
    scaled: Floats = differences / deviations[:, None]
    return scaled.T @ scaled


def _before(version: int, versions: Sequence[int], bot_of: Mapping[int, int]) -> list[int]:
    bot = bot_of.get(version)
    return [one for one in versions if one < version and bot is not None and bot_of.get(one) == bot]


def _steps(local: Floats) -> Iterator[Floats]:
    yield from STEP * np.eye(local.shape[1])


def slow_fit(
    games: Sequence[Game],
    reference: Collection[int] = (),
    bot_of: Mapping[int, int] | None = None,
    spread: float = PRIOR_SD,
) -> SlowFit:
    """What `batch.fit` gives with this spread."""
    posterior = _Posterior(games, bot_of or {}, spread)

    def downwards(at: Floats) -> tuple[float, Floats]:
        value, slope = posterior.value_and_slope(at)
        return -value, -slope

    start = np.zeros(len(posterior.prior))
    start[posterior.first_tie :] = -1
    options = {"maxiter": 5000, "maxfun": 20_000, "ftol": 1e-13, "gtol": 1e-6}
    at = minimize(downwards, start, jac=True, method="L-BFGS-B", options=options).x
    for _ in range(2):  # the last digits
        at = at + np.linalg.solve(posterior.curvature(at), posterior.value_and_slope(at)[1])
    bots = len(posterior.bots)
    covariance: Floats = inv(posterior.curvature(at))[:bots, :bots]
    played = tuple(sum(bot in game.bots for game in games) for bot in posterior.bots)
    precision = inv(covariance)
    first = [place for place, one in enumerate(posterior.bots) if not _before(one, posterior.bots, bot_of or {})]
    squares = [POINTS**2 * (at[place] ** 2 + covariance[place, place]) for place in first] + [PRIOR_SD**2] * KNOWN
    return SlowFit(
        _against_mean(posterior.bots, at[:bots], covariance, played, reference),
        Gaussian(precision - posterior.prior[:bots, :bots], precision @ at[:bots]),
        float(np.mean(squares)) ** 0.5,
    )


def _against_mean(
    bots: Sequence[int], means: Floats, covariance: Floats, played: tuple[int, ...], reference: Collection[int]
) -> Ratings:
    """Differences to the mean of the reference; of all bots if that is empty."""
    centre = np.eye(len(bots))
    for column, bot in enumerate(bots):
        if not reference:
            centre[:, column] -= 1 / len(bots)
        elif bot in reference:
            centre[:, column] -= 1 / len(set(reference).intersection(bots))
    return Ratings(tuple(bots), MEAN + POINTS * centre @ means, POINTS**2 * centre @ covariance @ centre.T, played)


def slow_standings(ratings: Ratings) -> list[Standing]:
    """What `standing.standings` gives; rank intervals by draws of its own."""
    order = sorted(range(len(ratings.bots)), key=lambda bot: (-ratings.ratings[bot], ratings.bots[bot]))
    drawn = np.random.default_rng(1).multivariate_normal(ratings.ratings, ratings.covariance, DRAWS, method="eigh")
    normal = NormalDist()
    scores = []
    for one, other in pairwise(order):
        spread = ratings.covariance[one, one] + ratings.covariance[other, other] - 2 * ratings.covariance[one, other]
        scores.append(float((ratings.ratings[one] - ratings.ratings[other]) / spread**0.5))
    found = []
    for place, bot in enumerate(order):
        ranks = np.sort(1 + (drawn > drawn[:, [bot]]).sum(axis=1))
        error = float(ratings.covariance[bot, bot]) ** 0.5
        below = scores[place] if place < len(scores) else None
        neighbours = [score for score in (below, scores[place - 1] if place else None) if score is not None]
        fewest = min(ratings.games[one] for one in order[place : place + 2])
        found.append(
            Standing(
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
    return found


def _games_needed(score: float, games: int) -> int | None:
    more = games * max(0.0, 1.96**2 / score**2 - 1) if score else float("inf")
    return None if more >= 5_000 else int(-(-more // 1))


def slow_overall(
    fits: Sequence[SlowFit], tau: float, reference: Collection[int] = (), bot_of: Mapping[int, int] | None = None
) -> tuple[Ratings, float]:
    """What `overall.overall` gives with this tau (points), by one normal density of the strengths and of all that is
    added to them on the ladders; and the logarithm of tau's likelihood, up to a constant."""
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
