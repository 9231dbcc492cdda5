"""Playouts are the games that a line of play gives with the same source, drawn from the listed legal actions."""

from __future__ import annotations

from itertools import islice
from random import Random
from typing import get_args

import pytest

from arena.rules import Line, Outcome, Phase, RandomSource, Ruleset, State, Stream, playouts, settle, start
from arena.rules.legal import list_actions, list_parts
from arena.rules.playouts import choose
from tests.kit.games import RULESETS, random_states, seed_of


def listed(state: State, rng: RandomSource) -> Outcome | None:
    """Play a random game step by step, choosing from the listed actions by the numbers of the source."""
    state = settle(state, rng)
    while not state.is_over:
        actions = list(state.legal)
        state = settle(state.play(actions[rng.randrange(len(actions))]), rng)
    return state.outcome


@pytest.mark.parametrize("ruleset", RULESETS, ids=str)
def test_they_are_the_games_of_the_listed_actions(ruleset: Ruleset) -> None:
    """Every legal action is as likely as the source makes the numbers, from the start and from the middle of a game."""
    for state in islice(random_states(ruleset, seed_of("playouts", *ruleset)), 0, None, 97):
        before = state.copy()
        one, other = Random(7), Random(7)
        assert playouts(state, 2, one) == [listed(state, other), listed(state, other)]
        assert one.getstate() == other.getstate()
        assert all(getattr(state, name) == getattr(before, name) for name in ("agenda", "meeples", "seats", "phase"))


class Fixed:
    """A source that gives one fixed number and records the limits it was given."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.asked = 0

    def randrange(self, n: int, /) -> int:
        self.asked = n
        return self.number


def test_each_number_chooses_the_listed_action_at_its_place() -> None:
    """In every ruleset and phase, the parts have as many actions as the list, and the choice works without the list."""
    seen = set()
    for number, ruleset in enumerate((*RULESETS, *RULESETS)):
        for state in random_states(ruleset, seed_of("places", number)):
            listed, parts = list_actions(state), list_parts(state)
            for place, action in enumerate(listed):
                source = Fixed(place)
                assert choose(parts, source, None) is action
                assert source.asked == len(listed)
            seen |= {state.phase} if listed else set()
    assert seen == {*get_args(Phase)} - {"over"}


def test_a_line_of_play_gives_the_same() -> None:
    state, rng = start(Ruleset(3), seed_of("line")), Stream(bytes(32))
    line = Line(state)
    expected = []
    for _ in range(3):
        count = line.playout(rng)
        expected.append(line.state.outcome)
        line.undo(count)
    assert playouts(state, 3, Stream(bytes(32))) == expected


def test_a_source_of_a_derived_class_is_asked_for_its_own_numbers() -> None:
    class First(Random):
        def randrange(self, start: int, stop: int | None = None, step: int = 1) -> int:
            return 0

    state = start(Ruleset(2), seed_of("derived"))
    assert playouts(state, 1, First(1)) == [listed(state, First(1))] != playouts(state, 1, Random(1))


def test_of_a_game_that_is_over_every_outcome_is_its_own() -> None:
    *_, over = random_states(Ruleset(2), seed_of("over"))
    assert over.is_over
    assert playouts(over, 2, Random(1)) == [over.outcome, over.outcome]
    assert playouts(over, 0, Random(1)) == []
    with pytest.raises(ValueError, match="0 or more, not -1"):
        playouts(over, -1, Random(1))
    with pytest.raises(TypeError):
        playouts(over, 2.5, Random(1))  # type: ignore[arg-type]
