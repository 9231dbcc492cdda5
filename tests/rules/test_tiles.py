"""Tile and tribe actions: rules 3.2 T3 and T4, rulings R9, R11, R13, R21 to R24, R26, R30, R31, points 8.4, 8.5."""

from __future__ import annotations

from typing import Any

import pytest

from arena.rules import State, format_position
from tests.kit.builder import before_last_drop, golds, legal, meeples, owner, play, position, refusal, seat, tile

ROW = ["fish", "gold", "ivory", "fakir", "wheat", "silk", "spice"]


def on(kind: str, **parts: Any) -> State:
    """Return a position in phase `tile` on C3, a tile of that kind."""
    return position(phase="tile", at="C3", kinds={"C3": kind}, **parts)


def me(**parts: Any) -> dict[str, Any]:
    return {"seats": {1: parts}}


PAIRS = [f"buy {one} {two}" for one in range(1, 7) for two in range(one + 1, 7)]
OFFERS = [
    pytest.param(
        "small-market", {}, ["buy 1", "buy 2", "buy 3", "pass"], id="3.2 T4 a small market offers the first 3"
    ),
    pytest.param("small-market", me(gold=3), ["buy 1", "buy 2", "buy 3", "pass"], id="3.2 T4 3 GC pay for it"),
    pytest.param("small-market", me(gold=2), ["pass"], id="3.2 T4 2 GC do not"),
    pytest.param("small-market", {"row": ROW[:2]}, ["buy 1", "buy 2", "pass"], id="R22 fewer than 3 cards"),
    pytest.param("small-market", {"row": []}, ["pass"], id="R22 no card: pass alone, still asked (8.14)"),
    pytest.param("large-market", {}, [*PAIRS, "pass"], id="3.2 T4 a large market offers 2 of the first 6"),
    pytest.param("large-market", me(gold=6), [*PAIRS, "pass"], id="3.2 T4 6 GC pay for it"),
    pytest.param("large-market", me(gold=5), ["pass"], id="3.2 T4 5 GC do not"),
    pytest.param(
        "large-market",
        {"row": ROW[:3]},
        ["buy 1 2", "buy 1 3", "buy 2 3", "pass"],
        id="R21 two of the three that are left",
    ),
    pytest.param("large-market", {"row": ROW[:2]}, ["buy 1 2", "pass"], id="R21 exactly two"),
    pytest.param("large-market", {"row": ROW[:1]}, ["buy 1", "pass"], id="R21 the only card left"),
    pytest.param("large-market", {"row": ROW[:1], **me(gold=5)}, ["pass"], id="R21 the only card left still costs 6"),
    pytest.param("large-market", {"row": []}, ["pass"], id="R21 none left"),
    pytest.param("sacred", {"djinn_row": ["enki"]}, ["pass"], id="R30 nothing to pay with"),
    pytest.param("sacred", {"djinn_row": ["enki"], **me(hand={"fakir": 9})}, ["pass"], id="R30 never two Fakirs"),
    pytest.param("sacred", {"djinn_row": ["enki"], **me(elders=1)}, ["pass"], id="R30 one Elder alone does not pay"),
    pytest.param(
        "sacred",
        {"djinn_row": ["enki"], **me(elders=2)},
        ["summon enki ww", "pass"],
        id="3.2 T4 a Djinn for two Elders",
    ),
    pytest.param(
        "sacred",
        {"djinn_row": ["enki"], **me(elders=1, hand={"fakir": 1})},
        ["summon enki wf", "pass"],
        id="3.2 T4 a Djinn for an Elder and a Fakir",
    ),
    pytest.param(
        "sacred-15",
        {"djinn_row": ["leta", "baal", "anun-nak"], **me(elders=2, hand={"fakir": 1})},
        [
            *("summon anun-nak wf", "summon anun-nak ww", "summon baal wf", "summon baal ww", "summon leta wf"),
            *("summon leta ww", "pass"),
        ],
        id="3.2 T4 any face-up Djinn, in the order of the notation",
    ),
    pytest.param("sacred", {"djinn_row": [], **me(elders=2)}, ["pass"], id="3.2 T4 no Djinn face up"),
]


@pytest.mark.parametrize(("kind", "parts", "expected"), OFFERS)
def test_what_a_tile_offers(kind: str, parts: dict[str, Any], expected: list[str]) -> None:
    assert legal(on(kind, **parts)) == expected


LAMIA = me(djinns=["lamia"], elders=1)
HAGIS = me(djinns=["hagis"], elders=1)
REFUSED = [
    pytest.param("small-market", {}, "buy 4", "NO_SUCH_CARD", id="3.2 T4 only the first 3 of a small market"),
    pytest.param("small-market", {}, "buy 1 2", "NO_SUCH_CARD", id="3.2 T4 a small market sells one"),
    pytest.param("small-market", me(gold=2), "buy 1", "CANNOT_PAY", id="3.2 T4 a small market costs 3"),
    pytest.param("small-market", {"row": ROW[:2]}, "buy 3", "NO_SUCH_CARD", id="R22 a place without a card"),
    pytest.param("small-market", {"row": []}, "buy 1", "NO_SUCH_CARD", id="R22 an empty row"),
    pytest.param("large-market", {}, "buy 1", "NO_SUCH_CARD", id="R21 the second card is not declined"),
    pytest.param("large-market", {}, "buy 1 7", "NO_SUCH_CARD", id="3.2 T4 only the first 6 of a large market"),
    pytest.param("large-market", me(gold=5), "buy 1 2", "CANNOT_PAY", id="3.2 T4 a large market costs 6"),
    pytest.param("large-market", {"row": ROW[:1]}, "buy 1 2", "NO_SUCH_CARD", id="R21 two of one card"),
    pytest.param("large-market", {"row": []}, "buy 1", "NO_SUCH_CARD", id="R21 an empty row"),
    pytest.param(
        "sacred", {"djinn_row": ["enki"], **me(elders=2)}, "summon leta ww", "NO_SUCH_DJINN", id="3.2 T4 face up only"
    ),
    pytest.param(
        "sacred", {"djinn_row": ["enki"], **me(elders=1)}, "summon enki ww", "CANNOT_PAY", id="R30 one Elder short"
    ),
    pytest.param("sacred", {"djinn_row": ["enki"], **me(elders=2)}, "summon enki wf", "CANNOT_PAY", id="R30 no Fakir"),
    pytest.param("sacred", {}, "buy 1", "WRONG_TILE", id="3.2 T4 a sacred place sells nothing"),
    pytest.param(
        "small-market",
        {"djinn_row": ["enki"], **me(elders=2)},
        "summon enki ww",
        "WRONG_TILE",
        id="3.2 T4 a market has no Djinn",
    ),
    pytest.param("small-market", {}, "palm C3", "WRONG_TILE", id="3.2 T4 a market has no palm"),
    pytest.param("oasis", LAMIA, "pass", "MUST_PLACE", id="3.2 T4 the palm is compulsory"),
    pytest.param("village", HAGIS, "pass", "MUST_PLACE", id="3.2 T4 the palace is compulsory"),
    pytest.param("oasis", LAMIA, "palace C3", "WRONG_TILE", id="3.2 T4 an oasis receives a palm"),
    pytest.param("village", HAGIS, "palm C3", "WRONG_TILE", id="3.2 T4 a village receives a palace"),
    pytest.param("oasis", LAMIA, "palm C2", "WRONG_TILE", id="8.4 without payment the palm goes on the tile itself"),
    pytest.param("small-market", {}, "end", "WRONG_PHASE", id="8 the tile action is answered before the turn ends"),
    pytest.param(
        "small-market", me(hand={"fish": 1}), "sell fish", "WRONG_PHASE", id="R27 no sale before the tile action"
    ),
]


@pytest.mark.parametrize(("kind", "parts", "text", "code"), REFUSED)
def test_what_a_tile_refuses(kind: str, parts: dict[str, Any], text: str, code: str) -> None:
    assert refusal(on(kind, **parts), text) == code


def test_rule_3_2_a_purchase_pays_the_price_and_the_row_is_not_refilled_r24() -> None:
    after = play(on("small-market", row=ROW), "buy 2")
    assert (golds(after)[0], seat(after, 1)["hand"], after.phase) == (47, {"gold": 1}, "sell")
    assert format_position(after)["resources"]["row"] == ["fish", "ivory", "fakir", "wheat", "silk", "spice"]


def test_ruling_21_both_cards_are_chosen_from_the_row_as_it_lay() -> None:
    after = play(on("large-market", row=ROW), "buy 1 6")
    assert (golds(after)[0], seat(after, 1)["hand"]) == (44, {"fish": 1, "silk": 1})
    assert format_position(after)["resources"]["row"] == ["gold", "ivory", "fakir", "wheat", "spice"]


def test_ruling_21_the_last_card_costs_six_all_the_same() -> None:
    after = play(on("large-market", row=ROW[:1]), "buy 1")
    assert (golds(after)[0], seat(after, 1)["hand"]) == (44, {"fish": 1})


def test_rule_3_2_a_market_may_be_passed_at_no_cost() -> None:
    after = play(on("large-market"), "pass")
    assert (golds(after)[0], after.phase, seat(after, 1)["hand"]) == (50, "sell", {})


@pytest.mark.parametrize(
    ("text", "elders", "fakirs"),
    [
        pytest.param("summon enki ww", 0, 1, id="3.2 T4 two Elders go to the bag"),
        pytest.param("summon enki wf", 1, 0, id="3.2 T4 an Elder to the bag, a Fakir to the discard"),
    ],
)
def test_summoning(text: str, elders: int, fakirs: int) -> None:
    before = on("sacred", djinn_row=["leta", "enki", "baal"], **me(elders=2, hand={"fakir": 1}))
    after = play(before, text)
    shown = format_position(after)
    assert shown["seats"][0]["djinns"] == ["enki"]
    assert shown["djinns"]["row"] == ["leta", "baal"]  # not replaced until the clean-up
    assert (shown["seats"][0]["elders"], shown["seats"][0]["hand"].get("fakir", 0)) == (elders, fakirs)
    assert shown["bag"].count("w") == 18 + 2 - elders
    assert shown["resources"]["discard"] == ["fakir"] * (1 - fakirs)


def test_ruling_30_elders_just_collected_pay_for_a_djinn() -> None:
    state = before_last_drop(hand="w", tiles={"C3": "w"}, kinds={"C3": "sacred"}, djinn_row=["enki"])
    assert legal(play(state, "drop C3 w")) == ["summon enki ww", "pass"]


def test_ruling_31_a_djinn_just_taken_is_used_in_the_same_turn() -> None:
    state = on("sacred", djinn_row=["sloar"], deck=["fish"], **me(elders=2, hand={"fakir": 1}))
    state = play(state, "summon sloar ww")
    assert legal(state) == ["use sloar f", "end"]
    after = play(state, "use sloar f")
    assert (seat(after, 1)["hand"], seat(after, 1)["used"]) == ({"fish": 1}, ["sloar"])


# Oasis and village.

PLACED = [
    pytest.param({"C3": "oasis"}, {}, 1, 0, id="3.2 T4 an oasis receives a palm, without being asked"),
    pytest.param({"C3": "village"}, {}, 0, 1, id="3.2 T4 a village receives a palace, without being asked"),
    pytest.param({"C3": "oasis"}, {"palms_left": 0}, 0, 0, id="R26 no palm left"),
    pytest.param({"C3": "village"}, {"palaces_left": 0}, 0, 0, id="R26 no palace left"),
    pytest.param({"C3": "oasis"}, {"palms_left": 0, **LAMIA}, 0, 0, id="8.4 no palm left: Lamia is not asked"),
    pytest.param({"C3": "village"}, {"palaces_left": 0, **HAGIS}, 0, 0, id="8.4 no palace left: Hagis is not asked"),
    pytest.param({"C3": "oasis"}, me(djinns=["lamia"]), 1, 0, id="8.4 Lamia that cannot be paid is not asked"),
    pytest.param({"C3": "oasis"}, me(djinns=["lamia"], used=["lamia"], elders=1), 1, 0, id="8.4 Lamia used this round"),
    pytest.param({"C3": "oasis"}, HAGIS, 1, 0, id="8.4 Hagis has no say about palms"),
    pytest.param({"C3": "village"}, LAMIA, 0, 1, id="8.4 Lamia has no say about palaces"),
    pytest.param({"C3": "oasis"}, {"palms": {"C3": 3}}, 4, 0, id="3.2 T4 a tile holds any number of palms"),
]


@pytest.mark.parametrize(("kinds", "parts", "palms", "palaces"), PLACED)
def test_placements_that_resolve_by_themselves(
    kinds: dict[str, str], parts: dict[str, Any], palms: int, palaces: int
) -> None:
    before = before_last_drop(tiles={"C3": "yr"}, kinds=kinds, **parts)
    after = play(before, "drop C3 y")
    assert after.phase == "sell"
    assert (tile(after, "C3")["palms"], tile(after, "C3")["palaces"]) == (palms, palaces)


def test_ruling_26_a_palace_that_is_not_there_pays_monkir_nothing() -> None:
    parts = {"tiles": {"C3": "yr"}, "kinds": {"C3": "village"}, "seats": {2: {"djinns": ["monkir"]}}}
    assert golds(play(before_last_drop(palaces_left=0, **parts), "drop C3 y")) == [50, 50, 50, 50]
    assert golds(play(before_last_drop(**parts), "drop C3 y")) == [50, 52, 50, 50]


# Tribes.


def test_rule_3_2_viziers_and_elders_stand_in_front_of_the_seat() -> None:
    kinds = {"C3": "oasis"}
    after = play(before_last_drop(tiles={"C3": "yyr"}, kinds=kinds), "drop C3 y")
    assert (seat(after, 1)["viziers"], seat(after, 1)["elders"], meeples(after, "C3")) == (3, 0, "r")
    after = play(before_last_drop(hand="w", tiles={"C3": "wr"}, kinds=kinds), "drop C3 w")
    assert (seat(after, 1)["viziers"], seat(after, 1)["elders"]) == (0, 2)


MERCHANTS = [
    pytest.param("g", ROW, {"fish": 1, "gold": 1}, ROW[2:], id="3.2 T3 two Merchants take the first two cards"),
    pytest.param("ggg", ROW, {"fish": 1, "gold": 1, "ivory": 1, "fakir": 1}, ROW[4:], id="3.2 T3 Fakirs too"),
    pytest.param("ggg", ROW[:2], {"fish": 1, "gold": 1}, [], id="R23 fewer cards than Merchants"),
    pytest.param("g", [], {}, [], id="R23 no card at all"),
]


@pytest.mark.parametrize(("there", "row", "hand", "left"), MERCHANTS)
def test_merchants(there: str, row: list[str], hand: dict[str, int], left: list[str]) -> None:
    before = before_last_drop(hand="g", tiles={"C3": there + "r"}, kinds={"C3": "oasis"}, row=row)
    after = play(before, "drop C3 g")
    assert seat(after, 1)["hand"] == hand
    assert format_position(after)["resources"]["row"] == left  # R24: not refilled
    assert format_position(after)["bag"].count("g") == 18


BLOCK = ["B2", "C2", "D2", "B3", "D3", "B4", "C4", "D4"]
RED = dict.fromkeys([*BLOCK, "C3"], "red")
BUILDERS = [
    pytest.param({}, "C3", RED, "bb", "build 0", 0, id="8.14 build 0 where no tile is blue"),
    pytest.param({}, "C3", RED | {"C3": "blue"}, "bb", "build 0", 2, id="3.2 T3 the tile itself counts"),
    pytest.param({}, "C3", RED | {"B2": "blue"}, "bb", "build 0", 2, id="3.2 T3 diagonal tiles count"),
    pytest.param({}, "C3", dict.fromkeys(RED, "blue"), "bbb", "build 0", 27, id="3.2 T3 nine blue tiles"),
    pytest.param(
        {"fakir": 3}, "C3", RED | {"C3": "blue"}, "bb", "build 3", 5, id="3.2 T3 each Fakir is a Builder more"
    ),
    pytest.param({"fakir": 3}, "C3", RED | {"C3": "blue"}, "bb", "build 1", 3, id="3.2 T3 some of the Fakirs"),
    pytest.param(
        {}, "A1", {"A1": "blue", "B2": "blue", "A2": "red", "B1": "red"}, "bb", "build 0", 4, id="3.2 T3 corner"
    ),
]


@pytest.mark.parametrize(("hand", "at", "kinds", "lifted", "text", "earned"), BUILDERS)
def test_builders(hand: dict[str, int], at: str, kinds: dict[str, str], lifted: str, text: str, earned: int) -> None:
    before = position(phase="tribe", at=at, kinds=kinds, lifted=lifted, seats={1: {"hand": hand}})
    assert format_position(before)["bag"].count("b") == 18 - len(lifted)  # 8.13: still in hand until they have built
    after = play(before, text)
    assert golds(after)[0] == 50 + earned
    spent = int(text.split()[1])
    assert seat(after, 1)["hand"].get("fakir", 0) == hand.get("fakir", 0) - spent
    assert format_position(after)["resources"]["discard"] == ["fakir"] * spent
    assert format_position(after)["bag"].count("b") == 18


def test_rule_3_2_any_number_of_fakirs_in_byte_order() -> None:
    state = position(phase="tribe", at="C3", lifted="bb", seats={1: {"hand": {"fakir": 11, "fish": 2}}})
    assert legal(state) == [f"build {fakirs}" for fakirs in (0, 1, 10, 11, 2, 3, 4, 5, 6, 7, 8, 9)]
    assert refusal(state, "build 12") == "CANNOT_PAY"


ASSASSINS = {"phase": "tribe", "at": "C3", "lifted": "rr", "kinds": {"C3": "sacred"}}
VICTIMS = [
    pytest.param(
        {"tiles": {"C3": "y", "A3": "r", "D4": "gw", "A1": "b"}},
        ["kill A3 r", "kill C3 y", "kill D4 g", "kill D4 w"],
        id="8.5 distance up to the Assassins, 0 and red included",
    ),
    pytest.param({"tiles": {"E4": "w"}}, ["spare"], id="8.5 out of range without Fakirs"),
    pytest.param(
        {"tiles": {"E4": "w"}, **me(hand={"fakir": 1})}, ["kill E4 w", "spare"], id="R13 spare where only Fakirs reach"
    ),
    pytest.param(
        {"tiles": {"E4": "w", "C5": "g"}, **me(hand={"fakir": 1})},
        ["kill C5 g", "kill E4 w"],
        id="R13 he may choose a victim that needs Fakirs, but must kill",
    ),
    pytest.param({"tiles": {"A1": "y"}, **me(hand={"fakir": 1})}, ["spare"], id="8.5 too few Fakirs"),
    pytest.param({"tiles": {"A1": "y"}, **me(hand={"fakir": 2})}, ["kill A1 y", "spare"], id="8.5 enough Fakirs"),
    pytest.param({}, ["spare"], id="8.14 nobody to kill: spare, and asked"),
    pytest.param(
        {"seats": {3: {"viziers": 1, "elders": 2}}},
        ["kill @3 w", "kill @3 y"],
        id="R13 in front of an opponent, without range",
    ),
    pytest.param(
        {"tiles": {"C3": "b"}, "seats": {2: {"viziers": 1}}}, ["kill @2 y", "kill C3 b"], id="notation: @ before tiles"
    ),
    pytest.param({"seats": {1: {"viziers": 3, "elders": 3}}}, ["spare"], id="R13 never the own meeples"),
    pytest.param({"seats": {2: {"viziers": 3, "djinns": ["boaz"]}}}, ["spare"], id="R13 never Boaz's"),
    pytest.param(
        {"tiles": {"E4": "w"}, "seats": {1: {"hand": {"fakir": 1}}, 2: {"elders": 1}}},
        ["kill @2 w", "kill E4 w"],
        id="R13 a victim in front of a seat makes it compulsory",
    ),
    pytest.param({"lifted": "rrrr", "tiles": {"A1": "y", "F5": "w"}}, ["kill A1 y"], id="8.5 four Assassins reach 4"),
]


@pytest.mark.parametrize(("parts", "expected"), VICTIMS)
def test_whom_assassins_may_kill(parts: dict[str, Any], expected: list[str]) -> None:
    assert legal(position(**{**ASSASSINS, **parts})) == expected


NO_KILL = [
    pytest.param({"tiles": {"E4": "w"}}, "kill E4 w", "OUT_OF_RANGE", id="8.5 distance 3 for two"),
    pytest.param(
        {"tiles": {"A1": "y"}, **me(hand={"fakir": 1})}, "kill A1 y", "OUT_OF_RANGE", id="8.5 one Fakir short"
    ),
    pytest.param({"tiles": {"C3": "y"}}, "kill C3 w", "NO_SUCH_VICTIM", id="8.5 no such meeple there"),
    pytest.param({"tiles": {"C3": "yw"}}, "kill C3 yw", "NO_SUCH_VICTIM", id="8.5 two victims only with Iblis"),
    pytest.param({"tiles": {"C3": "y"}}, "spare", "MUST_KILL", id="R13 a kill in range is compulsory"),
    pytest.param({"seats": {4: {"elders": 1}}}, "spare", "MUST_KILL", id="R13 in front of a seat too"),
    pytest.param({"seats": {1: {"elders": 1}}}, "kill @1 w", "NO_SUCH_VICTIM", id="R13 not in front of himself"),
    pytest.param({"seats": {2: {"elders": 1}}}, "kill @2 y", "NO_SUCH_VICTIM", id="R13 seat 2 has no Vizier"),
    pytest.param({}, "kill @5 y", "NO_SUCH_VICTIM", id="R13 there is no seat 5"),
    pytest.param({"seats": {2: {"elders": 1, "djinns": ["boaz"]}}}, "kill @2 w", "PROTECTED", id="R13 Boaz"),
    pytest.param({}, "kill A6 y", "NO_SUCH_TILE", id="2.2 no row 6"),
    pytest.param({}, "build 0", "WRONG_TRIBE", id="3.2 T3 Assassins do not build"),
    pytest.param({"lifted": "bb", "tiles": {"C3": "y"}}, "kill C3 y", "WRONG_TRIBE", id="3.2 T3 Builders do not kill"),
    pytest.param({"lifted": "bb"}, "spare", "WRONG_TRIBE", id="3.2 T3 Builders do not spare"),
    pytest.param({"lifted": "bb"}, "pass", "WRONG_PHASE", id="3.2 T3 the tribe action is compulsory"),
    pytest.param({"lifted": "bb"}, "end", "WRONG_PHASE", id="3.2 T3 before the end of the turn"),
]


@pytest.mark.parametrize(("parts", "text", "code"), NO_KILL)
def test_whom_assassins_may_not_kill(parts: dict[str, Any], text: str, code: str) -> None:
    assert refusal(position(**{**ASSASSINS, **parts}), text) == code


KILLED = [
    pytest.param({"tiles": {"D4": "gw"}}, "kill D4 w", "D4", "g", None, 0, id="3.2 T3 one meeple, and no control"),
    pytest.param({"tiles": {"D4": "w"}}, "kill D4 w", "D4", "-", 1, 0, id="3.2 T3 an emptied tile is taken at once"),
    pytest.param(
        {"tiles": {"D4": "w"}, "owners": {"D4": 2}}, "kill D4 w", "D4", "-", 2, 0, id="3.2 T3 not one with an owner"
    ),
    pytest.param(
        {"tiles": {"D4": "w"}, "palms": {"D4": 1}}, "kill D4 w", "D4", "-", 1, 0, id="3.2 T3 palms are no obstacle"
    ),
    pytest.param(
        {"tiles": {"E4": "w"}, **me(hand={"fakir": 2})}, "kill E4 w", "E4", "-", 1, 1, id="8.5 a Fakir for the distance"
    ),
    pytest.param({"tiles": {"E5": "w"}, **me(hand={"fakir": 2})}, "kill E5 w", "E5", "-", 1, 2, id="8.5 two Fakirs"),
    pytest.param({"tiles": {"C3": "w"}}, "kill C3 w", "C3", "-", 1, 0, id="R11 distance 0 captures the final tile"),
    pytest.param(
        {"tiles": {"D4": "w"}, "seats": {1: {"camels": 0}}, "ending": "camels"},
        "kill D4 w",
        "D4",
        "-",
        None,
        0,
        id="R34 without camels no control",
    ),
]


@pytest.mark.parametrize(("parts", "text", "where", "left", "owned", "fakirs"), KILLED)
def test_what_a_kill_does(
    parts: dict[str, Any], text: str, where: str, left: str, owned: int | None, fakirs: int
) -> None:
    before = position(**{**ASSASSINS, **parts})
    after = play(before, text)
    assert meeples(after, where) == left
    assert owner(after, where) == owned
    assert format_position(after)["resources"]["discard"] == ["fakir"] * fakirs
    bag = format_position(after)["bag"]
    assert (bag.count("w"), bag.count("r")) == (20, 18)  # the victim and the Assassins are in the bag
    assert (after.phase, after.at) == ("tile", before.at)  # the tile action is that of the last drop's tile


def test_ruling_13_a_victim_in_front_of_a_seat_goes_to_the_bag() -> None:
    after = play(position(**ASSASSINS, seats={2: {"viziers": 2}}), "kill @2 y")
    assert seat(after, 2)["viziers"] == 1
    assert format_position(after)["bag"].count("y") == 15


def test_ruling_9_with_one_camel_left_the_final_tile_gets_it() -> None:
    seats = {1: {"camels": 1}}
    state = before_last_drop(hand="r", tiles={"C3": "r", "D3": "w"}, seats=seats, kinds={"C3": "sacred"})
    after = play(state, "drop C3 r", "kill D3 w")
    assert (owner(after, "C3"), owner(after, "D3"), seat(after, 1)["camels"]) == (1, None, 0)


@pytest.mark.parametrize(
    "parts",
    [
        pytest.param({"tiles": {"C3": "r", "D3": "w"}, "owners": {"C3": 2}}, id="R9 the final tile has an owner"),
        pytest.param({"tiles": {"C3": "yr", "D3": "w"}}, id="R9 the final tile is not emptied"),
    ],
)
def test_ruling_9_or_else_the_assassinated_tile(parts: dict[str, Any]) -> None:
    state = before_last_drop(hand="r", seats={1: {"camels": 1}}, kinds={"C3": "sacred"}, **parts)
    after = play(state, "drop C3 r", "kill D3 w")
    assert (owner(after, "D3"), seat(after, 1)["camels"]) == (1, 0)


def test_ruling_11_the_final_tile_is_captured_once() -> None:
    state = before_last_drop(hand="r", tiles={"C3": "wr"}, kinds={"C3": "sacred"})
    state = play(state, "drop C3 r")
    assert owner(state, "C3") is None
    after = play(state, "kill C3 w")
    assert (owner(after, "C3"), seat(after, 1)["camels"]) == (1, 7)


def test_rule_3_2_the_tile_taken_by_an_assassination_has_no_action() -> None:
    kinds = {"C3": "oasis", "D3": "village"}
    state = before_last_drop(hand="r", tiles={"C3": "r", "D3": "w"}, kinds=kinds)
    after = play(state, "drop C3 r", "kill D3 w")
    assert (owner(after, "D3"), tile(after, "D3")["palaces"], tile(after, "C3")["palms"]) == (1, 0, 1)
    assert after.phase == "sell"
