"""The game for search and learning with OpenSpiel: importing this module registers `five_tribes`.

Its parameters are `players` (2 to 5), `artisans` and `whims`: `pyspiel.load_game("five_tribes(players=3,whims=true)")`.

Chance is explicit. What has been dealt is hidden information, and what is not yet drawn is a chance node:

- The set-up follows from a seed of 32 bytes, as in every match (rules 9). Each byte is a chance node with 256 equally
  likely outcomes, so a game begins with 32 of them. The piles are shuffled then, face down, and lie in the state.
- A later draw of the bag, or shuffle of a discard pile, is a chance node for each number that the rules draw for it,
  all outcomes equally likely, in the order of rules 9.

So the history says everything, every probability is known and right, states are cloned and rebuilt by OpenSpiel itself,
and a search that plays a clone on does not learn what a later draw will be. Sampled chance would have none of this: the
source of chance would lie hidden in the state. To deal what a player does not know is for `arena.rules.determinize`.

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
"""More than any game has. A turn takes two meeples or more off the board, and Anun-Nak puts back three a round: a game
has at most 120 turns, each with at most 120 drops and some actions after them. Random games have about 200."""
MAX_CHANCE_NODES = 20_000
"""More than any game has: three draws for an Anun-Nak a round, and at most 53 for a shuffle, after as many discards."""


class FiveTribesGame(pyspiel.Game):  # type: ignore[misc]
    """The game of a ruleset; `ArgumentError` for one that there is not.

    >>> game = pyspiel.load_game("five_tribes(players=3)")
    >>> game.num_players(), game.num_distinct_actions(), game.observation_tensor_shape()
    (3, 3352, [1121])
    """

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        given = DEFAULTS | (params or {})
        names = tuple(name for name in ("artisans", "whims") if given[name])
        self.ruleset: Ruleset = ruleset_of(given["players"], names)
        """Which game."""
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
        """A game whose seed is still to be drawn."""
        return FiveTribesState(self)

    def max_chance_nodes_in_history(self) -> int:
        """More than any game has."""
        return MAX_CHANCE_NODES

    def make_py_observer(
        self, iig_obs_type: Any = None, params: dict[str, Any] | None = None
    ) -> FiveTribesObserver | None:
        """What makes the observations of a seat; None for other kinds, such as those with perfect recall."""
        if params:
            raise ArgumentError("params", "no parameters of observations", params)
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        is_of_a_seat = kind.public_info and kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        if not is_of_a_seat or kind.perfect_recall:
            return None
        return FiveTribesObserver(observations(self.ruleset))


class Node:
    """A place in the game: a state of the rules and the numbers drawn for the chance that is due; it never changes."""

    def __init__(self, ruleset: Ruleset, state: State | None = None, draws: tuple[int, ...] = ()) -> None:
        self.ruleset = ruleset
        self.state = state
        """None while the seed is drawn."""
        self.draws = draws
        """The bytes of the seed, or the numbers for a draw or shuffle."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Node:
        """OpenSpiel clones a state by copies of all it has."""
        return self

    @property
    def outcomes(self) -> int:
        """How many outcomes the chance that is due has, all equally likely; 0 where none is due."""
        if self.state is None:
            return BYTES
        due = self.state.due
        if due is None:
            return 0
        return (group_size(self.state.bag) if due.pile is None else due.count) - len(self.draws)

    def after_draw(self, outcome: int) -> Node:
        """The place after an outcome of chance."""
        draws = (*self.draws, outcome)
        if self.state is None:
            if len(draws) < SEED_BYTES:
                return Node(self.ruleset, None, draws)
            return Node(self.ruleset, start(self.ruleset, bytes(draws)))._settled()
        return Node(self.ruleset, self.state, draws)._settled()

    def after_action(self, index: int) -> Node:
        """The place after an action: `ArgumentError` for an index that there is not, `IllegalAction` with the rule."""
        assert self.state is not None
        space = action_space(self.ruleset)
        action = space.actions[action_of(index, space.size)]
        self.state.check(action)
        return Node(self.ruleset, self.state.play(action))._settled()

    def _settled(self) -> Node:
        """Play the chance whose numbers are all drawn, and sole legal actions, as in a match (8.10)."""
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
    """A source of chance that gives numbers that were drawn before."""

    def __init__(self, draws: tuple[int, ...]) -> None:
        self._draws = iter(draws)

    def randrange(self, n: int, /) -> int:
        """The next of them."""
        return next(self._draws)


class FiveTribesState(pyspiel.State):  # type: ignore[misc]
    """A state as OpenSpiel wants it. `node.state` is the `State` of the rules, once the seed is drawn.

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
        """Who is to act, from 0; chance or the end otherwise."""
        if self.node.outcomes:
            return int(pyspiel.PlayerId.CHANCE)
        state = self._state
        return int(pyspiel.PlayerId.TERMINAL) if state.is_over else state.to_act - 1

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The outcomes of chance with their probabilities."""
        outcomes = self.node.outcomes
        return [(outcome, 1 / outcomes) for outcome in range(outcomes)]

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.node.state is not None and self.node.state.is_over

    def returns(self) -> list[float]:
        """`episodes.rewards` of the state."""
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
    """What makes observations, as OpenSpiel's `make_observation` wants it."""

    def __init__(self, encoder: Observations) -> None:
        self._encoder = encoder
        self.tensor: Vector = np.zeros(encoder.size, np.float32)
        """All numbers."""
        self.dict = {section.name: encoder.part(self.tensor, section.name) for section in encoder.sections}
        """The sections in their shapes, on the same memory."""

    def set_from(self, state: FiveTribesState, player: int) -> None:
        """Write what a player sees into `tensor`: zeros while chance is due."""
        self.tensor.fill(0)
        node = state.node
        if not node.outcomes:
            assert node.state is not None
            self._encoder.write(view(node.state, player + 1), self.tensor)

    def string_from(self, state: FiveTribesState, player: int) -> str:
        """What a player sees, as the JSON document of the notation; nothing while chance is due."""
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
