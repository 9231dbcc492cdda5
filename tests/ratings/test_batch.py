"""Ratings from all games at once: by hand, against `choix`, and against a slow likelihood defined here."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from itertools import combinations
from math import exp, inf, log, log10, pi, prod, sqrt

import choix
import numpy as np
import pytest
from scipy.optimize import minimize

from arena.ratings.batch import PLACE_SD, POINTS, PRIOR_SD, TIE_SD, BatchFit, RatedGame, Ratings, fit
from arena.ratings.model import VERSION_SD
from arena.ratings.standing import standings
from arena.simulation.ladder import draw_placements

FLAT = 1e6


def games_of(
    strengths: Sequence[float], many: int, seed: int, *, ties: bool = True, bidding: bool = True
) -> list[RatedGame]:
    """Return games of 2 to 5 bots, drawn evenly; strengths are in points.

    Places in the bidding are worth 40, 20, 0, … points.
    """
    chance = np.random.default_rng(seed)
    found = []
    while len(found) < many:
        bots = tuple(int(bot) for bot in chance.choice(len(strengths), int(chance.integers(2, 6)), replace=False))
        order = tuple(int(place) + 1 for place in chance.permutation(len(bots)))
        worth = [(strengths[bot] + 60 - 20 * place) / POINTS for bot, place in zip(bots, order, strict=True)]
        placements = draw_placements(worth, chance)
        if ties or len(set(placements)) == len(placements):
            found.append(RatedGame(bots, placements, order if bidding else ()))
    return found


def difference(found: BatchFit) -> tuple[float, float]:
    """Return the difference of the first two bots, and its variance."""
    c = found.covariance
    return float(found.ratings[0] - found.ratings[1]), float(c[0, 0] + c[1, 1] - 2 * c[0, 1])


def test_who_rates_match_by_match_does_not_load_numpy() -> None:
    code = (
        "import sys; import arena.ratings, arena.scheduling; sys.exit('numpy' in sys.modules or 'scipy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_three_wins_to_one_are_odds_of_three_to_one() -> None:
    """The variance of the logarithm of odds is 1 / (n p q)."""
    found = fit([RatedGame((7, 9), (1, 2))] * 3 + [RatedGame((9, 7), (1, 2))], spread=FLAT, constant=(7, 9))
    gap, variance = difference(found)
    assert gap == pytest.approx(400 * log10(3), rel=1e-6)
    assert variance == pytest.approx(POINTS**2 / (4 * 0.75 * 0.25), rel=1e-6)
    assert (found.bots, found.games, found.ties) == ((7, 9), (4, 4), ())
    assert found.ratings.mean() == pytest.approx(1500)


def test_two_of_eight_games_tied_by_equals() -> None:
    """Davidson: a tie has the probability delta / (2 + delta), here 1/4. The prior of log delta changes it little."""
    games = [RatedGame((1, 2), (1, 2)), RatedGame((1, 2), (2, 1))] * 3 + [RatedGame((1, 2), (1, 1))] * 2
    found = fit(games, constant=(1, 2))
    assert found.ties == (pytest.approx(2 / 3, rel=0.01),)
    assert difference(found)[0] == pytest.approx(0, abs=1e-6)


def test_ten_to_one_is_400_points_whatever_the_ties() -> None:
    games = [RatedGame((1, 2), (1, 2))] * 10 + [RatedGame((1, 2), (2, 1))] + [RatedGame((1, 2), (1, 1))] * 4
    found = fit(games, spread=FLAT, constant=(1, 2))
    assert difference(found)[0] == pytest.approx(400, abs=2)


def test_against_choix() -> None:
    games = games_of(np.linspace(-300, 300, 9).tolist(), 150, 3, ties=False, bidding=False)
    rankings = [[game.bots[game.placements.index(place)] for place in range(1, len(game.bots) + 1)] for game in games]
    ours = fit(games, constant=range(9))
    theirs = choix.opt_rankings(9, rankings, alpha=(POINTS / ours.spread) ** 2 / 2, tol=1e-10)
    assert ours.ratings - 1500 == pytest.approx(POINTS * (theirs - theirs.mean()), abs=0.05)


# The second, slow implementation: the model as published, in products, with the documented priors.


def slow_probability(
    game: RatedGame, strength: dict[int, float], worth: dict[tuple[int, int], float], delta: Sequence[float]
) -> float:
    """Return the probability of the placements; strengths and values of places are factors."""
    seats = range(len(game.bots))
    factor = [strength[game.bots[seat]] * worth.get((len(seats), game.bidding[seat]), 1) for seat in seats]

    def weight(group: tuple[int, ...]) -> float:
        return delta[len(group) - 1] * prod(factor[seat] for seat in group) ** (1 / len(group))

    left, probability = tuple(seats), 1.0
    for place in sorted(set(game.placements)):
        chosen = tuple(seat for seat in left if game.placements[seat] == place)
        all_groups = [group for size in range(1, min(len(left), len(delta)) + 1) for group in combinations(left, size)]
        probability *= weight(chosen) / sum(weight(group) for group in all_groups)
        left = tuple(seat for seat in left if seat not in chosen)
    return probability


def slow_density(
    at: Sequence[float], games: Sequence[RatedGame], bots: int, places: Sequence[tuple[int, int]], spread: float
) -> float:
    """Return the log posterior density up to a constant; parameters are logarithms: bots, places, deltas."""
    strength = {bot: exp(at[bot]) for bot in range(bots)}
    worth = {place: exp(at[bots + number]) for number, place in enumerate(places)}
    delta = [1.0, *(exp(value) for value in at[bots + len(places) :])]
    deviations = [spread / POINTS] * bots + [PLACE_SD / POINTS] * len(places) + [TIE_SD] * (len(delta) - 1)
    prior = -sum((value / deviation) ** 2 / 2 for value, deviation in zip(at, deviations, strict=True))
    return prior + sum(log(slow_probability(game, strength, worth, delta)) for game in games)


@pytest.mark.slow
def test_against_a_slow_likelihood() -> None:
    bots = 5
    games = [
        *games_of([0, 100, -50, 200, 30], 40, 11),
        RatedGame((0, 1, 2), (1, 1, 1), (2, 3, 1)),
        RatedGame((3, 4), (1, 1), (1, 2)),
    ]
    places = sorted({(len(game.bots), place) for game in games for place in game.bidding})
    size = bots + len(places) + 2
    fast = fit(games, constant=range(bots))

    def density(at: Sequence[float]) -> float:
        return slow_density(at, games, bots, places, fast.spread)

    options = {"ftol": 1e-15, "gtol": 1e-7, "maxiter": 500}
    best = minimize(lambda at: -density(at), np.full(size, 0.0), method="L-BFGS-B", options=options).x
    step = 1e-3
    hessian = np.zeros((size, size))
    units = step * np.eye(size)
    for one in range(size):
        for other in range(one + 1):
            values = [
                density(best + first * units[one] + second * units[other])
                for first, second in ((1, 1), (1, -1), (-1, 1), (-1, -1))
            ]
            hessian[one, other] = hessian[other, one] = (values[0] - values[1] - values[2] + values[3]) / (4 * step**2)
    covariance = np.linalg.inv(-hessian)[:bots, :bots]
    centre = np.eye(bots) - 1 / bots

    assert fast.ratings - 1500 == pytest.approx(POINTS * centre @ best[:bots], abs=0.1)
    assert fast.covariance == pytest.approx(POINTS**2 * centre @ covariance @ centre, rel=1e-3, abs=1)
    assert np.log(fast.ties) == pytest.approx(best[-2:], abs=1e-3)
    four = POINTS * best[[bots + places.index((4, place)) for place in range(1, 5)]]
    assert [fast.places[4, place][0] for place in range(1, 5)] == pytest.approx(four - four.mean(), abs=0.1)


def test_what_is_known_is_found() -> None:
    """In 4,000 games, 400 points are 10 to 1 (slope 1 ± .05), intervals cover, and places have their true values."""
    truth = np.random.default_rng(8).normal(0, 200, 40)
    found = fit(games_of(truth.tolist(), 4000, 9))
    shown, true = found.ratings - 1500, truth - truth.mean()
    assert np.polyfit(true, shown, 1)[0] == pytest.approx(1, abs=0.05)
    assert np.mean(abs(shown - true) <= 1.96 * np.sqrt(np.diag(found.covariance))) >= 0.85
    for place, worth in zip(range(1, 5), (30, 10, -10, -30), strict=True):
        value, error = found.places[4, place]
        assert abs(value - worth) < 3 * error < 30
    assert found.ties[0] == pytest.approx(0.02, abs=0.006)


def test_the_covariance_agrees_with_a_bootstrap() -> None:
    games = games_of(np.linspace(-150, 150, 10).tolist(), 500, 21)
    chance = np.random.default_rng(22)
    drawn = [[games[number] for number in chance.integers(0, len(games), len(games))] for _ in range(100)]
    found = fit(games, constant=range(10))
    ratings = np.array([fit(sample, spread=found.spread, constant=range(10)).ratings for sample in drawn])
    ratio = ratings.std(axis=0, ddof=1) / np.sqrt(np.diag(found.covariance))
    # A standard deviation from 100 samples has an error of 7 %; the mean of ten of them has much less.
    assert ratio.mean() == pytest.approx(1, abs=0.08)
    assert ratio.min() > 0.75 and ratio.max() < 1.3


@pytest.mark.parametrize("true", [60, 150, 500])
def test_the_spread_is_where_its_likelihood_is_highest(true: float) -> None:
    """The information from the games about the ratings is normal, with precision L and linear term h.

    If ratings are drawn with standard deviation s, the integral over them is exp(h · (L + I / s²)⁻¹ h / 2) / √|I + s²
    L|. Four more bots are 400 off.
    """
    games = games_of(np.random.default_rng(4).normal(0, true, 30).tolist(), 300, 23)
    found = fit(games, constant=range(30))
    precision, linear = found.likelihood
    values, vectors = np.linalg.eigh(precision)
    squares = (vectors.T @ linear) ** 2

    def evidence(spread: float) -> float:
        s = spread / POINTS
        known = -4 * log(s) - 4 * (PRIOR_SD / spread) ** 2 / 2
        return float((squares / (values + s**-2)).sum() - np.log(1 + s**2 * values).sum()) / 2 + known

    grid = np.geomspace(30, 1000, 1000)
    assert found.spread == pytest.approx(grid[np.argmax([evidence(spread) for spread in grid])], rel=0.03)
    assert found.spread == pytest.approx(sqrt((30 * true**2 + 4 * PRIOR_SD**2) / 34), rel=0.25)


def test_ratings_are_against_the_reference() -> None:
    games = games_of([0, 0, 100, 300, -100], 300, 5)
    found, anchored = fit(games), fit(games, reference={0, 1, 77})
    assert anchored.ratings[:2].mean() == pytest.approx(1500)
    assert np.diff(anchored.ratings) == pytest.approx(np.diff(found.ratings))
    assert anchored.covariance[:2, :2].sum() == pytest.approx(0, abs=1e-6)
    assert difference(anchored)[1] == pytest.approx(difference(found)[1])


@pytest.mark.parametrize(
    ("game", "message"),
    [
        (RatedGame((1,), (1,)), "two or more"),
        (RatedGame((1, 1), (1, 2)), "different bots"),
        (RatedGame((1, 2), (1,)), "a placement for each"),
        (RatedGame((1, 2), (1, 2), (1, 3)), "first bidding must be 1 to 2"),
    ],
)
def test_what_is_no_game_is_refused(game: RatedGame, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        fit([RatedGame((1, 2), (1, 2)), game])


def test_nothing_to_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="no games"):
        fit([])
    with pytest.raises(ValueError, match="of the reference"):
        fit([RatedGame((1, 2), (1, 2))], reference={3})


def made(ratings: Sequence[float], covariance: Sequence[Sequence[float]], games: Sequence[int]) -> Ratings:
    return Ratings(tuple(range(1, len(ratings) + 1)), np.array(ratings), np.array(covariance, float), tuple(games))


def test_standings_by_hand() -> None:
    """One difference is 50 with a standard error of sqrt(900 + 900 - 2 × 275) = 35.4; another is 450 with 42.4."""
    first, second, third = standings(
        made([1650, 1700, 1200], [[900, 275, 0], [275, 900, 0], [0, 0, 900]], [200, 100, 90])
    )
    assert [one.bot for one in (first, second, third)] == [2, 1, 3]
    assert first[:4] == (2, 1700, pytest.approx(1700 - 58.8), pytest.approx(1700 + 58.8))
    score = 50 / sqrt(1250)
    # The normal distribution by Simpson's rule.
    grid = np.linspace(0, score, 201)
    weights = np.where(np.arange(201) % 2 == 1, 4, 2) - np.isin(np.arange(201), (0, 200))
    area = (grid[1] / 3) * float(weights @ np.exp(-(grid**2) / 2)) / sqrt(2 * pi)
    assert first.better == pytest.approx(0.5 + area, abs=1e-9)
    assert second.better == pytest.approx(1) and third.better is None
    assert [(one.best_rank, one.worst_rank) for one in (first, second, third)] == [(1, 2), (1, 2), (3, 3)]
    assert [one.is_settled for one in (first, second, third)] == [False, False, True]
    # 100 games gave the variance 1250; (50 / 1.96)² = 650.8 needs 192.1 games.
    assert [one.games_needed for one in (first, second, third)] == [93, 0, None]


def test_equals_are_not_told_apart_by_any_number_of_games() -> None:
    first, second = standings(made([1500, 1500], [[100, 0], [0, 100]], [50, 50]))
    assert (first.bot, first.better, first.games_needed) == (1, 0.5, None) and inf > second.worst_rank == 2


# Versions: each version of a bot begins at the rating of the previous one.


def test_a_version_begins_where_the_one_before_it_stands() -> None:
    """By hand, a win and a loss against an equal of the earlier version are two games of p q = 1/4, added to the
    prior.

    Without an earlier version, the prior is that of a new bot, against two whose mean level has half its variance.
    """
    former, other, new = 1, 2, 3
    games = [RatedGame((former, other), (1, 2)), RatedGame((other, former), (1, 2))] * 2000
    games += [RatedGame((new, other), (1, 2)), RatedGame((other, new), (1, 2))]
    gap = np.array([-1, 0, 1])
    for bot_of, prior in (({former: 9, new: 9}, VERSION_SD**2), ({}, PRIOR_SD**2 * 3 / 2)):
        found = fit(games, bot_of=bot_of, spread=PRIOR_SD, constant=(former, other, new))
        assert found.ratings == pytest.approx([1500] * 3, abs=0.01)
        assert gap @ found.covariance @ gap == pytest.approx(1 / (1 / prior + 2 / 4 / POINTS**2), rel=0.005)


def test_intervals_of_versions_cover() -> None:
    """Simulate many bots with two versions that differ by the assumed amount. The first has some 50 games, the second
    5.

    Nineteen of twenty intervals contain the truth. The second version is known as well as it would be alone after some
    15 games.
    """
    bots, chance = 150, np.random.default_rng(8)
    first = chance.normal(0, 400, bots)
    truth = np.concatenate([first, first + chance.normal(0, VERSION_SD, bots)])
    games = []
    for later, rounds in ((0, 36), (bots, 8)):  # in each, two bots of three play against first versions
        for _ in range(rounds):
            for one, other in zip(chance.permutation(bots)[:100], chance.permutation(bots)[:100], strict=True):
                if one != other:
                    table = (int(one) + later, int(other))
                    games.append(RatedGame(table, draw_placements([truth[bot] / POINTS for bot in table], chance)))
    found = fit(games, bot_of={version: version % bots for version in range(2 * bots)})
    assert found.bots == tuple(range(2 * bots))
    error, deviation = found.ratings - 1500 - (truth - truth.mean()), np.sqrt(np.diag(found.covariance))
    covers = abs(error) <= 1.96 * deviation
    assert 0.92 <= covers.mean() <= 0.98
    assert 0.90 <= covers[bots:].mean() <= 0.99
    assert np.sqrt((error[bots:] ** 2).mean()) < VERSION_SD, "without the former versions it is 240"
