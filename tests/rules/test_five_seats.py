"""Five seats and Kali: the 12-spot track with its pairs (rules 2.1, 2.2, 5.5, 5.6, 8.1 to 8.3; ruling 16)."""

from __future__ import annotations

from typing import Any

import pytest

from arena.rules import RulesError, Ruleset, format_position, start
from tests.kit.builder import golds, legal, play, position, refusal, seat

WITH = ("whims",)
A, B, C, D, E = range(1, 6)


def bidding(players: int = 5, **parts: Any) -> Any:
    usual = {"phase": "bid", "bid_order": [A, B, C, D, E][:players], "tiles": {"A1": "y", "A2": "y"}}
    return position(**{**usual, "expansions": WITH, "players": players, **parts})


def track(state: Any) -> list[int | None]:
    return format_position(state)["turn_track"]


def order(state: Any) -> list[int]:
    """Return the markers in the order of play, the acting one first."""
    return [state.to_act, *(marker for marker in track(state) if marker)]


def test_rule_5_5_the_entry_spots_in_byte_order() -> None:
    assert legal(bidding()) == ["bid 1", "bid 10", "bid 2", "bid 3", "bid 4", "bid 6", "bid 8"]
    assert [refusal(bidding(), f"bid {spot}") for spot in (5, 7, 9, 11, 12)] == ["NO_SUCH_SPOT"] * 5


@pytest.mark.parametrize(("spot", "cost"), [(1, 18), (2, 12), (3, 8), (4, 5), (6, 3), (8, 1), (10, 0)])
def test_rule_5_5_the_costs(spot: int, cost: int) -> None:
    assert golds(play(bidding(), f"bid {spot}")) == [50 - cost, 50, 50, 50, 50]


def test_rule_5_5_the_example_of_the_rulebook() -> None:
    """A bids 3, B 5, C 3 and pushes A, D 0, E 0 and pushes D: the order is B, C, A, E, D."""
    state = play(bidding(), "bid 6", "bid 4", "bid 6", "bid 10")
    assert track(state) == [None, None, None, B, None, C, A, None, None, D, None, None]
    state = play(state, "bid 10")
    assert order(state) == [B, C, A, E, D] and golds(state) == [47, 45, 47, 50, 50]


@pytest.mark.parametrize(("entry", "cost"), [(4, 5), (6, 3), (8, 1)])
def test_rule_5_5_a_pair_has_two_spots_of_one_price_and_no_third(entry: int, cost: int) -> None:
    state = play(bidding(), f"bid {entry}", f"bid {entry}")
    assert track(state)[entry - 1 : entry + 1] == [B, A] and golds(state) == [50 - cost, 50 - cost, 50, 50, 50]
    assert f"bid {entry}" not in legal(state) and refusal(state, f"bid {entry}") == "SPOT_TAKEN"


@pytest.mark.parametrize("spot", [1, 2, 3])
def test_rule_5_5_the_dear_spots_are_single(spot: int) -> None:
    assert refusal(play(bidding(), f"bid {spot}"), f"bid {spot}") == "SPOT_TAKEN"


def test_rule_5_5_three_zeros_and_the_latest_plays_first() -> None:
    state = play(bidding(), "bid 10", "bid 10", "bid 10")
    assert track(state)[9:] == [C, B, A] and refusal(state, "bid 10") == "SPOT_TAKEN"
    assert order(play(state, "bid 8", "bid 8")) == [E, D, C, B, A]


def test_rule_3_2_the_order_of_play_is_the_order_of_the_next_bids() -> None:
    state = play(bidding(), "bid 6", "bid 4", "bid 6", "bid 10", "bid 10")
    for _ in range(5):
        state = play(state, *(["skip"] if "skip" in legal(state) else ["take A1", "drop A2 y"]))
        state = play(state, *(["pass"] if state.phase == "tile" else []), "end")
    # Nobody can move after the first turn, so the game ends with this round.
    assert state.is_over and list(state.bid_order) == [B, C, A, E, D]


@pytest.mark.parametrize(
    ("spot", "fakirs", "price"),
    [
        pytest.param(1, 1, 12, id="18 to 12"),
        pytest.param(3, 1, 5, id="8 to 5"),
        pytest.param(4, 1, 3, id="R16 5 to 3, not to the other 5"),
        pytest.param(4, 2, 1, id="5 to 1"),
        pytest.param(4, 3, 0, id="5 to 0"),
        pytest.param(8, 1, 0, id="1 to 0"),
    ],
)
def test_ruling_16_kumarbi_counts_prices_and_not_spots(spot: int, fakirs: int, price: int) -> None:
    state = bidding(seats={1: {"djinns": ["kumarbi"], "hand": {"fakir": 6}}})
    after = play(state, f"bid {spot} f {fakirs}")
    assert golds(after)[0] == 50 - price and seat(after, 1)["hand"].get("fakir", 0) == 6 - fakirs


def test_point_8_2_kumarbi_takes_no_more_fakirs_than_make_the_price_zero() -> None:
    state = bidding(seats={1: {"djinns": ["kumarbi"], "hand": {"fakir": 6}}})
    assert legal(state, "bid 4 ") == ["bid 4", "bid 4 f 1", "bid 4 f 2", "bid 4 f 3"]
    assert legal(state, "bid 1 ") == ["bid 1", *(f"bid 1 f {k}" for k in range(1, 7))]
    assert legal(state, "bid 10 ") == ["bid 10"]


def test_point_8_3_a_broke_bidder_takes_the_cheapest_open_spot_for_all_its_gold() -> None:
    """The zeros are full, and the cheapest spot with room is the second 1."""
    full = {10: A, 11: B, 12: C, 8: D}
    state = bidding(track=full, bid_order=[E], to_act=E, seats={5: {"gold": 0}})
    assert legal(state) == ["bid 8"]
    after = play(state, "bid 8")
    assert order(after) == [E, D, A, B, C] and golds(after)[4] == 0


def test_rule_2_2_five_need_an_expansion() -> None:
    with pytest.raises(RulesError, match="five players need an expansion"):
        start(Ruleset(5), bytes(32))


@pytest.mark.parametrize("expansions", [("whims",), ("artisans",), ("artisans", "whims")])
def test_rule_2_1_five_start_with_eight_camels_and_one_marker_each(expansions: tuple[str, ...]) -> None:
    found = format_position(start(Ruleset(5, expansions), bytes(32)))
    assert [(shown["gold"], shown["camels"]) for shown in found["seats"]] == [(50, 8)] * 5
    assert [shown.get("tent") for shown in found["seats"]] == [1 if "artisans" in expansions else None] * 5
    assert sorted(found["bid_order"]) == [1, 2, 3, 4, 5] and found["turn_track"] == [None] * 12


@pytest.mark.parametrize("players", [2, 3, 4])
def test_rule_5_5_fewer_than_five_use_the_track_of_the_base_game(players: int) -> None:
    state = start(Ruleset(players, WITH), bytes(32))
    assert legal(state) == [f"bid {spot}" for spot in range(1, 8)] and len(track(state)) == 9


# Kali (5.6).


def kali(number: int, **parts: Any) -> Any:
    return bidding(seats={number: {"djinns": ["kali"]}}, **parts)


def test_rule_5_6_kali_gains_one_for_each_marker_of_another_that_it_pushes() -> None:
    """The third marker on the zeros moves two markers on."""
    assert golds(play(kali(C), "bid 10", "bid 10", "bid 10")) == [50, 50, 52, 50, 50]
    assert golds(play(kali(C), "bid 8", "bid 10", "bid 8")) == [49, 50, 50 - 1 + 1, 50, 50]


def test_rule_5_6_kali_gains_two_each_time_another_pushes_it_also_through_the_chain() -> None:
    assert golds(play(kali(A), "bid 10", "bid 10", "bid 10")) == [54, 50, 50, 50, 50]
    assert golds(play(kali(A), "bid 4", "bid 4")) == [50 - 5 + 2, 45, 50, 50, 50]
    assert golds(play(kali(B), "bid 10", "bid 10", "bid 10")) == [50, 50 + 1 + 2, 50, 50, 50]


def test_rule_5_6_kali_gains_nothing_where_others_push_others() -> None:
    assert golds(play(kali(E), "bid 10", "bid 10", "bid 10")) == [50] * 5


def test_rule_5_6_pushing_an_own_marker_pays_nothing() -> None:
    """There are two players. Seat 1 pushes only its own first marker; then seat 2 pushes both of them."""
    state = position(expansions=WITH, players=2, phase="bid", bid_order=[1, 1, 2, 2], seats={1: {"djinns": ["kali"]}})
    state = play(state, "bid 7", "bid 7")
    assert golds(state) == [50, 50]
    assert golds(play(state, "bid 7")) == [54, 50]


def test_rule_5_6_an_own_bid_pays_for_the_marker_of_the_other_alone() -> None:
    state = position(expansions=WITH, players=2, phase="bid", bid_order=[1, 2, 1, 2], seats={1: {"djinns": ["kali"]}})
    assert golds(play(state, "bid 7", "bid 7", "bid 7")) == [50 + 2 + 1, 50]


@pytest.mark.parametrize(("gold", "left"), [(50, 50), (1, 1), (0, 1)])
def test_rule_5_6_kali_pays_after_the_price(gold: int, left: int) -> None:
    full = {10: A, 11: B, 12: C, 8: D}
    state = bidding(track=full, bid_order=[E], to_act=E, seats={E: {"djinns": ["kali"], "gold": gold}})
    assert golds(play(state, "bid 8"))[4] == left
