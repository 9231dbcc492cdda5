"""A spectator's count: the exact gold of every seat, cards that it has, and bounds that contain the score."""

from __future__ import annotations

import os
import random

import pytest

from arena.players import make_player
from arena.rules import Game, Ruleset, position, score, view
from arena.rules.counting import PublicCount, suits

RULESETS = [Ruleset(2), Ruleset(3), Ruleset(4), Ruleset(3, ("whims",)), Ruleset(4, ("artisans",)),
            Ruleset(2, ("artisans", "whims")), Ruleset(5, ("artisans", "whims"))]  # fmt: skip
GAMES = 20 if os.environ.get("ARENA_SOAK_SHARE") == "100" else 2
"""Games of each ruleset; half of them are played at random, and half by a house player."""


def whole_game(ruleset: Ruleset, seed: int, *, at_random: bool) -> dict[str, int]:
    """Count a whole game, and check each count against the true state."""
    game = Game(ruleset, bytes([seed]) * 32)
    count, draw = PublicCount(view(game.state, 0)), random.Random(seed)
    players = [make_player("greedy-trader", bytes([seat, seed]) * 16) for seat in range(ruleset.players)]
    seen = {"exact": 0, "between": 0, "most": 0}
    while not game.state.is_over:
        legal = [action.text for action in game.state.legal]
        seat = game.state.to_act or 0
        chosen = draw.choice(legal) if at_random else players[seat - 1].choose(view(game.state, seat), legal)
        for text in [chosen] if isinstance(chosen, str) else chosen:
            _, *chance = game.play(text)
            shown = view(game.state, 0)
            count.follow(text, [event.text for event in chance], shown)
            truth = position(game.state)
            assert count.gold == [seat.gold for seat in truth.seats], (text, game.events)
            if game.state.is_over:
                return seen
            for one, known, (low, high) in zip(truth.seats, count.known, count.bounds(), strict=True):
                assert all(one.hand.get(card, 0) >= number for card, number in known.items()), text
                whole = score(game.state, one.number)["total"]
                assert low <= whole <= high, (text, one.number)
                seen["exact" if low == high else "between"] += 1
                seen["most"] = max(seen["most"], high - low)
    return seen


@pytest.mark.slow
@pytest.mark.parametrize("ruleset", RULESETS, ids=str)
def test_gold_is_counted_to_the_coin_and_the_score_lies_within_its_bounds(ruleset: Ruleset) -> None:
    found = [whole_game(ruleset, seed, at_random=seed % 2 == 0) for seed in range(1, 1 + GAMES)]
    exact, between = (sum(each[what] for each in found) for what in ("exact", "between"))
    assert exact > 100
    if "artisans" in ruleset.expansions:
        assert between > 0, "items are drawn face down"


@pytest.mark.parametrize(
    ("goods", "wilds", "worth"),
    [
        ((0,) * 9, 0, 0),
        ((1, 1, 1, 0, 0, 0, 0, 0, 0), 0, 7),  # three different kinds
        ((2, 1, 1, 0, 0, 0, 0, 0, 0), 0, 8),  # one card more
        ((1, 1, 1, 0, 0, 0, 0, 0, 0), 1, 13),  # a card of choice is a fourth
        ((0,) * 9, 9, 60),
    ],
)
def test_suits(goods: tuple[int, ...], wilds: int, worth: int) -> None:
    assert suits(goods, wilds) == worth
