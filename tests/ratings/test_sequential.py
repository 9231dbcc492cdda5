"""The test of version against version: likelihoods, crossings and scores against slow computations."""

from __future__ import annotations

from itertools import pairwise
from math import exp, log
from random import Random

import pytest

from arena.ratings.sequential import (
    Answer,
    Hypotheses,
    Trial,
    crossing,
    expected_score,
    halves_of_game,
    staying,
)
from arena.scheduling.blocks import seats_of_block


def test_points_and_scores_by_hand() -> None:
    assert expected_score(400) == pytest.approx(10 / 11) and expected_score(0) == 0.5
    assert expected_score(190.85) == pytest.approx(0.75, abs=1e-5)  # 400 · log10 3
    assert [halves_of_game((2, 1, 2), *pair) for pair in ((1, 2), (2, 1), (1, 3))] == [0, 2, 1]


def slow_llr(scores: list[float], hypotheses: Hypotheses) -> float:
    """Return the LLR from both likelihoods at their maxima, found by trying variances.

    Two more blocks have the prior's variance.
    """
    prior = 1 / (4 * hypotheses.players)

    def best(expected: float) -> float:
        # Blocks of the prior's variance are centred on the mean of the others, and carry no information about it.
        mean, blocks = sum(scores) / len(scores), len(scores)
        spread = (sum((score - mean) ** 2 for score in scores) + 2 * prior) / (blocks + 2)
        squares = blocks * (spread + (mean - expected) ** 2)
        tried = (exp(-12 + 0.0005 * step) for step in range(24000))
        return max(-blocks / 2 * log(variance) - squares / (2 * variance) for variance in tried)

    return best(hypotheses.scores[1]) - best(hypotheses.scores[0])


def test_the_ratio_is_that_of_the_greatest_likelihoods() -> None:
    hypotheses = Hypotheses(3, margin=60)
    trial, halves = Trial(hypotheses), [6, 5, 6, 6, 4, 4, 6, 3]
    for one in halves:
        trial.add(one)
    assert trial.counts == [0, 0, 0, 1, 2, 1, 4] and trial.games == 24
    assert trial.llr == pytest.approx(slow_llr([one / 6 for one in halves], hypotheses), abs=1e-4)


def test_bounds_and_answers() -> None:
    hypotheses = Hypotheses(2, margin=100, most=40)
    assert (hypotheses.lower, hypotheses.upper) == (pytest.approx(-2.944, abs=0.001), pytest.approx(2.944, abs=0.001))
    for halves, due in ((4, Answer.YES), (0, Answer.NO), (2, Answer.NO)):
        trial = Trial(hypotheses)
        while trial.answer is None:
            trial.add(halves)
        assert trial.answer is due and all(abs(llr) < hypotheses.upper for llr in trial.curve[:-1])
        ended = trial.blocks
        assert trial.add(4) is due and trial.blocks == ended  # later blocks change nothing
    between = Trial(Hypotheses(2, margin=100, most=6))
    assert [between.add(halves) for halves in (2, 4, 2, 2, 4, 0)] == [None] * 5 + [Answer.OPEN]


@pytest.mark.parametrize(("wrong"), [{"margin": 0}, {"players": 1}, {"alpha": 0.5}, {"beta": 0}, {"most": 0}])
def test_what_cannot_be_tested(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=r"a test needs|error rates"):
        Hypotheses(**{"players": 2, **wrong})  # type: ignore[arg-type]


@pytest.mark.parametrize("drift", [-0.6, 0.0, 0.9])
def test_crossings_after_long_are_walds(drift: float) -> None:
    """Compare with the probability of leaving at the upper end, which has a simple formula without a time limit."""
    upper, lower = 1.5, 2.5
    due = lower / 4 if not drift else (1 - exp(2 * drift * lower)) / (exp(-2 * drift * upper) - exp(2 * drift * lower))
    assert crossing(500, upper, lower, drift) == pytest.approx(due, abs=1e-6)


@pytest.mark.parametrize(("time", "drift"), [(0.5, 0.0), (3.0, 0.8), (4.0, -0.5), (20.0, 0.1)])
def test_crossing_and_staying_against_a_random_walk(time: float, drift: float) -> None:
    """Compare with a walk on a grid, whose probabilities are added up. Its steps are small, so few cross unseen."""
    upper, lower, step = 2.0, 1.5, 0.02
    p, most = (1 + drift * step) / 2, round(time / step**2)
    up = 0.0
    cells = range(round(-lower / step) + 1, round(upper / step))
    line = [1.0 if cell == 0 else 0.0 for cell in cells]
    for _ in range(most):
        up += p * line[-1]
        line = [p * left + (1 - p) * right for left, right in zip([0.0, *line[:-1]], [*line[1:], 0.0], strict=True)]
    assert crossing(time, upper, lower, drift) == pytest.approx(up, abs=0.003)
    above = sum(chance for cell, chance in zip(cells, line, strict=True) if cell * step > 0.5)
    assert staying(time, 0.5, upper, lower, drift) == pytest.approx(above, abs=0.012)
    total = crossing(time, upper, lower, drift) + crossing(time, lower, upper, -drift)
    assert total + staying(time, -lower, upper, lower, drift) == pytest.approx(1, abs=1e-9)


def test_the_estimate_lies_in_its_interval_and_follows_the_evidence() -> None:
    trial, chance = Trial(Hypotheses(2, margin=40)), Random(5)
    widths = []
    while trial.answer is None:
        trial.add(chance.choices(range(5), (2, 3, 8, 6, 4))[0])
        estimate = trial.estimate()
        assert estimate is not None and estimate.low <= estimate.points <= estimate.high
        widths.append(estimate.half_width)
    assert trial.answer is Answer.YES and estimate.low > 0
    assert widths[-1] < widths[len(widths) // 4] < widths[1]


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_in_a_block_everybody_sits_everywhere_and_over_all_orders_follows_everybody(players: int) -> None:
    orders = {2: 1, 3: 2, 4: 6, 5: 24}[players]
    follows = {}
    for block in range(orders):
        games = seats_of_block(players, block)
        assert [sorted(column) for column in zip(*games, strict=True)] == [list(range(players))] * players
        for one, other in pairwise((*games[0], games[0][0])):
            follows[one, other] = follows.get((one, other), 0) + 1
    assert len(follows) == players * (players - 1) and len(set(follows.values())) == 1
    assert len({seats_of_block(players, block)[0] for block in range(orders)}) == orders
    assert seats_of_block(players, orders) == seats_of_block(players, 0)
