"""A policy that learns by self-play until it beats `random`: NumPy alone, a few minutes.

    python -m arena.research.train

It is a network with one hidden layer. After each batch of games every decision becomes more likely the larger its
seat's lead was (REINFORCE). The lead is the margin in VP, because it says more than the winner alone.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.research.single import FiveTribesSingle
from arena.research.vector import FiveTribesVector

GAMES, BATCH, HIDDEN, RATE = 128, 4096, 64, 2e-3
Array = NDArray[np.float32]


class ActionPolicy:
    """Probabilities of actions, computed from observations, and their learning."""

    def __init__(self, observed: int, actions: int, rng: np.random.Generator) -> None:
        self.rng = rng
        self.weights: list[Array] = [
            rng.normal(0, observed**-0.5, (observed, HIDDEN)).astype(np.float32),
            np.zeros((HIDDEN, actions), np.float32),
            np.zeros(actions, np.float32),
        ]
        self.moments = [(np.zeros_like(weight), np.zeros_like(weight)) for weight in self.weights]
        self.updates = 0

    def probabilities(self, observations: Array, masks: NDArray[np.bool_]) -> tuple[Array, Array]:
        """Return the probability of each action, 0 for illegal ones, and the hidden layer. Each decision is one row."""
        into, out, bias = self.weights
        hidden = np.tanh(observations @ into)
        logits = np.where(masks, hidden @ out + bias, -np.inf)
        odds = np.exp(logits - logits.max(axis=1, keepdims=True))
        return odds / odds.sum(axis=1, keepdims=True), hidden

    def choose(self, observations: Array, masks: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return an action for each row, drawn with these probabilities."""
        upto = self.probabilities(observations, masks)[0].cumsum(axis=1)
        drawn = self.rng.random(len(upto)) * upto[:, -1]
        chosen: NDArray[np.int64] = (upto > drawn[:, None]).argmax(axis=1)
        return chosen

    def learn(self, observations: Array, masks: NDArray[np.bool_], actions: Any, returns: Array) -> None:
        """Make actions with high returns more likely, by one step of Adam."""
        odds, hidden = self.probabilities(observations, masks)
        gain = (returns - returns.mean()) / (returns.std() + 1e-6) / len(returns)
        slope = -odds * gain[:, None]
        slope[np.arange(len(actions)), actions] += gain
        into = observations.T @ (slope @ self.weights[1].T * (1 - hidden**2))
        self.updates += 1
        for n, gradient in enumerate((into, hidden.T @ slope, slope.sum(axis=0))):
            mean, square = self.moments[n]
            mean += 0.1 * (gradient - mean)
            square += 0.001 * (gradient**2 - square)
            step = mean / (1 - 0.9**self.updates) / (np.sqrt(square / (1 - 0.999**self.updates)) + 1e-8)
            self.weights[n] += RATE * step


def train(updates: int, seed: int = 1) -> ActionPolicy:
    """Play against itself and learn, for `updates` updates."""
    games = FiveTribesVector(count=GAMES, players=2)
    policy = ActionPolicy(games.observations.size, games.actions.size, np.random.default_rng(seed))
    batch = games.reset(seed=seed)
    running: list[list[tuple[Any, ...]]] = [[] for _ in range(GAMES)]
    decisions: list[tuple[Any, ...]] = []
    while policy.updates < updates:
        actions = policy.choose(batch.observations, batch.masks)
        for game in range(GAMES):
            running[game].append((batch.observations[game], batch.masks[game], actions[game], batch.seats[game]))
        batch = games.step(actions)
        for game in np.flatnonzero(batch.ended).tolist():
            ahead = batch.scores[game] - batch.scores[game][::-1]
            decisions += [(*decision[:3], np.float32(ahead[decision[3]])) for decision in running[game]]
            running[game] = []
        if len(decisions) >= BATCH:
            policy.learn(*(np.array(column) for column in zip(*decisions, strict=True)))
            decisions = []
            print(f"update {policy.updates} of {updates}", file=sys.stderr)
    return policy


def share_won(policy: ActionPolicy, opponent: str, games: int, seed: int = 1) -> float:
    """Return the share of games won against a house player, from 0 to 1; a tie is half a win."""
    env, won = FiveTribesSingle([opponent]), 0.0
    env.reset(seed=seed)
    for _ in range(games):
        observation, _ = env.reset()
        ended, reward = False, 0.0
        while not ended:
            action = policy.choose(observation[None], env.action_masks()[None])[0]
            observation, reward, ended, *_ = env.step(action)
        won += (reward + 1) / 2
    return won / games


if __name__ == "__main__":
    learnt = train(updates=100)
    print(f"wins {share_won(learnt, 'random', games=200):.0%} against random")
