"""The game for search and learning with OpenSpiel: importing this module registers `five_tribes`.

Its parameters are `players` (2 to 5), `artisans` and `whims`: `pyspiel.load_game("five_tribes(players=3,whims=true)")`.
Chance is explicit. Dealt cards are hidden information, and later draws are chance nodes:

- The set-up is made from a seed of 32 bytes, as in every match (rules 9). Each byte is a chance node with 256 equally
  likely outcomes, so a game begins with 32 of them. The piles are then shuffled face down, and are part of the state.
- A later draw from the bag, or shuffle of a discard pile, has a chance node for each number that the rules draw for it.
  All outcomes are equally likely; the order is that of rules 9.

The history is therefore complete, and every probability is known and correct. OpenSpiel itself clones and rebuilds
states, and a search that plays on a clone does not learn later draws. Sampled chance could not do this, because its
source would be hidden in the state. Use `arena.rules.determinize` to deal what a player does not know.

An observation is that of `observations.py`. There is no information state: a view does not remember the past.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pyspiel  # type: ignore[import-not-found]

from arena.research.actions import action_space
from arena.research.arguments import ArgumentError, action_of, ruleset_of
from arena.research.episodes import drawn, rewards
from arena.research.observations import Observations, Vector, observations
from arena.rules import Ruleset, State, draw_chance, start, view
from arena.rules.chance import SEED_BYTES
from arena.rules.groups import group_size

BYTES = 256
MAX_DECISIONS = 20_000
"""An upper bound for the decisions of a game.

A turn takes at least two meeples off the board, and Anun-Nak puts back three a round. A game therefore has at most 120
turns, each with at most 120 drops and some actions after them. Random games have about 200 decisions.
"""
MAX_CHANCE_NODES = 20_000
"""An upper bound for the chance nodes of a game: three draws for an Anun-Nak a round, and at most 53 for a shuffle,
after as many discards."""


class FiveTribesGame(pyspiel.Game):  # type: ignore[misc]
    """The game of a ruleset. Raises `ArgumentError` if there is no such ruleset.

    >>> game = pyspiel.load_game("five_tribes(players=3)")
    >>> game.num_players(), game.num_distinct_actions(), game.observation_tensor_shape()
    (3, 3352, [1121])
    """

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        given = DEFAULTS | (params or {})
        names = tuple(name for name in ("artisans", "whims") if given[name])
        self.ruleset: Ruleset = ruleset_of(given["players"], names)
        """The ruleset of the game."""
        info = pyspiel.GameInfo(
            num_distinct_actions=action_space(self.ruleset).size,
            max_chance_outcomes=BYTES,
            num_players=self.ruleset.players,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=MAX_DECISIONS,
        )
        super().__init__(GAME_TYPE, info, given)

    def new_initial_state(self) -> FiveTribesState:
        """Return a game whose seed is still to be drawn."""
        return FiveTribesState(self)

    def max_chance_nodes_in_history(self) -> int:
        """Return an upper bound for the chance nodes of a game."""
        return MAX_CHANCE_NODES

    def make_py_observer(
        self, iig_obs_type: Any = None, params: dict[str, Any] | None = None
    ) -> FiveTribesObserver | None:
        """Return the observer of a seat; `None` for other kinds, such as observers with perfect recall."""
        if params:
            raise ArgumentError("params", "no parameters of observations", params)
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        is_of_a_seat = kind.public_info and kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        if not is_of_a_seat or kind.perfect_recall:
            return None
        return FiveTribesObserver(observations(self.ruleset))


class Node:
    """A place in the game: a state of the rules, and the numbers drawn for the pending chance. It never changes."""

    def __init__(self, ruleset: Ruleset, state: State | None = None, draws: tuple[int, ...] = ()) -> None:
        self.ruleset = ruleset
        self.state = state
        """State of the rules; `None` while the seed is drawn."""
        self.draws = draws
        """The drawn bytes of the seed, or the drawn numbers of a draw or shuffle."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Node:
        """Return itself: OpenSpiel clones a state by copying its parts, and a node never changes."""
        return self

    @property
    def outcomes(self) -> int:
        """Number of equally likely outcomes of the pending chance; 0 if none is pending."""
        if self.state is None:
            return BYTES
        due = self.state.due
        if due is None:
            return 0
        return (group_size(self.state.bag) if due.pile is None else due.count) - len(self.draws)

    def after_draw(self, outcome: int) -> Node:
        """Return the place after an outcome of chance."""
        draws = (*self.draws, outcome)
        if self.state is None:
            if len(draws) < SEED_BYTES:
                return Node(self.ruleset, None, draws)
            return Node(self.ruleset, start(self.ruleset, bytes(draws)))._settled()
        return Node(self.ruleset, self.state, draws)._settled()

    def after_action(self, index: int) -> Node:
        """Return the place after an action.

        Raises `ArgumentError` for an invalid index, and `IllegalAction` with the rule for an illegal action.
        """
        assert self.state is not None
        space = action_space(self.ruleset)
        action = space.actions[action_of(index, space.size)]
        self.state.check(action)
        return Node(self.ruleset, self.state.play(action))._settled()

    def _settled(self) -> Node:
        """Play chance whose numbers are all drawn, and single legal actions, as in a match (8.10)."""
        state, draws = self.state, self.draws
        assert state is not None
        while True:
            if state.due is None:
                sole = state.legal.sole
                if sole is None:
                    return Node(self.ruleset, state)
                state = state.play(sole)
            elif len(draws) == (state.due.count if state.due.pile is None else state.due.count - 1):
                state, draws = state.play(draw_chance(state, Given(draws))), ()
            else:
                return Node(self.ruleset, state, draws)


class Given:
    """A source of chance that returns numbers drawn before."""

    def __init__(self, draws: tuple[int, ...]) -> None:
        self._draws = iter(draws)

    def randrange(self, n: int, /) -> int:
        """Return the next number."""
        return next(self._draws)


class FiveTribesState(pyspiel.State):  # type: ignore[misc]
    """A state for OpenSpiel. `node.state` is the `State` of the rules, once the seed is drawn.

    >>> state = pyspiel.load_game("five_tribes").new_initial_state()
    >>> for byte in bytes(32):
    ...     state.apply_action(byte)
    >>> state.current_player(), [state.action_to_string(action) for action in state.legal_actions()][:3]
    (0, ['bid 1', 'bid 2', 'bid 3'])
    """

    def __init__(self, game: FiveTribesGame) -> None:
        super().__init__(game)
        self.node = Node(game.ruleset)

    def current_player(self) -> int:
        """Return the player to act, from 0, or the id of chance or of the end."""
        if self.node.outcomes:
            return int(pyspiel.PlayerId.CHANCE)
        state = self._state
        return int(pyspiel.PlayerId.TERMINAL) if state.is_over else state.to_act - 1

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the outcomes of chance with their probabilities."""
        outcomes = self.node.outcomes
        return [(outcome, 1 / outcomes) for outcome in range(outcomes)]

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self.node.state is not None and self.node.state.is_over

    def returns(self) -> list[float]:
        """Return `episodes.rewards` of the state."""
        return [0.0] * self.node.ruleset.players if self.node.state is None else rewards(self.node.state)

    def _legal_actions(self, player: int) -> list[int]:
        return action_space(self.node.ruleset).legal(self._state)

    def _apply_action(self, action: int) -> None:
        node = self.node
        self.node = node.after_draw(action) if node.outcomes else node.after_action(action)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"draw {action}"
        return action_space(self.node.ruleset).texts[action]

    @property
    def _state(self) -> State:
        assert self.node.state is not None
        return self.node.state

    def __str__(self) -> str:
        node = self.node
        if node.state is None:
            return f"seed {bytes(node.draws).hex()}"
        if node.state.due is not None:
            return f"{node.state.due}: {' '.join(map(str, node.draws))}".rstrip()
        return drawn(node.state)


class FiveTribesObserver:
    """Makes observations, as OpenSpiel's `make_observation` needs it."""

    def __init__(self, encoder: Observations) -> None:
        self._encoder = encoder
        self.tensor: Vector = np.zeros(encoder.size, np.float32)
        """All numbers of the observation."""
        self.dict = {section.name: encoder.part(self.tensor, section.name) for section in encoder.sections}
        """The sections in their shapes, as views of the same memory."""

    def set_from(self, state: FiveTribesState, player: int) -> None:
        """Write a player's observation into `tensor`: zeros while chance is due."""
        self.tensor.fill(0)
        node = state.node
        if not node.outcomes:
            assert node.state is not None
            self._encoder.write(view(node.state, player + 1), self.tensor)

    def string_from(self, state: FiveTribesState, player: int) -> str:
        """Return a player's view as the JSON document of the notation; empty while chance is due."""
        node = state.node
        if node.outcomes:
            return ""
        assert node.state is not None
        return json.dumps(view(node.state, player + 1).document, separators=(",", ":"))


DEFAULTS = {"players": 2, "artisans": False, "whims": False}
GAME_TYPE = pyspiel.GameType(
    short_name="five_tribes",
    long_name="Five Tribes",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=5,
    min_num_players=2,
    provides_information_state_string=False,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    provides_factored_observation_string=False,
    parameter_specification=DEFAULTS,
)
pyspiel.register_game(GAME_TYPE, FiveTribesGame)
