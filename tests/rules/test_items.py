"""The items except the carpet: precious ones, magic ones and their decisions (rules 6.4, 6.8, 8.11, 8.14, 8.22)."""

from __future__ import annotations

from typing import Any

import pytest

from arena.rules import ActionSyntaxError, parse_action, score, view
from tests.kit.builder import golds, legal, meeples, owner, play, position, refusal, seat, tile

WITH = ("artisans",)
MOVE = {"A1": "y", "A2": "y"}


def holding(*items: str, **parts: Any) -> Any:
    """Return a position in which seat 1 of three holds these items, in phase `sell` unless a phase is given."""
    seats = {number: dict(held) for number, held in parts.pop("seats", {}).items()}
    seats[1] = {"items": list(items), **seats.get(1, {})}
    return position(**{"expansions": WITH, "players": 3, "phase": "sell", "seats": seats, **parts})


def items(state: Any, number: int = 1) -> list[str]:
    return seat(state, number)["items"]


def discard(state: Any) -> list[str]:
    return view(state, 0).document["items"]["discard"]


def row(state: Any) -> list[str]:
    return view(state, 0).document["resources"]["row"]


# Precious items, and the use of magic ones.


@pytest.mark.parametrize(
    ("held", "points", "with_geb"),
    [
        (["jewelry"], 5, 8),
        (["treasure"], 7, 10),
        (["crown"], 9, 12),
        (["jewelry"] * 4 + ["treasure"] * 3 + ["crown"] * 2, 59, 59 + 27),
        (["carpet", "flute", "lamp", "scimitar", "talisman", "horn", "ring"], 0, 0),
        (["crown", "ring"], 9, 12),
    ],
)
def test_rule_6_4_precious_items_score_and_geb_adds_three_to_each(held: list[str], points: int, with_geb: int) -> None:
    assert score(holding(*held), 1)["items"] == points
    assert score(holding(*held, seats={1: {"djinns": ["geb"]}}), 1)["items"] == with_geb
    assert score(holding(*held, seats={2: {"djinns": ["geb"]}}), 1)["items"] == points


@pytest.mark.parametrize(
    "text", ["item crown", "item carpet", "item lamp", "item flute", "item ring A1", "item horn A1"]
)
def test_what_is_no_use_of_an_item(text: str) -> None:
    with pytest.raises(ActionSyntaxError):
        parse_action(text)


@pytest.mark.parametrize(
    ("phase", "turn", "legal_there"),
    [
        ("move", {}, True),
        ("tribe", {"at": "A1", "lifted": "bb"}, True),
        ("tile", {"at": "A1"}, True),
        ("sell", {}, True),
        ("sow", {"origin": "A1", "at": "A1", "hand": "y"}, False),
        ("bid", {}, False),
        ("item", {"at": "A1", "drawn": ["crown", "lamp"]}, False),
    ],
)
def test_rule_6_8_items_are_used_where_powers_are(phase: str, turn: dict[str, Any], legal_there: bool) -> None:
    state = holding("horn", phase=phase, tiles={"A2": "y", **({"A1": "y"} if phase != "sow" else {})}, **turn)
    assert ("item horn" in legal(state)) == legal_there
    if not legal_there:
        assert refusal(state, "item horn") == "WRONG_PHASE"


def test_rule_6_4_one_item_a_player_turn() -> None:
    state = play(holding("ring", "horn", items_discard=["crown", "lamp"], djinn_row=["baal"]), "item ring lamp")
    assert legal(state, "item") == [] and refusal(state, "item horn") == "USED"
    assert refusal(state, "item lamp baal") == "USED"
    later = holding("horn", "lamp", djinn_row=["baal"], phase="move", tiles=MOVE)
    assert legal(later, "item") == ["item horn", "item lamp baal"]


def test_rule_6_4_a_new_turn_may_use_another_item() -> None:
    parts = {"players": 2, "tiles": MOVE, "bid_order": [1], "track": {1: 1, 2: 2, 3: 2}}
    state = play(holding("ring", "horn", items_discard=["crown"], **parts), "item ring crown", "end")
    assert state.to_act == 1 and legal(state, "item") == ["item horn"]


# The lamp.


def test_lamp_takes_a_djinn_of_the_row_for_nothing() -> None:
    seats = {1: {"gold": 0}, 2: {"djinns": ["baal"]}}
    state = holding("lamp", djinn_row=["utug", "enki", "sloar"], seats=seats)
    assert legal(state, "item") == ["item lamp enki", "item lamp sloar", "item lamp utug"]
    state = play(state, "item lamp enki")
    assert seat(state, 1)["djinns"] == ["enki"] and view(state, 0).document["djinns"]["row"] == ["utug", "sloar"]
    assert golds(state) == [0, 52, 50] and (items(state), discard(state)) == ([], ["lamp"])


def test_lamp_gives_a_power_that_may_be_used_at_once() -> None:
    state = play(
        holding("lamp", djinn_row=["sloar"], deck=["gold"], seats={1: {"hand": {"fakir": 1}}}), "item lamp sloar"
    )
    assert seat(play(state, "use sloar f"), 1)["hand"] == {"gold": 1}


def test_lamp_needs_a_djinn_in_the_row() -> None:
    assert legal(holding("lamp")) == ["end"] and refusal(holding("lamp"), "item lamp enki") == "NO_EFFECT"


# The talisman.


def test_talisman_moves_an_own_camel_to_an_empty_tile_and_leaves_the_pieces() -> None:
    parts = {"owners": {"A1": 1, "B1": 2}, "tents": {"C1": 1}, "palms": {"A1": 1}, "palaces": {"D1": 1}}
    state = holding("talisman", tiles={"E1": "y"}, **parts)
    uses = legal(state, "item talisman")
    assert {text.split()[2] for text in uses} == {"A1"}
    targets = {text.split()[3] for text in uses}
    assert len(targets) == 36 - 1 - 5 and not targets & {"A1", "B1", "C1", "D1", "E1", "D5"}
    state = play(state, "item talisman A1 F6")
    assert (owner(state, "A1"), tile(state, "A1")["palms"], owner(state, "F6")) == (None, 1, 1)
    assert seat(state, 1)["camels"] == 7 and discard(state) == ["talisman"]


def test_talisman_needs_a_camel_on_the_board() -> None:
    state = holding("talisman", tents={"C1": 1})
    assert legal(state) == ["end"] and refusal(state, "item talisman C1 A1") == "NO_EFFECT"


# The ring.


def test_ring_fetches_an_item_and_is_discarded_then() -> None:
    state = holding("ring", items_discard=["lamp", "crown", "horn"])
    assert legal(state, "item") == ["item ring crown", "item ring horn", "item ring lamp"]
    state = play(state, "item ring crown")
    assert (items(state), discard(state)) == (["crown"], ["lamp", "horn", "ring"])


def test_ring_takes_the_oldest_of_a_kind_and_needs_a_discard() -> None:
    state = play(holding("ring", items_discard=["jewelry", "crown", "jewelry"]), "item ring jewelry")
    assert discard(state) == ["crown", "jewelry", "ring"]
    assert refusal(holding("ring"), "item ring crown") == "NO_EFFECT"
    assert refusal(holding("ring", items_discard=["crown"]), "item ring lamp") == "WRONG_TARGET"


# The horn.


def test_horn_replaces_the_row_by_nine_cards_in_the_order_named() -> None:
    deck = ["fish", "fish", "gold", "wheat", "silk", "silk", "ivory", "spice", "pottery"]
    state = play(holding("horn", row=["fakir", "jewels"], deck=deck, phase="tile", at="D2"), "item horn")
    assert state.phase == "horn" and view(state, 0).document["turn"]["drawn"] == deck
    assert view(state, 0).document["resources"]["discard"] == ["fakir", "jewels"]
    assert legal(state) == [f"next {card}" for card in ("fish", "gold", "ivory", "pottery", "silk", "spice", "wheat")]
    state = play(state, "next wheat", "next fish", "next silk", "next gold")
    assert (row(state), legal(state)[0]) == (["wheat", "fish", "silk", "gold"], "next fish")
    assert refusal(state, "next gold") == "NO_SUCH_CARD"
    state = play(state, "next pottery", "next ivory", "next silk", "next spice")
    assert row(state) == ["wheat", "fish", "silk", "gold", "pottery", "ivory", "silk", "spice", "fish"]
    assert (
        state.phase == "tile"
        and legal(state)[0] == "buy 1"
        and view(state, 0).document["turn"] == {"at": "D2", "item_used": True}
    )


def test_point_8_22_the_old_row_may_come_back() -> None:
    state = holding("horn", row=["gold", "ivory"], deck=[], discard=["fish"], other_cards=2)
    state = play(state, "item horn", "!shuffle resources ivory fish gold", "next gold", "next ivory")
    assert row(state) == ["gold", "ivory", "fish"] and view(state, 0).document["resources"]["discard"] == []


def test_horn_with_one_card_asks_nothing_and_with_none_has_no_effect() -> None:
    state = play(holding("horn", row=["gold"], other_cards=2), "item horn", "!shuffle resources gold")
    assert (state.phase, row(state)) == ("sell", ["gold"])
    assert refusal(holding("horn", row=[], other_cards=2), "item horn") == "NO_EFFECT"


# The scimitar.


def test_scimitar_kills_two_anywhere_and_is_no_deed_of_assassins() -> None:
    seats = {1: {"djinns": ["kandicha"]}, 2: {"djinns": ["nekir", "boaz"], "elders": 3}}
    state = play(holding("scimitar", tiles={"A1": "yw", "F6": "gg"}, seats=seats), "item scimitar")
    assert view(state, 0).document["turn"] == {"left": 2, "back": "sell", "item_used": True}
    assert legal(state) == ["slay A1 w", "slay A1 y", "slay F6 g"]
    state = play(state, "slay A1 w", "slay F6 g")
    assert (state.phase, golds(state), seat(state, 1)["elders"]) == ("sell", [50, 50, 50], 0)
    assert (meeples(state, "A1"), meeples(state, "F6")) == ("y", "g") and legal(state) == ["end"]


def test_scimitar_takes_control_of_each_tile_it_empties() -> None:
    state = holding("scimitar", tiles={"A1": "y", "F6": "g", "C3": "w"}, phase="tribe", at="B2", lifted="bb")
    state = play(state, "item scimitar", "slay A1 y")
    assert legal(state) == ["camel", "tent"]
    assert view(state, 0).document["turn"] == {
        "target": "A1",
        "back": "tribe",
        "at": "B2",
        "lifted": "bb",
        "left": 1,
        "item_used": True,
    }
    for text in ("tent", "slay F6 g"):
        state = state.play(state.parse(text))
    assert (owner(state, "A1"), owner(state, "F6"), seat(state, 1)["camels"]) == (1, 1, 7)
    assert tile(state, "A1")["tent"] and state.phase == "tribe"


def test_scimitar_leaves_tiles_of_others_to_their_owners() -> None:
    state = play(holding("scimitar", tiles={"A1": "y", "B1": "y"}, owners={"A1": 2}), "item scimitar", "slay A1 y")
    assert (state.phase, owner(state, "A1"), legal(state)) == ("scimitar", 2, ["slay B1 y"])


def test_scimitar_kills_one_where_one_is_left_and_needs_a_meeple() -> None:
    state = holding("scimitar", tiles={"A1": "y"}, seats={1: {"tent": 0}})
    state = play(state, "item scimitar")
    assert view(state, 0).document["turn"]["left"] == 1
    assert play(state, "slay A1 y").phase == "sell"
    assert refusal(holding("scimitar"), "item scimitar") == "NO_EFFECT"


# The flute.


def test_flute_pulls_up_to_five_meeples_onto_a_tile() -> None:
    tiles = {"A1": "yyw", "B1": "g", "C1": "wbr", "B2": "rr", "F6": "y"}
    state = holding("flute", tiles=tiles, phase="move", owners={"A1": 2})
    # A mountain is north of the workshop B2, so its meeples cannot come.
    state = play(state, "item flute B1")
    assert view(state, 0).document["turn"] == {"target": "B1", "pulls": 0, "item_used": True}
    assert legal(state) == ["pull A1 w", "pull A1 y", "pull C1 b", "pull C1 r", "pull C1 w"]
    assert refusal(state, "done") == "MUST_PULL" and refusal(state, "pull B2 r") == "NOT_ADJACENT"
    state = play(state, "pull A1 y")
    assert legal(state)[-1] == "done" and play(state, "done").phase == "move"
    state = play(state, "pull C1 r", "pull A1 w", "pull A1 y", "pull C1 b")
    assert state.phase == "move" and (meeples(state, "B1"), meeples(state, "C1")) == ("yywgbr", "w")
    assert (meeples(state, "A1"), owner(state, "A1"), seat(state, 1)["camels"]) == ("-", 2, 8)


def test_flute_where_no_more_can_be_pulled_is_done_alone() -> None:
    state = play(holding("flute", tiles={"A1": "y", "F6": "y"}, phase="move"), "item flute B1", "pull A1 y")
    assert legal(state) == ["done"] and owner(state, "A1") is None


def test_flute_sounds_in_the_phase_move_alone_and_beside_meeples() -> None:
    state = holding("flute", tiles={"A1": "y", "B2": "r"}, phase="move")
    assert legal(state, "item") == ["item flute A2", "item flute B1", "item flute B3", "item flute C2"]
    assert legal(holding("flute", tiles={"A1": "y"})) == ["end"]
    assert refusal(holding("flute", tiles={"A1": "y"}), "item flute B1") == "NO_EFFECT"
    assert refusal(state, "item flute D5") == "WRONG_TARGET"
