"""The engine against the slow one with the Whims, the Artisans and both, for two to five players.

ARENA_GAMES multiplies the number of games (1 when unset).
"""

import os
from random import Random

import pytest

from arena.rules import Ruleset
from tests.kit.differential import BIASES, play_on, play_one_step_of_each_kind, play_whole_game
from tests.kit.positions import phases, strange_position

TIMES = int(os.environ.get("ARENA_GAMES", "1"))
EXPANSIONS = [("whims",), ("artisans",), ("artisans", "whims")]
PHASES = [(expansions, phase) for expansions in EXPANSIONS for phase in sorted(set(phases(expansions)))]

pytestmark = pytest.mark.slow

each_table = pytest.mark.parametrize("players", [2, 3, 4, 5])


@pytest.mark.parametrize("bias", BIASES)
@each_table
@pytest.mark.parametrize("expansions", EXPANSIONS, ids="+".join)
def test_whole_games(players: int, expansions: tuple[str, ...], bias: str) -> None:
    for number in range(TIMES):
        seed = Random(f"whole {players} {expansions} {bias} {number}").randbytes(64)
        dealt = number % 2 == players % 2
        play_whole_game(Ruleset(players, expansions), seed[:32], seed[32:] if dealt else None, bias)


@pytest.mark.parametrize("bias", BIASES)
@each_table
@pytest.mark.parametrize("expansions", EXPANSIONS, ids="+".join)
def test_games_from_strange_positions(players: int, expansions: tuple[str, ...], bias: str) -> None:
    for number in range(TIMES):
        seed = Random(f"strange {players} {expansions} {bias} {number}").randbytes(32)
        drawn = number * len(BIASES) + BIASES.index(bias)
        play_on(strange_position(players, drawn, expansions=expansions), seed, bias)


@each_table
@pytest.mark.parametrize(("expansions", "phase"), PHASES)
def test_every_action_of_strange_positions(players: int, expansions: tuple[str, ...], phase: str) -> None:
    for number in range(3 * TIMES):
        play_one_step_of_each_kind(strange_position(players, number, phase, expansions), number)
