"""Simulated tests of version against version: properties of blocks, error rates, and the table in the docs."""

from __future__ import annotations

import re
import shlex

import numpy as np
import pytest
from typer.testing import CliRunner

from arena.cli.simulate import app
from arena.ratings.sequential import Answer, Hypotheses, Seen, Trial, expected_score
from arena.simulation.sequential import DEAL, TIE, play_blocks, simulate
from tests.simulation.test_simulation import DOCUMENT


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_blocks_have_the_mean_and_the_variance_that_is_stated(players: int) -> None:
    """For equals, a game's variance is (1 - TIE) / 4, from which the deal takes DEAL² away."""
    scores = play_blocks(players, 0, (400, 250), np.random.default_rng(1))
    assert set(np.unique(scores * 2 * players)) == set(range(2 * players + 1))
    assert scores.mean() == pytest.approx(0.5, abs=0.005)
    assert scores.var() * players == pytest.approx((1 - TIE) / 4 - DEAL**2, rel=0.02)
    better = play_blocks(players, 60, (400, 250), np.random.default_rng(2))
    assert better.mean() == pytest.approx(expected_score(60), abs=0.005)


def test_many_tests_at_once_are_one_after_the_other() -> None:
    """Compare the arrays of the simulation with the test itself, given the same blocks."""
    hypotheses = Hypotheses(2, margin=60, most=300)
    scores = play_blocks(2, 30, (40, 300), np.random.default_rng(3))
    number = np.arange(1, 301)
    totals, squares = scores.cumsum(axis=1), (scores**2).cumsum(axis=1)
    llr = number / 2 * np.log(hypotheses.likelihoods(number, totals, squares))
    answers = set()
    for test, blocks in enumerate(scores):
        trial = Trial(hypotheses)
        for score in blocks:
            trial.add(round(score * 4))
        assert trial.curve == pytest.approx(llr[test, : trial.blocks])
        end = trial.blocks - 1
        seen = Seen.of(hypotheses, trial.answer, trial.blocks, totals[test, end], squares[test, end])
        estimate = trial.estimate()
        assert estimate is not None and seen.probability(estimate.points) == pytest.approx(0.5, abs=1e-6)
        answers.add(trial.answer)
    assert answers >= {Answer.YES, Answer.NO}


def test_the_same_seed_gives_the_same_row() -> None:
    rows = [simulate(Hypotheses(3, margin=80), 40, 50, seed) for seed in (1, 1, 2)]
    assert rows[0] == rows[1] != rows[2]


def test_two_equal_versions_and_a_better_one_are_told_as_often_as_is_stated() -> None:
    """4,000 tests each: the standard error is .0034."""
    for truth, wrong in ((0.0, "yes"), (40.0, "no")):
        row = simulate(Hypotheses(2, margin=40), truth, 4000, 1)._asdict()
        assert row[wrong] < 0.05 + 3 * 0.0034 and row["coverage"] == pytest.approx(0.95, abs=3 * 0.0034)


def test_the_documented_table_is_what_the_command_prints() -> None:
    """The small table has figures drawn from the same seed; the wide one is 15 times as long."""
    found = re.findall(r"^```text\n\$ arena simulate (tests.*)\n((?:.+\n)+)```$", DOCUMENT.read_text(), re.MULTILINE)
    command, lines = min(found, key=lambda block: len(block[1]))
    result = CliRunner().invoke(app, shlex.split(command))
    assert result.exit_code == 0, result.output
    assert result.output == lines
