"""The environments pass the tests of their libraries, and their games follow the rules."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from types import SimpleNamespace
from typing import Any, cast

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, seed_test

from arena.players import PLAYERS
from arena.research.aec import FiveTribesAEC
from arena.research.arguments import ArgumentError
from arena.research.episodes import Episode, rewards
from arena.research.single import FiveTribesSingle
from arena.research.vector import Batch, FiveTribesVector
from arena.rules import IllegalAction, Outcome, Ruleset, State, determinize, start, view
from tests.kit.games import random_game, seed_of

BOTH = ("artisans", "whims")
# PettingZoo advises against this, but all of its own games with masks do it.
as_in_pettingzoo = pytest.mark.filterwarnings(
    "ignore:Observation is not a NumPy array:UserWarning",
    "ignore:Observation space for each agent probably should be:UserWarning",
    "ignore:Action mask numpy array is all zeros:UserWarning",
)


# PettingZoo


@as_in_pettingzoo
@pytest.mark.parametrize(("players", "expansions"), [(2, ()), (5, BOTH)])
def test_pettingzoos_own_test(players: int, expansions: tuple[str, ...]) -> None:
    api_test(FiveTribesAEC(players, expansions, render_mode="ansi"), num_cycles=600)


@as_in_pettingzoo
def test_pettingzoos_test_of_seeds() -> None:
    seed_test(lambda: FiveTribesAEC(3, ("whims",)), num_cycles=200)


def test_a_game_of_agents_is_a_game_of_the_rules() -> None:
    """Compare agents, observations and rewards with the same game played by the rules alone."""
    env = FiveTribesAEC(players=3)
    env.reset(seed=5)
    rng, asked = Random(5), 0
    state = env._running.state
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        if terminated:
            place = int(agent[-1]) - 1
            assert state.outcome is not None
            assert reward == rewards(state)[place] and not truncated
            assert info == {"score": state.outcome.scores[place]["total"], "rank": state.outcome.ranks[place]}
            env.step(None)
            continue
        asked += 1
        assert reward == 0 and agent == f"seat_{state.to_act}"
        assert (
            observation is not None
            and (observation["observation"] == env._observations.of(view(state, state.to_act))).all()
        )
        chosen = rng.choice(observation["action_mask"].nonzero()[0].tolist())
        legal = list(state.legal)
        assert len(legal) > 1 and env._actions.texts[chosen] in [action.text for action in legal]
        assert not env.observe(next(other for other in env.agents if other != agent))["action_mask"].any()
        env.step(chosen)
        state = env._running.state
    assert state.is_over and asked > 50 and env.agents == []
    with pytest.raises(RuntimeError, match="call reset"):
        env.step(0)


def test_two_games_that_differ_in_what_is_hidden_are_played_alike() -> None:
    """Nothing hidden is revealed before the last drop of the first turn."""
    one, other = FiveTribesAEC(players=2), FiveTribesAEC(players=2)
    one.reset(seed=3)
    other.reset(seed=3)
    real = one._running.state
    other._running.state = determinize(view(real, 1), Random(1))
    assert (real.deck, real.djinn_deck) != (other._running.state.deck, other._running.state.djinn_deck)
    compared = 0
    while one._running.state.phase in ("bid", "move", "sow"):
        ours, theirs = one.observe("seat_1"), other.observe("seat_1")
        assert (ours["observation"] == theirs["observation"]).all() and (
            ours["action_mask"] == theirs["action_mask"]
        ).all()
        chosen = int(one.observe(one.agent_selection)["action_mask"].argmax())
        one.step(chosen)
        other.step(chosen)
        compared += 1
    assert compared > 5


# Gymnasium


@pytest.mark.parametrize("opponents", [["random"], ["greedy"]])
def test_gymnasiums_own_check(opponents: list[str]) -> None:
    """Gymnasium draws an action before a reset and plays it after. With two players both are bids, which are legal."""
    made = gymnasium.make("arena.research.single:naqala/FiveTribes-v1", opponents=opponents, render_mode="ansi")
    check_env(made.unwrapped)


@pytest.mark.slow
def test_a_learner_plays_a_house_player_to_the_end() -> None:
    env = FiveTribesSingle(["greedy"])
    games = []
    for seed in (7, 7):
        observation, info = env.reset(seed=seed)
        env.action_space.seed(1)
        seen, reward, terminated = [observation.tobytes()], 0.0, False
        while not terminated:
            assert reward == 0 and info["action_mask"].sum() > 1
            assert (env.action_masks() == info["action_mask"]).all()
            observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
            assert not truncated
            seen.append(observation.tobytes())
        assert not info["action_mask"].any()
        assert info["scores"][1] > info["scores"][0], "greedy beats a player at random"
        assert (reward, info["rank"]) == (-1, 2)
        games.append(seen)
    assert games[0] == games[1], "a game follows from its seed"


# Many games


def first_of_each(batch: Batch) -> np.ndarray[Any, Any]:
    return batch.masks.argmax(axis=1)


def test_games_in_lock_step_are_games_of_their_own() -> None:
    """Compare each game with an episode of the same seed, also beyond the ends of games."""
    games = FiveTribesVector(count=4, players=2)
    batch = games.reset(seed=11)
    seeds = np.random.default_rng(11)
    episodes = [Episode(Ruleset(2), seeds.bytes(32)) for _ in range(4)]
    rng, ended = np.random.default_rng(1), 0
    while ended < 3:
        for number, episode in enumerate(episodes):
            state = episode.state
            assert batch.seats[number] == state.to_act - 1
            assert (batch.masks[number] == games.actions.mask(state)).all() and batch.masks[number].sum() > 1
            assert (batch.observations[number] == games.observations.of(view(state, state.to_act))).all()
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in batch.masks])
        batch = games.step(actions)
        for number, episode in enumerate(episodes):
            episode.play(games.actions.actions[actions[number]])
            assert batch.rewards[number].tolist() == rewards(episode.state)
            assert batch.ended[number] == episode.state.is_over
            outcome = episode.state.outcome
            assert batch.scores[number].tolist() == ([s["total"] for s in outcome.scores] if outcome else [0, 0])
            if outcome:
                ended += 1
                episodes[number] = Episode(Ruleset(2), seeds.bytes(32))


def test_an_illegal_action_in_one_game_changes_none() -> None:
    games = FiveTribesVector(count=3)
    batch = games.reset(seed=1)
    wrong = first_of_each(batch)
    wrong[2] = games.actions.index["end"]
    with pytest.raises(IllegalAction, match=r"not legal in phase 'bid'.*in game 2"):
        games.step(wrong)
    after = games.step(first_of_each(batch))
    again = FiveTribesVector(count=3)
    again.reset(seed=1)
    assert (after.observations == again.step(first_of_each(batch)).observations).all()


# Rewards


@pytest.mark.parametrize(
    ("ranks", "expected"),
    [
        ((1, 2), (1, -1)),
        ((1, 1), (0, 0)),
        ((2, 1, 3), (0, 1, -1)),
        ((1, 1, 3), (0.5, 0.5, -1)),
        ((4, 1, 2, 2), (-1, 1, 0, 0)),
    ],
)
def test_rewards_by_hand(ranks: tuple[int, ...], expected: tuple[float, ...]) -> None:
    ended = SimpleNamespace(outcome=Outcome(scores=(), ranks=ranks, reason="camels"))
    assert rewards(cast(State, ended)) == list(expected)


def test_rewards_of_a_game() -> None:
    state = random_game(4, seed_of("rewards")).state
    assert sum(rewards(state)) == pytest.approx(0) and max(rewards(state)) > 0
    assert rewards(start(Ruleset(3), bytes(32))) == [0, 0, 0]


# Wrong arguments


def begun(env: Any) -> Any:
    env.reset(seed=1)
    return env


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: FiveTribesAEC(players=6), "players: expected a number from 2 to 5, not 6"),
        (lambda: FiveTribesAEC(players="2"), "players: expected a number from 2 to 5, not '2'"),
        (lambda: FiveTribesAEC(players=True), "players: expected a number from 2 to 5, not True"),
        (lambda: FiveTribesAEC(expansions="whims"), "expansions: expected a list of artisans, whims or some of them"),
        (lambda: FiveTribesAEC(expansions=("sultan",)), "expansions: .* not \\('sultan',\\)"),
        (lambda: FiveTribesAEC(expansions=("whims", "whims")), "expansions: .*each once"),
        (lambda: FiveTribesVector(players=5), "expansions: expected at least one of artisans, whims with five players"),
        (lambda: FiveTribesAEC(render_mode="human"), "render_mode: expected None or 'ansi', not 'human'"),
        (lambda: FiveTribesSingle("greedy"), "opponents: expected a list of 1 to 4 names"),
        (lambda: FiveTribesSingle([]), "opponents: expected a list of 1 to 4 names"),
        (lambda: FiveTribesSingle(["greedy", "nobody"]), f"opponents: .*{', '.join(PLAYERS)}\\), not 'nobody'"),
        (lambda: FiveTribesSingle([["greedy"]]), "opponents: .*not \\['greedy'\\]"),
        (lambda: FiveTribesVector(count=0), "count: expected a number of games from 1 on, not 0"),
        (lambda: FiveTribesAEC().reset(seed=-1), "seed: expected None or a number from 0 on, not -1"),
        (lambda: FiveTribesSingle().reset(seed="x"), "seed: expected None or a number from 0 on, not 'x'"),
        (lambda: FiveTribesVector(2).reset(seed=1.5), "seed: expected None or a number from 0 on, not 1.5"),
        (lambda: begun(FiveTribesAEC()).step(3347), "action: expected a number from 0 to 3346, not 3347"),
        (lambda: begun(FiveTribesSingle()).step(-1), "action: expected a number from 0 to 3346, not -1"),
        (lambda: begun(FiveTribesSingle()).step(None), "action: expected a number from 0 to 3346, not None"),
        (lambda: begun(FiveTribesVector(2)).step([0]), "actions: expected 2 whole numbers, not \\[0\\]"),
        (lambda: begun(FiveTribesVector(2)).step([0.5, 0]), "actions: expected 2 whole numbers"),
        (lambda: begun(FiveTribesVector(2)).step([0, 5000]), "actions\\[1\\]: expected a number from 0 to 3346"),
    ],
)
def test_a_wrong_argument_is_named(wrong: Callable[[], object], message: str) -> None:
    with pytest.raises(ArgumentError, match=message) as refused:
        wrong()
    assert str(refused.value).startswith(refused.value.argument + ":")


@pytest.mark.parametrize("env", [FiveTribesAEC(), FiveTribesSingle()])
def test_an_illegal_action_is_refused_with_the_rule(env: Any) -> None:
    begun(env)
    before = env._running.state
    with pytest.raises(IllegalAction, match=r"'take' is not legal in phase 'bid', where seat . may bid \(rule 8\)"):
        env.step(env._actions.index["take A1"])
    assert env._running.state is before


@pytest.mark.parametrize("env", [FiveTribesAEC(), FiveTribesSingle(), FiveTribesVector(2)])
def test_before_the_first_game_reset_is_asked_for(env: Any) -> None:
    with pytest.raises(RuntimeError, match=r"call reset\(\) first"):
        env.step(0)
