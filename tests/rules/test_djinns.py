"""The 22 Djinns: worth and cost, who may use which and when, and their part in the score (table 4, 3.3, 8.6)."""

from __future__ import annotations

from typing import Any

import pytest

from arena.rules import score
from tests.kit.builder import GOODS, legal, play, position, refusal, seat
from tests.kit.djinns import BUILDING, KILLING, MOVING, RED, has

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


# The Djinns that a seat may use, and when (3.3, 8.6).

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
    before = position(**MOVING, seats={1: has(djinn, elders=2, fakirs=2)})
    for payment in PAYMENTS:
        text = f"use {djinn} {payment} {target}".rstrip()
        if payment not in costs:
            assert refusal(before, text) == "WRONG_PAYMENT"
            continue
        assert text in legal(before)
        after = play(before, text)
        assert after.seats[0].elders == 2 - payment.count("w")
        assert list(after.discard).count(9) == payment.count("f")
        assert after.bag >= before.bag  # the Elders paid are in the bag


@pytest.mark.parametrize("djinn", COSTS)
def test_table_4_a_cost_that_cannot_be_paid(djinn: str) -> None:
    target, costs = COSTS[djinn]
    for payment in costs:
        elders, fakirs = payment.count("w"), payment.count("f")
        for short in ({"elders": elders - 1, "fakirs": fakirs}, {"elders": elders, "fakirs": fakirs - 1}):
            if min(short.values()) < 0:
                continue
            before = position(**MOVING, seats={1: has(djinn, **short)})
            assert refusal(before, f"use {djinn} {payment} {target}".rstrip()) == "CANNOT_PAY"


@pytest.mark.parametrize("djinn", COSTS)
def test_rule_3_3_once_a_round(djinn: str) -> None:
    target, costs = COSTS[djinn]
    before = position(**MOVING, seats={1: has(djinn, elders=4, fakirs=4, used=[djinn])})
    assert refusal(before, f"use {djinn} {costs[0]} {target}".rstrip()) == "USED"
    assert legal(before, "use") == []


@pytest.mark.parametrize("djinn", COSTS)
def test_rule_3_3_only_its_owner(djinn: str) -> None:
    target, costs = COSTS[djinn]
    before = position(**MOVING, seats={1: has(elders=4, fakirs=4), 2: has(djinn)})
    assert refusal(before, f"use {djinn} {costs[0]} {target}".rstrip()) == "NO_POWER"


@pytest.mark.parametrize("djinn", [djinn for djinn in VALUES if djinn not in COSTS])
def test_point_8_6_the_others_are_not_used(djinn: str) -> None:
    before = position(**MOVING, seats={1: has(djinn, elders=4, fakirs=4)})
    assert refusal(before, f"use {djinn} w") == "NO_POWER"
    assert legal(before, "use") == []


PHASES = {
    "move": MOVING,
    "builders": {**BUILDING, **MOVING},
    "assassins": {**KILLING, "tiles": {"A1": "y", "B1": "y", "C4": "yw"}},
    "tile": {"phase": "tile", "at": "C3", "kinds": {"C3": "sacred"}, **MOVING},
    "sell": {"phase": "sell", **MOVING},
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
        has("utug", elders=2, camels=0), {"ending": "camels", **MOVING}, "use utug ww A1", id="4 Utug without a camel"
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


# Kumarbi: see test_bidding.py.


def test_kumarbi_is_no_power_of_the_player_turn() -> None:
    state = position(**MOVING, seats={1: has("kumarbi", fakirs=3)})
    assert refusal(state, "use kumarbi f") == "NO_POWER"


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


# Haurvatat, Jafaar, Shamhat at the end.


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
