"""Djinns that bring gold and Djinns that draw: table 4, and the points of section 8 about them."""

from __future__ import annotations

from typing import Any

import pytest

from arena.rules import format_position
from tests.kit.builder import before_last_drop, golds, legal, owner, play, position, refusal, seat
from tests.kit.djinns import BUILDING, MOVING, RED, doubled, has

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


# Echidna.


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
    assert refusal(state, "!shuffle djinns leta baal utug") == "WRONG_CHANCE"  # drawn Djinns are not shuffled
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
    state = play(state, "use sibittis ww", "!shuffle djinns utug")  # 8.12: a single card needs an event too
    assert legal(state) == ["keep utug"]


def test_sibittis_the_djinn_kept_may_be_used_at_once() -> None:
    seats = {1: has("sibittis", elders=3)}
    state = play(position(djinn_deck=["utug", "leta", "enki"], seats=seats, **MOVING), "use sibittis ww", "keep enki")
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
