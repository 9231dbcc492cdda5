"""Memory of a game in progress: one process plays hundreds of games at once."""

from __future__ import annotations

import gc
import random

from arena.rules import Game, Ruleset, State


def _states() -> int:
    return sum(type(one) is State for one in gc.get_objects())


def test_a_position_that_is_over_is_freed_at_once_and_legal_actions_that_are_kept_stay_good() -> None:
    game, chance = Game(Ruleset(3), bytes(32)), random.Random(1)
    gc.collect()
    before = _states()
    gc.disable()
    try:
        for _ in range(40):
            game.play(chance.choice(game.state.legal))
        assert _states() <= before + 1  # the first state, which existed already, and the current one
    finally:
        gc.enable()
    state, legal = game.state, game.state.legal
    listed = [action.text for action in legal]
    game.play(legal[0])
    assert [action.text for action in legal] == listed == [action.text for action in state.legal]
