"""Details of Artisans on which two engines must agree: points 27 to 31 of section 8 of the rules."""

from __future__ import annotations

from typing import Any

import pytest

from arena.rules import format_position, view
from tests.kit.builder import legal, play, position, seat


def table(**parts: Any) -> Any:
    return position(**{"expansions": ("artisans",), "players": 3, "phase": "sell", **parts})


@pytest.mark.parametrize(
    ("tiles", "left"),
    [({"A1": "y"}, [1]), ({"A1": "yw"}, [2, 1]), ({"A1": "yw", "F6": "g"}, [2, 1])],
)
def test_point_8_27_left_starts_at_two_or_at_one_where_one_meeple_is_left(
    tiles: dict[str, str], left: list[int]
) -> None:
    state = play(table(tiles=tiles, owners={"A1": 2}, seats={1: {"items": ["scimitar"]}}), "item scimitar")
    for number in left:
        assert (state.phase, view(state, 0).document["turn"]["left"]) == ("scimitar", number)
        state = play(state, str(state.legal[0]))
    assert state.phase == "sell"


def test_point_8_27_control_after_the_last_meeple_of_the_board_has_no_killing_to_come() -> None:
    state = play(table(tiles={"A1": "y"}, seats={1: {"items": ["scimitar"]}}), "item scimitar", "slay A1 y")
    assert view(state, 0).document["turn"] == {"target": "A1", "back": "sell", "left": 0, "item_used": True}
    assert play(state, "tent").phase == "sell"


def test_point_8_28_of_equal_tokens_the_one_gained_first_leaves() -> None:
    held = ["flute", "crown", "flute", "jewelry"]
    tiles = {"A1": "y", "B1": "y"}
    state = table(phase="move", tiles=tiles, seats={1: {"items": held}})
    assert seat(play(state, "item flute A2"), 1)["items"] == ["crown", "flute", "jewelry"]
    held = ["crown", "carpet", "jewelry", "carpet"]
    parts = {"phase": "sow", "origin": "C1", "came": "C1", "at": "C2", "hand": "y", "tiles": {"F6": "yy"}}
    state = play(table(**parts, seats={1: {"items": held}}), "fly F6 y")
    assert seat(state, 1)["items"] == ["crown", "jewelry", "carpet"]


def test_point_8_29_what_a_horn_draws_is_public() -> None:
    state = play(table(row=["fish"], deck=["gold", "silk"], seats={1: {"items": ["horn"]}}), "item horn")
    drawn = format_position(state)["turn"]["drawn"]
    assert len(drawn) == 9 and drawn[:2] == ["gold", "silk"]
    assert [view(state, number).document["turn"]["drawn"] for number in range(4)] == [drawn] * 4


def test_point_8_29_what_sibittis_draws_is_for_the_drawer_alone() -> None:
    seats = {1: {"djinns": ["sibittis"], "elders": 2}}
    state = play(table(djinn_deck=["enki", "lamia", "geb"], seats=seats), "use sibittis ww")
    drawn = ["enki", "lamia", "geb"]
    assert [view(state, number).document["turn"]["drawn"] for number in range(4)] == [3, drawn, 3, 3]


def test_point_8_29_what_artisans_draw_is_for_the_drawer_alone() -> None:
    turn = {"at": "C3", "drawn": ["crown", "ring"]}
    state = table(phase="item", **turn)
    assert [view(state, number).document["turn"]["drawn"] for number in range(4)] == [2, ["crown", "ring"], 2, 2]


def test_point_8_30_artisans_just_lifted_stand_before_the_seat_in_phase_item() -> None:
    parts = {"phase": "sow", "origin": "C1", "came": "C1", "at": "C2", "hand": "p", "kinds": {"C3": "small-market"}}
    state = table(**parts, tiles={"C3": "ppw"}, seats={1: {"artisans": 1}}, pile=["crown", "lamp", "ring"])
    assert seat(state, 1)["artisans"] == 1
    state = play(state, "drop C3 p")
    assert (state.phase, legal(state)) == ("item", ["keep crown", "keep lamp", "keep ring"])
    assert [view(state, number).document["seats"][0]["artisans"] for number in range(4)] == [4] * 4
    assert "lifted" not in format_position(state)["turn"]


def test_point_8_31_the_resource_pile_is_reshuffled_before_the_item_pile() -> None:
    seats = {1: {"djinns": ["kandicha", "iblis"], "used": ["iblis"]}}
    state = table(
        phase="tribe", at="A1", lifted="rr", doubled=["iblis"], tiles={"A2": "gp"}, owners={"A2": 2}, seats=seats,
        deck=[], discard=["fish", "gold"], other_cards=2, pile=[], items_discard=["lamp", "crown"],
    )  # fmt: skip
    state = play(state, "kill A2 gp")
    assert (state.due.kind, state.due.pile) == ("shuffle", "resources")
    state = play(state, "!shuffle resources gold fish")
    assert (state.due.kind, state.due.pile) == ("shuffle", "items")
    state = play(state, "!shuffle items crown lamp")
    assert (seat(state, 1)["hand"], seat(state, 1)["items"][-1]) == ({"gold": 1}, "crown")
    assert seat(state, 1)["artisans"] == 1 and state.due is None
