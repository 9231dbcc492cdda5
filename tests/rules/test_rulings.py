"""Sales, the order of a player turn, the clean-up: rules 3.2 T5, 3.4 and 8, and their rulings."""

from __future__ import annotations

from typing import Any

import pytest

from arena.rules import ActionSyntaxError, format_position, parse_action, score
from tests.kit.builder import GOODS, MOVABLE, before_last_drop, golds, legal, owner, play, position, refusal, seat, tile

SORTED = sorted(GOODS)


# Sales (3.2 T5, R27 to R29).


@pytest.mark.parametrize(
    ("size", "value"), [(1, 1), (2, 3), (3, 7), (4, 13), (5, 21), (6, 30), (7, 40), (8, 50), (9, 60)]
)
def test_rule_3_2_the_value_of_a_suit_and_its_score_are_the_same_r28(size: int, value: int) -> None:
    goods = SORTED[:size]
    state = position(phase="sell", seats={1: {"hand": dict.fromkeys(goods, 1)}})
    assert score(state, 1)["goods"] == value
    after = play(state, "sell " + " ".join(goods))
    assert (golds(after)[0], seat(after, 1)["hand"]) == (50 + value, {})
    assert score(after, 1)["total"] == score(state, 1)["total"]


def test_rule_8_every_non_empty_set_of_different_goods_may_be_sold() -> None:
    state = position(phase="sell", seats={1: {"hand": {"wheat": 1, "fish": 2, "gold": 1, "fakir": 3}}})
    expected = ["fish", "fish gold", "fish gold wheat", "fish wheat", "gold", "gold wheat", "wheat"]
    assert legal(state) == [*(f"sell {goods}" for goods in expected), "end"]


def test_ruling_27_any_number_of_suits_of_any_size() -> None:
    state = position(phase="sell", seats={1: {"hand": {"wheat": 1, "fish": 2, "gold": 1}}})
    after = play(state, "sell fish gold", "sell fish", "sell wheat")
    assert (golds(after)[0], legal(after)) == (50 + 3 + 1 + 1, ["end"])


def test_point_8_14_the_end_of_the_turn_is_asked_even_with_nothing_to_sell() -> None:
    assert legal(position(phase="sell")) == ["end"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        pytest.param("sell fish ivory", "NO_SUCH_CARD", id="3.2 T5 only what is in hand"),
        pytest.param("take A1", "WRONG_PHASE", id="8 no move after the tile action"),
        pytest.param("pass", "WRONG_PHASE", id="8 the turn ends with end"),
    ],
)
def test_refused_in_the_sale(text: str, code: str) -> None:
    assert refusal(position(phase="sell", seats={1: {"hand": {"fish": 2}}}), text) == code


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("sell fakir", id="R29 Fakirs are not sold"),
        pytest.param("sell fakir fish", id="R29 nor with goods"),
        pytest.param("sell fish fish", id="3.2 T5 different goods"),
        pytest.param("sell wheat fish", id="notation: in alphabetical order"),
        pytest.param("sell", id="8 not an empty set"),
        pytest.param("sell stone", id="notation: no such goods"),
    ],
)
def test_sales_that_are_none(text: str) -> None:
    with pytest.raises(ActionSyntaxError):
        parse_action(text)


@pytest.mark.parametrize(
    "parts",
    [
        pytest.param({"phase": "bid"}, id="bid"),
        pytest.param({"phase": "move", "tiles": {"A1": "y", "B1": "y"}}, id="move"),
        pytest.param({"phase": "tile", "at": "A1"}, id="tile"),
        pytest.param({"phase": "tribe", "at": "A1", "lifted": "bb"}, id="tribe"),
    ],
)
def test_ruling_27_no_sale_in_other_phases(parts: dict[str, Any]) -> None:
    assert refusal(position(**parts, seats={1: {"hand": {"fish": 1}}}), "sell fish") == "WRONG_PHASE"


def test_point_8_11_a_sale_is_discarded_in_the_order_named() -> None:
    state = position(phase="sell", discard=["papyrus"], seats={1: {"hand": {"wheat": 1, "fish": 1, "gold": 1}}})
    after = play(state, "sell fish wheat", "sell gold")
    assert format_position(after)["resources"]["discard"] == ["papyrus", "fish", "wheat", "gold"]


def test_ruling_58_a_hand_has_no_limit() -> None:
    hand = {"ivory": 2, "jewels": 2, "gold": 2, "papyrus": 4, "silk": 4, "spice": 4, "fish": 6, "fakir": 18}
    state = position(phase="tile", at="A1", row=["wheat"], seats={1: {"hand": hand}})
    assert seat(play(state, "buy 1"), 1)["hand"] == {**hand, "wheat": 1}


# The order of lists in phases with several verbs (notation).


def test_notation_powers_follow_the_moves_and_precede_the_sales() -> None:
    seats = {1: {"djinns": ["sloar", "enki"], "hand": {"fakir": 1, "fish": 1}}}
    oases = [f"use enki f {column}3" for column in "ABCDEF"]
    move = position(tiles={"A1": "y", "B1": "y"}, seats=seats)
    assert legal(move) == ["take A1", "take B1", *oases, "use sloar f"]
    market = position(phase="tile", at="A1", row=["gold"], seats=seats)
    assert legal(market) == ["buy 1", "pass", *oases, "use sloar f"]
    sale = position(phase="sell", seats=seats)
    assert legal(sale) == [*oases, "use sloar f", "sell fish", "end"]


# The order of a player turn (8.7).


def test_point_8_7_the_automatic_order_inside_a_turn() -> None:
    """Marid pays at the drop, the last camel goes to the final tile before the assassination, the palm comes last."""
    kinds = {"C3": "oasis", "D3": "village"}
    seats = {1: {"camels": 1}, 2: {"djinns": ["marid", "nekir"]}}
    owners = {"C1": 2}
    state = before_last_drop(
        origin="B1",
        came="B1",
        at="C1",
        hand="gr",
        tiles={"C3": "r", "D3": "w"},
        kinds=kinds,
        seats=seats,
        owners=owners,
    )
    state = play(state, "drop C2 g")
    assert golds(state) == [50, 50, 50, 50]  # C1 received an earlier drop
    state = play(state, "drop C3 r")
    assert (state.phase, owner(state, "C3"), tile(state, "C3")["palms"]) == ("tribe", 1, 0)
    after = play(state, "kill D3 w")
    assert (owner(after, "D3"), tile(after, "C3")["palms"], golds(after), after.phase) == (
        None,
        1,
        [50, 52, 50, 50],
        "sell",
    )


def test_point_8_7_a_last_camel_spent_on_leta_is_missing_after_the_assassination() -> None:
    kinds = {"C3": "sacred"}
    seats = {1: {"camels": 1, "djinns": ["leta"], "elders": 2}}
    state = position(phase="tribe", at="C3", lifted="rr", tiles={"D3": "w"}, kinds=kinds, seats=seats)
    assert owner(play(state, "kill D3 w"), "D3") == 1
    after = play(state, "use leta ww A3", "kill D3 w")
    assert (owner(after, "A3"), owner(after, "D3")) == (1, None)


def test_ruling_45_passives_of_several_seats_all_pay() -> None:
    """Seat 1 drops on a tile of seat 2 (Marid), kills (Nekir of seat 3) and places a palace (Monkir of seat 4)."""
    seats = {2: {"djinns": ["marid"]}, 3: {"djinns": ["nekir"]}, 4: {"djinns": ["monkir"]}}
    state = before_last_drop(
        hand="r", tiles={"C3": "r", "D3": "w"}, owners={"C3": 2}, kinds={"C3": "village"}, seats=seats
    )
    assert golds(play(state, "drop C3 r", "kill D3 w")) == [50, 52, 52, 52]


def test_ruling_43_marid_has_no_part_in_tiles_of_others() -> None:
    state = before_last_drop(tiles={"C3": "y"}, owners={"C3": 3}, seats={1: {"djinns": ["marid"]}})
    assert golds(play(state, "drop C3 y")) == [50] * 4


def test_rule_3_2_the_marker_moves_to_the_first_empty_place_of_the_bid_order() -> None:
    state = position(phase="sell", bid_order=[3, 1], track={5: 4, 7: 2})
    state = play(state, "end")
    assert (state.to_act, state.bid_order, state.turn_track) == (4, (3, 1, 4), (0, 0, 0, 0, 0, 0, 2, 0, 0))


# The clean-up (3.4, 8.8, 8.9, 8.12).


def last_turn(**parts: Any) -> Any:
    """Return a position at the end of the round's last player turn."""
    return position(phase="sell", last=True, tiles=MOVABLE, **parts)


def test_rule_3_4_the_rows_are_filled_from_the_decks_and_powers_are_fresh() -> None:
    seats = {2: {"djinns": ["sloar", "enki"], "used": ["sloar"]}}
    state = last_turn(
        row=["fish", "gold"],
        deck=["silk", "wheat", "spice", "fakir", "fakir", "ivory", "jewels", "papyrus"],
        djinn_row=["leta"],
        djinn_deck=["baal", "utug", "boaz"],
        seats=seats,
        round=7,
    )
    shown = format_position(play(state, "end"))
    assert shown["resources"]["row"] == ["fish", "gold", "silk", "wheat", "spice", "fakir", "fakir", "ivory", "jewels"]
    assert shown["resources"]["deck"][0] == "papyrus"
    assert shown["djinns"]["row"] == ["leta", "baal", "utug"]
    assert shown["djinns"]["deck"][0] == "boaz"
    assert shown["seats"][1]["used"] == []
    assert (shown["phase"], shown["round"], shown["turn"]) == ("bid", 8, None)


def test_rule_3_4_the_order_of_play_becomes_the_order_of_bids() -> None:
    state = position(phase="sell", bid_order=[3, 1, 4, 2], to_act=2, track={}, tiles=MOVABLE)
    after = play(state, "end")
    assert (after.phase, after.bid_order, after.to_act) == ("bid", (3, 1, 4, 2), 3)


def test_ruling_1_no_fresh_powers_between_two_player_turns() -> None:
    state = position(phase="sell", tiles=MOVABLE, seats={2: {"djinns": ["sloar"], "used": ["sloar"]}})
    assert seat(play(state, "end"), 2)["used"] == ["sloar"]


def test_ruling_24_the_row_is_not_refilled_between_two_player_turns() -> None:
    after = play(position(phase="sell", row=["fish"], tiles=MOVABLE), "end")
    assert format_position(after)["resources"]["row"] == ["fish"]


def test_rule_3_4_the_discard_is_shuffled_when_the_deck_is_empty_first_resources_then_djinns() -> None:
    state = last_turn(
        row=["fish"] * 6,
        deck=["gold"],
        discard=["wheat", "wheat", "silk"],
        other_cards=2,
        djinn_row=["leta"],
        djinn_deck=["baal"],
        djinn_discard=["utug", "boaz"],
        other_djinns=2,
    )
    state = play(state, "end")
    assert (state.due.kind, state.due.pile, state.due.count) == ("shuffle", "resources", 3)
    assert refusal(state, "!shuffle djinns boaz utug") == "WRONG_CHANCE"
    assert refusal(state, "bid 1") == "CHANCE_DUE"
    state = play(state, "!shuffle resources wheat silk wheat")
    assert (state.due.kind, state.due.pile, state.due.count) == ("shuffle", "djinns", 2)
    shown = format_position(play(state, "!shuffle djinns boaz utug"))
    assert shown["resources"] == {"row": ["fish"] * 6 + ["gold", "wheat", "silk"], "deck": ["wheat"], "discard": []}
    assert shown["djinns"] == {"row": ["leta", "baal", "boaz"], "deck": ["utug"], "discard": []}
    assert shown["phase"] == "bid"


SHUFFLES = [
    pytest.param({"row": ["fish"] * 6, "deck": ["gold"] * 2, "discard": ["silk"]}, True, id="8.12 a card short"),
    pytest.param(
        {"row": ["fish"] * 6, "deck": ["gold"] * 2 + ["ivory"], "discard": ["silk"]}, False, id="8.12 never in advance"
    ),
    pytest.param({"row": ["fish"] * 6, "deck": ["gold"] * 2, "discard": []}, False, id="8.12 nothing to shuffle"),
    pytest.param(
        {"row": ["fish"] * 5 + ["wheat"] * 4, "deck": [], "discard": ["silk"]}, False, id="8.12 nothing to draw"
    ),
]


@pytest.mark.parametrize(("parts", "shuffled"), SHUFFLES)
def test_point_8_12_when_a_pile_is_shuffled(parts: dict[str, Any], shuffled: bool) -> None:
    state = play(last_turn(**parts, other_cards=2), "end")
    assert (state.due is not None) is shuffled
    if shuffled:
        state = play(state, "!shuffle resources silk")  # a pile of one card is an event too
    cards = format_position(state)["resources"]
    held = [*parts["row"], *parts["deck"], *(parts["discard"] if shuffled else [])]
    assert cards == {"row": held, "deck": [], "discard": [] if shuffled else parts["discard"]}
    assert state.phase == "bid"


def test_rule_3_4_a_row_that_cannot_be_filled_stays_short() -> None:
    state = play(last_turn(row=["fish"], other_cards=2, djinn_row=["leta"], other_djinns=2), "end")
    shown = format_position(state)
    assert (shown["resources"]["row"], shown["djinns"]["row"], state.phase) == (["fish"], ["leta"], "bid")


def test_point_8_8_no_clean_up_after_the_last_round() -> None:
    state = last_turn(
        row=["fish"], djinn_row=["leta"], ending="camels", seats={2: {"djinns": ["enki"], "used": ["enki"]}}
    )
    after = play(state, "end")
    shown = format_position(after)
    assert (after.phase, after.to_act, shown["to_act"], shown["turn"]) == ("over", 0, None, None)
    assert (shown["resources"]["row"], shown["djinns"]["row"], shown["round"]) == (["fish"], ["leta"], 3)
    assert legal(after) == []
    assert refusal(after, "end") == "GAME_OVER"
    assert refusal(after, "bid 1") == "GAME_OVER"


@pytest.mark.parametrize("mover", [1, 4])
def test_rule_13_what_stands_before_any_other_seat_must_be_killed_and_never_ones_own(mover: int) -> None:
    parts: dict[str, Any] = {"phase": "tribe", "at": "C3", "lifted": "rr", "to_act": mover}
    assert legal(position(**parts, seats={mover: {"viziers": 1}})) == ["spare"]
    for other in {1, 2, 3, 4} - {mover}:
        state = position(**parts, seats={other: {"viziers": 1}})
        assert legal(state) == [f"kill @{other} y"]
        assert refusal(state, "spare") == "MUST_KILL"


@pytest.mark.parametrize(("lifted", "text"), [("bb", "build 0"), ("rr", "spare")])
def test_rule_3_2_no_meeples_are_lifted_after_the_tribe_action(lifted: str, text: str) -> None:
    after = play(position(phase="tribe", at="C3", lifted=lifted), text)
    assert after.lifted == 0
