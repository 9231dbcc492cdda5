"""The second implementation, which checks published ratings, agrees with the first one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from arena.ratings.batch import PRIOR_SD, SAME_SPREAD, RatedGame, fit
from arena.ratings.overall import overall
from arena.ratings.slow import slow_fit, slow_overall, slow_standings
from arena.ratings.standing import standings


def some_games(seed: int, games: int = 250) -> list[RatedGame]:
    """Return games of two to four seats, with ties, some without places in the first bidding."""
    draw = np.random.default_rng(seed)
    played = []
    for number in range(games):
        seats = 2 + number % 3
        table = tuple(int(bot) for bot in draw.choice(12, seats, replace=False))
        times = [round(float(draw.exponential(np.exp(-bot / 5))), 1) for bot in table]
        bidding = tuple(int(place) for place in 1 + draw.permutation(seats)) if number % 5 else ()
        played.append(RatedGame(table, tuple(1 + sum(other < one for other in times) for one in times), bidding))
    return played


@pytest.fixture(scope="module")
def games() -> list[RatedGame]:
    return some_games(1)


BOT_OF = {0: 0, 3: 0, 4: 0, 11: 0, 5: 1, 6: 1, 8: 2}
"""Four versions of one bot, two of another, one of a third; the others are bots of their own."""


@pytest.mark.parametrize(
    ("reference", "bot_of", "constant"), [((), {}, ()), ((2, 3, 7), BOT_OF, (2, 4, 7)), ((), BOT_OF, range(12))]
)
def test_the_fit_is_the_same(
    games: list[RatedGame], reference: tuple[int, ...], bot_of: dict[int, int], constant: Sequence[int]
) -> None:
    assert any(len(set(game.placements)) < len(game.placements) for game in games), "there are ties"
    quick = fit(games, reference, bot_of=bot_of, constant=constant)
    slow = slow_fit(games, reference, bot_of, quick.spread, constant)
    assert (quick.drift > 20) == (len(constant) < 12), "the drift counts"
    assert slow.drift == pytest.approx(quick.drift, abs=0.02)
    assert slow.expected_spread == pytest.approx(quick.spread, rel=SAME_SPREAD)
    assert slow.ratings.bots == quick.bots and slow.ratings.games == quick.games
    assert np.allclose(slow.ratings.ratings, quick.ratings, atol=0.01)
    assert np.allclose(slow.ratings.covariance, quick.covariance, rtol=1e-3, atol=0.1)
    for one, other in zip(standings(quick), slow_standings(slow.ratings), strict=True):
        assert (one.bot, one.rank, one.is_settled) == (other.bot, other.rank, other.is_settled)
        assert abs(one.best_rank - other.best_rank) <= 1 and abs(one.worst_rank - other.worst_rank) <= 1
        assert (one.rating, one.low, one.high) == pytest.approx((other.rating, other.low, other.high), abs=0.02)
        assert (one.better is None) == (other.better is None) and (one.games_needed is None) == (
            other.games_needed is None
        )
        assert one.better is None or one.better == pytest.approx(other.better, abs=1e-4)
        assert one.games_needed is None or one.games_needed == pytest.approx(other.games_needed, rel=1e-3, abs=1)


@pytest.mark.parametrize("bot_of", [{}, BOT_OF], ids=["bots", "versions"])
def test_the_strengths_over_all_ladders_are_the_same(games: list[RatedGame], bot_of: dict[int, int]) -> None:
    tables, reference = [games, some_games(7)], (2, 3, 7)
    quick = overall((fit(each, bot_of=bot_of, spread=PRIOR_SD) for each in tables), reference, bot_of)
    fits = [slow_fit(each, bot_of=bot_of) for each in tables]
    slow, evidence = slow_overall(fits, quick.tau, reference, bot_of)
    assert slow.bots == quick.ratings.bots and slow.games == quick.ratings.games
    assert np.allclose(slow.ratings, quick.ratings.ratings, atol=0.01)
    assert np.allclose(slow.covariance, quick.ratings.covariance, rtol=1e-3, atol=0.1)
    assert all(slow_overall(fits, quick.tau * factor, bot_of=bot_of)[1] < evidence for factor in (0.9, 1.1))
