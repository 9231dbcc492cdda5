"""Strengths that change: compared with an integral that is computed point by point, and with known changes."""

from __future__ import annotations

import numpy as np
import pytest

from arena.ratings.batch import DRIFTS, POINTS, VERSION_SD, RatedGame, Ratings, fit
from arena.ratings.choices import Floats
from arena.simulation.ladder import draw_placements

WIN, LOSS = RatedGame((1, 2), (1, 2)), RatedGame((1, 2), (2, 1))
LEARNS = [LOSS, WIN, LOSS] * 6 + [LOSS, WIN] * 9 + [WIN, LOSS, WIN] * 6
"""Games of bot 1 against bot 2: it wins a third, then a half, then two thirds, for a third of the games each."""
SPREAD = 300


def gap(found: Ratings) -> tuple[float, float]:
    """Return the difference of the first two bots, and its standard error."""
    c = found.covariance
    return float(found.ratings[0] - found.ratings[1]), float(c[0, 0] + c[1, 1] - 2 * c[0, 1]) ** 0.5


def integrated(games: list[RatedGame], constant: int | None) -> tuple[float, float, float]:
    """Return the mean and standard deviation of the current gap between the two bots, and the drift.

    They are sums over all starts and changes. The gap starts normal with √2 × the spread. Its gain in 80 games is
    normal with the drift, or √2 times that if both bots change.
    """
    start = np.arange(-1200, 1201, 12.0)[:, None]
    change = np.arange(-1800, 1801, 12.0)[None, :]
    height = -((start / SPREAD) ** 2) / 4
    for number, game in enumerate(games):
        win = 1 if game.placements == (1, 2) else -1
        height = height - np.log1p(np.exp(-win * (start + (number + 0.5) / 80 * change) / POINTS))
    density = np.zeros(height.shape)
    squares = 0.0
    for drift, probability in DRIFTS.items():
        sd = drift if constant else 2**0.5 * drift
        prior = np.exp(-((change / sd) ** 2) / 2) if drift else (change == 0).astype(float)
        part = probability * np.exp(height) * prior / prior.sum()
        density += part
        squares += drift**2 * part.sum()
    total = density.sum()
    now = start + len(games) / 80 * change
    mean = (density * now).sum() / total
    return float(mean), float(((density * (now - mean) ** 2).sum() / total) ** 0.5), float((squares / total) ** 0.5)


@pytest.mark.parametrize("games", [LEARNS, LEARNS[::-1], [WIN, LOSS] * 30], ids=["learns", "forgets", "stays"])
@pytest.mark.parametrize("constant", [2, None])
def test_beside_an_integral(games: list[RatedGame], constant: int | None) -> None:
    """A normal density at the maximum of constant strengths agrees with the integral within some points."""
    found = fit(games, spread=SPREAD, constant=[constant] if constant else [])
    mean, deviation, drift = integrated(games, constant)
    assert gap(found) == (pytest.approx(mean, abs=10), pytest.approx(deviation, rel=0.08))
    assert found.drift == pytest.approx(drift, rel=0.08)


def test_who_is_constant_does_not_change() -> None:
    both = fit(LEARNS, constant=(1, 2))
    assert (both.drift, gap(both)) == (0, gap(fit(LEARNS[::-1], constant=(1, 2))))
    assert gap(both)[0] == pytest.approx(0, abs=0.01) and gap(fit(LEARNS))[0] > 30


def test_a_version_starts_where_the_former_one_is_now() -> None:
    """A new version starts at the current strength of the previous one.

    The previous version, 1, has improved much against 2, which is constant. The new version, 3, has one win, against
    4, which is as strong as 2. One game moves a rating by less than half its prior variance, in units of POINTS.
    """
    games = [
        *[LOSS] * 40,
        *[LOSS, WIN] * 20,
        *[WIN] * 40,
        *[RatedGame((2, 4), (1, 2)), RatedGame((4, 2), (1, 2))] * 200,
    ]
    found = fit([*games, RatedGame((3, 4), (1, 2))], bot_of={1: 9, 3: 9}, constant=(2, 4), spread=SPREAD)
    now = {bot: float(points) for bot, points in zip(found.bots, found.ratings, strict=True)}
    assert now[1] - now[2] > 200, "it has lost as often as it has won"
    assert -20 < now[3] - now[1] < VERSION_SD**2 / POINTS / 2


def drifting(drift: float, seed: int) -> tuple[list[RatedGame], Floats]:
    """Return 80 games each of 40 bots, two at a table, and their current strengths in points."""
    chance = np.random.default_rng(seed)
    start, change = chance.normal(0, 200, 40), chance.normal(0, drift, 40)
    games: list[RatedGame] = []
    rounds = 80
    for number in range(rounds):
        at = (start + (number + 0.5) / rounds * change) / POINTS
        for table in chance.permutation(40).reshape(-1, 2).tolist():
            games.append(RatedGame(tuple(table), draw_placements([float(at[bot]) for bot in table], chance)))
    return games, start + change


def covered(found: Ratings, truth: Floats) -> float:
    error = found.ratings - 1500 - (truth - truth.mean())
    return float(np.mean(abs(error) <= 1.96 * np.sqrt(np.diag(found.covariance))))


def test_changes_are_found_where_there_are_some() -> None:
    shown, known = [], []
    for seed in range(2):
        games, truth = drifting(200, seed)
        found = fit(games)
        assert found.drift == pytest.approx(200, rel=0.5)
        shown.append(covered(found, truth))
        known.append(covered(fit(games, constant=range(40)), truth))
    assert np.mean(shown) >= 0.9 and np.mean(known) < 0.75


def test_and_hardly_any_where_there_are_none() -> None:
    wider = []
    for seed in range(2):
        games, truth = drifting(0, seed)
        found, constant = fit(games), fit(games, constant=range(40))
        assert found.drift < VERSION_SD / 2 and covered(found, truth) >= 0.9
        wider.append(np.sqrt(np.diag(found.covariance) / np.diag(constant.covariance)).mean())
    assert 1 <= np.mean(wider) < 1.1
