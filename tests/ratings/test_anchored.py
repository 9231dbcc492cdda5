"""One player against players whose ratings are known: by hand, and against a density that is scanned here."""

from __future__ import annotations

from math import log, sqrt

import pytest

from arena.ratings.anchored import Known, rate_against
from arena.ratings.batch import MEAN, POINTS, PRIOR_SD, RatedGame

WON, LOST = RatedGame((1, 2), (1, 2)), RatedGame((1, 2), (2, 1))
EXACT = 1e-3


def test_ten_wins_for_each_loss_are_400_points() -> None:
    found = rate_against(1, [WON] * 10_000 + [LOST] * 1_000, {2: Known(1500, EXACT)})
    assert found.points == pytest.approx(1900, abs=1)
    # One game tells p (1 - p) about the logarithm of the odds, here 10/121.
    assert found.high - found.points == pytest.approx(1.96 * POINTS / sqrt(11_000 * 10 / 121), rel=0.01)


def test_the_interval_is_no_narrower_than_what_is_known_of_the_others() -> None:
    games = [WON, LOST] * 500
    exact, vague = (rate_against(1, games, {2: Known(1600, error)}) for error in (EXACT, 100))
    assert exact.points == pytest.approx(1600, abs=1) and exact.high - exact.low < 50
    # The prior of the player, with its standard deviation of 400 points, says a little about the other one.
    of_other = 1 / sqrt(1 / 100**2 + 1 / PRIOR_SD**2)
    assert vague.high - vague.low == pytest.approx(2 * 1.96 * of_other, rel=0.03)


def test_one_game_says_little() -> None:
    found = rate_against(1, [LOST], {2: Known(1500, 20)})
    assert found.points < 1500 and found.high > 1500
    assert found.high - found.low > 1000


def test_an_unknown_opponent_is_like_a_newcomer() -> None:
    assert rate_against(1, [LOST] * 3, {}) == rate_against(1, [LOST] * 3, {2: Known(MEAN, PRIOR_SD)})


def test_it_is_the_maximum_of_the_density() -> None:
    """Games of two and three, whose orders the model makes of single choices. The density is written out here."""
    games = [
        RatedGame((1, 2, 3), (2, 1, 3)), RatedGame((3, 1, 2), (1, 2, 3)), RatedGame((2, 1), (2, 1)),
        RatedGame((2, 3, 1), (3, 2, 1)),
    ]  # fmt: skip
    known = {2: Known(1650.0, EXACT), 3: Known(1450.0, EXACT)}

    def density(points: float) -> float:
        strength = {1: 10 ** (points / 400), 2: 10 ** (1650 / 400), 3: 10 ** (1450 / 400)}
        total = -(((points - MEAN) / PRIOR_SD) ** 2) / 2
        for game in games:
            order = [bot for _, bot in sorted(zip(game.placements, game.bots, strict=True))]
            total += sum(log(strength[bot] / sum(strength[each] for each in order[n:])) for n, bot in enumerate(order))
        return total

    best = max(range(10_000, 20_000), key=lambda tenths: density(tenths / 10)) / 10
    found = rate_against(1, games, known)
    assert found.points == pytest.approx(best, abs=0.1)
    bend = density(best + 1) - 2 * density(best) + density(best - 1)
    assert found.high - found.points == pytest.approx(1.96 / sqrt(-bend), rel=0.01)


def test_ties_are_between_wins_and_losses() -> None:
    tied = RatedGame((1, 2), (1, 1))
    known = {2: Known(1500, 10)}
    worse, same, better = (rate_against(1, [tied] + [game] * 3, known).points for game in (LOST, tied, WON))
    assert worse < same < better and same == pytest.approx(1500, abs=1)


def test_games_without_the_player_are_refused() -> None:
    for games in ([], [RatedGame((2, 3), (1, 2))]):
        with pytest.raises(ValueError, match="the player is missing"):
            rate_against(1, games, {})
