"""Tents, and the choice between a camel and the tent (rules 6.6, 6.8, 3.5; rulings 9, 50; the phase `control`)."""

from __future__ import annotations

from typing import Any

import pytest

from arena.rules import PositionError, format_position, parse_position, score, view
from tests.kit.builder import golds, legal, owner, play, position, seat, tile

WITH = ("artisans",)


def table(**parts: Any) -> Any:
    return position(**{"expansions": WITH, "players": 3, **parts})


def landing(**parts: Any) -> Any:
    """Return a position with a Vizier in hand next to C3, a small market, where it lifts all and empties the tile."""
    usual = {"phase": "sow", "origin": "C1", "came": "C1", "at": "C2", "hand": "y", "kinds": {"C3": "small-market"}}
    return table(**{**usual, "tiles": {"C3": "yy"}, **parts})


def test_rule_6_8_with_both_left_the_seat_chooses() -> None:
    state = play(landing(), "drop C3 y")
    assert (state.phase, legal(state)) == ("control", ["camel", "tent"])
    assert view(state, 2).document["turn"] == {"target": "C3", "next": "tribe", "at": "C3", "lifted": "yyy"}
    assert seat(state, 1)["viziers"] == 0
    camel, tent = play(state, "camel"), play(state, "tent")
    assert [(owner(after, "C3"), after.phase, seat(after, 1)["viziers"]) for after in (camel, tent)] == [
        (1, "tile", 3),
        (1, "tile", 3),
    ]
    assert [(seat(after, 1)["camels"], seat(after, 1)["tent"]) for after in (camel, tent)] == [(7, 1), (8, 0)]
    assert tile(tent, "C3")["tent"] is True and "tent" not in tile(camel, "C3")


@pytest.mark.parametrize(
    ("pieces", "tented", "left"), [({"tent": 0}, False, (7, 0)), ({"camels": 0}, True, (0, 0)), ({}, None, (8, 1))]
)
def test_rule_6_6_the_piece_that_is_left_is_placed_without_a_decision(
    pieces: dict[str, int], tented: bool | None, left: tuple[int, int]
) -> None:
    state = play(landing(seats={1: pieces}), "drop C3 y")
    assert (state.phase == "control") == (tented is None)
    if tented is not None:
        assert (owner(state, "C3"), "tent" in tile(state, "C3")) == (1, tented)
    assert (seat(state, 1)["camels"], seat(state, 1)["tent"]) == left


def test_ruling_34_with_neither_left_the_tile_stays_free() -> None:
    state = play(landing(seats={1: {"camels": 0, "tent": 0}}), "drop C3 y")
    assert (owner(state, "C3"), state.phase) == (None, "tile")


def test_rule_6_6_an_assassination_asks_too_and_the_turn_goes_on_to_the_tile() -> None:
    state = table(phase="tribe", at="D2", lifted="rr", tiles={"C3": "y"})
    state = play(state, "kill C3 y")
    assert view(state, 1).document["turn"] == {"target": "C3", "next": "tile", "at": "D2"}
    after = state.play(state.parse("tent"))
    assert (after.phase, owner(after, "C3"), legal(after)[0]) == ("tile", 1, "buy 1")


def test_ruling_9_the_last_piece_goes_to_the_tile_of_the_last_drop() -> None:
    parts = {"phase": "sow", "origin": "C1", "came": "C1", "at": "C2", "hand": "r", "kinds": {"C3": "small-market"}}
    state = table(**parts, tiles={"C3": "r", "D3": "y"}, seats={1: {"camels": 0}})
    state = play(state, "drop C3 r", "kill D3 y")
    assert (owner(state, "C3"), tile(state, "C3").get("tent"), owner(state, "D3")) == (1, True, None)


@pytest.mark.parametrize(("power", "where"), [("leta", "A6"), ("utug", "B6")])
@pytest.mark.parametrize("phase", ["move", "sell"])
def test_rule_6_6_leta_and_utug_may_place_the_tent(phase: str, power: str, where: str) -> None:
    seats = {1: {"djinns": [power], "elders": 2}}
    state = table(phase=phase, tiles={"A1": "y", "A2": "y", "B6": "w"}, seats=seats)
    state = play(state, f"use {power} ww {where}")
    assert view(state, 1).document["turn"] == {"target": where, "back": phase}
    state = play(state, "tent")
    assert (state.phase, tile(state, where)["tent"], seat(state, 1)["camels"]) == (phase, True, 8)


@pytest.mark.parametrize("back", [{"phase": "tile", "at": "D2"}, {"phase": "tribe", "at": "D2", "lifted": "bb"}])
def test_notation_control_inside_another_action_has_the_keys_of_the_phase_returned_to(back: dict[str, Any]) -> None:
    state = table(**back, seats={1: {"djinns": ["leta"], "elders": 2}})
    before, state = view(state, 1).document["turn"], play(state, "use leta ww A6")
    assert state.play(state.parse("camel")).phase == back["phase"]
    assert view(state.play(state.parse("camel")), 1).document["turn"] == before
    keys = {key: value for key, value in back.items() if key != "phase"}
    assert view(state, 1).document["turn"] == {"target": "A6", "back": back["phase"], **keys}
    read = parse_position(format_position(state))
    assert (legal(read), format_position(read)) == (["camel", "tent"], format_position(state))
    for piece in ("camel", "tent"):
        assert format_position(play(read, piece)) == format_position(play(state, piece))


@pytest.mark.parametrize("change", [{"owner": 2}, {"owner": 1}])
def test_a_position_that_asks_for_control_of_a_tile_of_somebody_is_refused(change: dict[str, Any]) -> None:
    found = format_position(play(landing(), "drop C3 y"))
    found["board"]["tiles"]["C3"] |= change
    found["seats"][change["owner"] - 1]["camels"] -= 1
    with pytest.raises(PositionError, match="a free tile"):
        parse_position(found)


# The value of a tent (6.6, R50).


@pytest.mark.parametrize(
    ("at", "value"),
    [
        # Around A1: A1, B1 and A2 are red, the workshop B2 is blue.
        pytest.param("A1", 6 + 3, id="a red tile counts itself, a corner sees three others"),
        # Around D3: C2 D2 E2 C3 D3 D4 E4 are red, the workshops E3 and C4 blue.
        pytest.param("D3", 8 + 7, id="mountains are no bar"),
        # Around E5: D4 and E4 are red, the chasm D5 has no colour, the rest is blue.
        pytest.param("E5", 10 + 2, id="the chasm is not red, and a blue tile does not count itself"),
    ],
)
def test_rule_6_6_a_tent_scores_the_red_tiles_around_it(at: str, value: int) -> None:
    assert score(table(tents={at: 1}), 1)["tiles"] == value


def test_ruling_50_a_tent_on_a_city_counts_red_cities_with_its_own() -> None:
    """Around F6 in the last row: E6 and F6 are red cities, G6 is the lake, the villages E5 F5 G5 are blue."""
    state = position(expansions=("artisans", "whims"), tents={"F6": 1})
    assert score(state, 1)["tiles"] == 5 + 2
    state = position(expansions=("artisans", "whims"), tents={"F6": 1}, owners={"E6": 1})
    assert score(state, 1)["tiles"] == 20 + 2


def test_rule_6_6_a_tent_is_ownership_like_a_camel() -> None:
    seats = {2: {"djinns": ["marid"]}}
    state = play(landing(tents={"C3": 2}, tiles={"C3": "yyw"}, seats=seats), "drop C3 y")
    assert golds(state) == [50, 52, 50]
    assert score(table(tents={"C3": 1}, palms={"C3": 2}), 1)["palms"] == 6


# The end (3.5, 6.6, 8.18).


@pytest.mark.parametrize(
    ("pieces", "ending"),
    [({"camels": 0}, None), ({"camels": 1, "tent": 0}, None), ({"camels": 0, "tent": 0}, "camels")],
)
def test_rule_6_6_the_end_comes_with_the_last_piece_of_all(pieces: dict[str, int], ending: str | None) -> None:
    tiles = {"A1": "y", "A2": "y"}
    state = play(table(phase="sell", tiles=tiles, seats={1: pieces}, bid_order=[1], track={1: 2, 2: 3}), "end")
    assert (state.ending, state.to_act) == (ending, 2)


def test_a_whim_game_without_artisans_has_no_tents() -> None:
    state = position(expansions=("whims",), seats={1: {"camels": 0}}, phase="sell", tiles={"A1": "y", "A2": "y"})
    assert "tent" not in seat(state, 1) and play(state, "end").ending == "camels"
