"""Many games in lock step, for learners that play all seats themselves: arrays of NumPy in and out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arena.research.actions import action_space
from arena.research.arguments import ArgumentError, action_of, count_of, ruleset_of, seeds_of
from arena.research.episodes import Episode, rewards
from arena.research.observations import observations
from arena.rules import IllegalAction, view
from arena.rules.chance import SEED_BYTES


class Batch(NamedTuple):
    """The requests of all games, and the results of games that ended in the last step. The arrays are always new."""

    observations: NDArray[np.float32]
    """(count, observations(ruleset).size): the view of the seat that is to act."""
    masks: NDArray[np.bool_]
    """(count, action_space(ruleset).size): the legal actions, at least two."""
    seats: NDArray[np.int64]
    """(count,): the seat that is to act, from 0."""
    rewards: NDArray[np.float32]
    """(count, players): `episodes.rewards` of the step by seat; 0 except for games that have ended."""
    ended: NDArray[np.bool_]
    """(count,): whether the step ended the game. Except for rewards and scores, the other fields are those of the next
    game."""
    scores: NDArray[np.int64]
    """(count, players): the VP of a game that has ended, 0 for others."""


class FiveTribesVector:
    """`count` games at once. A game that ends is replaced by a new one in the same step.

    `players` (2 to 5) and `expansions` ("artisans", "whims") select the game; other values raise `ArgumentError`.

    >>> games = FiveTribesVector(count=3)
    >>> batch = games.reset(seed=1)
    >>> batch.observations.shape, batch.masks.shape, batch.seats
    ((3, 1021), (3, 3347), array([0, 1, 1]))

    >>> batch = games.step(batch.masks.argmax(axis=1))
    >>> batch.rewards.tolist(), batch.ended.tolist()
    ([[0.0, 0.0], [0.0, 0.0], [0.0, 0.0]], [False, False, False])
    """

    def __init__(self, count: int = 256, players: int = 2, expansions: Sequence[str] = ()) -> None:
        self.count = count_of(count)
        """Number of games."""
        self.ruleset = ruleset_of(players, expansions)
        """The ruleset of the games."""
        self.actions, self.observations = action_space(self.ruleset), observations(self.ruleset)
        self._episodes: list[Episode] = []

    def reset(self, seed: int | None = None) -> Batch:
        """Begin new games, which depend only on the seed."""
        self._seeds = seeds_of(seed)
        self._episodes = [self._begun() for _ in range(self.count)]
        return self._batch({})

    def step(self, actions: ArrayLike) -> Batch:
        """Play an action in each game: an array of `count` indices.

        Raises `ArgumentError` for another array, or for a value that is not the index of an action. Raises
        `IllegalAction` with the rule for an action that is illegal in its game. After an error no game has changed.
        """
        if not self._episodes:
            raise RuntimeError("there are no games yet: call reset() first")
        chosen = np.asarray(actions)
        if chosen.shape != (self.count,) or not np.issubdtype(chosen.dtype, np.integer):
            raise ArgumentError("actions", f"{self.count} whole numbers", actions)
        for number, index in enumerate(chosen):
            action_of(index, self.actions.size, f"actions[{number}]")
        played = [self.actions.actions[index] for index in chosen]
        for number, (episode, action) in enumerate(zip(self._episodes, played, strict=True)):
            try:
                episode.state.check(action)
            except IllegalAction as error:
                raise IllegalAction(error.code, f"{error.message}, in game {number}", error.rule) from error
        ended: dict[int, Episode] = {}
        for number, (episode, action) in enumerate(zip(self._episodes, played, strict=True)):
            episode.play(action)
            if episode.state.is_over:
                ended[number] = episode
                self._episodes[number] = self._begun()
        return self._batch(ended)

    def _begun(self) -> Episode:
        return Episode(self.ruleset, self._seeds.bytes(SEED_BYTES))

    def _batch(self, ended: dict[int, Episode]) -> Batch:
        seen = np.zeros((self.count, self.observations.size), np.float32)
        masks = np.zeros((self.count, self.actions.size), np.bool_)
        seats = np.zeros(self.count, np.int64)
        for number, episode in enumerate(self._episodes):
            state = episode.state
            seats[number] = state.to_act - 1
            masks[number, self.actions.legal(state)] = True
            self.observations.write(view(state, state.to_act), seen[number])
        values = np.zeros((self.count, self.ruleset.players), np.float32)
        scores = np.zeros((self.count, self.ruleset.players), np.int64)
        for number, episode in ended.items():
            outcome = episode.state.outcome
            assert outcome is not None
            values[number] = rewards(episode.state)
            scores[number] = [score["total"] for score in outcome.scores]
        is_ended = np.zeros(self.count, np.bool_)
        is_ended[list(ended)] = True
        return Batch(seen, masks, seats, values, is_ended, scores)
