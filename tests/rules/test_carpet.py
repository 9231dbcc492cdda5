"""The Flying Carpet: the last meeple of a sowing flies (rules 6.4, 6.8, 8.16, 8.20; rulings 3 and 51)."""

from __future__ import annotations

from typing import Any

from arena.rules import view
from tests.kit.builder import golds, legal, play, position, refusal, seat


def carrying(items: list[str], **parts: Any) -> Any:
    """Return a position in which seat 1 of three holds these items."""
    seats = {1: {"items": items}, **parts.pop("seats", {})}
    return position(**{"expansions": ("artisans",), "players": 3, "phase": "sell", "seats": seats, **parts})


def flying(**parts: Any) -> Any:
    usual = {"phase": "sow", "origin": "A1", "came": "A1", "at": "A2", "hand": "y"}
    return carrying(["carpet"], **{**usual, "tiles": {"A3": "y", "F6": "yw", "E5": "w"}, **parts})


def test_carpet_flies_the_last_meeple_to_its_tribe_anywhere() -> None:
    state = flying(tiles={"A3": "y", "F6": "yw", "A2": "y", "E5": "w"})
    assert legal(state) == ["drop A3 y", "fly A2 y", "fly A3 y", "fly F6 y"]
    assert refusal(state, "fly E5 y") == "NO_MATCH"
    state = play(state, "fly F6 y")
    assert (
        seat(state, 1)["viziers"] == 2
        and view(state, 0).document["items"]["discard"] == ["carpet"]
        and seat(state, 1)["items"] == []
    )
    assert state.item_used and state.at == 35


def test_carpet_flies_one_meeple_once_a_turn() -> None:
    assert legal(flying(item_used=True)) == ["drop A3 y"]
    assert refusal(flying(item_used=True), "fly F6 y") == "NO_SUCH_ITEM"
    two = flying(hand="yw", tiles={"B2": "g", "A3": "y", "B3": "y", "F6": "yw"})
    assert legal(two, "fly") == [] and refusal(two, "fly F6 y") == "NOT_IN_HAND"


def test_rule_6_8_the_carpet_completes_sowings_that_nothing_else_does() -> None:
    tiles = {"A1": "yg", "F6": "g"}
    without = carrying([], tiles=tiles, phase="move")
    assert legal(without) == ["skip"]
    state = carrying(["carpet"], tiles=tiles, phase="move")
    assert legal(state) == ["take A1", "take F6", "skip"]
    state = play(state, "take A1")
    assert legal(state) == ["drop A2 y", "drop B1 y"]
    assert legal(play(state, "drop B1 y")) == ["fly F6 g"]


def test_ruling_51_a_single_meeple_may_fly_at_once() -> None:
    state = play(carrying(["carpet"], tiles={"A1": "g", "F6": "g"}, phase="move"), "take A1")
    assert legal(state) == ["fly F6 g"]


def test_rule_6_8_a_pair_may_land_on_its_own_first_drop() -> None:
    state = play(carrying(["carpet"], tiles={"A1": "gg"}, phase="move"), "take A1", "drop B1 g")
    assert legal(state) == ["fly B1 g"]


def test_rule_6_8_a_flight_is_a_drop_for_marid() -> None:
    state = play(flying(seats={3: {"djinns": ["marid"]}}, owners={"F6": 3}), "fly F6 y")
    assert golds(state) == [50, 50, 52]


def test_ruling_3_a_carpet_neither_obliges_nor_keeps_the_game_alive() -> None:
    state = carrying(["carpet"], tiles={"A1": "yg", "F6": "g"}, bid_order=[2], to_act=2, track={1: 1, 2: 3})
    state = play(state, "end")
    assert (state.to_act, state.ending) == (1, "no-moves") and "skip" in legal(state)
