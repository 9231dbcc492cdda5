"""The game passes OpenSpiel's own tests, and its chance and its states follow the rules."""

from __future__ import annotations

import pickle
import re
from random import Random
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.integration_tests import api_test
from open_spiel.python import rl_environment
from open_spiel.python.algorithms import generate_playthrough, mcts
from open_spiel.python.observation import make_observation

from arena.research import openspiel
from arena.research.arguments import ArgumentError
from arena.research.observations import observations
from arena.rules import TRIBES, Game, IllegalAction, Ruleset, cards_of, view
from arena.rules.groups import UNITS
from tests.kit.builder import MOVABLE, meeples, position
from tests.kit.games import seed_of

GAMES = ("five_tribes", "five_tribes(players=3,whims=true)", "five_tribes(players=5,artisans=true,whims=true)")


def dealt(game: Any, seed: bytes) -> Any:
    """Return the first decision of a game."""
    state = game.new_initial_state()
    for byte in seed:
        state.apply_action(byte)
    return state


def played(state: Any, rng: Random) -> Any:
    """Return the state after a random decision and the chance that follows."""
    state.apply_action(rng.choice(state.legal_actions()))
    while state.is_chance_node():
        state.apply_action(rng.choice(state.chance_outcomes())[0])
    return state


@pytest.mark.parametrize("name", GAMES)
def test_openspiels_own_simulations(name: str) -> None:
    pyspiel.random_sim_test(pyspiel.load_game(name), num_sims=1, serialize=name == GAMES[0], verbose=False)


class TestOfOpenSpiel(api_test.EnforceAPIOnPartialTreeBase):
    """OpenSpiel's tests of a game's API, on some states of ours."""

    game_name = "five_tribes"
    game = pyspiel.load_game("five_tribes")


@pytest.mark.slow
def test_a_playthrough_of_openspiel_can_be_repeated() -> None:
    """It is half a megabyte, too much for a golden file; tests/golden has the games of the rules."""
    text = generate_playthrough.playthrough(GAMES[0], None, seed=1)
    state = pyspiel.load_game(GAMES[0]).new_initial_state()
    for action in re.findall(r"^action: (\d+)$", text, re.MULTILINE):
        state.apply_action(int(action))
    assert state.is_terminal() and len(state.history()) > 100
    shown = str(state).replace("\n", "\n# ")
    assert f"# {shown}\nIsTerminal() = True\n" in text
    assert f"Returns() = [{', '.join(f'{value:g}' for value in state.returns())}]\n" in text


def test_openspiels_algorithms_play_it() -> None:
    game, rng = pyspiel.load_game(GAMES[0]), np.random.RandomState(1)
    kind = rl_environment.ObservationType.OBSERVATION
    environment = rl_environment.Environment(game, observation_type=kind, seed=1)
    step = environment.reset()
    assert len(step.observations["info_state"][0]) == observations(Ruleset(2)).size
    while not step.last():
        step = environment.step([step.observations["legal_actions"][step.observations["current_player"]][0]])
    assert sum(step.rewards) == 0
    state = dealt(game, bytes(32))
    bot = mcts.MCTSBot(game, 1.4, 3, mcts.RandomRolloutEvaluator(1, rng), random_state=rng)
    assert bot.step(state) in state.legal_actions()


def test_a_game_from_a_seed_begins_as_in_a_match() -> None:
    seed = seed_of("openspiel")
    state = dealt(pyspiel.load_game("five_tribes(players=3)"), seed)
    game = Game(Ruleset(3), seed)
    assert state.current_player() == game.state.to_act - 1
    assert [state.action_to_string(action) for action in state.legal_actions()] == [a.text for a in game.state.legal]
    assert state.node.state.deck == game.state.deck


def test_a_shuffle_is_drawn_number_by_number() -> None:
    """Sloar draws from an empty pile: the discard pile is shuffled first, as in rules 9."""
    seats = {1: {"djinns": ["sloar"], "hand": {"fakir": 1}}}
    state = position(players=2, phase="move", tiles=MOVABLE, seats=seats, other_cards="discard")
    node = openspiel.Node(Ruleset(2), state).after_action(openspiel.action_space(Ruleset(2)).index["use sloar f"])
    assert node.state is not None
    cards = list(node.state.discard)
    rng = Random(1)
    for last in range(len(cards) - 1, 0, -1):
        assert node.outcomes == last + 1
        drawn = rng.randrange(last + 1)
        cards[last], cards[drawn] = cards[drawn], cards[last]
        node = node.after_draw(drawn)
    assert node.outcomes == 0 and node.state is not None
    assert (node.state.deck, node.state.discard) == (tuple(cards[1:]), ())
    assert cards_of(node.state.seats[0].hand, cards[0]) == 1


def test_a_draw_of_the_bag_is_drawn_meeple_by_meeple() -> None:
    """The bag is written in the order of the tribes, and each draw removes one meeple (rules 9)."""
    seats = {1: {"djinns": ["anun-nak"], "hand": {"fakir": 1}}}
    state = position(players=2, phase="move", tiles=MOVABLE, seats=seats, bag="ywwr", heap="F5")
    node = openspiel.Node(Ruleset(2), state).after_action(openspiel.action_space(Ruleset(2)).index["use anun-nak f C1"])
    for left, drawn in ((4, 1), (3, 1), (2, 0)):  # w of ywwr, w of ywr, y of yr
        assert node.outcomes == left
        node = node.after_draw(drawn)
    assert node.outcomes == 0 and node.state is not None
    assert meeples(node.state, "C1") == "yww" and node.state.bag == UNITS[TRIBES.index("r")]


def test_clones_are_independent_and_states_are_rebuilt_from_their_history() -> None:
    game, rng = pyspiel.load_game("five_tribes"), Random(3)
    state = dealt(game, bytes(32))
    for _ in range(30):
        played(state, rng)
    text, clone = str(state), state.clone()
    played(clone, rng)
    assert str(state) == text != str(clone)
    again = game.deserialize_state(state.serialize())
    assert str(again) == text and again.legal_actions() == state.legal_actions()
    assert str(pickle.loads(pickle.dumps(game))) == str(game)


def test_observations_are_those_of_the_seat() -> None:
    game = pyspiel.load_game("five_tribes(players=3)")
    state, rng = dealt(game, bytes(32)), Random(5)
    encoder = observations(Ruleset(3))
    observation = make_observation(game)
    for _ in range(20):
        for player in range(3):
            seen = view(state.node.state, player + 1)
            assert (np.array(state.observation_tensor(player), np.float32) == encoder.of(seen)).all()
            observation.set_from(state, player)
            assert (observation.dict["board"] == encoder.part(encoder.of(seen), "board")).all()
            assert f'"view":{player + 1}' in state.observation_string(player)
        played(state, rng)
    assert not make_observation(game, pyspiel.IIGObservationType(perfect_recall=True))


def test_returns_add_up_to_nothing_at_the_end_alone() -> None:
    state, rng = dealt(pyspiel.load_game("five_tribes(players=3)"), bytes(32)), Random(1)
    while not state.is_terminal():
        assert state.returns() == [0, 0, 0]
        played(state, rng)
    assert sum(state.returns()) == pytest.approx(0) and max(state.returns()) > 0


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("five_tribes(players=7)", "players: expected a number from 2 to 5, not 7"),
        ("five_tribes(players=5)", "expansions: expected at least one of artisans, whims with five players"),
    ],
)
def test_a_wrong_parameter_is_named(name: str, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        pyspiel.load_game(name)


def test_an_action_that_is_not_legal_is_refused_with_the_rule() -> None:
    state = dealt(pyspiel.load_game("five_tribes"), bytes(32))
    with pytest.raises(IllegalAction, match=r"'take' is not legal in phase 'bid', where seat 1 may bid \(rule 8\)"):
        state.apply_action(openspiel.action_space(Ruleset(2)).index["take A1"])
    with pytest.raises(ArgumentError, match="action: expected a number from 0 to 3346, not 3347"):
        state.apply_action(3347)
