"""An observation has everything in a view, and nothing that the seat does not know."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import numpy as np
import pytest

from arena.research.actions import action_space
from arena.research.arguments import ArgumentError
from arena.research.observations import HIGHEST, observations
from arena.rules import Ruleset, State, View, determinizations, format_position, parse_position, start, view
from tests.kit.games import RULESETS, random_states, seed_of
from tests.kit.positions import phases, strange_position

BOTH = ("artisans", "whims")
SAMPLE = (Ruleset(2), Ruleset(4), Ruleset(3, ("whims",)), Ruleset(5, BOTH))
IN_ORDER = ("row", "seats", "bid_order", "turn_track")
"""Lists of a view whose order matters; that of `djinns.row` does not, because Djinns are named."""


def states_of(ruleset: Ruleset) -> list[State]:
    """Return states of a random game, and strange ones, of every phase."""
    strange = [strange_position(ruleset.players, n, phase, ruleset.expansions) for n in range(3)
               for phase in set(phases(ruleset.expansions))]  # fmt: skip
    return [*random_states(ruleset, seed_of("observations", ruleset)), *map(parse_position, strange)]


@pytest.mark.parametrize("ruleset", RULESETS, ids=str)
def test_shape_and_bounds(ruleset: Ruleset) -> None:
    encoder = observations(ruleset)
    places = [place for section in encoder.sections for place in range(section.start, section.start + section.size)]
    assert places == list(range(encoder.size)), "sections follow one another without a gap"
    for state in list(random_states(ruleset, seed_of("bounds", ruleset)))[::7]:
        for seat in range(1, ruleset.players + 1):
            vector = encoder.of(view(state, seat))
            assert vector.shape == (encoder.size,) and vector.dtype == np.float32
            assert vector.min() >= 0 and vector.max() <= HIGHEST and np.isfinite(vector).all()


def normal(document: Any, key: str = "") -> Any:
    """Sort the lists of a document whose order does not matter."""
    if isinstance(document, dict):
        return {name: normal(part, name if name != "row" or key != "djinns" else "") for name, part in document.items()}
    if isinstance(document, list):
        parts = [normal(part) for part in document]
        return parts if key in IN_ORDER else sorted(parts)
    return document


@pytest.mark.parametrize("ruleset", SAMPLE, ids=str)
def test_views_that_differ_are_told_apart_and_others_are_not(ruleset: Ruleset) -> None:
    encoder = observations(ruleset)
    pairs = set()
    for state in states_of(ruleset):
        if not state.is_over:
            seen = view(state, 1)
            pairs.add((json.dumps(normal(seen.document), sort_keys=True), encoder.of(seen).tobytes()))
    assert len(pairs) > 50
    assert len({document for document, _ in pairs}) == len({vector for _, vector in pairs}) == len(pairs)


@pytest.mark.parametrize("ruleset", SAMPLE, ids=str)
def test_two_games_that_differ_in_what_is_hidden_look_the_same(ruleset: Ruleset) -> None:
    encoder, space, differing = observations(ruleset), action_space(ruleset), set()
    for number, state in enumerate(states_of(ruleset)[::5]):
        if state.is_over:
            continue
        for seat in range(1, ruleset.players + 1):
            other = next(determinizations(view(state, seat), Random(number)))
            ours, theirs = format_position(state), format_position(other)
            differing |= {key for key in ours if ours[key] != theirs[key]}
            assert (encoder.of(view(state, seat)) == encoder.of(view(other, seat))).all()
            if seat == state.to_act:
                assert (space.mask(state) == space.mask(other)).all()
    hidden = {"resources", "djinns", "seats"}
    hidden |= {{"artisans": "items"}.get(expansion, expansion) for expansion in ruleset.expansions}
    assert hidden <= differing, "the games differ where something is hidden"


def test_the_numbers_of_a_position_by_hand() -> None:
    document = format_position(start(Ruleset(3), bytes(32)))
    document["seats"][1] |= {"gold": 25, "elders": 5, "hand": {"fish": 3, "fakir": 9}, "djinns": ["enki"]}
    for card, number in (("fish", 3), ("fakir", 9)):
        for _ in range(number):
            document["resources"]["deck"].remove(card)
    document["djinns"]["deck"] = [name for name in document["djinns"]["deck"] if name != "enki"]
    document["bag"] = "w" * 5
    document["board"]["tiles"] = taken(document["board"]["tiles"], "w", 10)
    state = parse_position(document)
    encoder = observations(Ruleset(3))
    own, after = encoder.of(view(state, 2)), encoder.of(view(state, 1))
    names = encoder.seat_names
    mine = dict(zip(names, encoder.part(own, "seats")[0].tolist(), strict=True))
    assert {name: number for name, number in mine.items() if number} == pytest.approx(
        {"coins": 0.5, "camels": 0.8, "elders": 0.5, "cards": 1.2, "fish": 0.5, "fakir": 0.5, "enki": 1}
    )
    seen = dict(zip(names, encoder.part(after, "seats")[1].tolist(), strict=True))
    assert {name: number for name, number in seen.items() if number} == pytest.approx(
        {"camels": 0.8, "elders": 0.5, "cards": 1.2, "enki": 1}
    )
    assert encoder.part(own, "meeples")[0].tolist() == pytest.approx([0, 0.25, 0, 0, 0])
    # Seat 2 bids first: number 0 for itself, number 1 for seat 1.
    assert state.to_act == 2
    assert encoder.part(own, "to act").tolist() == [1, 0, 0]
    assert encoder.part(after, "to act").tolist() == [0, 1, 0]


def taken(tiles: dict[str, Any], tribe: str, number: int) -> dict[str, Any]:
    """Remove `number` meeples of a tribe from the tiles."""
    found = dict(tiles)
    for name, tile in found.items():
        while tribe in tile["meeples"] and number:
            left = tile["meeples"].replace(tribe, "", 1) or "-"
            found[name] = tile = tile | {"meeples": left}
            number -= 1
    assert not number
    return found


@pytest.mark.parametrize("wrong", [view(start(Ruleset(3), bytes(32)), 1), view(start(Ruleset(2), bytes(32)), 0)])
def test_a_view_of_another_game_or_of_a_spectator_is_refused(wrong: View) -> None:
    with pytest.raises(ArgumentError, match="view: expected the view of a seat in a game of Ruleset"):
        observations(Ruleset(2)).of(wrong)
