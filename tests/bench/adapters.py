"""How many decisions a second the environments for research play at random, each beside the rules alone: `make bench`.

The reference plays the same game through `State.play`, without views, vectors and masks: most of what a decision costs
here is the view of the seat and its vector. Rounds alternate, and the median ratio is what counts. A decision against
`random` has the opponent's play in it.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from statistics import median

import numpy as np
import pyspiel

from arena._native import form
from arena.research import openspiel
from arena.research.aec import FiveTribesAEC
from arena.research.single import FiveTribesSingle
from arena.research.vector import FiveTribesVector
from arena.rules import Ruleset, settle, start_with_stream
from tests.kit.games import seed_of

ROUNDS = 5
DECISIONS = 3000
COUNT = 256


def rules() -> int:
    """The rules alone; decisions played."""
    rng, played = random.Random(1), 0
    while played < 4 * DECISIONS:
        state, stream = start_with_stream(Ruleset(2), seed_of("bench", played))
        while not state.is_over:
            state = settle(state.play(rng.choice(state.legal)), stream)
            played += 1
    return played


def aec() -> int:
    """The environment of PettingZoo."""
    env, rng, played = FiveTribesAEC(players=2), random.Random(1), 0
    while played < DECISIONS:
        env.reset(seed=played)
        for _ in env.agent_iter():
            observation, _, terminated, _, _ = env.last()
            env.step(None if terminated else rng.choice(np.flatnonzero(observation["action_mask"]).tolist()))
            played += not terminated
    return played


def single() -> int:
    """The environment of Gymnasium, against `random`."""
    env, rng, played = FiveTribesSingle(["random"]), random.Random(1), 0
    while played < DECISIONS:
        _, info = env.reset(seed=played)
        terminated = False
        while not terminated:
            _, _, terminated, _, info = env.step(rng.choice(np.flatnonzero(info["action_mask"]).tolist()))
            played += 1
    return played


def vector() -> int:
    """The games in lock step."""
    games, rng, played = FiveTribesVector(count=COUNT, players=2), random.Random(1), 0
    batch = games.reset(seed=1)
    while played < 2 * DECISIONS:
        batch = games.step([rng.choice(np.flatnonzero(mask).tolist()) for mask in batch.masks])
        played += COUNT
    return played


def spiel() -> int:
    """The game of OpenSpiel, which makes observations only when it is asked: here at each decision."""
    game, rng, played = pyspiel.load_game(openspiel.GAME_TYPE.short_name), random.Random(1), 0
    while played < DECISIONS:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(rng.choice(state.chance_outcomes())[0])
            else:
                state.observation_tensor()
                state.apply_action(rng.choice(state.legal_actions()))
                played += 1
    return played


NAMED = {
    "PettingZoo, agent by agent": aec,
    "Gymnasium, against random": single,
    f"in lock step, {COUNT} games": vector,
    "OpenSpiel": spiel,
}


def a_second(work: Callable[[], int]) -> float:
    """Decisions a second of processor time."""
    begin = time.process_time()
    return work() / (time.process_time() - begin)


def main() -> None:
    """Print every figure."""
    print(
        f"arena.research, rules {form()}; Python {sys.version.split()[0]}; median ratios of {ROUNDS} alternating rounds"
    )
    figures: dict[str, list[tuple[float, float]]] = {name: [] for name in NAMED}
    for _ in range(ROUNDS):
        for name, work in NAMED.items():
            figures[name].append((a_second(work), a_second(rules)))
    for name, pairs in figures.items():
        ours, theirs = median(ours for ours, _ in pairs), median(theirs for _, theirs in pairs)
        ratio = median(ours / theirs for ours, theirs in pairs)
        print(f"{name:34} {ours:10,.0f} /s   arena.rules alone {theirs:10,.0f} /s   ratio {ratio:5.3f}")


if __name__ == "__main__":
    main()
