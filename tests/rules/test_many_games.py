"""Many random games, each proved from its record. ARENA_GAMES sets their number; `make soak` plays 10,000."""

from __future__ import annotations

import os

import pytest

from arena.rules import Ruleset, replay_document, verify_replay
from tests.kit.games import RULESETS, random_game, seed_of

GAMES = int(os.environ.get("ARENA_SOAK_GAMES", "1000"))
PARTS = 10


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("part", range(PARTS))
def test_random_games_are_proved(part: int) -> None:
    for number in range(part, GAMES, PARTS):
        ruleset = RULESETS[number // 2 % len(RULESETS)] if number % 2 else Ruleset(2 + number // 2 % 3)
        game = random_game(ruleset, seed_of("many", number), seed_of("deal", number) if number % 5 == 0 else None)
        verify_replay(
            replay_document(game, match=str(number), seats=[{"name": "random", "version": "1"}] * ruleset.players)
        )
