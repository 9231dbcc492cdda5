"""One strength over several ladders: compared with one large normal density of all strengths, and with a known tau."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from arena.ratings.batch import POINTS, PRIOR_SD, BatchFit, RatedGame, fit
from arena.ratings.choices import Floats
from arena.ratings.overall import Overall, overall

SIGMA = PRIOR_SD / POINTS


def play(ratings: dict[int, float], games: int, draw: np.random.Generator) -> list[RatedGame]:
    """Return games of two to four seats, by the Plackett-Luce model: the order of exponential times."""
    bots = sorted(ratings)
    played = []
    for number in range(games):
        table = tuple(int(bot) for bot in draw.choice(bots, 2 + number % 3, replace=False))
        times = [draw.exponential() / np.exp(ratings[bot] / POINTS) for bot in table]
        played.append(RatedGame(table, tuple(int(place) for place in 1 + np.argsort(np.argsort(times)))))
    return played


def world(bots: int, ladders: int, games: int, tau: float, seed: int) -> tuple[Floats, list[BatchFit]]:
    """Return true strengths in points, and the fit of each ladder. Each bot plays on all ladders but one."""
    draw = np.random.default_rng(seed)
    strengths = draw.normal(0, PRIOR_SD, bots)
    fits = []
    for ladder in range(ladders):
        own = strengths + draw.normal(0, tau, bots)
        played = play({b: own[b] for b in range(bots) if b % ladders != ladder}, games, draw)
        fits.append(fit(played, constant=range(bots)))
    return strengths, fits


def slowly(fits: list[BatchFit], bots: int, tau: float) -> tuple[Floats, Floats]:
    """Return the mean and covariance of the strengths, in points, by one normal density.

    The ratings of all ladders are drawn together with the strengths, each ladder's prior is undone, and everything is
    conditioned on the fits.
    """
    size = bots * (1 + len(fits))
    mixing = np.zeros((size, size))  # of s and all d: the strengths, then the ratings of each ladder
    mixing[:, :bots] = np.tile(np.eye(bots), (1 + len(fits), 1))
    mixing[bots:, bots:] = np.eye(size - bots)
    spread = np.concatenate([np.full(bots, SIGMA**2), np.full(size - bots, (tau / POINTS) ** 2)])
    precision = np.linalg.inv(mixing @ np.diag(spread) @ mixing.T)
    linear = np.zeros(size)
    for number, each in enumerate(fits, start=1):
        own = bots * number + np.array(each.bots)
        precision[np.ix_(own, own)] += each.likelihood.precision
        linear[own] += each.likelihood.linear
    covariance = np.linalg.inv(precision)
    centre = np.eye(bots) - 1 / bots
    means = centre @ (covariance @ linear)[:bots]
    return 1500 + POINTS * means, POINTS**2 * centre @ covariance[:bots, :bots] @ centre


def test_it_is_the_density_of_all_strengths_together() -> None:
    bots = 9
    _, fits = world(bots, 3, 150, 120, seed=1)
    found = overall(fits)
    ratings, covariance = slowly(fits, bots, found.tau)
    assert found.ratings.bots == tuple(range(bots))
    assert np.allclose(found.ratings.ratings, ratings, atol=1e-6)
    assert np.allclose(found.ratings.covariance, covariance, rtol=1e-6, atol=1e-3)
    assert sum(found.ratings.games) == sum(sum(each.games) for each in fits)


def evidence(estimates: list[Floats], errors: list[Floats], tau: float) -> float:
    """Return tau's log-likelihood if each ladder has ratings with these errors, by a dense density."""
    bots = len(estimates[0])
    covariance = np.kron(np.ones((len(estimates),) * 2), SIGMA**2 * np.eye(bots)) + (tau / POINTS) ** 2 * np.eye(
        len(estimates) * bots
    )
    covariance += np.diag(np.concatenate(errors) ** 2)
    return float(multivariate_normal(np.zeros(len(covariance)), covariance).logpdf(np.concatenate(estimates)))


def test_tau_is_where_its_likelihood_is_highest() -> None:
    draw = np.random.default_rng(3)
    strengths = draw.normal(0, SIGMA, 25)
    errors = [np.full(25, 0.2), np.full(25, 0.4), np.full(25, 0.3)]
    estimates = [strengths + draw.normal(0, 0.7, 25) + draw.normal(0, error) for error in errors]
    template = fit([RatedGame((bot, bot + 1), (1, 2)) for bot in range(24)], constant=range(25))
    fits = [
        BatchFit(**{**vars(template), "likelihood": type(template.likelihood)(np.diag(error**-2.0), value / error**2)})
        for value, error in zip(estimates, errors, strict=True)
    ]
    grid = np.exp(np.arange(np.log(50), np.log(900), 0.05))
    best = grid[np.argmax([evidence(estimates, errors, tau) for tau in grid])]
    assert overall(fits).tau == pytest.approx(best, rel=0.06)


@pytest.fixture(scope="module")
def many() -> list[tuple[float, Floats, Overall]]:
    return [
        (tau, strengths, overall(fits))
        for tau in (40, 200)
        for strengths, fits in [world(40, 3, 700, tau, seed=int(tau))]
    ]


def test_what_ladders_share_is_found(many: list[tuple[float, Floats, Overall]]) -> None:
    for tau, strengths, found in many:
        assert found.tau == pytest.approx(tau, rel=0.35)
        assert found.correlation == pytest.approx(strengths.var() / (strengths.var() + tau**2), abs=0.06)


def test_intervals_hold_the_strengths(many: list[tuple[float, Floats, Overall]]) -> None:
    for _, strengths, found in many:
        off = np.abs(found.ratings.ratings - 1500 - (strengths - strengths.mean()))
        assert np.mean(off < 1.96 * np.sqrt(np.diag(found.ratings.covariance))) >= 0.87


def test_one_ladder_has_nothing_to_share() -> None:
    with pytest.raises(ValueError, match="two ladders"):
        overall([fit([RatedGame((1, 2), (1, 2))])])
