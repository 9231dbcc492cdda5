"""Many random games, each proved from its record: all of them in `make soak`, a tenth in CI.

ARENA_SOAK_SHARE is the percentage that is played (10 when unset).
"""

from __future__ import annotations

import os

import pytest

from arena.rules import replay_document, verify_replay
from tests.kit.games import RULESETS, random_game, seed_of

SHARE = int(os.environ.get("ARENA_SOAK_SHARE", "10"))
GAMES = {(): 10_000, ("whims",): 5_000, ("artisans",): 2_000, ("artisans", "whims"): 2_000}
SLICE = 1_000
"""Number of games per test, before the share is taken. Workers thus get equal parts."""
SLICES = [(expansions, first) for expansions, games in GAMES.items() for first in range(0, games, SLICE)]


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    ("expansions", "first"), SLICES, ids=[f"{'+'.join(e) or 'base'}-{first}" for e, first in SLICES]
)
def test_random_games_are_proved(expansions: tuple[str, ...], first: int) -> None:
    rulesets = [ruleset for ruleset in RULESETS if ruleset.expansions == expansions]
    for number in range(first, first + SLICE * SHARE // 100):
        ruleset = rulesets[number % len(rulesets)]
        words = (number, *expansions)
        game = random_game(ruleset, seed_of("many", *words), seed_of("deal", *words) if number % 5 == 0 else None)
        seats = [{"name": "random", "version": "1"}] * ruleset.players
        verify_replay(replay_document(game, match=str(number), seats=seats))
