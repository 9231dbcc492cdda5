"""Bidding: rules 3.1, 8.1 to 8.3 and 8.15, rulings R1, R16, R40, R41, R59, R60, and Kumarbi."""

from __future__ import annotations

from typing import Any

import pytest

from arena.rules import IllegalAction, format_position
from tests.kit.builder import golds, legal, play, position, refusal, seat

ZEROS_FULL = {"bid_order": [1], "track": {7: 2, 8: 3, 9: 4}}
KUMARBI = {"djinns": ["kumarbi"]}


def bidding(gold: int = 50, fakirs: int = 0, djinns: list[str] | None = None, **parts: Any) -> Any:
    hand = {"fakir": fakirs} if fakirs else {}
    me = {"gold": gold, "hand": hand, "djinns": djinns or [], "used": parts.pop("used", [])}
    return position(phase="bid", seats={1: me}, **parts)


ALL = [f"bid {spot}" for spot in range(1, 8)]
LISTS = [
    pytest.param({}, ALL, id="8.1 the entry spots are 1 to 7"),
    pytest.param(
        {"track": {1: 2, 4: 3}}, ["bid 2", "bid 3", "bid 5", "bid 6", "bid 7"], id="3.1 taken spots are closed"
    ),
    pytest.param({"track": {7: 2, 8: 3}}, ALL, id="3.1 a third zero bid is allowed"),
    pytest.param(ZEROS_FULL, ALL[:6], id="R60 three zeros taken: the fourth marker pays at least 1"),
    pytest.param({"gold": 18}, ALL, id="3.1 the last coin may be bid"),
    pytest.param({"gold": 17}, ALL[1:], id="3.1 a spot must be paid"),
    pytest.param({"gold": 4}, ["bid 5", "bid 6", "bid 7"], id="3.1 4 GC pay for 3, 1 and 0"),
    pytest.param({"gold": 0}, ["bid 7"], id="3.1 without gold only zero"),
    pytest.param({"gold": 0, **ZEROS_FULL}, ["bid 6"], id="8.3 a broke bidder takes the cheapest open spot"),
    pytest.param(
        {"gold": 50, "fakirs": 1, "djinns": ["kumarbi"]},
        [text for spot in range(1, 7) for text in (f"bid {spot}", f"bid {spot} f 1")] + ["bid 7"],
        id="8.2 Kumarbi with one Fakir, in the order of the notation",
    ),
    pytest.param(
        {"gold": 0, "fakirs": 18, "djinns": ["kumarbi"]},
        ["bid 1 f 6", "bid 2 f 5", "bid 3 f 4", "bid 4 f 3", "bid 5 f 2", "bid 6 f 1", "bid 7"],
        id="8.2 without gold K makes the price 0 exactly",
    ),
    pytest.param(
        {"gold": 7, "fakirs": 3, "djinns": ["kumarbi"], "track": {4: 2, 5: 3, 6: 4}},
        ["bid 1 f 3", "bid 2 f 2", "bid 2 f 3", "bid 3 f 1", "bid 3 f 2", "bid 3 f 3", "bid 7"],
        id="R16 each Fakir is one price step (18 12 8 5 3 1 0)",
    ),
    pytest.param({"fakirs": 3, "djinns": ["kumarbi"], "used": ["kumarbi"]}, ALL, id="8.2 Kumarbi used this round"),
    pytest.param({"fakirs": 3}, ALL, id="8.2 Fakirs without Kumarbi"),
    pytest.param(
        {"gold": 0, "fakirs": 2, "djinns": ["kumarbi"], **ZEROS_FULL},
        ["bid 5 f 2", "bid 6 f 1"],
        id="8.15 no HOUSE bid while Kumarbi makes one payable",
    ),
    pytest.param(
        {"gold": 0, "djinns": ["kumarbi"], **ZEROS_FULL},
        ["bid 6"],
        id="8.15 the HOUSE bid where Kumarbi cannot be paid",
    ),
]


@pytest.mark.parametrize(("parts", "expected"), LISTS)
def test_legal_bids(parts: dict[str, Any], expected: list[str]) -> None:
    assert legal(bidding(**parts)) == expected


REFUSED = [
    pytest.param({"track": {1: 2}}, "bid 1", "SPOT_TAKEN", id="3.1 a non-zero spot holds one marker"),
    pytest.param(ZEROS_FULL, "bid 7", "SPOT_TAKEN", id="3.1 a fourth zero bid"),
    pytest.param({}, "bid 8", "NO_SUCH_SPOT", id="8.1 a zero bid is written bid 7, not 8"),
    pytest.param({}, "bid 9", "NO_SUCH_SPOT", id="8.1 a zero bid is written bid 7, not 9"),
    pytest.param({}, "bid 10", "NO_SUCH_SPOT", id="8.1 the base track has 9 spots"),
    pytest.param({"gold": 11}, "bid 2", "CANNOT_PAY", id="3.1 12 cannot be paid with 11"),
    pytest.param({"gold": 0, **ZEROS_FULL}, "bid 5", "CANNOT_PAY", id="8.3 a broke bidder has no dearer choice"),
    pytest.param({"gold": 0}, "bid 6", "CANNOT_PAY", id="8.3 not broke while a zero is open"),
    pytest.param({"fakirs": 2}, "bid 1 f 1", "NO_POWER", id="8.2 Kumarbi is not owned"),
    pytest.param({"fakirs": 2, "used": ["kumarbi"], **KUMARBI}, "bid 1 f 1", "NO_POWER", id="8.2 used this round"),
    pytest.param({"fakirs": 2, **KUMARBI}, "bid 1 f 3", "CANNOT_PAY", id="8.2 more Fakirs than held"),
    pytest.param({"fakirs": 2, "gold": 7, **KUMARBI}, "bid 1 f 2", "CANNOT_PAY", id="8.2 the lower price must be paid"),
    pytest.param({"fakirs": 9, **KUMARBI}, "bid 6 f 2", "NO_EFFECT", id="8.2 more Fakirs than make the price 0"),
    pytest.param({"fakirs": 9, **KUMARBI}, "bid 1 f 7", "NO_EFFECT", id="8.2 six Fakirs make 18 a 0"),
    pytest.param({"fakirs": 9, **KUMARBI}, "bid 7 f 1", "NO_EFFECT", id="8.15 a spot that costs 0 takes no Fakirs"),
    pytest.param(
        {"gold": 0, "fakirs": 1, **KUMARBI, **ZEROS_FULL},
        "bid 6",
        "CANNOT_PAY",
        id="8.15 no HOUSE bid beside Kumarbi's",
    ),
    pytest.param({}, "pass", "WRONG_PHASE", id="R59 a bidder may not pass"),
    pytest.param({}, "skip", "WRONG_PHASE", id="R59 nor skip"),
    pytest.param({}, "sell fish", "WRONG_PHASE", id="R27 no sale before bidding"),
    pytest.param({"fakirs": 2, "djinns": ["sloar"]}, "use sloar f", "WRONG_PHASE", id="3.1 no other power here"),
]


@pytest.mark.parametrize(("parts", "text", "code"), REFUSED)
def test_refused_bids(parts: dict[str, Any], text: str, code: str) -> None:
    assert refusal(bidding(**parts), text) == code


SAID = [
    pytest.param({}, "bid 8", "spot 8 cannot be entered; the entry spots are 1 2 3 4 5 6 7", id="8.1"),
    pytest.param({"track": {2: 3}}, "bid 2", "spot 2 has no room", id="3.1"),
    pytest.param({"fakirs": 9, **KUMARBI}, "bid 6 f 2", "2 Fakirs are more than spot 6 needs to cost 0", id="8.2"),
]


@pytest.mark.parametrize(("parts", "text", "says"), SAID)
def test_a_refusal_numbers_the_spots_as_the_notation_does(parts: dict[str, Any], text: str, says: str) -> None:
    with pytest.raises(IllegalAction, match=says):
        play(bidding(**parts), text)


PAID = [
    pytest.param({}, "bid 1", 32, 0, id="3.1 the cost is paid at once"),
    pytest.param({}, "bid 7", 50, 0, id="3.1 zero costs nothing"),
    pytest.param({"fakirs": 3, **KUMARBI}, "bid 1", 32, 3, id="8.2 Kumarbi need not be used"),
    pytest.param({"fakirs": 3, **KUMARBI}, "bid 1 f 1", 38, 2, id="8.2 18 becomes 12"),
    pytest.param({"fakirs": 3, **KUMARBI}, "bid 1 f 2", 42, 1, id="8.2 18 becomes 8"),
    pytest.param({"fakirs": 3, **KUMARBI}, "bid 1 f 3", 45, 0, id="8.2 18 becomes 5"),
    pytest.param({"fakirs": 6, **KUMARBI}, "bid 1 f 6", 50, 0, id="8.2 18 becomes 0"),
    pytest.param({"gold": 5, "fakirs": 3, **KUMARBI}, "bid 1 f 3", 0, 0, id="8.2 the lower price is enough"),
    pytest.param({"fakirs": 3, **KUMARBI}, "bid 6 f 1", 50, 2, id="8.2 1 becomes 0"),
    pytest.param({"gold": 0, **ZEROS_FULL}, "bid 6", 0, 0, id="8.3 a broke bidder pays all he has"),
]


@pytest.mark.parametrize(("parts", "text", "gold", "fakirs"), PAID)
def test_what_a_bid_costs(parts: dict[str, Any], text: str, gold: int, fakirs: int) -> None:
    before = bidding(**parts)
    after = play(before, text)
    me = seat(after, 1)
    assert me["gold"] == gold
    assert me["hand"].get("fakir", 0) == fakirs
    assert golds(after)[1:] == [50, 50, 50]
    spent = seat(before, 1)["hand"].get("fakir", 0) - fakirs
    assert me["used"] == (["kumarbi"] if spent else [])
    assert len(after.discard) == spent


def test_rule_8_2_the_fakirs_join_the_cards_that_were_discarded_before() -> None:
    after = play(bidding(fakirs=2, discard=["fish"], **KUMARBI), "bid 1 f 2")
    assert format_position(after)["resources"]["discard"] == ["fish", "fakir", "fakir"]


ZERO_AISLE = [
    pytest.param(["bid 7"], [1, 0, 0], id="3.1 a zero bid enters the first cell"),
    pytest.param(["bid 7", "bid 7"], [2, 1, 0], id="3.1 it pushes the marker there"),
    pytest.param(["bid 7", "bid 7", "bid 7"], [3, 2, 1], id="3.1 the first zero bidder plays last of them"),
]


@pytest.mark.parametrize(("bids", "aisle"), ZERO_AISLE)
def test_the_zero_aisle(bids: list[str], aisle: list[int]) -> None:
    assert list(play(bidding(), *bids).turn_track[6:]) == aisle


def test_rule_3_1_markers_bid_in_the_order_of_the_track_and_play_by_price() -> None:
    state = bidding(bid_order=[1, 3, 4, 2])
    asked = []
    for text in ("bid 6", "bid 2", "bid 7", "bid 1"):
        asked.append(state.to_act)
        state = play(state, text)
    assert asked == [1, 3, 4, 2]
    assert (state.phase, state.to_act) == ("move", 2)
    assert state.turn_track == (0, 3, 0, 0, 0, 1, 4, 0, 0)  # the acting marker has moved (T0)
    assert state.bid_order == (2,)
    played = []
    for _ in range(4):
        played.append(state.to_act)
        order = state.bid_order
        state = play(state, "skip", "end")
    assert played == [2, 3, 1, 4]
    assert order == (2, 3, 1, 4)  # the order of play is the next order of bids


def test_rule_60_the_fourth_marker_plays_first() -> None:
    state = bidding(**ZEROS_FULL)
    assert play(state, "bid 6").to_act == 1


def test_rule_8_3_the_broke_bidder_plays_first_too() -> None:
    assert play(bidding(gold=0, **ZEROS_FULL), "bid 6").to_act == 1


# Two players.


def two(bid_order: list[int], **parts: Any) -> Any:
    return position(players=2, phase="bid", to_act=bid_order[0], bid_order=bid_order, **parts)


def test_rule_3_1_two_players_bid_for_each_of_two_markers_and_may_play_twice_in_a_row() -> None:
    state = two([1, 2, 1, 2])
    state = play(state, "bid 1", "bid 7", "bid 2", "bid 7")
    assert golds(state) == [50 - 18 - 12, 50]
    played = []
    for _ in range(4):
        played.append(state.to_act)
        state = play(state, "skip", "end")
    assert played == [1, 1, 2, 2]


def test_rule_3_1_own_markers_push_own_markers() -> None:
    state = play(two([1, 1, 2, 2]), "bid 7", "bid 7", "bid 7")
    assert state.turn_track[6:] == (2, 1, 1)
    assert legal(state) == [f"bid {spot}" for spot in range(1, 7)]


def test_rule_41_markers_need_not_alternate() -> None:
    assert two([2, 2, 1, 1]).to_act == 2


def test_rule_1_kumarbi_serves_one_of_the_two_bids() -> None:
    seats = {1: {"djinns": ["kumarbi"], "hand": {"fakir": 9}}}
    state = play(two([1, 1, 2, 2], seats=seats), "bid 1 f 1")
    assert legal(state) == [f"bid {spot}" for spot in range(2, 8)]
    assert refusal(state, "bid 2 f 1") == "NO_POWER"
    unused = play(two([1, 1, 2, 2], seats=seats), "bid 1")
    assert "bid 2 f 1" in legal(unused)
