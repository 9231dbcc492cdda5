"""The game for several learners: an environment of PettingZoo in which agents act one after the other (AEC)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv  # type: ignore[import-untyped]

from arena.research.actions import action_space
from arena.research.arguments import action_of, render_mode_of, ruleset_of, seeds_of
from arena.research.episodes import Episode, drawn, rewards
from arena.research.observations import HIGHEST, observations
from arena.rules import view
from arena.rules.chance import SEED_BYTES

Observation = dict[str, NDArray[Any]]


class FiveTribesAEC(AECEnv):  # type: ignore[misc]
    """Five Tribes with an agent for each seat: `seat_1`, `seat_2`, …

    An observation is `{"observation": float32 (observations(ruleset).size,), "action_mask": int8
    (action_space(ruleset).size,)}`. The mask is all zeros for an agent that is not to act. The reward is
    `episodes.rewards`, given at the end; `infos` then has every agent's `score` (VP) and `rank`. A single legal action
    is played without asking. Nothing is truncated.

    `players` (2 to 5) and `expansions` ("artisans", "whims") select the game; other values raise `ArgumentError`. With
    `render_mode="ansi"`, `render()` returns the board as text.

    >>> env = FiveTribesAEC(players=2)
    >>> env.reset(seed=1)
    >>> observation, reward, terminated, truncated, info = env.last()
    >>> observation["observation"].shape, observation["action_mask"].shape, env.agent_selection
    ((1021,), (3347,), 'seat_1')
    >>> env.step(env.action_space("seat_1").sample(observation["action_mask"]))
    """

    metadata = {"name": "five_tribes_v1", "render_modes": ["ansi"], "is_parallelizable": False}  # noqa: RUF012

    def __init__(self, players: int = 2, expansions: Sequence[str] = (), render_mode: str | None = None) -> None:
        super().__init__()
        self._ruleset = ruleset_of(players, expansions)
        self.render_mode = render_mode_of(render_mode)
        self._actions, self._observations = action_space(self._ruleset), observations(self._ruleset)
        self.possible_agents = [f"seat_{seat + 1}" for seat in range(players)]
        self.agents: list[str] = []
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents, 1)}
        self.observation_spaces = {agent: self._observation_space() for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(self._actions.size) for agent in self.possible_agents}
        self._seeds = seeds_of(None)
        self._episode: Episode | None = None

    def _observation_space(self) -> spaces.Dict:
        return spaces.Dict(
            {
                "observation": spaces.Box(0, HIGHEST, (self._observations.size,), np.float32),
                "action_mask": spaces.Box(0, 1, (self._actions.size,), np.int8),
            }
        )

    def observation_space(self, agent: str) -> spaces.Dict:
        """Return the space of an agent's observations, the same for all agents."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Return the space of an agent's actions, the same for all agents. Its `sample` takes the mask."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a new game. The seed determines it and all games after it. `options` is ignored."""
        if seed is not None:
            self._seeds = seeds_of(seed)
        self._episode = Episode(self._ruleset, self._seeds.bytes(SEED_BYTES))
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self._agent_to_act()

    def observe(self, agent: str) -> Observation:
        """Return an agent's observation and its mask of legal actions."""
        state = self._running.state
        seat = self._seats[agent]
        mask = np.zeros(self._actions.size, np.int8)
        if seat == state.to_act:
            mask[self._actions.legal(state)] = 1
        return {"observation": self._observations.of(view(state, seat)), "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Play the action of the selected agent; `None` for an agent whose game is over.

        Raises `ArgumentError` for a value that is not the index of an action, and `IllegalAction` with the rule for an
        illegal action.
        """
        episode = self._running
        if not self.agents:
            raise RuntimeError("the game is over: call reset()")
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        chosen = self._actions.actions[action_of(action, self._actions.size)]
        episode.state.check(chosen)
        episode.play(chosen)
        self._cumulative_rewards[self.agent_selection] = 0.0
        outcome = episode.state.outcome
        if outcome is None:
            self.agent_selection = self._agent_to_act()
        else:
            values = rewards(episode.state)
            for seat, agent in enumerate(self.agents):
                self.rewards[agent] = values[seat]
                self.terminations[agent] = True
                self.infos[agent] = {"score": outcome.scores[seat]["total"], "rank": outcome.ranks[seat]}
        self._accumulate_rewards()
        self._deads_step_first()

    def render(self) -> str | None:
        """Return the pending decision and the board as text with `render_mode="ansi"`; otherwise `None`."""
        return drawn(self._running.state) if self.render_mode else None

    def close(self) -> None:
        """Do nothing: there is nothing to close."""

    @property
    def _running(self) -> Episode:
        if self._episode is None:
            raise RuntimeError("there is no game yet: call reset() first")
        return self._episode

    def _agent_to_act(self) -> str:
        """Return the agent that is to act."""
        return self.possible_agents[self._running.state.to_act - 1]
