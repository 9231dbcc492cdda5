"""The public part of a score, from views that hide the rest, equals that part of the whole state's score."""

from __future__ import annotations

import random

from arena.rules import Game, Ruleset, score, view
from arena.rules.open_score import OPEN_CATEGORIES, open_score


def test_what_lies_open_is_worth_what_the_score_says() -> None:
    seen: set[str] = set()
    for ruleset in (Ruleset(2), Ruleset(3, ("whims",)), Ruleset(4, ("artisans",)), Ruleset(5, ("artisans", "whims"))):
        game, draw = Game(ruleset, bytes(32)), random.Random(3)
        while not game.state.is_over:
            game.play(draw.choice([action.text for action in game.state.legal]))
            for number in range(1, ruleset.players + 1):
                whole = score(game.state, number)
                expected = {name: whole[name] for name in OPEN_CATEGORIES if name in whole}
                assert [open_score(view(game.state, eyes), number) for eyes in (0, 1)] == [expected, expected]
                seen |= {name for name, value in expected.items() if value}
    assert seen == set(OPEN_CATEGORIES), "each category had points at some time"
