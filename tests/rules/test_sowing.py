"""Sowing and control: rules 3.2 T1 and T2, 8 and 10, rulings R2 to R9, R34, R35, points 8.19 to 8.21, 8.25."""

from __future__ import annotations

from typing import Any

import pytest

from tests.kit.builder import before_last_drop, legal, meeples, owner, play, position, refusal, seat, tile

MOVES = [
    pytest.param({"C3": "y", "C2": "y"}, ["take C2", "take C3"], id="3.2 T1 one meeple steps onto its colour"),
    pytest.param({"C3": "y", "C2": "w"}, ["skip"], id="3.2 T1 the last meeple must find its colour"),
    pytest.param({"C3": "y", "D4": "y"}, ["skip"], id="3.2 T1 diagonal tiles are not adjacent"),
    pytest.param({"A1": "y", "F5": "y"}, ["skip"], id="3.2 T1 the board does not wrap around"),
    pytest.param({"C3": "yw", "C1": "w"}, ["take C3"], id="3.2 T1 two meeples go two steps"),
    pytest.param({"C3": "yw", "C2": "ww"}, ["skip"], id="3.2 T1 a match at the wrong distance does not serve"),
    pytest.param({"C3": "yy"}, ["skip"], id="R4 two meeples cannot end on the origin"),
    pytest.param({"C3": "yggbr"}, ["take C3"], id="R5 five meeples with a pair match their own drop"),
    pytest.param({"C3": "yggb"}, ["skip"], id="R5 four meeples with a pair cannot"),
    pytest.param({"C3": "ywgbr"}, ["skip"], id="R5 five meeples without a pair cannot"),
    pytest.param({"A1": "yggbr"}, ["take A1"], id="R5 a loop fits into the corner"),
    pytest.param({}, ["skip"], id="8.20 skip on an empty board"),
]


@pytest.mark.parametrize(("tiles", "expected"), MOVES)
def test_legal_moves(tiles: dict[str, str], expected: list[str]) -> None:
    ending = "no-moves" if expected == ["skip"] else None
    assert legal(position(tiles=tiles, ending=ending)) == expected


def test_rule_3_legality_is_the_same_for_everybody_whoever_owns_the_tiles() -> None:
    for to_act in (1, 2, 3, 4):
        tiles, owners = {"C3": "yw", "C1": "w"}, {"C3": 2, "C2": 3, "C1": 1}
        assert legal(position(to_act=to_act, tiles=tiles, owners=owners)) == ["take C3"]


# Legal drops in phase `sow`, from C2 and coming from C1 unless a case says otherwise.

DROPS = [
    pytest.param(
        {"at": "C3", "origin": "C3", "came": None, "hand": "yw", "tiles": {"C1": "w"}},
        ["drop C2 y"],
        id="8 only drops from which the move can be completed",
    ),
    pytest.param(
        {"at": "C3", "origin": "C3", "came": None, "hand": "yw", "tiles": {"C1": "yw", "E3": "w"}},
        ["drop C2 w", "drop C2 y", "drop D3 y"],
        id="8 each colour and each way that can be completed",
    ),
    pytest.param(
        {"hand": "y", "tiles": {"B2": "y", "C3": "y", "D2": "yy", "C1": "y", "A2": "y"}},
        ["drop B2 y", "drop C3 y", "drop D2 y"],
        id="R4 every neighbour that matches except the one before",
    ),
    pytest.param(
        {"at": "A1", "origin": "B1", "came": "B1", "hand": "r", "tiles": {"A2": "r", "B1": "r"}},
        ["drop A2 r"],
        id="3.2 T1 in a corner one step is left",
    ),
    pytest.param(
        {"at": "C3", "origin": "C3", "came": None, "hand": "gg", "tiles": {"C1": "g"}},
        ["drop C2 g"],
        id="8 one drop where both meeples are alike",
    ),
]


@pytest.mark.parametrize(("parts", "expected"), DROPS)
def test_legal_drops(parts: dict[str, Any], expected: list[str]) -> None:
    usual = {"phase": "sow", "origin": "C1", "came": "C1", "at": "C2"}
    parts = {key: value for key, value in {**usual, **parts}.items() if value is not None}
    assert legal(position(**parts)) == expected


YW = {"tiles": {"C3": "yw", "C1": "w", "A3": "y"}}
FIVE = {"tiles": {"C3": "yggbr", "C2": "g", "A3": "y"}}
REFUSED = [
    pytest.param(YW, [], "take D3", "EMPTY_TILE", id="3.2 T1 an empty tile is not taken"),
    pytest.param(YW, [], "take C1", "NO_LAST_DROP", id="8 a take that cannot be completed"),
    pytest.param(YW, [], "take A6", "NO_SUCH_TILE", id="2.2 the base board has 5 rows"),
    pytest.param(YW, [], "take G1", "NO_SUCH_TILE", id="2.2 the base board has 6 columns"),
    pytest.param(YW, [], "skip", "MUST_MOVE", id="R2 moving is compulsory"),
    pytest.param(YW, [], "drop C2 y", "WRONG_PHASE", id="8 nothing is in hand before take"),
    pytest.param(YW, [], "end", "WRONG_PHASE", id="R2 the turn does not end before the move"),
    pytest.param(YW, [], "pass", "WRONG_PHASE", id="R2 the move is not optional"),
    pytest.param(YW, ["take C3"], "take C1", "WRONG_PHASE", id="3.2 T1 one tile is taken"),
    pytest.param(YW, ["take C3"], "skip", "WRONG_PHASE", id="8.20 no skip with meeples in hand"),
    pytest.param(YW, ["take C3"], "drop C2 w", "NO_LAST_DROP", id="8 a drop that cannot be completed"),
    pytest.param(YW, ["take C3"], "drop C2 r", "NOT_IN_HAND", id="3.2 T1 one meeple of those in hand"),
    pytest.param(YW, ["take C3"], "drop C1 y", "NOT_ADJACENT", id="3.2 T1 a step over two tiles"),
    pytest.param(YW, ["take C3"], "drop C3 y", "NOT_ADJACENT", id="3.2 T1 staying is no step"),
    pytest.param(YW, ["take C3"], "drop D4 y", "NOT_ADJACENT", id="3.2 T1 a diagonal step"),
    pytest.param(YW, ["take C3", "drop C2 y"], "drop C3 w", "BACKTRACK", id="R4 back onto the origin"),
    pytest.param(YW, ["take C3", "drop C2 y"], "drop B2 w", "NO_MATCH", id="3.2 T1 no meeple of its colour there"),
    pytest.param(FIVE, ["take C3", "drop C2 g", "drop B2 b"], "drop C2 r", "BACKTRACK", id="R4 back onto a drop"),
]


@pytest.mark.parametrize(("parts", "first", "text", "code"), REFUSED)
def test_refused_moves(parts: dict[str, Any], first: list[str], text: str, code: str) -> None:
    assert refusal(play(position(**parts), *first), text) == code


def test_rule_3_2_all_meeples_of_the_origin_are_taken_and_one_is_dropped_a_step() -> None:
    state = position(tiles={"C3": "ywg", "C2": "r", "D2": "b", "E2": "g"})
    state = play(state, "take C3")
    assert meeples(state, "C3") == "-"
    state = play(state, "drop C2 y", "drop D2 w")
    assert (meeples(state, "C2"), meeples(state, "D2")) == ("yr", "wb")
    assert state.phase == "sow"
    after = play(state, "drop E2 g")
    assert (meeples(after, "E2"), owner(after, "E2")) == ("-", 1)


def test_rule_3_2_empty_and_foreign_tiles_are_passed_over() -> None:
    state = position(tiles={"C3": "yw", "C1": "w"}, owners={"C2": 3})
    after = play(state, "take C3", "drop C2 y", "drop C1 w")
    assert (owner(after, "C2"), meeples(after, "C2")) == (3, "y")


def test_ruling_5_a_match_dropped_earlier_in_the_move_serves() -> None:
    state = position(tiles={"C3": "yggbr"})
    state = play(state, "take C3", "drop C2 g", "drop B2 b", "drop B3 r", "drop C3 y")
    assert legal(state) == ["drop C2 g"]
    after = play(state, "drop C2 g")
    assert sum(seat(after, 1)["hand"].values()) == 2  # both Merchants are collected
    assert owner(after, "C2") == 1


def test_ruling_6_a_move_of_eight_may_end_on_its_origin() -> None:
    state = position(tiles={"C3": "yywwggbb"})
    walk = ["drop C2 w", "drop B2 w", "drop B3 g", "drop C3 y", "drop C2 g", "drop B2 b", "drop B3 b"]
    state = play(state, "take C3", *walk)
    assert "drop C3 y" in legal(state)
    after = play(state, "drop C3 y")
    assert (seat(after, 1)["viziers"], owner(after, "C3"), meeples(after, "C3")) == (2, 1, "-")


def test_ruling_6_a_shorter_move_may_not() -> None:
    state = position(phase="sow", origin="C3", came="B2", at="B3", hand="y", tiles={"A3": "y"})
    assert legal(state) == ["drop A3 y"]
    assert refusal(state, "drop C3 y") == "NO_MATCH"


def test_ruling_4_the_origin_may_be_revisited_through_a_loop() -> None:
    state = position(tiles={"C3": "ywwgb", "C4": "b"})
    state = play(state, "take C3", "drop C2 y", "drop B2 w", "drop B3 w")
    assert "drop C3 g" in legal(state)
    assert "drop C4 b" in legal(play(state, "drop C3 g"))


# Control.

CONTROL = [
    pytest.param({"tiles": {"C3": "y"}}, 1, 7, id="R7 an emptied tile is taken, without being asked"),
    pytest.param({"tiles": {"C3": "yr"}}, None, 8, id="3.2 T2 a meeple is left: no control"),
    pytest.param(
        {"tiles": {"C3": "y"}, "palms": {"C3": 2}, "palaces": {"C3": 1}}, 1, 7, id="R7 palms, palaces are no obstacle"
    ),
    pytest.param({"tiles": {"C3": "y"}, "owners": {"C3": 2}}, 2, 8, id="R8 a tile of another stays his"),
    pytest.param({"tiles": {"C3": "y"}, "owners": {"C3": 1}}, 1, 7, id="R7 an own tile takes no second camel"),
    pytest.param(
        {"tiles": {"C3": "y"}, "seats": {1: {"camels": 0}}, "ending": "camels"},
        None,
        0,
        id="R34 without camels no control",
    ),
]


@pytest.mark.parametrize(("parts", "owned", "camels"), CONTROL)
def test_control(parts: dict[str, Any], owned: int | None, camels: int) -> None:
    after = play(before_last_drop(**parts), "drop C3 y")
    assert owner(after, "C3") == owned
    assert seat(after, 1)["camels"] == camels
    assert seat(after, 1)["viziers"] == 2


def test_ruling_34_a_tile_left_unowned_is_taken_by_a_later_seat() -> None:
    seats = {1: {"camels": 0}}
    tiles, kinds = {"C3": "y", "A1": "y", "A2": "y"}, {"C3": "sacred"}
    state = before_last_drop(tiles=tiles, seats=seats, ending="camels", kinds=kinds)
    state = play(state, "drop C3 y", "pass", "end", "take A1", "drop A2 y")
    assert (owner(state, "C3"), owner(state, "A2")) == (None, 2)
    again = before_last_drop(tiles={"C3": "y"}, to_act=2, seats=seats, ending="camels")
    assert owner(play(again, "drop C3 y"), "C3") == 2


def test_ruling_8_tribe_and_tile_actions_on_a_foreign_tile_are_done_and_the_palace_is_its_owners() -> None:
    state = before_last_drop(tiles={"C3": "y"}, owners={"C3": 2}, kinds={"C3": "village"})
    after = play(state, "drop C3 y")
    assert seat(after, 1)["viziers"] == 2
    assert (owner(after, "C3"), tile(after, "C3")["palaces"]) == (2, 1)


# No legal move.


def test_ruling_2_without_a_legal_move_the_turn_goes_on_to_the_sale() -> None:
    state = position(ending="no-moves", seats={1: {"hand": {"fish": 1}}})
    assert legal(state) == ["skip"]
    state = play(state, "skip")
    assert (state.phase, legal(state)) == ("sell", ["sell fish", "end"])


def test_ruling_35_a_power_that_makes_a_move_possible_obliges_this_seat_and_the_end_stays_triggered() -> None:
    seats = {1: {"djinns": ["anun-nak"], "elders": 1}}
    state = position(tiles={"C3": "y"}, ending="no-moves", seats=seats)
    assert legal(state)[:2] == ["skip", "use anun-nak w A1"]
    state = play(state, "use anun-nak w C2", "!bag ywg")
    assert legal(state) == ["take C2", "take C3"]
    assert refusal(state, "skip") == "MUST_MOVE"
    assert state.ending == "no-moves"


def test_point_8_19_a_later_seat_must_move_too() -> None:
    seats = {1: {"djinns": ["anun-nak"], "elders": 1}}
    state = position(tiles={"C3": "y"}, ending="no-moves", seats=seats)
    state = play(state, "skip", "use anun-nak w C2", "!bag ywg", "end")
    assert (state.to_act, legal(state), state.ending) == (2, ["take C2", "take C3"], "no-moves")
    assert refusal(state, "skip") == "MUST_MOVE"


@pytest.mark.parametrize("text", ["use sloar f", "sell fish", "end", "pass", "build 0", "spare"])
def test_point_8_21_nothing_else_is_done_in_the_middle_of_a_move(text: str) -> None:
    seats = {1: {"djinns": ["sloar"], "hand": {"fakir": 2, "fish": 1}}}
    state = before_last_drop(tiles={"C3": "y"}, seats=seats)
    assert legal(state) == ["drop C3 y"]
    assert refusal(state, text) == "WRONG_PHASE"
