"""The example on the page learns: in the soak tests against `random`, every day on a problem with a known answer."""

from __future__ import annotations

import numpy as np
import pytest

from arena.research.train import ActionPolicy, share_won, train


def test_a_policy_learns_which_action_pays_in_which_situation() -> None:
    """Two situations with three actions, of which the last is illegal; in each situation another action pays."""
    policy = ActionPolicy(2, 3, np.random.default_rng(1))
    observations = np.tile(np.eye(2, dtype=np.float32), (100, 1))
    masks = np.tile([True, True, False], (200, 1))
    before, _ = policy.probabilities(observations[:2], masks[:2])
    assert before == pytest.approx(np.array([[0.5, 0.5, 0], [0.5, 0.5, 0]]))
    for _ in range(300):
        actions = policy.choose(observations, masks)
        assert set(actions) <= {0, 1}
        pays = actions == observations.argmax(axis=1)
        policy.learn(observations, masks, actions, pays.astype(np.float32))
    after, _ = policy.probabilities(observations[:2], masks[:2])
    assert after[0, 0] > 0.9 and after[1, 1] > 0.9 and not after[:, 2].any()


def test_actions_are_drawn_with_their_probabilities() -> None:
    policy = ActionPolicy(1, 4, np.random.default_rng(2))
    policy.weights[2][:] = np.log([1, 2, 3, 4])
    drawn = policy.choose(np.zeros((12_000, 1), np.float32), np.tile([True, True, False, True], (12_000, 1)))
    # 1/7, 2/7 and 4/7 of 12,000; five standard deviations are at most 275.
    assert np.bincount(drawn, minlength=4) == pytest.approx([1714, 3429, 0, 6857], abs=275)


@pytest.mark.soak
def test_minutes_of_learning_beat_random() -> None:
    assert share_won(train(updates=60), "random", games=200) > 0.8
