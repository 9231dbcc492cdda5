"""The 22 Djinns: table 4, "Per-Djinn rulings", and the points of section 8 that concern them."""

from __future__ import annotations

from typing import Any

import pytest

from arena.rules import State, format_position, score
from tests.kit.builder import (
    GOODS,
    NAMES,
    before_last_drop,
    golds,
    legal,
    meeples,
    owner,
    play,
    position,
    refusal,
    seat,
    tile,
)


def has(*djinns: str, elders: int = 0, fakirs: int = 0, **parts: Any) -> dict[str, Any]:
    """A seat with these Djinns."""
    return {"djinns": list(djinns), "elders": elders, "hand": {"fakir": fakirs} if fakirs else {}, **parts}


def board(state: State) -> dict[str, Any]:
    return format_position(state)["board"]["tiles"]


BLOCK = ["B2", "C2", "D2", "B3", "D3", "B4", "C4", "D4"]
RED = dict.fromkeys([*BLOCK, "C3"], "red")
KILLING = {"phase": "tribe", "at": "C3", "lifted": "rr", "kinds": {"C3": "sacred"}}
BUILDING = {"phase": "tribe", "at": "C3", "lifted": "bb", "kinds": {"C3": "village"}}
MOVABLE = {"tiles": {"A1": "y", "B1": "y"}}

# fmt: off
VALUES = {
    "echidna": 4, "leta": 4, "sibittis": 4, "utug": 4, "al-amin": 5, "baal": 6, "boaz": 6, "bouraq": 6, "jafaar": 6,
    "kandicha": 6, "kumarbi": 6, "marid": 6, "monkir": 6, "nekir": 6, "shamhat": 6, "anun-nak": 8, "enki": 8,
    "haurvatat": 8, "iblis": 8, "sloar": 8, "hagis": 10, "lamia": 10,
}
# fmt: on


@pytest.mark.parametrize(("djinn", "value"), VALUES.items())
def test_table_4_the_printed_value(djinn: str, value: int) -> None:
    assert score(position(phase="sell", seats={1: has(djinn)}), 1)["djinns"] == value


# Who may use what, and when (3.3, 8.6).

COSTS = {
    "anun-nak": ("A3", ["f", "w"]),
    "bouraq": ("B5", ["f", "w"]),
    "echidna": ("", ["wf", "ww"]),
    "enki": ("A3", ["f", "w"]),
    "iblis": ("", ["f", "w"]),
    "leta": ("A3", ["wf", "ww"]),
    "sibittis": ("", ["wf", "ww"]),
    "sloar": ("", ["f"]),
    "utug": ("A1", ["wf", "ww"]),
}
PAYMENTS = ["f", "w", "wf", "ww"]


@pytest.mark.parametrize("djinn", COSTS)
def test_table_4_the_cost(djinn: str) -> None:
    target, costs = COSTS[djinn]
    before = position(**MOVABLE, seats={1: has(djinn, elders=2, fakirs=2)})
    for payment in PAYMENTS:
        text = f"use {djinn} {payment} {target}".rstrip()
        if payment not in costs:
            assert refusal(before, text) == "WRONG_PAYMENT"
            continue
        assert text in legal(before)
        after = play(before, text)
        assert after.seats[0].elders == 2 - payment.count("w")
        assert list(after.discard).count(9) == payment.count("f")
        assert after.bag >= before.bag  # elders paid are in the bag


@pytest.mark.parametrize("djinn", COSTS)
def test_table_4_a_cost_that_cannot_be_paid(djinn: str) -> None:
    target, costs = COSTS[djinn]
    for payment in costs:
        elders, fakirs = payment.count("w"), payment.count("f")
        for short in ({"elders": elders - 1, "fakirs": fakirs}, {"elders": elders, "fakirs": fakirs - 1}):
            if min(short.values()) < 0:
                continue
            before = position(**MOVABLE, seats={1: has(djinn, **short)})
            assert refusal(before, f"use {djinn} {payment} {target}".rstrip()) == "CANNOT_PAY"


@pytest.mark.parametrize("djinn", COSTS)
def test_rule_3_3_once_a_round(djinn: str) -> None:
    target, costs = COSTS[djinn]
    before = position(**MOVABLE, seats={1: has(djinn, elders=4, fakirs=4, used=[djinn])})
    assert refusal(before, f"use {djinn} {costs[0]} {target}".rstrip()) == "USED"
    assert legal(before, "use") == []


@pytest.mark.parametrize("djinn", COSTS)
def test_rule_3_3_only_its_owner(djinn: str) -> None:
    target, costs = COSTS[djinn]
    before = position(**MOVABLE, seats={1: has(elders=4, fakirs=4), 2: has(djinn)})
    assert refusal(before, f"use {djinn} {costs[0]} {target}".rstrip()) == "NO_POWER"


@pytest.mark.parametrize("djinn", [djinn for djinn in VALUES if djinn not in COSTS])
def test_point_8_6_the_others_are_not_used(djinn: str) -> None:
    before = position(**MOVABLE, seats={1: has(djinn, elders=4, fakirs=4)})
    assert refusal(before, f"use {djinn} w") == "NO_POWER"
    assert legal(before, "use") == []


PHASES = {
    "move": MOVABLE,
    "builders": {**BUILDING, **MOVABLE},
    "assassins": {**KILLING, "tiles": {"A1": "y", "B1": "y", "C4": "yw"}},
    "tile": {"phase": "tile", "at": "C3", "kinds": {"C3": "sacred"}, **MOVABLE},
    "sell": {"phase": "sell", **MOVABLE},
}
WINDOWS = {djinn: list(PHASES) for djinn in COSTS} | {
    "echidna": ["move", "builders"],
    "iblis": ["move", "assassins"],
}


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("djinn", COSTS)
def test_point_8_6_the_windows(djinn: str, phase: str) -> None:
    target, costs = COSTS[djinn]
    text = f"use {djinn} {costs[0]} {target}".rstrip()
    before = position(**PHASES[phase], seats={1: has(djinn, elders=2, fakirs=2)})
    if phase not in WINDOWS[djinn]:
        assert refusal(before, text) == "NO_EFFECT"
        return
    assert text in legal(before)
    after = play(before, text)
    if djinn == "anun-nak":
        after = play(after, "!bag www")
    if djinn == "sibittis":
        after = play(after, legal(after)[0])
    assert (after.phase, after.to_act, after.at, after.lifted) == (before.phase, 1, before.at, before.lifted)


NO_EFFECT = [
    pytest.param(
        has("anun-nak", elders=1),
        {"bag": "", "heap": "A1 B1 C1 D1"},
        "use anun-nak w A5",
        id="4 Anun-Nak with 0 in the bag",
    ),
    pytest.param(
        has("anun-nak", elders=1),
        {**KILLING, "bag": "", "heap": "A1 B1 C1"},
        "use anun-nak w A5",
        id="8.13 lifted Assassins cannot be drawn",
    ),
    pytest.param(has("bouraq", elders=1), {"palaces_left": 0}, "use bouraq w B5", id="R15 Bouraq without palaces"),
    pytest.param(has("enki", elders=1), {"palms_left": 0}, "use enki w A3", id="R15 Enki without palms"),
    pytest.param(has("leta", elders=2, camels=0), {"ending": "camels"}, "use leta ww A3", id="4 Leta without a camel"),
    pytest.param(
        has("utug", elders=2, camels=0), {"ending": "camels", **MOVABLE}, "use utug ww A1", id="4 Utug without a camel"
    ),
    pytest.param(has("utug", elders=2), {}, "use utug ww A1", id="R15 Utug with no meeples on the board"),
    pytest.param(has("sibittis", elders=2), {"other_djinns": 2}, "use sibittis ww", id="4 Sibittis with no Djinn left"),
    pytest.param(
        has("sloar", fakirs=1), {"other_cards": 2}, "use sloar f", id="8.13 Sloar with both piles empty, before paying"
    ),
    pytest.param(has("echidna", elders=2), {}, "use echidna ww", id="8.16 Echidna without a legal take"),
    pytest.param(has("iblis", elders=1), {}, "use iblis w", id="8.16 Iblis without a legal take"),
    pytest.param(
        has("echidna", elders=2), {**BUILDING, "kinds": RED}, "use echidna ww", id="8.16 Echidna with no blue tile"
    ),
    pytest.param(
        has("iblis", elders=1),
        {**KILLING, "tiles": {"C3": "y", "C4": "w"}},
        "use iblis w",
        id="8.16 Iblis with no two victims",
    ),
    pytest.param(
        has("iblis", fakirs=1),
        {**KILLING, "tiles": {"E4": "yw"}},
        "use iblis f",
        id="8.16 Iblis paid with the Fakir that the distance needs",
    ),
]


@pytest.mark.parametrize(("me", "parts", "text"), NO_EFFECT)
def test_ruling_15_powers_without_effect_are_not_paid(me: dict[str, Any], parts: dict[str, Any], text: str) -> None:
    before = position(**parts, seats={1: me})
    assert refusal(before, text) == "NO_EFFECT"
    assert legal(before, "use") == []


def test_ruling_32_several_djinns_in_one_turn() -> None:
    state = position(phase="sell", seats={1: has("sloar", "enki", "bouraq", elders=1, fakirs=2)}, deck=["fish"])
    state = play(state, "use bouraq w B5", "use sloar f", "use enki f A3")
    assert seat(state, 1)["used"] == ["bouraq", "sloar", "enki"]
    assert seat(state, 1)["hand"] == {"fish": 1}


# Al-Amin.

AL_AMIN = [
    pytest.param({"fish": 1, "fakir": 2}, 3, id="a pair of Fakirs is a wild card"),
    pytest.param({"fish": 1, "fakir": 3}, 3, id="the third Fakir is none"),
    pytest.param({"fish": 1, "fakir": 1}, 1, id="one Fakir is none"),
    pytest.param({"fish": 1, "fakir": 4}, 7, id="two wild cards of different kinds"),
    pytest.param({"fakir": 4}, 3, id="wild cards alone"),
    pytest.param({"fakir": 18}, 60, id="nine wild cards make a whole suit"),
    pytest.param(
        {"fish": 2, "wheat": 2, "fakir": 2}, 7 + 3, id="the wild card goes into the longest suit that lacks it"
    ),
    pytest.param(dict.fromkeys(GOODS, 1) | {"fakir": 2}, 60 + 1, id="beside a whole suit"),
    pytest.param(
        dict.fromkeys(GOODS[:8], 1) | {"fish": 2, "fakir": 4}, 60 + 3, id="first the ninth kind, then a second suit"
    ),
]


@pytest.mark.parametrize(("hand", "value"), AL_AMIN)
def test_al_amin_at_the_end(hand: dict[str, int], value: int) -> None:
    assert score(position(phase="over", seats={1: has("al-amin", hand=hand)}), 1)["goods"] == value


def test_al_amin_without_it_fakirs_are_worth_nothing_r29() -> None:
    assert score(position(phase="over", seats={1: has(hand={"fish": 1, "fakir": 4})}), 1)["goods"] == 1


def test_al_amin_is_not_for_sales() -> None:
    state = position(phase="sell", seats={1: has("al-amin", hand={"fish": 1, "fakir": 4})})
    assert legal(state) == ["sell fish", "end"]
    assert refusal(state, "sell fish wheat") == "NO_SUCH_CARD"


# Anun-Nak.


def test_anun_nak_needs_an_empty_tile() -> None:
    state = position(
        tiles={"A1": "y"}, owners={"B1": 2}, palms={"C1": 1}, palaces={"D1": 1}, seats={1: has("anun-nak", fakirs=1)}
    )
    empty = sorted(name for name in NAMES if name not in ("A1", "B1", "C1", "D1"))
    assert legal(state, "use") == [f"use anun-nak f {name}" for name in empty]
    for taken in ("A1", "B1", "C1", "D1"):
        assert refusal(state, f"use anun-nak f {taken}") == "WRONG_TARGET"
    assert refusal(state, "use anun-nak f A6") == "WRONG_TARGET"


def test_anun_nak_draws_three_from_the_bag() -> None:
    state = play(position(tiles={"A1": "y"}, seats={1: has("anun-nak", fakirs=1)}), "use anun-nak f B2")
    assert (state.due.kind, state.due.count) == ("bag", 3)
    assert len(state.legal) == 0
    for wrong in ("!bag yw", "!bag y", "!shuffle resources fish", "!bag ppp"):
        assert refusal(state, wrong) == "WRONG_CHANCE"
    assert refusal(state, "skip") == "CHANCE_DUE"
    after = play(state, "!bag ryr")
    assert meeples(after, "B2") == "yrr"
    assert (format_position(after)["bag"].count("r"), format_position(after)["bag"].count("y")) == (16, 14)


def test_anun_nak_draws_only_what_is_in_the_bag() -> None:
    state = position(bag="rrrrr", heap="A1 B1 C1 D1", seats={1: has("anun-nak", fakirs=1)})
    assert refusal(play(state, "use anun-nak f A5"), "!bag rry") == "WRONG_CHANCE"


@pytest.mark.parametrize(("bag", "drawn"), [("y", "y"), ("yr", "ry"), ("yrr", "ryr")])
def test_anun_nak_with_one_or_two_in_the_bag_places_those(bag: str, drawn: str) -> None:
    state = position(bag=bag, heap="A1 B1 C1 D1", seats={1: has("anun-nak", fakirs=1)})
    after = play(state, "use anun-nak f A5", f"!bag {drawn}")
    assert (meeples(after, "A5"), format_position(after)["bag"]) == (bag, "-")


def test_point_8_13_the_elder_paid_for_anun_nak_is_in_the_bag_when_it_is_drawn_from() -> None:
    state = position(bag="r", heap="A1 B1 C1 D1", seats={1: has("anun-nak", elders=1)})
    after = play(state, "use anun-nak w A5")
    assert after.due.count == 2
    assert meeples(play(after, "!bag rw"), "A5") == "wr"


def test_anun_nak_places_and_the_meeples_may_be_moved_in_the_same_turn() -> None:
    state = position(tiles={"A2": "y"}, ending="no-moves", seats={1: has("anun-nak", fakirs=1)})
    state = play(state, "use anun-nak f B2", "!bag ywy", "take B2", "drop B1 w", "drop A1 y", "drop A2 y")
    assert (owner(state, "A2"), seat(state, 1)["viziers"]) == (1, 2)


# Ba'al.

SACRED = {"phase": "tile", "at": "C3", "kinds": {"C3": "sacred"}, "djinn_row": ["baal", "enki", "leta"]}
BAAL = [
    pytest.param({1: has("baal", elders=2)}, "summon enki ww", [51, 50, 50, 50], id="+1 for his own Djinn"),
    pytest.param({1: has(elders=2), 3: has("baal")}, "summon enki ww", [50, 50, 52, 50], id="+2 for another's"),
    pytest.param({1: has(elders=2)}, "summon baal ww", [50, 50, 50, 50], id="nothing for Ba'al itself"),
    pytest.param({1: has(elders=2), 3: has("baal")}, "pass", [50, 50, 50, 50], id="nothing without a Djinn"),
]


@pytest.mark.parametrize(("seats", "text", "gold"), BAAL)
def test_baal(seats: dict[int, Any], text: str, gold: list[int]) -> None:
    owned = [djinn for shown in seats.values() for djinn in shown["djinns"]]
    row = [djinn for djinn in SACRED["djinn_row"] if djinn not in owned]
    assert golds(play(position(**{**SACRED, "djinn_row": row}, seats=seats), text)) == gold


@pytest.mark.parametrize(("who", "gold"), [(1, [51, 50, 50, 50]), (2, [50, 52, 50, 50])])
def test_baal_pays_for_a_djinn_of_sibittis_once(who: int, gold: list[int]) -> None:
    seats = {1: has("sibittis", elders=2), 2: has()}
    seats[who]["djinns"].append("baal")
    state = position(phase="sell", seats=seats, djinn_deck=["enki", "leta", "utug"])
    assert golds(play(state, "use sibittis ww", "keep leta")) == gold


def test_baal_kept_by_sibittis_does_not_pay_for_itself() -> None:
    state = position(phase="sell", seats={1: has("sibittis", elders=2)}, djinn_deck=["enki", "baal", "utug"])
    assert golds(play(state, "use sibittis ww", "keep baal"))[0] == 50


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


# Bouraq and Enki.

PLACERS = [
    pytest.param("bouraq", "palaces", ["B5", "C5", "D5", "E5", "F5"], "A3", id="Bouraq: any village"),
    pytest.param("enki", "palms", ["A3", "B3", "C3", "D3", "E3", "F3"], "B5", id="Enki: any oasis"),
]


@pytest.mark.parametrize(("djinn", "piece", "targets", "wrong"), PLACERS)
def test_bouraq_and_enki(djinn: str, piece: str, targets: list[str], wrong: str) -> None:
    owners, tiles = {targets[0]: 1, targets[1]: 2}, {targets[2]: "yw"}
    state = position(
        phase="sell", owners=owners, tiles=tiles, seats={1: has(djinn, elders=1)}, **{piece: {targets[3]: 2}}
    )
    assert legal(state, "use") == [f"use {djinn} w {name}" for name in targets]  # any owner or none
    assert refusal(state, f"use {djinn} w {wrong}") == "WRONG_TARGET"
    for target in targets:
        before = board(state)[target][piece]
        after = play(state, f"use {djinn} w {target}")
        assert board(after)[target][piece] == before + 1
        assert format_position(after)["supply"][piece] == {"palms": 9, "palaces": 7}[piece]


@pytest.mark.parametrize(("djinn", "piece", "target"), [("bouraq", "palaces", "B5"), ("enki", "palms", "A3")])
def test_bouraq_and_enki_are_limited_by_the_supply(djinn: str, piece: str, target: str) -> None:
    last = position(phase="sell", seats={1: has(djinn, elders=1)}, **{f"{piece}_left": 1})
    after = play(last, f"use {djinn} w {target}")
    assert format_position(after)["supply"][piece] == 0


# Echidna.


def doubled(djinn: str, parts: dict[str, Any], **me: Any) -> State:
    return position(**parts, doubled=[djinn], seats={1: has(djinn, used=[djinn], **me)})


@pytest.mark.parametrize(
    ("fakirs", "text", "earned"),
    [
        pytest.param(0, "build 0", 2 * 2 * 1, id="Builders earn double"),
        pytest.param(3, "build 3", 2 * (2 + 3) * 1, id="the Fakirs' part too"),
    ],
)
def test_echidna(fakirs: int, text: str, earned: int) -> None:
    parts = {**BUILDING, "kinds": RED | {"C3": "blue"}}
    assert golds(play(doubled("echidna", parts, fakirs=fakirs), text))[0] == 50 + earned


@pytest.mark.parametrize("early", [True, False], ids=["used in move", "used in tribe"])
def test_echidna_from_move_or_tribe(early: bool) -> None:
    kinds = RED | {"C3": "sacred"}
    state = position(tiles={"C2": "b", "C3": "b"}, kinds=kinds, seats={1: has("echidna", elders=2)})
    use, move = ["use echidna ww"], ["take C2", "drop C3 b"]
    state = play(state, *(use + move if early else move + use))
    assert format_position(state)["turn"]["doubled"] == ["echidna"]
    assert golds(play(state, "build 0"))[0] == 50 + 2 * 2
    plain = position(tiles={"C2": "b", "C3": "b"}, kinds=kinds, seats={1: has("echidna", elders=2)})
    assert golds(play(plain, *move, "build 0"))[0] == 50 + 2


@pytest.mark.parametrize("djinn", ["echidna", "iblis"])
def test_ruling_17_it_lasts_until_the_end_of_the_player_turn(djinn: str) -> None:
    seats = {1: has(djinn, elders=4)}
    state = position(
        players=2,
        bid_order=[1],
        track={4: 1, 5: 2, 6: 2},
        tiles={"A1": "y", "B1": "yr", "E5": "b", "F5": "b"},
        seats=seats,
    )
    state = play(state, f"use {djinn} {'ww' if djinn == 'echidna' else 'w'}", "take A1", "drop B1 y")
    assert format_position(state)["turn"]["doubled"] == [djinn]
    state = play(state, "pass")
    assert format_position(state)["turn"] == {"doubled": [djinn]}
    state = play(state, "end")
    assert (state.to_act, format_position(state)["turn"]) == (1, {})
    assert seat(state, 1)["used"] == [djinn]  # R1: once for both player turns
    assert legal(state, "use") == []


# Hagis and Lamia.

DIVERTERS = [
    pytest.param("lamia", "palm", "oasis", id="Lamia"),
    pytest.param("hagis", "palace", "village", id="Hagis"),
]


@pytest.mark.parametrize(("djinn", "piece", "kind"), DIVERTERS)
def test_lamia_and_hagis_offer_the_eight_tiles_around_r12(djinn: str, piece: str, kind: str) -> None:
    parts = {"phase": "tile", "at": "C3", "kinds": {"C3": kind}, "owners": {"B2": 2, "C2": 1}, "tiles": {"D2": "y"}}
    state = position(**parts, seats={1: has(djinn, elders=1)})
    around = ["B2", "B3", "B4", "C2", "C3", "C4", "D2", "D3", "D4"]
    assert legal(state) == [f"{piece} {name}" + " w" * (name != "C3") for name in around]
    both = position(**parts, seats={1: has(djinn, elders=1, fakirs=1)})
    expected = [f"{piece} {name} {how}" for name in around if name != "C3" for how in "fw"]
    assert legal(both) == sorted([*expected, f"{piece} C3"])
    assert refusal(state, f"{piece} B2 f") == "NO_POWER"  # not payable
    assert refusal(both, f"{piece} A3 w") == "NO_POWER"  # two tiles away
    assert refusal(both, f"{piece} C3 w") == "NO_POWER"  # a payment for the tile itself


@pytest.mark.parametrize(("djinn", "piece", "kind"), DIVERTERS)
def test_lamia_and_hagis_in_a_corner(djinn: str, piece: str, kind: str) -> None:
    state = position(phase="tile", at="A1", kinds={"A1": kind}, seats={1: has(djinn, elders=1)})
    assert legal(state) == [f"{piece} A1", f"{piece} A2 w", f"{piece} B1 w", f"{piece} B2 w"]


@pytest.mark.parametrize(("djinn", "piece", "kind"), DIVERTERS)
def test_lamia_and_hagis_put_one_piece_elsewhere_and_are_paid(djinn: str, piece: str, kind: str) -> None:
    parts = {"phase": "tile", "at": "C3", "kinds": {"C3": kind, "B2": "sacred"}, "owners": {"B2": 2}}
    pieces = piece + "s"
    state = position(**parts, seats={1: has(djinn, elders=1, fakirs=1)})
    after = play(state, f"{piece} B2 f")
    assert (board(after)["B2"][pieces], board(after)["C3"][pieces]) == (1, 0)
    assert (seat(after, 1)["used"], seat(after, 1)["hand"], after.phase) == ([djinn], {}, "sell")
    plain = play(state, f"{piece} C3")
    assert (board(plain)["C3"][pieces], seat(plain, 1)["used"], seat(plain, 1)["elders"]) == (1, [], 1)


def test_lamia_is_asked_when_a_move_ends_on_an_oasis() -> None:
    state = before_last_drop(tiles={"C3": "yr"}, seats={1: has("lamia", elders=1)})
    state = play(state, "drop C3 y")
    assert (state.phase, "palm C3" in legal(state), "palm C2 w" in legal(state)) == ("tile", True, True)


ENKI_LAMIA = [
    pytest.param("enki", "lamia", "palm", "A3", "B4", id="Enki with Lamia"),
    pytest.param("bouraq", "hagis", "palace", "B5", "A4", id="Bouraq with Hagis"),
]


@pytest.mark.parametrize(("placer", "diverter", "piece", "at", "to"), ENKI_LAMIA)
def test_point_8_4_a_power_may_be_diverted_and_both_are_paid(
    placer: str, diverter: str, piece: str, at: str, to: str
) -> None:
    seats = {1: has(placer, diverter, elders=1, fakirs=1)}
    state = position(phase="sell", seats=seats)
    assert f"use {placer} w {at}" in legal(state)
    assert legal(state, f"use {placer} w {at} w") == []
    after = play(state, f"use {placer} w {at} f {to}")
    assert (board(after)[to][piece + "s"], board(after)[at][piece + "s"]) == (1, 0)
    assert seat(after, 1)["used"] == [placer, diverter]
    assert (seat(after, 1)["elders"], seat(after, 1)["hand"]) == (0, {})
    assert refusal(state, f"use {placer} w {at} w {to}") == "CANNOT_PAY"
    assert refusal(state, f"use {placer} w {at} f F1") == "NO_POWER"
    alone = position(phase="sell", seats={1: has(placer, elders=1, fakirs=1)})
    assert refusal(alone, f"use {placer} w {at} f {to}") == "NO_POWER"
    spent = position(phase="sell", seats={1: has(placer, diverter, elders=1, fakirs=1, used=[diverter])})
    assert refusal(spent, f"use {placer} w {at} f {to}") == "NO_POWER"
    plain = play(state, f"use {placer} w {at}")
    assert (seat(plain, 1)["used"], board(plain)[at][piece + "s"]) == ([placer], 1)


def test_point_8_17_the_last_palm_taken_by_a_power_lets_the_placement_lapse() -> None:
    seats = {1: has("enki", "lamia", elders=1, fakirs=1)}
    state = position(phase="tile", at="C3", palms_left=1, seats=seats)
    assert "palm C3" in legal(state)
    after = play(state, "use enki w A3")
    assert (after.phase, tile(after, "C3")["palms"]) == ("sell", 0)


def test_point_8_17_the_last_palace_too() -> None:
    seats = {1: has("bouraq", "hagis", elders=1, fakirs=1)}
    state = position(phase="tile", at="C5", palaces_left=1, seats=seats)
    assert play(state, "use bouraq w B5 f A5").phase == "sell"


@pytest.mark.parametrize(
    ("fakirs", "text"),
    [
        pytest.param(1, "use enki w A3 f B3", id="8.17 Lamia was used up"),
        pytest.param(0, "use enki w A3", id="8.17 the payment was used up"),
    ],
)
def test_point_8_17_the_plain_placement_stays_as_the_sole_action(fakirs: int, text: str) -> None:
    state = position(phase="tile", at="C3", seats={1: has("enki", "lamia", elders=1, fakirs=fakirs)})
    after = play(state, text)
    assert (after.phase, legal(after)) == ("tile", ["palm C3"])


# Haurvatat, Jafaar, Shamhat: at the end.


def test_haurvatat_makes_own_palms_worth_five() -> None:
    parts = {"phase": "over", "owners": {"A1": 1, "B1": 2}, "palms": {"A1": 2, "B1": 3, "C1": 1}}
    with_it = position(**parts, seats={1: has("haurvatat")})
    assert (score(with_it, 1)["palms"], score(with_it, 2)["palms"]) == (10, 9)
    assert score(position(**parts), 1)["palms"] == 6


def test_jafaar_makes_each_vizier_worth_three_and_leaves_the_bonuses() -> None:
    seats = {1: has("jafaar", viziers=4), 2: has(viziers=3), 3: has(viziers=4), 4: has(viziers=5)}
    state = position(phase="over", seats=seats)
    assert [score(state, number)["viziers"] for number in (1, 2, 3, 4)] == [12 + 10, 3, 4 + 10, 5 + 30]


def test_shamhat_makes_each_elder_worth_four() -> None:
    state = position(phase="over", seats={1: has("shamhat", elders=3), 2: has(elders=3)})
    assert (score(state, 1)["elders"], score(state, 2)["elders"]) == (12, 6)


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
    assert golds(after)[0] == 50 + 2  # C5 and D4; no Fakirs are asked
    assert seat(after, 1)["hand"] == {"fakir": 3}


def test_ruling_18_kandicha_is_not_doubled_by_echidna() -> None:
    kinds = dict.fromkeys(["B4", "C4", "D4", "B5", "D5", "B3", "C3", "D3"], "red") | {"C5": "village"}
    after = play(kandicha("echidna", tiles={"C4": "b"}, kinds=kinds, doubled=["echidna"]), "kill C4 b")
    assert golds(after)[0] == 51


@pytest.mark.parametrize(("letter", "kept"), [("y", "viziers"), ("w", "elders")])
def test_kandicha_keeps_viziers_and_elders_of_the_board_and_of_opponents(letter: str, kept: str) -> None:
    after = play(kandicha(tiles={"C4": letter}), f"kill C4 {letter}")
    whole = 16 if letter == "y" else 20
    assert (seat(after, 1)[kept], format_position(after)["bag"].count(letter)) == (1, whole - 1)
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
    assert (seat(once, 1)["hand"], once.phase) == ({"fish": 1}, "tile")  # nothing left for the second


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


def test_iblis_pays_the_distance_once() -> None:
    state = position(
        **KILLING, tiles={"E4": "yw"}, doubled=["iblis"], seats={1: has("iblis", used=["iblis"], fakirs=3)}
    )
    assert seat(play(state, "kill E4 yw"), 1)["hand"] == {"fakir": 2}


# Kumarbi: see test_bidding.py.


def test_kumarbi_is_no_power_of_the_player_turn() -> None:
    state = position(**MOVABLE, seats={1: has("kumarbi", fakirs=3)})
    assert refusal(state, "use kumarbi f") == "NO_POWER"


# Leta and Utug.


def test_leta_needs_an_empty_tile_and_utug_one_with_meeples_only() -> None:
    parts = {
        "phase": "sell",
        "tiles": {"A1": "y", "A2": "ww", "B1": "r", "C1": "g"},
        "owners": {"B1": 2, "B2": 3},
        "palms": {"C1": 1, "C2": 1},
        "palaces": {"D1": 1},
    }
    state = position(**parts, seats={1: has("leta", "utug", elders=2)})
    occupied = {"A1", "A2", "B1", "B2", "C1", "C2", "D1"}
    empty = sorted(name for name in NAMES if name not in occupied)
    assert legal(state, "use leta") == [f"use leta ww {name}" for name in empty]
    assert legal(state, "use utug") == ["use utug ww A1", "use utug ww A2"]
    for name in sorted(occupied):
        assert refusal(state, f"use leta ww {name}") == "WRONG_TARGET"
    for name in ("A3", "B1", "B2", "C1", "C2", "D1"):
        assert refusal(state, f"use utug ww {name}") == "WRONG_TARGET"


def test_leta_places_a_camel_and_nothing_else_happens() -> None:
    state = position(phase="sell", seats={1: has("leta", elders=2)})
    after = play(state, "use leta ww C5")  # a village
    assert (owner(after, "C5"), tile(after, "C5")["palaces"], seat(after, 1)["camels"]) == (1, 0, 7)
    assert (after.phase, golds(after)) == ("sell", [50] * 4)


def test_utug_places_a_camel_and_leaves_the_meeples_r49() -> None:
    state = position(phase="sell", tiles={"C3": "yw"}, seats={1: has("utug", elders=2)})
    after = play(state, "use utug ww C3")  # an oasis
    assert (owner(after, "C3"), meeples(after, "C3"), tile(after, "C3")["palms"]) == (1, "yw", 0)


def test_utug_later_moves_do_not_change_the_owner() -> None:
    state = position(tiles={"C3": "y", "C2": "y"}, seats={2: has("utug", elders=2)}, to_act=2, track={6: 1})
    state = play(state, "use utug ww C3", "take C2", "drop C3 y")
    assert owner(state, "C3") == 2
    other = position(tiles={"C3": "y", "C2": "y"}, owners={"C3": 2}, seats={2: has("utug")})
    assert owner(play(other, "take C2", "drop C3 y"), "C3") == 2


@pytest.mark.parametrize(("djinn", "target"), [("leta", "A3"), ("utug", "A1")])
def test_ruling_33_the_last_camel_placed_by_leta_or_utug_ends_the_game(djinn: str, target: str) -> None:
    state = position(phase="sell", tiles={"A1": "y", "B1": "y"}, seats={1: has(djinn, elders=2, camels=1)})
    after = play(state, f"use {djinn} ww {target}")
    assert (seat(after, 1)["camels"], after.ending) == (0, None)  # 8.25: not before the turn ends
    assert play(after, "end").ending == "camels"


# Marid.


@pytest.mark.parametrize(
    ("holder", "gold"),
    [
        pytest.param(1, [52, 50, 50, 50], id="+1 a drop if the owner moves"),
        pytest.param(2, [50, 54, 50, 50], id="+2 a drop if another moves, from the bank (R43, R44)"),
    ],
)
def test_marid_pays_for_each_drop_on_own_tiles_the_last_one_too(holder: int, gold: list[int]) -> None:
    owners = {"C2": holder, "C1": holder, "B1": 3}
    state = position(tiles={"C3": "yw", "C1": "w"}, owners=owners, seats={holder: has("marid")})
    assert golds(play(state, "take C3", "drop C2 y", "drop C1 w")) == gold


def test_marid_a_tile_taken_at_the_end_of_the_move_does_not_count() -> None:
    state = position(tiles={"C3": "yw", "C1": "w"}, seats={1: has("marid")})
    after = play(state, "take C3", "drop C2 y", "drop C1 w")
    assert (owner(after, "C1"), golds(after)) == (1, [50] * 4)


def test_marid_taking_meeples_up_pays_nothing() -> None:
    state = position(tiles={"C3": "yw", "C1": "w"}, owners={"C3": 2}, seats={2: has("marid")})
    assert golds(play(state, "take C3", "drop C2 y", "drop C1 w")) == [50] * 4


def test_marid_pays_within_the_move() -> None:
    state = position(tiles={"C3": "yw", "C1": "w"}, owners={"C2": 2}, seats={2: has("marid")})
    assert golds(play(state, "take C3", "drop C2 y")) == [50, 52, 50, 50]


# Monkir.

MONKIR = [
    pytest.param({1: has("monkir")}, [51, 50, 50, 50], id="+1 for his own palace"),
    pytest.param({4: has("monkir")}, [50, 50, 50, 52], id="+2 for another's"),
]


@pytest.mark.parametrize(("seats", "gold"), MONKIR)
def test_monkir_for_a_village(seats: dict[int, Any], gold: list[int]) -> None:
    state = before_last_drop(tiles={"C3": "yr"}, kinds={"C3": "village"}, seats=seats)
    assert golds(play(state, "drop C3 y")) == gold


@pytest.mark.parametrize("text", ["use bouraq w B5", "use bouraq w B5 f A5"])
@pytest.mark.parametrize("holder", [1, 2])
def test_monkir_for_bouraq_diverted_or_not(holder: int, text: str) -> None:
    seats = {1: has("bouraq", "hagis", elders=1, fakirs=1), 2: has()}
    seats[holder]["djinns"].append("monkir")
    assert golds(play(position(phase="sell", seats=seats), text)) == (
        [51, 50, 50, 50] if holder == 1 else [50, 52, 50, 50]
    )


def test_monkir_for_a_palace_diverted_by_hagis_and_not_for_palms() -> None:
    seats = {1: has("hagis", elders=1), 2: has("monkir")}
    state = position(phase="tile", at="C3", kinds={"C3": "village"}, seats=seats)
    assert golds(play(state, "palace C2 w")) == [50, 52, 50, 50]
    palm = position(phase="sell", seats={1: has("enki", elders=1), 2: has("monkir")})
    assert golds(play(palm, "use enki w A3")) == [50] * 4


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


# Sibittis.


def test_sibittis_draws_three_keeps_one_and_discards_the_others_in_the_order_drawn() -> None:
    state = position(phase="sell", djinn_deck=["utug", "leta", "enki", "baal"], seats={1: has("sibittis", elders=2)})
    state = play(state, "use sibittis ww")
    assert (state.phase, state.to_act) == ("choose", 1)
    assert format_position(state)["turn"] == {"drawn": ["utug", "leta", "enki"], "back": "sell"}
    assert legal(state) == ["keep enki", "keep leta", "keep utug"]
    for text, code in (("keep baal", "NO_SUCH_DJINN"), ("end", "WRONG_PHASE"), ("use sloar f", "WRONG_PHASE")):
        assert refusal(state, text) == code
    after = play(state, "keep leta")
    shown = format_position(after)
    assert shown["seats"][0]["djinns"] == ["sibittis", "leta"]
    assert shown["djinns"]["discard"] == ["utug", "enki"]  # 8.11
    assert shown["djinns"]["deck"][0] == "baal"
    assert after.phase == "sell"


def test_sibittis_with_fewer_in_the_pile_draws_those_and_reshuffles() -> None:
    seats = {1: has("sibittis", elders=2)}
    state = position(
        phase="sell", djinn_deck=["utug"], djinn_discard=["leta", "baal", "enki"], other_djinns=2, seats=seats
    )
    state = play(state, "use sibittis ww")
    assert (state.due.kind, state.due.pile, state.due.count) == ("shuffle", "djinns", 3)
    assert refusal(state, "keep utug") == "CHANCE_DUE"
    assert refusal(state, "!shuffle resources fish") == "WRONG_CHANCE"
    assert refusal(state, "!shuffle djinns leta baal") == "WRONG_CHANCE"
    assert refusal(state, "!shuffle djinns leta baal utug") == "WRONG_CHANCE"  # what is drawn is not shuffled
    state = play(state, "!shuffle djinns enki leta baal")
    assert legal(state) == ["keep enki", "keep leta", "keep utug"]
    shown = format_position(play(state, "keep enki"))
    assert shown["djinns"] == {"row": [], "deck": ["baal"], "discard": ["utug", "leta"]}


@pytest.mark.parametrize("drawn", [["utug"], ["utug", "enki"]])
def test_sibittis_with_too_few_at_all_draws_what_there_is_and_is_asked_8_14(drawn: list[str]) -> None:
    state = position(phase="sell", djinn_deck=drawn, other_djinns=2, seats={1: has("sibittis", elders=2)})
    state = play(state, "use sibittis ww")
    assert legal(state) == sorted(f"keep {djinn}" for djinn in drawn)
    after = play(state, "keep utug")
    assert format_position(after)["djinns"]["discard"] == drawn[1:]


def test_sibittis_from_the_discard_alone() -> None:
    state = position(phase="sell", djinn_discard=["utug"], other_djinns=2, seats={1: has("sibittis", elders=2)})
    state = play(state, "use sibittis ww", "!shuffle djinns utug")  # 8.12: an event for one card too
    assert legal(state) == ["keep utug"]


def test_sibittis_the_djinn_kept_may_be_used_at_once() -> None:
    seats = {1: has("sibittis", elders=3)}
    state = play(position(djinn_deck=["utug", "leta", "enki"], seats=seats, **MOVABLE), "use sibittis ww", "keep enki")
    assert state.phase == "move"
    assert "use enki w A3" in legal(state)


# Sloar.


def test_sloar_takes_the_top_card() -> None:
    state = position(phase="sell", deck=["ivory", "fish"], seats={1: has("sloar", fakirs=1)})
    after = play(state, "use sloar f")
    assert (seat(after, 1)["hand"], after.phase) == ({"ivory": 1}, "sell")
    assert legal(after) == ["sell ivory", "end"]


def test_sloar_reshuffles_with_the_fakir_paid_8_13() -> None:
    state = position(phase="sell", discard=["fish"], other_cards=2, seats={1: has("sloar", fakirs=1)})
    state = play(state, "use sloar f")
    assert (state.due.kind, state.due.count) == ("shuffle", 2)
    after = play(state, "!shuffle resources fakir fish")
    assert seat(after, 1)["hand"] == {"fakir": 1}
    assert format_position(after)["resources"]["deck"] == ["fish"]


def test_point_8_12_sloar_takes_the_last_card_and_nothing_is_shuffled_in_advance() -> None:
    state = position(phase="sell", deck=["fish"], discard=["gold"], other_cards=2, seats={1: has("sloar", fakirs=1)})
    after = play(state, "use sloar f")
    assert after.due is None
    assert format_position(after)["resources"] | {"row": []} == {"row": [], "deck": [], "discard": ["gold", "fakir"]}
