"""The action space has every action that can be legal, and masks mark the legal ones."""

from __future__ import annotations

from random import Random

import pytest

from arena.research.actions import action_space
from arena.rules import Line, Ruleset, State, parse_position, settle
from tests.kit.games import RULESETS, random_states, seed_of
from tests.kit.positions import phases, strange_position

BOTH = ("artisans", "whims")


def test_the_actions_of_the_base_game_counted_by_hand() -> None:
    """30 tiles, 5 tribes, 15 pairs of tribes; 178 ordered pairs of adjacent tiles, each with four payments."""
    parts = {verb: number for verb, _, number, _ in action_space(Ruleset(2)).parts()}
    placed = 2 * 30 + 4 * 178
    assert parts == {
        "bid": 7 + 6 + 5 + 4 + 3 + 2 + 1,  # the most expensive spot with 0 to 6 Fakirs, the next with 0 to 5, …
        "take": 30,
        "skip": 1,
        "drop": 30 * 5,
        "build": 19,
        "kill": 30 * (5 + 15) + 2 * (2 + 3),
        "spare": 1,
        "palm": 30 * 3,
        "palace": 30 * 3,
        "buy": 3 + 15,
        "summon": 22 * 2,
        "pass": 1,
        "use": 3 * 2 * 30 + 2 * placed + 3 * 2 + 1,  # three on tiles, two that place, Echidna, Iblis, Sibittis; Sloar
        "keep": 22,
        "sell": 2**9 - 1,
        "end": 1,
    }


def test_the_actions_of_both_expansions_counted_by_hand() -> None:
    """42 tiles, 6 tribes, 21 pairs of tribes; 262 ordered pairs of adjacent tiles; 26 Djinns, 10 kinds of items."""
    parts = {verb: number for verb, _, number, _ in action_space(Ruleset(5, BOTH)).parts()}
    assert (parts["bid"], parts["drop"]) == (28, 42 * 6)
    assert parts["kill"] == 42 * (6 + 21) + 5 * (3 + 6)
    assert parts["buy"] == 9 + 15
    assert parts["use"] == 3 * 2 * 42 + 2 * (2 * 42 + 4 * 262) + 3 * 2 + 1
    assert parts["keep"] == 26 + 10
    assert parts["item"] == 26 + 42 * 41 + 9 + 42 + 2  # lamp, talisman, ring, flute, scimitar and horn
    assert {verb: parts[verb] for verb in ("camel", "tent", "craft", "slay", "pull", "done", "next", "fly")} == {
        "camel": 1, "tent": 1, "craft": 2, "slay": 252, "pull": 252, "done": 1, "next": 10, "fly": 252,
    }  # fmt: skip


@pytest.mark.parametrize("ruleset", RULESETS, ids=str)
def test_every_legal_action_has_an_index_in_the_order_of_the_notation(ruleset: Ruleset) -> None:
    space = action_space(ruleset)
    assert len(space.index) == space.size
    seen = set()
    for state in random_states(ruleset, seed_of("actions", ruleset)):
        seen |= check(state)
    for number, phase in enumerate(phases(ruleset.expansions)):
        state = parse_position(strange_position(ruleset.players, number, phase, ruleset.expansions))
        for legal in state.legal:
            after = settle(state.play(legal), Random(number))
            seen |= {"over"} if after.is_over else check(after)
        seen |= check(state)
    assert {"bid", "take", "drop", "use", "sell"} < seen


def check(state: State) -> set[str]:
    """Return the verbs of the legal actions. Check that their indices ascend and that the mask marks exactly them."""
    space = action_space(state.ruleset)
    indices = space.legal(state)
    assert [space.texts[index] for index in indices] == [action.text for action in state.legal]
    assert indices == sorted(set(indices))
    mask = space.mask(state)
    assert mask.nonzero()[0].tolist() == indices
    return {action.verb for action in state.legal}


def test_diverted_powers_have_an_index() -> None:
    """They are so rare that the test above may meet none."""
    found = set()
    for number in range(40):
        state = parse_position(strange_position(3, number, "tile"))
        check(state)
        found |= {action.text.split()[1] for action in state.legal if len(action.text.split()) == 6}
    assert found == {"enki", "bouraq"}


def test_none_is_legal_at_the_end() -> None:
    line = Line(next(random_states(2, seed_of("end"))))
    line.playout(Random(1))
    assert action_space(Ruleset(2)).legal(line.state) == []
