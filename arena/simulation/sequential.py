"""Simulation of the test of version against version: many tests of two versions whose difference is known.

In each game of a block, A is placed above B with a probability equal to the expected score plus an effect of the seat.
In game k the effect is √2 · `DEAL` · cos(2π (k / n) + φ), where φ is drawn for the deal. The effects of a block add up
to 0. A block's score therefore has 1 - 4 · `DEAL`² of the variance of independent games between equals.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import pi, sqrt
from typing import Final, NamedTuple

import numpy as np

from arena.ratings.choices import Floats
from arena.ratings.sequential import Answer, Hypotheses, Seen, expected_score

DEAL: Final = 0.22
"""Root mean square of the effect of a seat on the expected score. It leaves .81 of the variance of independent
games."""
TIE: Final = 0.02
_STEP: Final = 128
"""Number of blocks that are played at once."""


class OutcomeRow(NamedTuple):
    """Outcomes of the tests of one difference."""

    players: int
    truth: float
    """Points by which A is better."""
    yes: float
    no: float
    open: float
    """Shares of the tests."""
    games: float
    """Mean number of games of a test."""
    coverage: float
    """Share of 95 % intervals that contain the truth."""
    above: float
    """Share of tests whose estimate is above the truth."""


def play_blocks(players: int, points: float, shape: tuple[int, int], chance: np.random.Generator) -> Floats:
    """Return the scores of blocks in an array of this shape."""
    phase = chance.uniform(0, 2 * pi, (*shape, 1)) + 2 * pi * np.arange(players) / players
    expected = expected_score(points) + sqrt(2) * DEAL * np.cos(phase)
    drawn = chance.random((*shape, players))
    games = (drawn < expected - TIE / 2).astype(float) + (drawn < expected + TIE / 2)
    scores: Floats = games.mean(axis=2) / 2
    return scores


def simulate(hypotheses: Hypotheses, truth: float, tests: int, seed: int) -> OutcomeRow:
    """Simulate many tests of two versions of which A is better by `truth` points."""
    chance = np.random.default_rng([seed, hypotheses.players, round(truth) + 10_000])
    total, squares = np.zeros((tests, 1)), np.zeros((tests, 1))
    ended: list[Seen] = []
    blocks = 0
    while len(total) and blocks < hypotheses.most:
        step = min(_STEP, hypotheses.most - blocks)
        scores = play_blocks(hypotheses.players, truth, (len(total), step), chance)
        totals, many = total + scores.cumsum(axis=1), squares + (scores**2).cumsum(axis=1)
        number = blocks + np.arange(1, step + 1)
        llr = number / 2 * np.log(hypotheses.likelihoods(number, totals, many))
        is_yes, is_no = llr >= hypotheses.upper, llr <= hypotheses.lower
        crossed = is_yes | is_no
        has_ended, first = crossed.any(axis=1), crossed.argmax(axis=1)
        for test in np.flatnonzero(has_ended).tolist():
            at = int(first[test])
            answer = Answer.YES if is_yes[test, at] else Answer.NO
            ended.append(Seen.of(hypotheses, answer, int(number[at]), totals[test, at], many[test, at]))
        blocks += step
        total, squares = totals[~has_ended, -1:], many[~has_ended, -1:]
    for test in range(len(total)):
        ended.append(Seen.of(hypotheses, Answer.OPEN, blocks, total[test, 0], squares[test, 0]))
    return _row(hypotheses, truth, ended)


def _row(hypotheses: Hypotheses, truth: float, ended: Sequence[Seen]) -> OutcomeRow:
    answers = [test.answer for test in ended]
    seen = np.array([test.probability(truth) for test in ended])
    return OutcomeRow(
        players=hypotheses.players,
        truth=truth,
        yes=answers.count(Answer.YES) / len(ended),
        no=answers.count(Answer.NO) / len(ended),
        open=answers.count(Answer.OPEN) / len(ended),
        games=float(np.mean([test.blocks for test in ended])) * hypotheses.players,
        coverage=float(np.mean((seen >= 0.025) & (seen <= 0.975))),
        above=float(np.mean(seen < 0.5)),
    )
