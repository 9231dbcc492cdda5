"""The game for one learner against house players: an environment of Gymnasium.

It is registered: `gymnasium.make("arena.research.single:naqala/FiveTribes-v1", opponents=["greedy"])`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from arena.research.actions import Mask, action_space
from arena.research.arguments import action_of, opponents_of, player_of, render_mode_of, ruleset_of, seeds_of
from arena.research.episodes import Episode, drawn, rewards
from arena.research.observations import HIGHEST, Vector, observations
from arena.rules import view
from arena.rules.chance import SEED_BYTES

SEAT = 1
"""Seat of the learner. The first bidder is drawn by chance, so no seat is better than another."""


class LegalDiscrete(spaces.Discrete):
    """The indices of actions. Without a mask, `sample` draws from the actions that are legal now.

    >>> env = FiveTribesSingle(["random"])
    >>> observation, info = env.reset(seed=1)
    >>> bool(info["action_mask"][env.action_space.sample()])
    True
    """

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self.legal: NDArray[np.int8] | None = None
        """1 for each action that is legal now; `None` before the first game."""

    def sample(self, mask: NDArray[np.int8] | None = None, probability: NDArray[np.int8] | None = None) -> np.int64:
        """Return an index as `Discrete` draws it; without mask and probabilities that of a legal action."""
        if mask is None and probability is None:
            mask = self.legal
        return super().sample(mask, probability)


class FiveTribesSingle(gymnasium.Env[Vector, np.int64]):
    """Five Tribes at seat 1, with a house player at each of the other seats.

    An observation is float32 (observations(ruleset).size,), an action an index of action_space(ruleset). As in
    Gymnasium's own environments `info["action_mask"]`, int8, marks the legal actions; `action_masks()` returns them as
    booleans, which sb3-contrib needs. The reward is `episodes.rewards`, given at the end; `info` then has `scores` (VP
    of all seats) and `rank`. A single legal action is played without asking. Nothing is truncated.

    `opponents` are names of house players, such as "random" or "greedy", one for each other seat. Their number
    therefore determines the number of players. `expansions` are "artisans" and "whims". Other values raise
    `ArgumentError`. With `render_mode="ansi"`, `render()` returns the board as text.

    >>> env = FiveTribesSingle(["random", "random"])
    >>> observation, info = env.reset(seed=1)
    >>> observation.shape, info["action_mask"].shape
    ((1121,), (3352,))
    >>> observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012

    def __init__(
        self, opponents: Sequence[str] = ("random",), expansions: Sequence[str] = (), render_mode: str | None = None
    ) -> None:
        self._opponents = opponents_of(opponents)
        self._ruleset = ruleset_of(len(self._opponents) + 1, expansions)
        self.render_mode = render_mode_of(render_mode)
        self._actions, self._observations = action_space(self._ruleset), observations(self._ruleset)
        self.action_space: LegalDiscrete = LegalDiscrete(self._actions.size)
        self.observation_space = spaces.Box(0, HIGHEST, (self._observations.size,), np.float32)
        self._episode: Episode | None = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Vector, dict[str, Any]]:
        """Begin a new game. The seed determines it and all games after it. `options` is ignored."""
        seeds_of(seed)
        super().reset(seed=seed)
        seeds = self.np_random
        house = {seat: player_of(name, seeds) for seat, name in enumerate(self._opponents, SEAT + 1)}
        self._episode = Episode(self._ruleset, seeds.bytes(SEED_BYTES), house)
        return self._seen(), self._info()

    def step(self, action: np.int64 | int) -> tuple[Vector, float, bool, bool, dict[str, Any]]:
        """Play an action, and those of the others until the learner must decide again or the game is over.

        Raises `ArgumentError` for a value that is not the index of an action, and `IllegalAction` with the rule for an
        illegal action.
        """
        episode = self._running
        chosen = self._actions.actions[action_of(action, self._actions.size)]
        episode.state.check(chosen)
        episode.play(chosen)
        state = episode.state
        return self._seen(), rewards(state)[SEAT - 1], state.is_over, False, self._info()

    def action_masks(self) -> Mask:
        """Return the mask of the legal actions: shape (size,)."""
        return self._actions.mask(self._running.state)

    def _seen(self) -> Vector:
        return self._observations.of(view(self._running.state, SEAT))

    def _info(self) -> dict[str, Any]:
        mask = self.action_masks().astype(np.int8)
        self.action_space.legal = mask.copy()
        outcome = self._running.state.outcome
        if outcome is None:
            return {"action_mask": mask}
        scores = [score["total"] for score in outcome.scores]
        return {"action_mask": mask, "scores": scores, "rank": outcome.ranks[SEAT - 1]}

    def render(self) -> str | None:
        """Return the pending decision and the board as text with `render_mode="ansi"`; otherwise `None`."""
        return drawn(self._running.state) if self.render_mode else None

    @property
    def _running(self) -> Episode:
        if self._episode is None:
            raise RuntimeError("there is no game yet: call reset() first")
        return self._episode


gymnasium.register("naqala/FiveTribes-v1", entry_point=f"{__name__}:{FiveTribesSingle.__name__}")
