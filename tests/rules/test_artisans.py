"""Artisans of Naqala: tribe, tiles, mountains, chasm, revised Djinns, scoring (rules 6, 8.14, 8.22, 8.24).

The layout is that of tests/kit/box.py: workshops B2 (mountains N and W), E3 and C4 (S and E), the chasm D5.
"""

from __future__ import annotations

from typing import Any

import pytest

from arena.rules import score, view
from tests.kit.builder import golds, legal, meeples, owner, play, position, refusal, seat, tile

WITH = ("artisans",)
BOARD = {"A1": "y", "A2": "y"}


def table(**parts: Any) -> Any:
    return position(**{"expansions": WITH, "players": 3, **parts})


def landing(**parts: Any) -> Any:
    """Return a position with one meeple in hand (an Artisan unless `hand` is given), next to C3, a small market."""
    usual = {"phase": "sow", "origin": "C1", "came": "C1", "at": "C2", "hand": "p", "kinds": {"C3": "small-market"}}
    return table(**{**usual, "tiles": {"C3": "ppw"}, **parts})


# The tribe (6.4, 6.8, 8.14, 8.22).


def test_rule_6_4_artisans_draw_an_item_each_and_keep_one() -> None:
    state = play(landing(pile=["crown", "lamp", "crown", "ring"]), "drop C3 p")
    assert (state.phase, legal(state)) == ("item", ["keep crown", "keep lamp"])
    assert seat(state, 1)["artisans"] == 3 and meeples(state, "C3") == "w"
    state = play(state, "keep crown")
    assert state.phase == "tile" and "crown" in seat(state, 1)["items"]
    assert view(state, 2).document["items"] == {"pile": 1, "discard": ["lamp", "crown"]}


def test_view_items_drawn_and_kept_are_for_their_owner_alone() -> None:
    state = play(landing(pile=["crown", "lamp", "ring"], seats={2: {"items": ["horn"]}}), "drop C3 p")
    assert view(state, 1).document["turn"]["drawn"] == ["crown", "lamp", "ring"]
    assert [view(state, number).document["turn"]["drawn"] for number in (0, 2, 3)] == [3, 3, 3]
    assert (
        view(state, 2).document["seats"][1]["items"] == ["horn"] and view(state, 3).document["seats"][1]["items"] == 1
    )


def test_point_8_14_a_single_item_is_kept_without_a_decision() -> None:
    state = play(landing(pile=["lamp"]), "drop C3 p")
    assert state.phase == "tile" and seat(state, 1)["items"][-1] == "lamp"


def test_point_8_14_items_of_one_kind_are_asked_all_the_same() -> None:
    state = play(landing(pile=["jewelry", "jewelry", "jewelry"]), "drop C3 p")
    assert (state.phase, legal(state)) == ("item", ["keep jewelry"])


def test_point_8_22_a_pile_that_is_not_empty_is_not_made_anew() -> None:
    state = play(landing(pile=["lamp", "horn"], items_discard=["crown"]), "drop C3 p")
    assert legal(state) == ["keep horn", "keep lamp"]


def test_point_8_22_an_empty_pile_is_made_of_the_discard() -> None:
    state = landing(pile=[], items_discard=["crown", "lamp"])
    state = state.play(state.parse("drop C3 p"))
    assert str(state.due).startswith("!shuffle items with the 2 cards")
    state = play(state, "!shuffle items lamp crown")
    assert legal(state) == ["keep crown", "keep lamp"]
    assert view(play(state, "keep crown"), 0).document["items"] == {"pile": 0, "discard": ["lamp"]}


def test_rule_6_4_without_any_item_there_is_none() -> None:
    state = play(landing(pile=[]), "drop C3 p")
    assert state.phase == "tile" and seat(state, 1)["artisans"] == 3


# Tiles (6.2, 6.3, R54 to R56).


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({"artisans": 1, "hand": {"fakir": 2}}, ["pass", "craft ff", "craft p"]),
        ({"artisans": 1, "hand": {"fakir": 1}}, ["pass", "craft p"]),
        ({"hand": {"fakir": 2}}, ["pass", "craft ff"]),
        ({"elders": 3, "hand": {"fakir": 1, "fish": 3}}, ["pass"]),
    ],
)
def test_rule_6_2_a_workshop_takes_an_artisan_or_two_fakirs(parts: dict[str, Any], expected: list[str]) -> None:
    assert legal(table(phase="tile", at="C4", seats={1: parts})) == expected


def test_rule_6_2_the_artisan_goes_to_the_bag_and_the_fakirs_to_the_discard() -> None:
    parts = {"phase": "tile", "at": "B2", "pile": ["lamp", "ring"], "seats": {1: {"artisans": 2, "hand": {"fakir": 3}}}}
    paid = play(table(**parts, bag="y", heap="F6"), "craft p")
    assert (seat(paid, 1)["artisans"], view(paid, 1).document["bag"], paid.phase) == (1, "yp", "sell")
    assert seat(paid, 1)["items"][-1] == "lamp" and view(paid, 2).document["items"]["pile"] == 1
    paid = play(table(**parts), "craft ff")
    assert seat(paid, 1)["hand"] == {"fakir": 1} and view(paid, 1).document["resources"]["discard"] == [
        "fakir",
        "fakir",
    ]


def test_rule_6_8_a_workshop_without_items_only_passes() -> None:
    state = table(phase="tile", at="C4", pile=[], seats={1: {"artisans": 1}})
    assert legal(state) == ["pass"] and refusal(state, "craft p") == "NO_EFFECT"


def test_rule_6_4_a_workshop_makes_the_pile_anew() -> None:
    state = table(phase="tile", at="C4", pile=[], items_discard=["ring", "lamp"], seats={1: {"artisans": 1}})
    state = play(state, "craft p", "!shuffle items lamp ring")
    assert seat(state, 1)["items"][-1] == "lamp" and view(state, 1).document["items"] == {"pile": 1, "discard": []}


def test_ruling_55_a_special_market_sells_any_card_of_the_row_for_four() -> None:
    state = table(phase="tile", at="D2")
    assert legal(state) == [*(f"buy {place}" for place in range(1, 10)), "pass"]
    bought = play(state, "buy 9")
    assert golds(bought)[0] == 46 and seat(bought, 1)["hand"] == {"pottery": 1} and bought.phase == "sell"
    assert refusal(state, "buy 1 2") == "NO_SUCH_CARD"
    assert legal(table(phase="tile", at="D2", row=["fish"])) == ["buy 1", "pass"]
    assert legal(table(phase="tile", at="D2", row=[])) == ["pass"]
    poor = table(phase="tile", at="D2", seats={1: {"gold": 3}})
    assert legal(poor) == ["pass"] and refusal(poor, "buy 1") == "CANNOT_PAY"


@pytest.mark.parametrize(
    ("at", "steps"),
    [
        pytest.param("B2", ["B3", "C2"], id="mountains north and west"),
        pytest.param("B1", ["A1", "C1"], id="their other side, from the north"),
        pytest.param("A2", ["A1", "A3"], id="from the west"),
        pytest.param("E3", ["D3", "E2"], id="mountains south and east"),
        pytest.param("F3", ["F2", "F4"], id="from the east"),
        pytest.param("E4", ["D4", "E5", "F4"], id="from the south"),
        pytest.param("C4", ["B4", "C3"], id="the other workshop"),
        pytest.param("D4", ["D3", "E4"], id="beside mountains and the chasm"),
        pytest.param("E5", ["E4", "E6", "F5"], id="beside the chasm"),
    ],
)
def test_rule_6_3_mountains_and_the_chasm_block_steps(at: str, steps: list[str]) -> None:
    around = {f"{column}{row}": "yw" for column in "ABCDEF" for row in range(1, 6)} | {at: "y"}
    around.pop("D5")
    tiles = {
        name: group
        for name, group in around.items()
        if abs(ord(name[0]) - ord(at[0])) + abs(int(name[1]) - int(at[1])) <= 1
    }
    tiles |= {f"{at[0]}6": "yw"} if at[1] == "5" else {}
    assert legal(play(table(tiles=tiles), f"take {at}")) == [f"drop {name} y" for name in steps]


def test_ruling_20_assassins_and_builders_see_over_mountains() -> None:
    state = table(phase="tribe", at="A2", lifted="rr", tiles={"B2": "g", "D3": "b", "C3": "w"})
    assert legal(state) == ["kill B2 g"] and refusal(state, "kill C3 w") == "OUT_OF_RANGE"
    # The only blue tile around A2 is the workshop B2.
    assert golds(play(table(phase="tribe", at="A2", lifted="bb"), "build 0"))[0] == 52


def test_ruling_56_the_chasm_is_no_target() -> None:
    seats = {1: {"djinns": ["anun-nak", "leta", "lamia", "enki"], "elders": 4, "items": ["talisman", "flute"]}}
    kinds = {"E5": "oasis"}
    state = table(tiles=BOARD, kinds=kinds, owners={"F6": 1}, seats=seats)
    targets = {word for text in legal(state) for word in text.split()[1:]}
    assert {"E5", "D4", "E6"} <= targets and "D5" not in targets


# The revised Djinns, and victims (6.7, 8.24, 4).


def killing(**parts: Any) -> Any:
    return table(**{"phase": "tribe", "at": "A1", "lifted": "rr", "tiles": {"F6": "y"}, **parts})


def test_rule_6_4_artisans_before_others_are_victims() -> None:
    seats = {1: {"artisans": 2}, 2: {"artisans": 1, "elders": 1}}
    state = killing(seats=seats)
    assert legal(state) == ["kill @2 p", "kill @2 w"]
    killed = play(state, "kill @2 p")
    assert seat(killed, 2)["artisans"] == 0 and view(killed, 1).document["bag"].endswith("p")


def test_rule_4_iblis_takes_any_two_of_one_seat() -> None:
    seats = {1: {"djinns": ["iblis"], "used": ["iblis"]}, 2: {"artisans": 2, "elders": 1}, 3: {"artisans": 1}}
    state = killing(doubled=["iblis"], seats=seats)
    assert legal(state) == ["kill @2 pp", "kill @2 wp", "kill @3 p"]


def test_rule_6_7_boaz_protects_artisans_too() -> None:
    state = killing(seats={2: {"artisans": 1, "djinns": ["boaz"]}})
    assert legal(state) == ["spare"] and refusal(state, "kill @2 p") == "PROTECTED"


@pytest.mark.parametrize(("tiles", "kill"), [({"A2": "pw"}, "kill A2 p"), ({}, "kill @2 p")])
def test_rule_6_7_kandicha_keeps_an_artisan_and_takes_an_item(tiles: dict[str, str], kill: str) -> None:
    seats = {1: {"djinns": ["kandicha"]}, 2: {"artisans": 1}}
    state = play(killing(tiles=tiles, seats=seats, pile=["ring", "lamp"]), kill)
    assert seat(state, 1)["artisans"] == 1 and seat(state, 1)["items"][-1] == "ring"
    assert view(state, 1).document["items"]["pile"] == 1 and state.phase == "tile"


def test_point_8_24_two_artisans_draw_one_item_each_and_nekir_pays_once() -> None:
    seats = {1: {"djinns": ["kandicha", "iblis"], "used": ["iblis"]}, 2: {"artisans": 2}, 3: {"djinns": ["nekir"]}}
    state = killing(tiles={}, doubled=["iblis"], seats=seats, pile=["ring"], items_discard=["lamp", "horn"])
    state = play(state, "kill @2 pp", "!shuffle items horn lamp")
    assert seat(state, 1)["artisans"] == 2 and seat(state, 1)["items"][-2:] == ["ring", "horn"]
    assert golds(state) == [50, 50, 52]


def test_point_8_24_a_merchant_and_an_artisan_draw_from_their_own_piles() -> None:
    seats = {1: {"djinns": ["kandicha", "iblis"], "used": ["iblis"]}}
    parts = {"tiles": {"A2": "gp"}, "doubled": ["iblis"], "seats": seats, "owners": {"A2": 2}}
    state = killing(**parts, deck=["fish"], pile=[], items_discard=["lamp"])
    state = play(state, "kill A2 gp", "!shuffle items lamp")
    assert seat(state, 1)["hand"] == {"fish": 1} and seat(state, 1)["items"][-1] == "lamp"
    assert seat(state, 1)["artisans"] == 1 and view(state, 1).document["bag"].count("p") == 14


# Scoring (6.5).


@pytest.mark.parametrize(
    ("numbers", "points"),
    [
        pytest.param((3, 2, 0), (9, 4, 0), id="the most: three each"),
        pytest.param((3, 3, 1), (9, 9, 2), id="a tie for the most: all of them"),
        pytest.param((2, 2, 2), (6, 6, 6), id="all tied"),
        pytest.param((0, 0, 0), (0, 0, 0), id="nobody has any"),
    ],
)
def test_rule_6_5_artisans(numbers: tuple[int, ...], points: tuple[int, ...]) -> None:
    state = table(seats={number: {"artisans": held} for number, held in enumerate(numbers, 1)})
    assert tuple(score(state, number)["artisans"] for number in (1, 2, 3)) == points


def test_rule_4_ptah_adds_two_for_each_artisan_of_its_owner() -> None:
    state = table(seats={1: {"artisans": 3}, 2: {"artisans": 2, "djinns": ["ptah"]}})
    assert [score(state, number)["artisans"] for number in (1, 2)] == [9, 2 * (2 + 2)]
    most = table(seats={1: {"artisans": 3, "djinns": ["ptah"]}})
    assert score(most, 1)["artisans"] == 3 * (3 + 2) and score(most, 1)["djinns"] == 6


def test_rule_6_2_workshops_and_special_markets_are_worth_what_is_printed() -> None:
    state = table(owners={"B2": 1, "D2": 1, "C4": 2})
    assert [score(state, number)["tiles"] for number in (1, 2)] == [15, 5]
    assert owner(state, "B2") == 1 and tile(state, "B2")["mountains"] == "NW"
