"""The examples printed in the rulebooks (rule 3.7)."""

from __future__ import annotations

import pytest

from arena.rules import score
from tests.kit.builder import golds, legal, meeples, owner, play, position, seat, tile

AROUND_C3 = ["B2", "C2", "D2", "B3", "D3", "B4", "C4", "D4"]


@pytest.mark.parametrize(
    ("centre", "earned"),
    [
        pytest.param("red", 20, id="3.7 builders on a red tile beside 4 blue ones earn 5 x 4"),
        pytest.param("blue", 25, id="3.7 builders on a blue tile beside 4 blue ones earn 5 x 5"),
    ],
)
def test_three_builders_and_two_fakirs(centre: str, earned: int) -> None:
    kinds = {"C3": centre} | dict.fromkeys(AROUND_C3[:4], "blue") | dict.fromkeys(AROUND_C3[4:], "red")
    state = position(phase="tribe", at="C3", lifted="bbb", kinds=kinds, seats={1: {"hand": {"fakir": 2}}})
    assert legal(state) == ["build 0", "build 1", "build 2"]
    after = play(state, "build 2")
    assert golds(after) == [50 + earned, 50, 50, 50]
    assert seat(after, 1)["hand"] == {}


SIX = ["fish", "gold", "ivory", "jewels", "pottery", "wheat"]
SIX_AND_THREE = {kind: 2 if kind in SIX[:3] else 1 for kind in SIX}


def test_rule_3_7_a_sale_of_six_and_three_brings_37() -> None:
    state = position(phase="sell", seats={1: {"hand": SIX_AND_THREE}})
    after = play(state, "sell " + " ".join(SIX), "sell " + " ".join(SIX[:3]))
    assert golds(after)[0] == 50 + 30 + 7
    assert seat(after, 1)["hand"] == {}


def test_rule_3_7_six_and_three_unsold_score_37() -> None:
    assert score(position(phase="sell", seats={1: {"hand": SIX_AND_THREE}}), 1)["goods"] == 37


def test_rule_3_7_bids_of_four_players() -> None:
    """Oliver (seat 1) bids 3, Sam (2) 1, Anna (3) 0, Peter (4) 0: the order is Oliver, Sam, Peter, Anna."""
    state = position(phase="bid", bid_order=[1, 2, 3, 4], tiles={"A1": "y", "A2": "y"})
    state = play(state, "bid 5", "bid 6", "bid 7", "bid 7")
    assert golds(state) == [47, 49, 50, 50]
    order = []
    for move in ("take A1", "skip", "skip", "skip"):
        order.append(state.to_act)
        sowing = ["drop A2 y", "pass"] if move != "skip" else []
        state = play(state, move, *sowing, "end")
    assert order == [1, 2, 4, 3]


def test_rule_3_7_a_loop_of_five_ends_where_it_dropped_first() -> None:
    kinds = {"C3": "small-market", "C2": "oasis", "B2": "large-market", "B3": "sacred"}
    row = ["fish", "gold", "ivory", "fakir", "wheat"]
    state = position(tiles={"C3": "yggbr", "C2": "g"}, kinds=kinds, row=row)
    before = play(state, "take C3", "drop C2 g", "drop B2 b", "drop B3 r", "drop C3 y")
    assert "drop C2 g" in legal(before)
    after = play(before, "drop C2 g")
    assert seat(after, 1)["hand"] == {"fish": 1, "gold": 1, "ivory": 1}  # 3 Merchants
    assert owner(after, "C2") == 1
    assert tile(after, "C2")["palms"] == 1
    assert [meeples(after, name) for name in ("C2", "B2", "B3", "C3")] == ["-", "b", "r", "y"]
    assert after.phase == "sell"


@pytest.mark.parametrize(
    ("there", "collected", "left", "owned"),
    [
        pytest.param("ww", 3, "-", 1, id="3.7 an Elder onto two Elders: collect 3 and take control"),
        pytest.param("wwwb", 4, "b", None, id="3.7 an Elder onto three and a Builder: collect 4, no control"),
    ],
)
def test_control(there: str, collected: int, left: str, owned: int | None) -> None:
    after = play(position(tiles={"C2": "w", "C3": there}), "take C2", "drop C3 w")
    assert seat(after, 1)["elders"] == collected
    assert meeples(after, "C3") == left
    assert owner(after, "C3") == owned
    assert seat(after, 1)["camels"] == (7 if owned else 8)
