"""Whims of the Sultan: cities, the 22 whims, the lake, Ganesha (rules 5, 8.23; rulings 20, 46 to 50, 56)."""

from __future__ import annotations

from typing import Any

import pytest

from arena.rules import score, view
from arena.rules.components import WHIMS
from tests.kit.builder import golds, legal, owner, play, position, refusal, seat, tile

WITH = ("whims",)
BOTH = ("artisans", "whims")
OASES = ["A3", "B3"]
FOUR_RED = ["A1", "C2", "A3", "B3"]
MANY = {"fish": 1, "gold": 1, "ivory": 1, "jewels": 1, "papyrus": 1, "pottery": 1, "silk": 1}


def goods(kinds: int) -> dict[str, int]:
    return dict(list(MANY.items())[:kinds])


def owned(*names: str) -> dict[str, Any]:
    return {"owners": dict.fromkeys(names, 2)}


def held(**parts: Any) -> dict[str, Any]:
    return {"seats": {2: parts}}


# Table 5.4. For each card: possessions of its owner, seat 2, that meet the condition, and some that just miss it.
TABLE: list[tuple[str, int, dict[str, Any], list[dict[str, Any]]]] = [
    ("h01", 15, held(djinns=["baal", "enki", "leta"]), [held(djinns=["baal", "enki"])]),
    ("h02", 15, held(viziers=7), [held(viziers=6, elders=9)]),
    ("h03", 10, held(elders=5), [held(elders=4, viziers=9)]),
    ("h04", 10, held(viziers=3, elders=3), [held(viziers=2, elders=9), held(viziers=9, elders=2)]),
    ("h05", 15, held(hand=goods(5)), [held(hand=goods(4) | {"fakir": 3}), held(hand={"fish": 5})]),
    ("h06", 20, held(hand=goods(7)), [held(hand=goods(6) | {"fakir": 3})]),
    ("h07", 10, held(hand={"fakir": 4}), [held(hand={"fakir": 3, "fish": 2})]),
    ("h08", 10, held(hand={"silk": 3}), [held(hand={"silk": 2, "fish": 2, "fakir": 3})]),
    ("h09", 10, owned("A3", "B3"), [owned("A3", "A1")]),
    ("h10", 10, owned("B5", "C5"), [owned("B5", "A4")]),
    ("h11", 15, owned("A1", "B1", "A2"), [owned("A1", "B1", "C2", "D2")]),
    ("h12", 10, owned("C2", "D2"), [owned("C2", "A1", "A2")]),
    ("h13", 15, owned("A4", "F4"), [owned("A5", "B5", "A6")]),
    ("h14", 10, owned("A6", "D6"), [owned("A6", "B5")]),
    ("h15", 15, owned(*OASES) | {"palms": {"A3": 1, "B3": 3}}, [owned(*OASES) | {"palms": {"A3": 3, "C3": 9}}]),
    ("h16", 15, owned("B5") | {"palaces": {"B5": 3}}, [owned("B5") | {"palaces": {"B5": 2, "C5": 5}}]),
    (
        "h17",
        15,
        owned("A4", "A5", "B5", "C5"),
        [owned("A4", "A5", "B5", "D6", "A1"), owned("A4", "A5", "B5", "A6", "B6", "C6")],
    ),
    (
        "h18",
        15,
        owned("A1", "C2", "A3", "B3", "D2"),
        [owned("A1", "C2", "A3", "B3", "A4"), owned(*FOUR_RED, "A6", "D6", "E6")],
    ),
    ("h19", 10, owned("E5", "F5"), [owned("E5", "D5", "F4")]),
    ("h20", 15, held(artisans=4), [held(artisans=3, elders=9)]),
    ("h21", 15, held(items=["crown", "lamp", "crown"]), [held(items=["crown", "lamp"])]),
    ("h22", 10, owned("B2", "D2"), [owned("B2", "C4"), owned("D2", "B4")]),
]


def waiting(card: str, parts: dict[str, Any]) -> Any:
    """Return a position in which seat 1 sells and seat 2 has the card open."""
    seats = {1: {"hand": {"wheat": 2}}, 2: {**parts.get("seats", {}).get(2, {}), "open": [card]}}
    expansions = BOTH if card in ("h20", "h21", "h22") else WITH
    return position(**{**parts, "expansions": expansions, "players": 3, "phase": "sell", "seats": seats})


def test_rule_5_4_the_table_is_whole() -> None:
    assert [(whim.id, whim.reward) for whim in WHIMS] == [(card, reward) for card, reward, _, _ in TABLE]


@pytest.mark.parametrize(("card", "reward", "met"), [row[:3] for row in TABLE], ids=[row[0] for row in TABLE])
def test_rule_5_4_a_whim_that_is_met_pays_once_in_the_turn_of_another(
    card: str, reward: int, met: dict[str, Any]
) -> None:
    state = play(waiting(card, met), "sell wheat")
    assert seat(state, 2)["whims"] == {"open": [], "paid": [card]}
    assert golds(state) == [51, 50 + reward, 50]
    assert golds(play(state, "sell wheat", "end")) == [52, 50 + reward, 50]


@pytest.mark.parametrize(("card", "short"), [(row[0], short) for row in TABLE for short in row[3]])
def test_rule_5_4_a_whim_that_is_not_met_waits(card: str, short: dict[str, Any]) -> None:
    state = play(waiting(card, short), "sell wheat")
    assert seat(state, 2)["whims"] == {"open": [card], "paid": []}
    assert golds(state) == [51, 50, 50]


# Taking and paying (5.2, 5.3).


def to_city(**parts: Any) -> Any:
    """Return a position in which seat 1 of three is about to drop its last meeple, a Vizier, on the city C3."""
    usual = {"phase": "sow", "origin": "C1", "came": "C1", "at": "C2", "hand": "y", "kinds": {"C3": "red-city"}}
    return position(**{**usual, "expansions": WITH, "players": 3, "tiles": {"C3": "yyw"}, **parts})


def test_rule_5_3_a_whim_met_already_pays_when_it_is_taken() -> None:
    state = play(to_city(whims={"C3": "h04"}, seats={1: {"elders": 3}}), "drop C3 y")
    assert (state.phase, tile(state, "C3")["whim"]) == ("sell", None)
    assert seat(state, 1)["whims"] == {"open": [], "paid": ["h04"]} and golds(state) == [60, 50, 50]


def test_rule_5_3_a_whim_not_met_is_open_and_others_see_only_that_it_is_there() -> None:
    state = play(to_city(whims={"C3": "h02"}), "drop C3 y")
    assert seat(state, 1)["whims"] == {"open": ["h02"], "paid": []} and golds(state) == [50, 50, 50]
    assert view(state, 1).document["seats"][0]["whims"] == {"open": ["h02"], "paid": []}
    assert [view(state, number).document["seats"][0]["whims"]["open"] for number in (0, 2, 3)] == [1, 1, 1]
    assert view(state, 1).document["whims"] == {"deck": 18}


def test_ruling_47_a_city_without_a_whim_offers_nothing() -> None:
    state = play(to_city(), "drop C3 y")
    assert (state.phase, seat(state, 1)["whims"]) == ("sell", {"open": [], "paid": []})


def test_rule_5_2_a_city_is_taken_like_any_tile() -> None:
    state = play(to_city(tiles={"C3": "yy"}, whims={"C3": "h02"}), "drop C3 y")
    assert owner(state, "C3") == 1 and seat(state, 1)["camels"] == 7


def test_ruling_46_a_palace_placed_by_another_meets_a_whim_at_once() -> None:
    parts = {"kinds": {"C3": "village"}, "tiles": {"C3": "yy"}, "owners": {"C3": 2}, "palaces": {"C3": 2}}
    state = play(to_city(**parts, seats={2: {"open": ["h16"]}}), "drop C3 y")
    assert golds(state) == [50, 65, 50] and seat(state, 2)["whims"] == {"open": [], "paid": ["h16"]}


def test_ruling_46_a_whim_is_looked_at_after_every_action_of_a_turn() -> None:
    """h01 pays as soon as the third Djinn is gained, before the turn ends."""
    seats = {1: {"elders": 2, "djinns": ["baal", "boaz"], "open": ["h01"]}}
    state = position(expansions=WITH, players=3, phase="tile", at="A4", djinn_row=["kali"], seats=seats)
    state = play(state, "summon kali ww")
    # Ba'al pays 1 for the owner's own Djinn.
    assert golds(state)[0] == 50 + 1 + 15 and state.phase == "sell"


@pytest.mark.parametrize(
    ("card", "owned_before", "last", "reward"),
    [
        pytest.param("h17", ["A4", "A5", "B5"], "C3 village", 15, id="a fourth blue tile"),
        pytest.param("h17", ["A4", "A5", "B5"], "C3 blue-city", 0, id="a blue city is not counted"),
        pytest.param("h18", FOUR_RED, "C3 oasis", 15, id="a fifth red tile"),
        pytest.param("h18", FOUR_RED, "C3 red-city", 0, id="a red city is not counted"),
    ],
)
def test_rule_5_4_taking_the_last_tile_of_a_colour_pays(
    card: str, owned_before: list[str], last: str, reward: int
) -> None:
    """Seat 1 takes C3, the only tile that it lacks."""
    name, kind = last.split()
    parts = {"tiles": {name: "yy"}, "kinds": {name: kind}, "owners": dict.fromkeys(owned_before, 1)}
    state = play(to_city(**parts, seats={1: {"open": [card]}}), "drop C3 y")
    assert owner(state, "C3") == 1 and golds(state)[0] == 50 + reward


def test_rule_5_3_what_is_paid_stays_paid() -> None:
    state = position(expansions=WITH, players=3, phase="sell", seats={1: {"hand": goods(5), "paid": ["h05"]}})
    state = play(state, "sell fish gold ivory jewels papyrus")
    assert seat(state, 1)["whims"]["paid"] == ["h05"] and golds(state)[0] == 50 + 21


def test_rule_5_3_several_whims_pay_in_one_evaluation_in_the_order_gained() -> None:
    state = position(
        expansions=WITH,
        players=3,
        phase="sell",
        seats={1: {"viziers": 7, "elders": 5, "hand": {"fish": 1}, "open": ["h04", "h01", "h02", "h03"]}},
    )
    state = play(state, "sell fish")
    assert seat(state, 1)["whims"] == {"open": ["h01"], "paid": ["h04", "h02", "h03"]}
    assert golds(state)[0] == 51 + 10 + 15 + 10


def test_point_8_23_a_ring_does_not_count_beside_the_item_it_fetches() -> None:
    seats = {1: {"items": ["ring", "lamp"], "open": ["h21"]}}
    state = position(expansions=BOTH, players=3, phase="sell", seats=seats, items_discard=["crown"])
    state = play(state, "item ring crown")
    assert seat(state, 1)["items"] == ["lamp", "crown"] and golds(state)[0] == 50


def test_point_8_23_costs_have_left_when_a_whim_is_looked_at() -> None:
    """Sloar brings the fourth Fakir, but its payment was one: three are left, and h07 is not met."""
    seats = {1: {"djinns": ["sloar"], "hand": {"fakir": 3}, "open": ["h07"]}}
    state = position(expansions=WITH, players=3, phase="sell", seats=seats, deck=["fakir"])
    state = play(state, "use sloar f")
    assert seat(state, 1)["hand"] == {"fakir": 3} and golds(state)[0] == 50


def test_rule_5_3_open_whims_are_worth_nothing_at_the_end() -> None:
    parts = {"phase": "over", "seats": {1: {"open": ["h02"]}, 2: {"paid": ["h03"]}, 3: {"camels": 0}}}
    state = position(expansions=WITH, players=3, **parts)
    assert [score(state, number)["total"] for number in (1, 2)] == [50, 50]


def test_rule_3_4_the_clean_up_lays_a_whim_on_each_city_without_one_in_reading_order() -> None:
    laid = {"B6": "h05", "D6": "h06"}
    state = play(
        position(expansions=WITH, players=3, phase="sell", last=True, tiles={"A1": "y", "A2": "y"}, whims=laid), "end"
    )
    assert [tile(state, name)["whim"] for name in ("A6", "B6", "C6", "D6", "E6")] == ["h01", "h05", "h02", "h06", "h03"]


def test_rule_3_4_whims_are_laid_while_the_deck_lasts() -> None:
    cards = [f"h{number:02}" for number in range(2, 20)]
    parts = {"tiles": {"A1": "y", "A2": "y"}, "seats": {3: {"paid": cards}}, "last": True}
    state = play(position(expansions=WITH, players=3, phase="sell", **parts), "end")
    assert [tile(state, name)["whim"] for name in ("A6", "B6", "C6", "D6", "E6")] == ["h01", None, None, None, None]


def test_rule_5_6_ganesha_gains_for_whims_taken_and_not_for_those_laid() -> None:
    own = play(to_city(whims={"C3": "h02"}, seats={1: {"djinns": ["ganesha"]}}), "drop C3 y")
    assert golds(own) == [51, 50, 50]
    others = play(to_city(whims={"C3": "h02"}, seats={3: {"djinns": ["ganesha"]}}), "drop C3 y")
    assert golds(others) == [50, 50, 52]
    none = play(to_city(seats={3: {"djinns": ["ganesha"]}}), "drop C3 y")
    assert golds(none) == [50, 50, 50]
    parts = {"tiles": {"A1": "y", "A2": "y"}, "seats": {3: {"djinns": ["ganesha"]}}, "last": True}
    laid = play(position(expansions=WITH, players=3, phase="sell", **parts), "end")
    assert golds(laid) == [50, 50, 50]


# Scoring (5.1, 5.2).


@pytest.mark.parametrize(("cities", "value"), [(0, 0), (1, 5), (2, 20), (3, 45), (4, 80), (5, 125)])
def test_rule_5_2_cities_score_by_their_number_alone(cities: int, value: int) -> None:
    state = position(expansions=WITH, owners=dict.fromkeys(["D6", "A6", "E6", "B6", "C6"][:cities], 1))
    assert score(state, 1)["tiles"] == value


def test_rule_5_2_cities_are_added_to_the_printed_values() -> None:
    assert score(position(expansions=WITH, owners={"A6": 1, "E6": 1, "F4": 1}), 1)["tiles"] == 20 + 12


@pytest.mark.parametrize(
    ("name", "palms", "palaces", "expected"),
    [
        ("E5", 2, 1, (12, 10)),
        ("F5", 1, 1, (6, 10)),
        ("E6", 1, 2, (6, 20)),
        ("D6", 2, 1, (6, 5)),
        ("F4", 2, 1, (6, 5)),
    ],
)
def test_rule_5_1_pieces_around_the_lake_count_twice(
    name: str, palms: int, palaces: int, expected: tuple[int, int]
) -> None:
    parts = {"owners": {name: 1}, "palms": {name: palms}, "palaces": {name: palaces}}
    points = score(position(expansions=WITH, **parts), 1)
    assert (points["palms"], points["palaces"]) == expected


def test_rule_5_1_the_eight_tiles_around_the_lake_and_haurvatat() -> None:
    around = ["B2", "C2", "D2", "B3", "D3", "B4", "C4", "D4"]
    parts = {
        "kinds": {"C3": "lake"},
        "owners": dict.fromkeys([*around[:5], "A3"], 1),
        "palms": dict.fromkeys(around, 1),
    }
    parts["palms"] |= {"A3": 1}
    assert score(position(expansions=WITH, **parts), 1)["palms"] == 5 * 6 + 3
    assert score(position(expansions=WITH, **parts, seats={1: {"djinns": ["haurvatat"]}}), 1)["palms"] == 5 * 10 + 5


# The lake (5.1, R20, R56).


def test_rule_5_1_nobody_steps_on_the_lake() -> None:
    state = position(expansions=WITH, kinds={"C3": "lake"}, tiles={"C2": "y", "C4": "y", "B2": "y"})
    assert legal(state, "take") == ["take B2", "take C2"]
    state = play(state, "take C2")
    assert legal(state) == ["drop B2 y"]
    assert refusal(state, "drop C3 y") == "NOT_ADJACENT"


def test_rule_5_1_the_lake_is_no_target_of_any_power() -> None:
    seats = {1: {"djinns": ["anun-nak", "leta", "utug", "enki", "lamia"], "elders": 4}}
    kinds = {"C3": "lake", "C4": "oasis"}
    state = position(expansions=WITH, kinds=kinds, tiles={"A1": "yy", "A2": "y"}, seats=seats)
    targets = {word for text in legal(state, "use") for word in text.split()[3:]}
    assert "B3" in targets and "C3" not in targets


def test_ruling_20_distances_go_across_the_lake() -> None:
    tiles = {"C4": "y", "C5": "w"}
    state = position(expansions=WITH, kinds={"C3": "lake"}, phase="tribe", at="C2", lifted="rr", tiles=tiles)
    assert legal(state, "kill") == ["kill C4 y"] and refusal(state, "kill C5 w") == "OUT_OF_RANGE"


def test_ruling_49_a_whim_on_a_city_is_no_piece() -> None:
    seats = {1: {"djinns": ["anun-nak", "utug"], "elders": 4}}
    tiles = {"A1": "yy", "A2": "y", "B6": "g"}
    state = position(expansions=WITH, tiles=tiles, whims={"A6": "h01", "B6": "h02"}, seats=seats)
    assert "use anun-nak w A6" in legal(state) and "use utug ww B6" in legal(state)
    state = play(state, "use utug ww B6")
    assert owner(state, "B6") == 1 and tile(state, "B6")["whim"] == "h02"


def test_rule_5_2_blue_cities_count_for_builders_and_red_ones_do_not() -> None:
    """Around C5: sacred places B4 C4 D4, villages B5 C5 D5, blue cities B6 and C6, the red city D6."""
    state = position(expansions=WITH, phase="tribe", at="C5", lifted="bb")
    assert golds(play(state, "build 0"))[0] == 50 + 2 * 8
