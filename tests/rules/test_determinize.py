"""Determinized states fit everything that a seat knows, and all states that fit are equally likely."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import replace
from itertools import islice
from random import Random

import pytest

from arena.rules import PositionError, Ruleset, Stream, determinizations, determinize, view
from arena.rules.components import CARPET, ITEM_NUMBER, WHIM_NUMBER
from arena.rules.groups import hand_of
from arena.rules.whims import is_met
from tests.kit.builder import position
from tests.kit.games import RULESETS, random_states, seed_of

RARE = ("choose", "control", "item", "flute", "horn", "scimitar")
SOME = 1 if os.environ.get("ARENA_SOAK_SHARE") == "100" else 7
"""One of this many states of a game is tried, and all states in the phases above; `make soak` tries every state."""


@pytest.mark.parametrize("ruleset", RULESETS, ids=str)
def test_the_view_of_it_is_the_view_it_came_from(ruleset: Ruleset) -> None:
    """Check every seat and a spectator in every phase of a game. No whim may be open that would have been paid."""
    rng = Random(1)
    for number, state in enumerate(random_states(ruleset, seed_of("determinize", *ruleset))):
        if state.phase in RARE or state.is_over or number % SOME == 0:
            seat = number // SOME % (ruleset.players + 1)
            seen = view(state, seat)
            drawn = determinize(seen, rng)
            assert view(drawn, seat) == seen
            assert not any(is_met(drawn, held, whim) for held in drawn.seats for whim in held.open)
            assert drawn.is_over or drawn.legal[0]


def test_the_same_source_gives_the_same_state_and_another_one_another() -> None:
    seen = view(next(random_states(Ruleset(3), seed_of("source"))), 1)
    one, again, other = (determinize(seen, Stream(bytes([n]) * 32)) for n in (1, 1, 2))
    assert one.deck == again.deck != other.deck
    decks = [state.deck for state in islice(determinizations(seen, Random(1)), 3)]
    assert len(set(decks)) == 3 and determinize(seen, Random(1)).deck == decks[0]


def chi_square(found: Counter[object], kinds: int) -> float:
    expected = found.total() / kinds
    return sum((number - expected) ** 2 for number in found.values()) / expected + (kinds - len(found)) * expected


def test_hands_and_piles_are_dealt_evenly() -> None:
    """Five Djinns and six cards are out of sight.

    The Djinns have 120 orders; the cards have 15 hands of two and 24 orders of the rest. Chance exceeds each limit once
    in 10,000 times; the degrees of freedom are 119, 14 and 23.
    """
    kinds = ["ivory", "jewels", "gold", "papyrus", "silk", "spice"]
    state = position(
        players=2, deck=kinds, other_cards="discard", djinn_deck=["enki", "utug", "leta", "baal", "boaz"],
        other_djinns="discard", seats={2: {"hand": {}}},
    )  # fmt: skip
    state.own(2).hand, state.deck = hand_of(state.deck[:2]), state.deck[2:]
    states = list(islice(determinizations(view(state, 1), Random(5)), 2400))
    djinns = Counter(drawn.djinn_deck for drawn in states)
    hands = Counter(drawn.seats[1].hand for drawn in states)
    decks = Counter(tuple(sorted(drawn.deck).index(card) for card in drawn.deck) for drawn in states)
    assert chi_square(djinns, 120) < 182 and chi_square(hands, 15) < 42.6 and chi_square(decks, 24) < 57.1


def test_an_open_whim_is_one_that_is_not_met() -> None:
    """Seat 2 has seven Viziers and would have been paid for h02. All other whims are equally likely."""
    whims = [f"h{number:02}" for number in range(1, 20)]
    state = position(expansions=("whims",), players=2, seats={2: {"viziers": 7, "open": ["h01"]}})
    drawn = Counter(one.seats[1].open[0] for one in islice(determinizations(view(state, 1), Random(6)), 1800))
    likely = {WHIM_NUMBER[whim] for whim in whims} - {WHIM_NUMBER["h02"]}
    assert set(drawn) == likely and chi_square(Counter(drawn), len(likely)) < 46


def test_who_can_end_a_sowing_with_a_carpet_alone_holds_one() -> None:
    state = position(
        expansions=("artisans",), players=2, phase="sow", origin="A1", at="A1", hand="y", to_act=2,
        tiles={"F6": "y"}, seats={2: {"items": ["carpet", "crown"]}},
    )  # fmt: skip
    others = Counter[int]()
    for drawn in islice(determinizations(view(state, 1), Random(7)), 60):
        assert CARPET in drawn.seats[1].items
        others.update(drawn.seats[1].items)
    assert {ITEM_NUMBER["crown"], ITEM_NUMBER["jewelry"]} <= set(others)


def test_what_somebody_remembers_is_kept() -> None:
    state = position(players=3, seats={2: {"hand": {"fish": 2, "fakir": 1}, "gold": 17}, 3: {"hand": {"silk": 1}}})
    seen = view(state, 1)
    two = replace(seen.seats[1], gold=17, hand={"fish": 2, "fakir": 1})
    drawn = determinize(replace(seen, seats=(seen.seats[0], two, seen.seats[2])), Random(8))
    assert drawn.seats[1].hand == state.seats[1].hand and drawn.seats[1].gold == 17
    assert drawn.seats[2].gold == 30


def test_the_end_of_a_game_leaves_nothing_open() -> None:
    *_, last = random_states(Ruleset(2), seed_of("end"))
    assert view(determinize(view(last, 1), Random(9)), 0) == view(last, 0)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"deck": 3}, "`deck` has 3 cards, but"),
        ({"djinns": ("baal",) * 3}, "`djinn_deck` has 19 cards, but 21 are out of sight"),
        ({"discard": ("ivory",) * 9, "deck": 43}, "there are 2 cards 'ivory', the position has"),
    ],
)
def test_a_view_that_fits_no_state_is_refused(change: dict[str, object], said: str) -> None:
    seen = view(next(random_states(Ruleset(2), seed_of("wrong"))), 1)
    with pytest.raises(PositionError, match=said):
        determinize(replace(seen, **change), Random(1))  # type: ignore[arg-type]


def test_a_whim_that_is_met_however_it_is_dealt_is_refused() -> None:
    state = position(expansions=("whims",), players=2, seats={2: {"viziers": 7, "open": ["h02"]}})
    seen = view(state, 1)
    two = replace(seen.seats[1], open_whims=("h02",))
    with pytest.raises(PositionError, match="no deal of the hidden cards fits"):
        determinize(replace(seen, seats=(seen.seats[0], two)), Random(1))
