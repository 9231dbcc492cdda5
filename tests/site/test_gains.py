"""Points of decisions and turns by source: what they say, what they add up to, and the lines that they fold into."""

from __future__ import annotations

import random
import re
from collections import Counter

import pytest

from arena.rules import Game, Ruleset
from arena.rules.components import START_GOLD
from arena.rules.open_score import OPEN_CATEGORIES
from webui.replays.gains import added, gains_at, gains_between, gains_of_turn
from webui.replays.moves import Move, fold_line, move_line, move_list, turn_line, turns
from webui.replays.replay import FinishedReplay

NAMES = ["Oud", "Mirage", "Sirocco"]


def test_points_are_told_by_source_what_was_won_first() -> None:
    """Two cards of different goods for 6 gold, by the rules' own numbers: a set of one is worth 1, of two 3."""
    before = [{"gold": 20, "goods": 0, "tiles": 8}, {"viziers": 12}]
    gold_and_goods, viziers = gains_between(before, [{"gold": 14, "goods": 3, "tiles": 8}, {"viziers": 2}])
    assert (gold_and_goods.seat, gold_and_goods.text, gold_and_goods.words) == (1, "+3, −6", "Goods +3, Gold −6")
    assert (gold_and_goods.total, viziers.seat, viziers.text) == ("−3", 2, "−10")
    (together,) = added([[gold_and_goods], gains_between([{"tiles": 8}], [{"tiles": 11}])])
    assert (together.text, together.total) == ("+3, +3, −6", "±0")
    assert gains_between(before, before) == [] and added([]) == []


def test_a_source_that_is_hidden_on_either_side_is_not_told() -> None:
    assert gains_between([{"tiles": 0}], [{"tiles": 0, "gold": 30}]) == []


@pytest.fixture(scope="module")
def game() -> Game:
    """A game of three with both expansions to its end."""
    game, draw = Game(Ruleset(3, ("artisans", "whims")), bytes(32)), random.Random(5)
    while not game.state.is_over:
        game.play(draw.choice([action.text for action in game.state.legal]))
    return game


def test_the_gains_of_all_decisions_are_the_result(game: Game) -> None:
    replay = FinishedReplay.of_game(game)
    sums: Counter[tuple[int, str]] = Counter()
    for ply in range(1, len(replay.steps) + 1):
        sums.update({(gain.seat, name): change for gain in gains_at(replay, ply) for name, change in gain.sources})
    assert game.state.outcome is not None
    for seat, score in enumerate(game.state.outcome.scores, 1):
        begun = {"gold": START_GOLD}
        assert {name: sums[seat, name] + begun.get(name, 0) for name in score if name != "total"} == {
            name: value for name, value in score.items() if name != "total"
        }


def test_the_eyes_of_a_seat_are_told_its_own_points_and_what_lies_open(game: Game) -> None:
    replay = FinishedReplay.of_game(game, seat=2)
    last = len(replay.steps)
    told = {
        (gain.seat == 2, name)
        for ply in range(1, last)
        for gain in gains_at(replay, ply)
        for name, _change in gain.sources
    }
    assert (True, "gold") in told and {name for is_own, name in told if not is_own} <= set(OPEN_CATEGORIES)


def test_decisions_fold_into_turns(game: Game) -> None:
    replay = FinishedReplay.of_game(game)
    moves = move_list(replay, NAMES)
    folded = turns(moves)
    assert [move for turn in folded for move in turn] == moves
    for turn in folded:
        assert len({move.seat for move in turn}) == 1
        assert [move.text.startswith("bid") or move.text == "end" for move in turn] == [False] * (len(turn) - 1) + [
            True
        ]
    ply = next(ply for ply, move in enumerate(moves, 1) if move.text == "end" and len(moves[ply - 1].gains) == 0)
    turn = next(turn for turn in folded if turn[-1] is moves[ply - 1])
    assert added([move.gains for move in turn]) == gains_of_turn(replay, ply)


def told(html: str) -> str:
    """The text of a line."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", "", html.replace("</span><", "</span> <"))).strip()


def test_a_turn_is_a_line_with_its_points_and_its_decisions_inside(game: Game) -> None:
    folded = turns(move_list(FinishedReplay.of_game(game), NAMES))
    captured, drop = next(
        (turn, move) for turn in folded for move in turn if move.text.startswith("drop") and " and takes " in move.brief
    )
    assert f" → {drop.text.split(' ')[1]} {drop.brief}" in told(fold_line(captured))
    own = next(gain for gain in added([move.gains for move in captured]) if gain.seat == captured[0].seat)
    assert f'title="{own.words}">{own.total}</b>' in fold_line(captured)
    line = turn_line(captured, current=1)
    assert line.count('class="move') - line.count('class="move-') == len(captured) and "<details open>" in line
    assert "<details>" in turn_line(captured)
    bid = folded[0]
    assert bid[0].is_alone and "details" not in turn_line(bid)


def test_points_stand_before_the_words_of_a_decision() -> None:
    gains = tuple(gains_between([{"tiles": 0}, {"viziers": 11}], [{"tiles": 12}, {"viziers": 1}]))
    move = Move(6, 7, 1, "kills a vizier in front of Mirage", "", "kill @2 y", False, None, "", gains)
    assert told(move_line(move)) == "6 +12: Seat 2−10: kills a vizier in front of Mirage kill @2 y"
