"""The end of the game and the score: rules 3.5, 3.6, rulings R28, R33, R35 to R38, points 8.8, 8.18, 8.25."""

from __future__ import annotations

from typing import Any

import pytest

from arena.rules import score
from tests.kit.builder import GOODS, MOVABLE, before_last_drop, golds, legal, owner, play, position, refusal, seat

# Camels.


def test_rule_3_5_the_last_camel_sets_the_end_when_the_turn_ends_8_25() -> None:
    state = before_last_drop(tiles={"C3": "y", **MOVABLE}, seats={1: {"camels": 1}}, kinds={"C3": "sacred"})
    state = play(state, "drop C3 y")
    assert (seat(state, 1)["camels"], state.ending) == (0, None)
    state = play(state, "pass")
    assert state.ending is None
    state = play(state, "end")
    assert (state.ending, state.to_act, state.phase) == ("camels", 2, "move")


def test_ruling_33_a_last_camel_placed_by_an_assassination_does_too() -> None:
    state = position(
        phase="tribe",
        at="C3",
        lifted="rr",
        kinds={"C3": "sacred"},
        tiles={"D3": "w", **MOVABLE},
        seats={1: {"camels": 1}},
    )
    state = play(state, "kill D3 w", "pass")
    assert (owner(state, "D3"), state.ending) == (1, None)
    assert play(state, "end").ending == "camels"


def test_rule_3_5_two_camels_left_go_on() -> None:
    state = before_last_drop(tiles={"C3": "y", **MOVABLE}, seats={1: {"camels": 2}}, kinds={"C3": "sacred"})
    assert play(state, "drop C3 y", "pass", "end").ending is None


def test_rule_3_5_the_round_is_played_out_and_there_is_no_further_one() -> None:
    seats = {1: {"camels": 1}}
    state = before_last_drop(players=3, tiles={"C3": "y", **MOVABLE}, seats=seats, kinds={"C3": "sacred"})
    state = play(state, "drop C3 y", "pass", "end")
    assert state.to_act == 2
    state = play(state, "take A1", "drop B1 y", "pass", "end")
    assert (owner(state, "B1"), state.to_act) == (2, 3)
    assert legal(state) == ["skip"]
    state = play(state, "skip", "end")
    assert (state.phase, state.ending, state.outcome.reason) == ("over", "camels", "camels")
    assert state.outcome.document() == {
        "scores": list(state.outcome.scores),
        "ranks": list(state.outcome.ranks),
        "reason": "camels",
    }


def test_ruling_33_the_same_players_second_marker_still_plays() -> None:
    seats = {1: {"camels": 1}}
    state = before_last_drop(
        players=2,
        bid_order=[2, 1],
        track={5: 1, 6: 2},
        tiles={"C3": "y", **MOVABLE},
        seats=seats,
        kinds={"C3": "sacred"},
    )
    state = play(state, "drop C3 y", "pass", "end")
    assert (state.to_act, state.ending, legal(state)) == (1, "camels", ["take A1", "take B1"])
    state = play(state, "take A1", "drop B1 y")
    assert owner(state, "B1") is None  # R34: no camel is left
    state = play(state, "pass", "end", "skip", "end")
    assert state.is_over


def test_rule_3_5_eleven_camels_with_two_players() -> None:
    state = before_last_drop(players=2, tiles={"C3": "y", **MOVABLE}, seats={1: {"camels": 3}}, kinds={"C3": "sacred"})
    state = play(state, "drop C3 y", "pass", "end")  # nine camels are placed
    assert (seat(state, 1)["camels"], state.ending) == (2, None)


# No legal move.


def test_rule_3_5_no_move_left_at_the_end_of_a_turn() -> None:
    state = play(position(tiles=MOVABLE), "take A1", "drop B1 y", "pass")
    assert state.ending is None
    state = play(state, "end")
    assert (state.ending, state.to_act, legal(state)) == ("no-moves", 2, ["skip"])


def test_rule_3_5_no_move_at_the_start_of_a_turn() -> None:
    state = position(phase="bid", bid_order=[1], track={7: 2, 8: 3, 9: 4})
    assert state.ending is None
    state = play(state, "bid 1")
    assert (state.phase, state.ending, legal(state)) == ("move", "no-moves", ["skip"])


def test_point_8_8_it_is_evaluated_at_the_end_of_the_turn_and_not_within_it() -> None:
    seats = {1: {"djinns": ["anun-nak"], "elders": 1}}
    state = play(position(tiles={**MOVABLE, "F5": "y"}, seats=seats), "take A1", "drop B1 y", "pass")
    saved = play(state, "use anun-nak w F4", "!bag wwy", "end")
    assert (saved.ending, legal(saved)) == (None, ["take F4", "take F5"])
    assert play(state, "end").ending == "no-moves"


def test_ruling_35_the_end_stays_triggered_and_the_round_is_played_out() -> None:
    seats = {2: {"djinns": ["anun-nak"], "elders": 1}}
    state = play(position(players=3, tiles={**MOVABLE, "F5": "y"}, seats=seats), "take A1", "drop B1 y", "pass", "end")
    state = play(state, "use anun-nak w F4", "!bag wwy")
    assert legal(state) == ["take F4", "take F5"]
    assert refusal(state, "skip") == "MUST_MOVE"
    state = play(state, "take F5", "drop F4 y", "pass", "end")
    assert (state.ending, state.to_act, legal(state)) == ("no-moves", 3, ["skip"])
    assert play(state, "skip", "end").is_over


def test_ruling_36_no_move_after_the_last_turn_of_a_round_ends_the_game_now() -> None:
    state = play(position(tiles=MOVABLE, last=True, row=["fish"]), "take A1", "drop B1 y", "pass", "end")
    assert (state.phase, state.ending, state.outcome.reason) == ("over", "no-moves", "no-moves")
    assert state.round == 3


def test_ruling_2_a_seat_that_cannot_move_may_still_sell_and_use_powers() -> None:
    seats = {1: {"djinns": ["sloar"], "hand": {"fakir": 1, "fish": 1}}}
    state = play(position(ending="no-moves", deck=["gold"], seats=seats), "skip")
    assert legal(state) == ["use sloar f", "sell fish", "end"]
    assert golds(play(state, "use sloar f", "sell fish gold"))[0] == 53


# Both.


def test_point_8_18_both_found_at_once_are_camels() -> None:
    state = before_last_drop(tiles={"C3": "y"}, seats={1: {"camels": 1}}, kinds={"C3": "sacred"})
    assert play(state, "drop C3 y", "pass", "end").ending == "camels"


def test_point_8_18_otherwise_the_first_that_was_set() -> None:
    parts = {"tiles": {"C3": "y"}, "seats": {1: {"camels": 1}}, "kinds": {"C3": "sacred"}}
    state = play(before_last_drop(**parts, ending="no-moves"), "drop C3 y", "pass", "end")
    assert (seat(state, 1)["camels"], state.ending) == (0, "no-moves")
    seats = {1: {"camels": 0}}
    state = play(position(ending="camels", tiles=MOVABLE, seats=seats), "take A1", "drop B1 y", "pass", "end")
    assert (legal(state), state.ending) == (["skip"], "camels")


# The score.


def over(**parts: Any) -> Any:
    return position(phase="over", **parts)


def test_rule_3_6_every_category() -> None:
    kinds = {"A1": "village", "B1": "oasis", "C1": "sacred-15", "D1": "large-market", "E1": "small-market"}
    state = over(
        kinds=kinds,
        owners={"A1": 1, "B1": 1, "C1": 1, "D1": 1, "E1": 2},
        palms={"B1": 2, "D1": 1, "F1": 4},
        palaces={"A1": 1, "C1": 1, "E1": 3},
        seats={
            1: {
                "gold": 31,
                "viziers": 4,
                "elders": 3,
                "hand": {"fish": 2, "gold": 1, "fakir": 5},
                "djinns": ["leta", "lamia"],
            },
            2: {"gold": 12, "viziers": 3},
            3: {"gold": 0, "viziers": 4},
        },
    )
    assert score(state, 1) == {
        "gold": 31,
        "viziers": 4 + 20,  # more than seats 2 and 4, not more than seat 3
        "elders": 6,
        "djinns": 4 + 10,
        "tiles": 5 + 8 + 15 + 4,
        "palms": 3 * 3,
        "palaces": 2 * 5,
        "goods": 3 + 1,
        "total": 31 + 24 + 6 + 14 + 32 + 9 + 10 + 4,
    }
    assert (score(state, 2)["tiles"], score(state, 2)["palaces"]) == (6, 15)
    assert score(state, 4)["total"] == 50
    assert [shown["total"] for shown in state.outcome.scores] == [130, 12 + 13 + 6 + 15, 24, 50]
    assert state.outcome.ranks == (1, 3, 4, 2)


@pytest.mark.parametrize(
    ("viziers", "points"),
    [
        pytest.param((0, 0, 0, 0), [0, 0, 0, 0], id="R37 without Viziers no bonus"),
        pytest.param((1, 0, 0, 0), [31, 0, 0, 0], id="3.6 ten for each opponent with fewer"),
        pytest.param((3, 3, 2, 2), [23, 23, 2, 2], id="R37 a tie gives nothing for that pair"),
        pytest.param((5, 4, 3, 2), [35, 24, 13, 2], id="3.6 a staircase"),
        pytest.param((4, 4, 4, 4), [4, 4, 4, 4], id="R37 all alike"),
    ],
)
def test_viziers(viziers: tuple[int, ...], points: list[int]) -> None:
    state = over(seats={number: {"viziers": count} for number, count in enumerate(viziers, 1)})
    assert [score(state, number)["viziers"] for number in (1, 2, 3, 4)] == points


@pytest.mark.parametrize(
    ("hand", "value"),
    [
        pytest.param({}, 0, id="no goods"),
        pytest.param({"fakir": 9}, 0, id="R29 Fakirs alone"),
        pytest.param({"fish": 3, "wheat": 2, "gold": 1}, 7 + 3 + 1, id="3.6 suits of 3, 2 and 1"),
        pytest.param({"fish": 6}, 6, id="3.6 six suits of one"),
        pytest.param(dict.fromkeys(GOODS, 2), 120, id="3.6 two whole suits"),
        pytest.param(dict.fromkeys(GOODS[:8], 1), 50, id="3.6 eight kinds"),
    ],
)
def test_goods(hand: dict[str, int], value: int) -> None:
    assert score(over(seats={1: {"hand": hand}}), 1)["goods"] == value


def test_rule_3_6_what_stands_on_foreign_or_free_tiles_counts_for_nobody_else() -> None:
    state = over(owners={"A1": 2}, palms={"A1": 2, "B1": 5}, palaces={"A1": 1, "B1": 2})
    assert [score(state, number)["palms"] + score(state, number)["palaces"] for number in (1, 2, 3, 4)] == [0, 11, 0, 0]


def test_rule_3_6_meeples_on_the_board_and_camels_left_are_worth_nothing() -> None:
    assert score(over(tiles={"A1": "yywwgbr"}), 1)["total"] == 50


@pytest.mark.parametrize(
    ("gold", "ranks"),
    [
        pytest.param((9, 9, 5, 1), (1, 1, 3, 4), id="R38 ties share the victory, the next rank is skipped"),
        pytest.param((5, 9, 5, 5), (2, 1, 2, 2), id="notation: a shared second rank"),
        pytest.param((1, 2, 2, 3), (4, 2, 2, 1), id="notation: fourth after two seconds"),
        pytest.param((7, 7, 7, 7), (1, 1, 1, 1), id="R38 all share"),
        pytest.param((4, 3, 2, 1), (1, 2, 3, 4), id="3.6 no ties"),
    ],
)
def test_ranks(gold: tuple[int, ...], ranks: tuple[int, ...]) -> None:
    state = over(seats={number: {"gold": amount} for number, amount in enumerate(gold, 1)})
    assert state.outcome.ranks == ranks


def test_ruling_38_gold_breaks_no_tie() -> None:
    state = over(players=2, seats={1: {"gold": 10}, 2: {"gold": 8, "elders": 1}})
    assert state.outcome.ranks == (1, 1)


def test_rule_3_6_there_is_no_outcome_before_the_end() -> None:
    assert position(phase="sell", ending="camels").outcome is None


@pytest.mark.parametrize("reason", ["camels", "no-moves"])
def test_notation_the_reason(reason: str) -> None:
    state = over(ending=reason)
    assert (state.outcome.reason, state.to_act, legal(state), len(state.legal)) == (reason, 0, [], 0)
