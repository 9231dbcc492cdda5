"""Djinns at an assassination: table 4, and the points of section 8 about them."""

from __future__ import annotations

from typing import Any

import pytest

from arena.rules import State, format_position
from tests.kit.builder import golds, legal, meeples, owner, play, position, refusal, seat
from tests.kit.djinns import KILLING, doubled, has

# Boaz.

BOAZ = [
    pytest.param({2: has("boaz", elders=1, viziers=1)}, {}, ["spare"], id="Elders and Viziers are safe"),
    pytest.param({2: has("boaz", elders=1), 3: has(elders=1)}, {}, ["kill @3 w"], id="only its owner's"),
    pytest.param(
        {2: has("boaz", elders=1)}, {"tiles": {"C3": "yw"}}, ["kill C3 w", "kill C3 y"], id="not those on the board"
    ),
    pytest.param(
        {2: has("boaz")}, {"tiles": {"C4": "w"}, "owners": {"C4": 2}}, ["kill C4 w"], id="not even on his tiles"
    ),
    pytest.param(
        {1: has("iblis", used=["iblis"]), 2: has("boaz", elders=2)},
        {"doubled": ["iblis"]},
        ["spare"],
        id="against Iblis too",
    ),
    pytest.param({1: has("kandicha"), 2: has("boaz", elders=2)}, {}, ["spare"], id="against Kandicha too"),
    pytest.param({1: has("boaz"), 2: has(elders=2)}, {}, ["kill @2 w"], id="of no use to the killer"),
]


@pytest.mark.parametrize(("seats", "parts", "expected"), BOAZ)
def test_boaz(seats: dict[int, Any], parts: dict[str, Any], expected: list[str]) -> None:
    state = position(**{**KILLING, **parts}, seats=seats)
    assert legal(state) == expected
    if "boaz" in seats.get(2, {}).get("djinns", ()) and seats[2]["elders"]:
        doubled = "ww" if parts.get("doubled") else "w"
        assert refusal(state, f"kill @2 {doubled}") == "PROTECTED"


# Iblis.

IBLIS = [
    pytest.param(
        {"tiles": {"C3": "yww"}}, {}, ["kill C3 ww", "kill C3 yw"], id="8.5 two on one tile, in the order of ywgbr"
    ),
    pytest.param({"tiles": {"C3": "yrb"}}, {}, ["kill C3 br", "kill C3 yb", "kill C3 yr"], id="8.5 any colours"),
    pytest.param({"tiles": {"C3": "y", "C4": "wg"}}, {}, ["kill C3 y", "kill C4 wg"], id="4 one where there is one"),
    pytest.param({"tiles": {"E4": "yw"}}, {}, ["spare"], id="4 the range is unaffected"),
    pytest.param(
        {"tiles": {"E4": "yw"}}, {"fakirs": 1}, ["kill E4 yw", "spare"], id="4 Fakirs for the distance, once for both"
    ),
    pytest.param(
        {"seats": {2: has(elders=2, viziers=1)}}, {}, ["kill @2 ww", "kill @2 yw"], id="4 any mix before one opponent"
    ),
    pytest.param(
        {"seats": {2: has(elders=1), 3: has(viziers=1)}}, {}, ["kill @2 w", "kill @3 y"], id="4 one opponent only"
    ),
]


@pytest.mark.parametrize(("parts", "me", "expected"), IBLIS)
def test_iblis_kills_two(parts: dict[str, Any], me: dict[str, Any], expected: list[str]) -> None:
    parts = dict(parts)
    seats = {1: has("iblis", used=["iblis"], **me), **parts.pop("seats", {})}
    assert legal(position(**KILLING, **parts, seats=seats, doubled=["iblis"])) == expected


NO_IBLIS = [
    pytest.param({"tiles": {"C3": "yw"}}, "kill C3 y", "NO_SUCH_VICTIM", id="8.5 not one where there are two"),
    pytest.param({"tiles": {"C3": "yw"}}, "kill C3 ww", "NO_SUCH_VICTIM", id="8.5 the same one twice"),
    pytest.param({"tiles": {"C3": "y", "C4": "w"}}, "kill C3 yw", "NO_SUCH_VICTIM", id="4 not on two tiles"),
    pytest.param({"tiles": {"E4": "yw"}}, "kill E4 yw", "OUT_OF_RANGE", id="4 out of range"),
    pytest.param({"tiles": {"C3": "yw"}}, "spare", "MUST_KILL", id="R13 killing stays compulsory"),
]


@pytest.mark.parametrize(("parts", "text", "code"), NO_IBLIS)
def test_iblis_refuses(parts: dict[str, Any], text: str, code: str) -> None:
    assert refusal(doubled("iblis", {**KILLING, **parts}), text) == code


def test_iblis_kills_both_and_captures_an_emptied_tile() -> None:
    after = play(doubled("iblis", {**KILLING, "tiles": {"C4": "yw"}}), "kill C4 yw")
    assert (meeples(after, "C4"), owner(after, "C4"), format_position(after)["bag"].count("y")) == ("-", 1, 16)
    left = play(doubled("iblis", {**KILLING, "tiles": {"C4": "yww"}}), "kill C4 ww")
    assert (meeples(left, "C4"), owner(left, "C4")) == ("y", None)


def test_iblis_kills_both_in_front_of_a_seat() -> None:
    seats = {1: has("iblis", used=["iblis"]), 2: has(elders=2, viziers=1)}
    after = play(position(**KILLING, seats=seats, doubled=["iblis"]), "kill @2 yw")
    assert (seat(after, 2)["elders"], seat(after, 2)["viziers"]) == (1, 0)


def test_iblis_used_among_assassins_and_among_takes() -> None:
    state = position(**KILLING, tiles={"C3": "yw"}, seats={1: has("iblis", elders=1)})
    assert legal(state) == ["kill C3 w", "kill C3 y", "use iblis w"]
    assert legal(play(state, "use iblis w")) == ["kill C3 yw"]
    early = position(tiles={"C2": "r", "C3": "ywr"}, kinds={"C3": "sacred"}, seats={1: has("iblis", elders=1)})
    assert legal(play(early, "use iblis w", "take C2", "drop C3 r")) == ["kill C3 yw"]


def test_point_8_16_paid_with_an_elder_the_fakir_still_serves_the_distance() -> None:
    state = position(**KILLING, tiles={"E4": "yw"}, seats={1: has("iblis", elders=1, fakirs=1)})
    assert legal(state) == ["kill E4 w", "kill E4 y", "spare", "use iblis w"]
    assert legal(play(state, "use iblis w")) == ["kill E4 yw", "spare"]


def test_iblis_pays_the_distance_once() -> None:
    state = position(
        **KILLING, tiles={"E4": "yw"}, doubled=["iblis"], seats={1: has("iblis", used=["iblis"], fakirs=3)}
    )
    assert seat(play(state, "kill E4 yw"), 1)["hand"] == {"fakir": 2}


# Kandicha.

KANDICHA = {**KILLING, "row": [], "deck": ["ivory", "fish"]}


def kandicha(*others: str, seats: dict[int, Any] | None = None, **parts: Any) -> State:
    me = has("kandicha", *others, used=list(others), **parts.pop("me", {}))
    return position(**{**KANDICHA, **parts}, seats={1: me, **(seats or {})})


def test_kandicha_a_merchant_brings_the_top_card() -> None:
    after = play(kandicha(tiles={"C4": "g"}), "kill C4 g")
    assert (seat(after, 1)["hand"], format_position(after)["bag"].count("g")) == ({"ivory": 1}, 18)


def test_kandicha_a_builder_brings_what_he_would_have_earned_where_he_stood() -> None:
    kinds = dict.fromkeys(["B4", "C4", "D4", "B5", "D5", "B3", "C3", "D3"], "red") | {"C5": "village", "D4": "sacred"}
    after = play(kandicha(tiles={"C4": "b"}, kinds=kinds, me={"fakirs": 3}), "kill C4 b")
    assert golds(after)[0] == 50 + 2  # C5 and D4; there is no choice of Fakirs
    assert seat(after, 1)["hand"] == {"fakir": 3}


def test_ruling_18_kandicha_is_not_doubled_by_echidna() -> None:
    kinds = dict.fromkeys(["B4", "C4", "D4", "B5", "D5", "B3", "C3", "D3"], "red") | {"C5": "village"}
    after = play(kandicha("echidna", tiles={"C4": "b"}, kinds=kinds, doubled=["echidna"]), "kill C4 b")
    assert golds(after)[0] == 51


@pytest.mark.parametrize(("letter", "kept"), [("y", "viziers"), ("w", "elders")])
def test_kandicha_keeps_viziers_and_elders_of_the_board_and_of_opponents(letter: str, kept: str) -> None:
    after = play(kandicha(tiles={"C4": letter}, me={kept: 3}), f"kill C4 {letter}")
    whole = 16 if letter == "y" else 20
    assert (seat(after, 1)[kept], format_position(after)["bag"].count(letter)) == (4, whole - 4)
    assert owner(after, "C4") == 1
    after = play(kandicha(seats={2: has(**{kept: 2})}), f"kill @2 {letter}")
    assert (seat(after, 1)[kept], seat(after, 2)[kept], format_position(after)["bag"].count(letter)) == (
        1,
        1,
        whole - 2,
    )


def test_kandicha_an_assassin_brings_nothing() -> None:
    after = play(kandicha(tiles={"C4": "r"}), "kill C4 r")
    assert (golds(after)[0], seat(after, 1)["hand"], format_position(after)["bag"].count("r")) == (50, {}, 18)


def test_kandicha_serves_its_owner_alone() -> None:
    after = play(position(**KANDICHA, tiles={"C4": "w"}, seats={2: has("kandicha")}), "kill C4 w")
    assert (seat(after, 1)["elders"], seat(after, 2)["elders"], format_position(after)["bag"].count("w")) == (0, 0, 20)


def test_kandicha_serves_for_each_victim_of_iblis() -> None:
    state = kandicha("iblis", tiles={"C4": "wg"}, doubled=["iblis"])
    after = play(state, "kill C4 wg")
    assert (seat(after, 1)["elders"], seat(after, 1)["hand"]) == (1, {"ivory": 1})
    kinds = dict.fromkeys(["B4", "C4", "D4", "B5", "D5", "B3", "C3", "D3"], "red") | {"C5": "village"}
    builders = kandicha("iblis", tiles={"C4": "bb"}, doubled=["iblis"], kinds=kinds)
    assert golds(play(builders, "kill C4 bb"))[0] == 52


def test_point_8_24_two_merchants_are_two_draws() -> None:
    after = play(kandicha("iblis", tiles={"C4": "gg"}, doubled=["iblis"]), "kill C4 gg")
    assert seat(after, 1)["hand"] == {"ivory": 1, "fish": 1}


def test_point_8_24_each_draw_has_its_own_reshuffle() -> None:
    parts = {"tiles": {"C4": "gg"}, "doubled": ["iblis"], "other_cards": 2}
    state = play(kandicha("iblis", deck=["ivory"], discard=["fish", "gold"], **parts), "kill C4 gg")
    assert (state.due.kind, state.due.pile, state.due.count) == ("shuffle", "resources", 2)
    assert refusal(state, "!shuffle resources fish") == "WRONG_CHANCE"
    assert refusal(state, "!shuffle resources fish ivory") == "WRONG_CHANCE"
    after = play(state, "!shuffle resources gold fish")
    assert seat(after, 1)["hand"] == {"ivory": 1, "gold": 1}
    assert format_position(after)["resources"] == {"row": [], "deck": ["fish"], "discard": []}
    once = play(kandicha("iblis", deck=[], discard=["fish"], **parts), "kill C4 gg", "!shuffle resources fish")
    assert (seat(once, 1)["hand"], once.phase) == ({"fish": 1}, "tile")  # nothing is left for the second


def test_ruling_25_no_card_anywhere_brings_nothing() -> None:
    after = play(kandicha(tiles={"C4": "g"}, deck=[], other_cards=2), "kill C4 g")
    assert (seat(after, 1)["hand"], after.phase) == ({}, "tile")


def test_point_8_13_the_fakir_for_the_distance_is_in_the_discard_when_it_is_shuffled() -> None:
    state = kandicha(tiles={"E4": "g"}, deck=[], discard=["fish"], other_cards=2, me={"fakirs": 1})
    state = play(state, "kill E4 g")
    assert state.due.count == 2
    assert seat(play(state, "!shuffle resources fakir fish"), 1)["hand"] == {"fakir": 1}


def test_kandicha_keeps_both_victims_of_iblis_in_front_of_a_seat_and_nekir_is_paid_once() -> None:
    seats = {2: has(elders=1, viziers=2), 3: has("nekir")}
    state = kandicha("iblis", doubled=["iblis"], seats=seats)
    after = play(state, "kill @2 yw")
    assert (seat(after, 1)["viziers"], seat(after, 1)["elders"], golds(after)) == (1, 1, [50, 50, 52, 50])
    assert (seat(after, 2)["viziers"], seat(after, 2)["elders"]) == (1, 0)


# Nekir.

NEKIR = [
    pytest.param({1: has("nekir")}, {"tiles": {"C4": "y"}}, "kill C4 y", [51, 50, 50, 50], id="+1 for his own kill"),
    pytest.param({2: has("nekir")}, {"tiles": {"C4": "y"}}, "kill C4 y", [50, 52, 50, 50], id="+2 for another's"),
    pytest.param({2: has("nekir", elders=1)}, {}, "kill @2 w", [50, 52, 50, 50], id="also as the victim himself"),
    pytest.param({2: has("nekir"), 3: has(elders=1)}, {}, "kill @3 w", [50, 52, 50, 50], id="also before other seats"),
    pytest.param({2: has("nekir")}, {}, "spare", [50] * 4, id="nothing for sparing"),
    pytest.param(
        {1: has("iblis", used=["iblis"]), 2: has("nekir")},
        {"tiles": {"C4": "yw"}, "doubled": ["iblis"]},
        "kill C4 yw",
        [50, 52, 50, 50],
        id="R10 8.24 once an event, not a meeple",
    ),
    pytest.param(
        {1: has("kandicha"), 2: has("nekir")},
        {"tiles": {"C4": "w"}},
        "kill C4 w",
        [50, 52, 50, 50],
        id="R19 kept is killed",
    ),
]


@pytest.mark.parametrize(("seats", "parts", "text", "gold"), NEKIR)
def test_nekir(seats: dict[int, Any], parts: dict[str, Any], text: str, gold: list[int]) -> None:
    assert golds(play(position(**KILLING, **parts, seats=seats), text)) == gold
