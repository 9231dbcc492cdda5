"""The engine against the slow one: the same random games, compared at every decision.

ARENA_GAMES multiplies the number of games (1 when unset).
"""

import os
from random import Random

import pytest

from arena.rules import Ruleset
from tests.kit.differential import BIASES, play_on, play_one_step_of_each_kind, play_whole_game
from tests.kit.positions import phases, strange_position

TIMES = int(os.environ.get("ARENA_GAMES", "1"))


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("dealt", [False, True])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_whole_games(players: int, dealt: bool, bias: str) -> None:
    for number in range(TIMES):
        seed = Random(f"whole {players} {dealt} {bias} {number}").randbytes(64)
        play_whole_game(Ruleset(players), seed[:32], seed[32:] if dealt else None, bias)


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_games_from_strange_positions(players: int, bias: str) -> None:
    for number in range(4 * TIMES):
        seed = Random(f"strange {players} {bias} {number}").randbytes(32)
        play_on(strange_position(players, number * len(BIASES) + BIASES.index(bias)), seed, bias)


@pytest.mark.slow
@pytest.mark.parametrize("phase", sorted(set(phases())))
@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_action_of_strange_positions(players: int, phase: str) -> None:
    for number in range(15 * TIMES):
        play_one_step_of_each_kind(strange_position(players, number, phase), number)
